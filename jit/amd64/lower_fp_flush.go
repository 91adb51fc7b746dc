package amd64

import (
	"emu/cpu"
	"emu/ir"
	"emu/jit/asm/x64"
	"emu/jit/host"
)

// FPCR.FZ once the guest has written FPSR. A64 raises Input Denormal for operands that it takes for zeros and
// Underflow alone for results; the host's DAZ raises nothing, and FTZ Inexact as well. So DAZ is off then
// (cpu.State.SetFPCR): an operand or a result that A64 flushes raises Denormal or Underflow in MXCSR, which
// both are clear otherwise, and the operation is done once more by Go, with the flags from before it. A
// denormal divided by zero raises Division by Zero alone.

// mxFlushed are the flags of MXCSR that say so: denormal, division by zero and underflow.
const mxFlushed = 1<<1 | 1<<2 | 1<<4

// afterFlushing is where MXCSR is put behind an operation.
var afterFlushing = saveR(x64.RCX)

// flushes reports whether operations of kind k are lowered in this way.
func (c *compiler) flushes(k fpKind) bool {
	return c.opt.FPCR&notNative == 0 && c.fz() && c.watched() && !k.half() && (k.scalar() || c.avx())
}

// beginFlushing notes MXCSR, in front of the host's instruction.
func (c *compiler) beginFlushing() { c.b.M(x64.STMXCSR, state(offMXCSR)) }

// mendFlushed checks what came after beginFlushing, the result d of the host's instruction for in. NaNs
// are left to Go as well, as a denormal beside one raises nothing on the host, and so is the smallest normal
// number (see mendTiny).
func (c *compiler) mendFlushed(in ir.Inst, k fpKind, d x64.Xmm, neg [3]bool, args ...vsrc) {
	t := c.tempX()
	c.b.M(x64.STMXCSR, afterFlushing)
	f := c.newFP(fpGo, in, k, d, args...)
	f.negate(neg)
	f.before = func() { c.b.M(x64.LDMXCSR, state(offMXCSR)) }
	c.b.MI(x64.TESTB, afterFlushing, mxFlushed)
	p := c.branchFP(x64.NE, f)
	c.b.JccNear(c.leastOrNaN(k, t, d), p.from)
	c.b.Bind(p.back)
}

// convertFlushing is lowerFCvt.
func (c *compiler) convertFlushing(v ir.Value, in ir.Inst, from, to fpKind) {
	c.clobber()
	a := c.useX(in.A())
	c.beginFlushing()
	d := c.convert(v, a, from, to)
	c.mendFlushed(in, to, d, [3]bool{}, inReg(a))
}

// withoutDenormals is the lowering of an operation whose result is no denormal but if an operand is: as if FZ was not
// set, and as Go computes if one is, which nothing but a look at them tells.
func withoutDenormals(lower lowerFn) lowerFn {
	return func(c *compiler, v ir.Value, in ir.Inst) {
		k := kindOf(c.f.TypeOf(in.A()))
		if !c.flushes(k) {
			lower(c, v, in)
			return
		}
		c.clobber()
		c.beginFlushing()
		c.fp.noDenormals = true
		lower(c, v, in)
		if c.fp.noDenormals {
			c.fp.noDenormals = false
			c.mendDenormals(v, in, k)
		}
	}
}

// mendDenormals has Go do what was done if an operand is a denormal, or the smallest normal number.
func (c *compiler) mendDenormals(v ir.Value, in ir.Inst, k fpKind) {
	c.clobber()
	var args [2]vsrc
	n := 1
	args[0] = inReg(c.useX(in.A()))
	if b := in.B(); b != ir.None && in.Op().Info().Args[1] != '#' {
		args[1], n = inReg(c.useX(b)), 2
	}
	f := c.newFP(fpGo, in, k, 0, args[:n]...)
	f.before = func() {
		c.b.MI(x64.ANDL, state(offMXCSR), ^mxFlushed) // noted later if Go was asked for NaNs
		c.b.M(x64.LDMXCSR, state(offMXCSR))
	}
	switch f.inR = !c.f.TypeOf(v).InXMM(); {
	case f.inR && c.vals[v].reg >= 0:
		f.r = c.useR(v)
	case f.inR:
		f.r = c.tempR()
	case c.vals[v].reg >= 0:
		f.d = c.useX(v)
	default:
		f.d = c.tempX()
	}
	var p *coldCode
	scratch := c.denormalScratch(k)
	for _, a := range args[:n] {
		cc := c.denormals(k, a.x, scratch)
		if p == nil {
			p = c.branchFP(cc, f)
		} else {
			c.b.JccNear(cc, p.from)
		}
	}
	c.b.Bind(p.back)
}

// denormalScratch is what denormals needs. It is taken in front of all tests: what is spilled
// for it behind a branch would not be so where that leads.
type denormalScratch struct {
	r    x64.Reg // for scalars
	t, u x64.Xmm // for vectors
}

func (c *compiler) denormalScratch(k fpKind) (s denormalScratch) {
	if k.scalar() {
		s.r = c.tempR()
	} else {
		s.t, s.u = c.tempX(), c.tempX()
	}
	return s
}

// denormals emits a test for denormals in a, and the smallest normal number: what is left of it less one
// but for the sign has no exponent.
func (c *compiler) denormals(k fpKind, a x64.Xmm, s denormalScratch) x64.Cond {
	w := k.width()
	fraction := uint8(24)
	if k.double() {
		fraction = 53
	}
	if k.scalar() {
		move, add, sub, shift := x64.MOVDX, x64.ADDL, x64.SUBL, x64.SHRL
		if k.double() {
			move, add, sub, shift = x64.MOVQXR, x64.ADDQ, x64.SUBQ, x64.SHRQ
		}
		c.b.RX(move, s.r, a)
		c.b.RR(add, s.r, s.r)
		c.b.RI(sub, s.r, 1)
		c.b.RI(shift, s.r, int32(fraction))
		return x64.EQ
	}
	shift := x64.PSRLD
	if k.double() {
		shift = x64.PSRLQ
	}
	t, u := s.t, s.u
	c.v3(addOps[w], t, a, a)
	c.v3m(addOps[w], t, t, c.ones())
	c.vsh(shift, t, t, fraction)
	c.vzero(u)
	c.v3(eqOps[w], t, t, u)
	c.v2(x64.PTEST, t, t)
	return x64.NE
}

// compareFlushing is lowerFCmpF. Cold code makes zeros of denormals before the operands are compared again, which
// raises nothing new.
func (c *compiler) compareFlushing(v ir.Value, in ir.Inst, k fpKind, ops *fpOps) {
	c.clobber()
	a, b := c.useX(in.A()), c.srcX(in.B())
	x, y := c.tempX(), c.tempX()
	c.vmov(x, a)
	if b.mem {
		c.vload(y, b.m)
	} else {
		c.vmov(y, b.x)
	}
	p := c.newCold(coldSlow)
	p.emit = func(c *compiler, p *coldCode) {
		c.zeroDenormals(k, x, y)
		c.b.JmpNear(p.back)
	}
	c.v2(ops[k], x, y)
	c.b.JccNear(x64.P, p.from) // a denormal beside a NaN raises nothing
	c.b.M(x64.STMXCSR, afterFlushing)
	c.b.MI(x64.TESTB, afterFlushing, mxFlushed)
	c.b.JccNear(x64.NE, p.from)
	c.b.Bind(p.back)
	c.v2(ops[k], x, y)
	c.setFlags(v, host.LocFlagsFCmp)
}

// zeroDenormals makes zeros of denormals in the registers, which are scalars, and raises Input Denormal if there
// was one, as A64 does. The host's Denormal is cleared.
func (c *compiler) zeroDenormals(k fpKind, regs ...x64.Xmm) {
	c.b.M(x64.STMXCSR, afterFlushing)
	c.b.MI(x64.ANDL, afterFlushing, ^mxFlushed)
	c.b.M(x64.LDMXCSR, afterFlushing)
	c.b.MR(x64.MOVQ, saveR(x64.RAX), x64.RAX)
	for _, x := range regs {
		next := c.b.NewLabel()
		if k.double() {
			c.b.RX(x64.MOVQXR, x64.RAX, x)
			c.b.RR(x64.ADDQ, x64.RAX, x64.RAX)
			c.b.JccShort(x64.EQ, next)
			c.b.RI(x64.SHRQ, x64.RAX, 53)
		} else {
			c.b.RX(x64.MOVDX, x64.RAX, x)
			c.b.RR(x64.ADDL, x64.RAX, x64.RAX)
			c.b.JccShort(x64.EQ, next)
			c.b.RI(x64.SHRL, x64.RAX, 24)
		}
		c.b.JccShort(x64.NE, next) // it has an exponent
		c.vzero(x)
		c.b.MI(x64.ORL, state(offFPSR), cpu.FPSRDenormal)
		c.b.Bind(next)
	}
	c.b.RM(x64.MOVQ, x64.RAX, saveR(x64.RAX))
}
