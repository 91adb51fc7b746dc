package amd64

import (
	"emu/ir"
	"emu/jit/asm/x64"
)

// Minima and maxima: in their SSE forms up to 32 bits; those of 64 bits need
// AVX-512.
var (
	sminOps = laneOps{x64.PMINSB, x64.PMINSW, x64.PMINSD, x64.VPMINSQ}
	smaxOps = laneOps{x64.PMAXSB, x64.PMAXSW, x64.PMAXSD, x64.VPMAXSQ}
	uminOps = laneOps{x64.PMINUB, x64.PMINUW, x64.PMINUD, x64.VPMINUQ}
	umaxOps = laneOps{x64.PMAXUB, x64.PMAXUW, x64.PMAXUD, x64.VPMAXUQ}
)

// vminmax emits d = the smaller or larger of a and b; ops is one of the tables
// above. d is neither a nor b.
func (c *compiler) vminmax(ops *laneOps, w int, d, a x64.Xmm, s vsrc) {
	switch {
	case w < 3:
		c.v3s(ops[w], d, a, s)
		return
	case c.evex() && s.mem:
		c.b.XXM(ops[3], d, a, s.m)
		return
	case c.evex():
		c.b.XXX(ops[3], d, a, s.x)
		return
	}
	locks := c.x.Locks()
	if s.mem {
		s.x = c.tempX()
		c.vload(s.x, s.m)
	}
	t := c.tempX()
	c.greater64(t, a, s.x, ops == &uminOps || ops == &umaxOps)
	if ops == &smaxOps || ops == &umaxOps {
		c.vselect(d, t, a, s.x)
	} else {
		c.vselect(d, t, s.x, a)
	}
	c.x.SetLocks(locks)
}

// greater64 emits d = a mask of the 64-bit lanes where a > b. d is neither.
func (c *compiler) greater64(d, a, b x64.Xmm, unsigned bool) {
	if !unsigned {
		c.v3(x64.PCMPGTQ, d, a, b)
		return
	}
	locks := c.x.Locks()
	t := c.tempX()
	flip := c.splat(3, signBit(3))
	c.v3m(x64.PXOR, t, b, flip)
	c.v3m(x64.PXOR, d, a, flip)
	c.v3(x64.PCMPGTQ, d, d, t)
	c.x.SetLocks(locks)
}

func vminmax(ops *laneOps) lowerFn {
	return func(c *compiler, v ir.Value, in ir.Inst) {
		w := c.laneOf(v)
		if w < 3 {
			c.bin(v, ops[w], in.A(), in.B())
			return
		}
		a := c.useX(in.A())
		b := c.srcX(in.B())
		c.vminmax(ops, w, c.defX(v), a, b)
	}
}

// lowerVMul: bytes as the even and odd halves of 16-bit products; 64 bits as
// three 32-bit products before AVX-512DQ.
func lowerVMul(c *compiler, v ir.Value, in ir.Inst) {
	w := c.laneOf(v)
	switch {
	case w == 1:
		c.bin(v, x64.PMULLW, in.A(), in.B())
		return
	case w == 2:
		c.bin(v, x64.PMULLD, in.A(), in.B())
		return
	}
	a, b := c.useX(in.A()), c.useX(in.B())
	d := c.defX(v)
	if w == 3 && c.evex() {
		c.b.XXX(x64.VPMULLQ, d, a, b)
		return
	}
	t, u := c.tempX(), c.tempX()
	if w == 0 {
		// The product of the odd bytes, with one factor left in the upper byte,
		// comes out there.
		c.v3m(x64.PAND, u, b, c.splat(1, 0xff00))
		c.vsh(x64.PSRLW, t, a, 8)
		c.v3(x64.PMULLW, t, t, u)
		c.v3(x64.PMULLW, d, a, b)
		low := c.splat(1, 0x00ff)
		if c.evex() {
			c.tern(d, t, inMem(low), 0xec) // d & low | t
			return
		}
		c.v3m(x64.PAND, d, d, low)
		c.v3(x64.POR, d, d, t)
		return
	}
	c.vsh(x64.PSRLQ, t, a, 32)
	c.v3(x64.PMULUDQ, t, t, b)
	c.vsh(x64.PSRLQ, u, b, 32)
	c.v3(x64.PMULUDQ, u, u, a)
	c.v3(x64.PADDQ, t, t, u)
	c.vsh(x64.PSLLQ, t, t, 32)
	c.v3(x64.PMULUDQ, d, a, b)
	c.v3(x64.PADDQ, d, d, t)
}

func vlogic(op x64.Op) lowerFn {
	return func(c *compiler, v ir.Value, in ir.Inst) { c.bin(v, op, in.A(), in.B()) }
}

func lowerVAndNot(c *compiler, v ir.Value, in ir.Inst) {
	if lo, hi, ok := c.constX(in.B()); ok {
		c.binS(v, x64.PAND, in.A(), inMem(c.b.Lit128(^lo, ^hi)))
		return
	}
	c.bin(v, x64.PANDN, in.B(), in.A()) // not first and second
}

func lowerVOrNot(c *compiler, v ir.Value, in ir.Inst) {
	lo, hi, ok := c.constX(in.B())
	switch {
	case ok:
		c.binS(v, x64.POR, in.A(), inMem(c.b.Lit128(^lo, ^hi)))
	case c.isZeroX(in.A()):
		c.binS(v, x64.PXOR, in.B(), inMem(c.ones()))
	case c.evex():
		b := c.useX(in.B())
		c.tern(c.copyX(v, in.A()), b, inReg(b), 0xf3) // d | ^b
	default:
		a, b := c.useX(in.A()), c.useX(in.B())
		d := c.defX(v)
		c.v3m(x64.PXOR, d, b, c.ones())
		c.v3(x64.POR, d, d, a)
	}
}

func lowerVNot(c *compiler, v ir.Value, in ir.Inst) {
	c.binS(v, x64.PXOR, in.A(), inMem(c.ones()))
}

// lowerVNeg: PSIGN by a negative number.
func lowerVNeg(c *compiler, v ir.Value, in ir.Inst) {
	if w := c.laneOf(v); w < 3 {
		c.binS(v, laneOps{x64.PSIGNB, x64.PSIGNW, x64.PSIGND}[w], in.A(), inMem(c.ones()))
		return
	}
	a := c.useX(in.A())
	d := c.defX(v)
	c.vzero(d)
	c.v3(x64.PSUBQ, d, d, a)
}

func lowerVAbs(c *compiler, v ir.Value, in ir.Inst) {
	if w := c.laneOf(v); w < 3 {
		c.un(v, laneOps{x64.PABSB, x64.PABSW, x64.PABSD}[w], in.A())
		return
	}
	a := c.useX(in.A())
	c.abs64(c.defX(v), a)
}

// abs64 emits the absolute value of 64-bit lanes. d is not a.
func (c *compiler) abs64(d, a x64.Xmm) {
	if c.evex() {
		c.b.XX(x64.VPABSQ, d, a)
		return
	}
	locks := c.x.Locks()
	t := c.tempX()
	c.vzero(t)
	c.v3(x64.PCMPGTQ, t, t, a)
	c.v3(x64.PXOR, d, a, t)
	c.v3(x64.PSUBQ, d, d, t)
	c.x.SetLocks(locks)
}

// absDiff lowers |a - b|: maximum - minimum.
func absDiff(lo, hi *laneOps) lowerFn {
	return func(c *compiler, v ir.Value, in ir.Inst) {
		w := c.laneOf(v)
		a := c.useX(in.A())
		b := c.srcX(in.B())
		d, t := c.defX(v), c.tempX()
		c.vminmax(hi, w, d, a, b)
		c.vminmax(lo, w, t, a, b)
		c.v3(subOps[w], d, d, t)
	}
}

// halvingAdd lowers (a + b) >> 1 as the common bits plus half of the differing
// ones.
func halvingAdd(shift shiftKind) lowerFn {
	return func(c *compiler, v ir.Value, in ir.Inst) {
		w := c.laneOf(v)
		a := c.useX(in.A())
		b := c.srcX(in.B())
		d, t := c.defX(v), c.tempX()
		c.v3s(x64.PXOR, d, a, b)
		c.vshift(shift, w, d, d, 1)
		c.v3s(x64.PAND, t, a, b)
		c.v3(addOps[w], d, d, t)
	}
}

// roundingHalvingAdd lowers (a + b + 1) >> 1 as all bits less half of the
// differing ones.
func roundingHalvingAdd(shift shiftKind) lowerFn {
	return func(c *compiler, v ir.Value, in ir.Inst) {
		w := c.laneOf(v)
		if shift == shiftRightU && w < 2 {
			c.bin(v, laneOps{x64.PAVGB, x64.PAVGW}[w], in.A(), in.B())
			return
		}
		a := c.useX(in.A())
		b := c.srcX(in.B())
		d, t := c.defX(v), c.tempX()
		c.v3s(x64.PXOR, t, a, b)
		c.vshift(shift, w, t, t, 1)
		c.v3s(x64.POR, d, a, b)
		c.v3(subOps[w], d, d, t)
	}
}

// halvingSub lowers (a - b) >> 1: a - b is (a ^ b) - 2*(^a & b).
func halvingSub(shift shiftKind) lowerFn {
	return func(c *compiler, v ir.Value, in ir.Inst) {
		w := c.laneOf(v)
		a := c.useX(in.A())
		b := c.srcX(in.B())
		d, t := c.defX(v), c.tempX()
		c.v3s(x64.PANDN, t, a, b)
		c.v3s(x64.PXOR, d, a, b)
		c.vshift(shift, w, d, d, 1)
		c.v3(subOps[w], d, d, t)
	}
}
