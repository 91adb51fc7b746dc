package amd64

import (
	"emu/ir"
	"emu/jit/asm/x64"
)

// Checks of results, and what their cold code has to mend.

// unordered emits a check for NaNs in a or b and returns the condition that there
// is one. Quiet NaNs raise nothing.
func (c *compiler) unordered(k fpKind, a x64.Xmm, b vsrc) x64.Cond {
	switch {
	case k == kF16:
		c.b.XX(fpUcom[k], a, c.inX(b))
		return x64.P
	case k.scalar():
		s := b
		c.v2s(fpUcom[k], a, s)
		return x64.P
	case c.evex() && b.mem:
		c.b.KXMI(fpCmpK[k], x64.K1, a, b.m, cmpUnordQ)
		c.b.KK(x64.KORTESTB, x64.K1, x64.K1)
	case c.evex():
		c.b.KXXI(fpCmpK[k], x64.K1, a, b.x, cmpUnordQ)
		c.b.KK(x64.KORTESTB, x64.K1, x64.K1)
	default:
		t := c.tempX()
		c.v3is(fpCmp[k], t, a, b, cmpUnordQ)
		c.v2(x64.PTEST, t, t)
	}
	return x64.NE
}

// inX returns a register that holds s.
func (c *compiler) inX(s vsrc) x64.Xmm {
	if !s.mem {
		return s.x
	}
	t := c.tempX()
	c.vload(t, s.m)
	return t
}

// mendNaN checks the result d of the host's instruction for in. x86 takes the
// first NaN operand, or a negative NaN for an invalid operation; A64 takes a
// signalling one first, and the default NaN is positive.
func (c *compiler) mendNaN(in ir.Inst, k fpKind, d x64.Xmm, args ...vsrc) *fpCold {
	cc := c.unordered(k, d, inReg(d))
	f := c.newNaN(in, k, d, args...)
	p := c.branchFP(cc, f)
	c.b.Bind(p.back)
	return f
}

// newNaN begins the cold code that mends NaNs.
func (c *compiler) newNaN(in ir.Inst, k fpKind, d x64.Xmm, args ...vsrc) *fpCold {
	routine := fpNaN2
	switch {
	case k.half():
		routine = fpGo
	case len(args) == 3:
		routine = fpNaN3
	case c.dn():
		routine = fpDefault
	}
	f := c.newFP(routine, in, k, d, args...)
	f.keep = true
	return f
}

// mendTiny is mendNaN for operations whose result can be tiny and inexact: products,
// quotients, fused sums and narrowing conversions. A64 detects tininess before it
// rounds and the host after, so a result that is rounded up to the smallest normal
// number lacks FPSR.UFC, and with FPCR.FZ it is to be zero. One compare of the
// magnitude finds those results and the NaNs; Go computes the former again, in 150 ns where
// a product takes one: of the results in the binade below, which underflow anyhow, one in
// millions. The compare costs more than the check for NaNs alone, which is why those who
// cannot tell go without.
func (c *compiler) mendTiny(in ir.Inst, k fpKind, d x64.Xmm, neg [3]bool, args ...vsrc) {
	if !c.fz() && !c.watched() {
		c.mendNaN(in, k, d, args...).negate(neg)
		return
	}
	if !k.scalar() && !c.avx() { // without the predicate: two compares
		c.tinyInt(in, k, d, neg, args...)
		c.mendNaN(in, k, d, args...).negate(neg)
		return
	}
	cc := c.leastOrNaN(k, c.tempX(), d)
	if k.half() {
		f := c.newFP(fpGo, in, k, d, args...)
		f.negate(neg)
		c.b.Bind(c.branchFP(cc, f).back)
		return
	}
	nan := c.newNaN(in, k, d, args...)
	nan.negate(neg)
	site := int32(len(c.fp.cold) - 1)
	f := c.newFP(fpGo, in, k, d, args...)
	f.negate(neg)
	p := c.branchFP(cc, f)
	back := p.back
	q := c.newCold(coldSlow)
	q.emit, q.site = emitFPCold, site
	c.fp.cold[site+1].nan = q.from
	c.b.Bind(back)
	c.b.Bind(q.back)
}

// leastOrNaN emits a check whether the magnitude of a lane of d is the smallest normal number, or the lane is a
// NaN, and returns the condition that there is one. t is lost.
func (c *compiler) leastOrNaN(k fpKind, t, d x64.Xmm) x64.Cond {
	w := k.width()
	c.v3m(x64.PAND, t, d, c.splatBits(k, signBit(w)-1))
	least := c.splatBits(k, fpLeastNormal[w])
	switch {
	case k == kF16:
		c.b.XM(fpUcom[k], t, least)
		return x64.EQ
	case k.scalar():
		c.v2s(fpUcom[k], t, inMem(least))
		return x64.EQ
	case c.evex():
		c.b.KXMI(fpCmpK[k], x64.K1, t, least, cmpUeqQ)
		c.b.KK(x64.KORTESTB, x64.K1, x64.K1)
	default:
		c.v3is(fpCmp[k], t, t, inMem(least), cmpUeqQ)
		c.v2(x64.PTEST, t, t)
	}
	return x64.NE
}

// tinyInt is mendTiny's check for the smallest normal number alone, by integer
// compares, for results that no float compare of the host reads.
func (c *compiler) tinyInt(in ir.Inst, k fpKind, d x64.Xmm, neg [3]bool, args ...vsrc) {
	w := k.width()
	cc := x64.NE
	if k == kF16 {
		r := c.tempR()
		c.b.RX(x64.MOVDX, r, d)
		c.b.RI(x64.ANDL, r, 0x7fff)
		c.b.RI(x64.CMPL, r, int32(fpLeastNormal[w]))
		cc = x64.EQ
	} else {
		t := c.tempX()
		c.v3m(x64.PAND, t, d, c.splat(w, signBit(w)-1))
		c.v3m(eqOps[w], t, t, c.splat(w, fpLeastNormal[w]))
		c.v2(x64.PTEST, t, t)
	}
	f := c.newFP(fpGo, in, k, d, args...)
	f.negate(neg)
	c.b.Bind(c.branchFP(cc, f).back)
}

// negate makes the cold code change the signs of operands that the host's
// instruction has negated.
func (f *fpCold) negate(neg [3]bool) {
	for i := range neg {
		f.args[i].neg = neg[i]
	}
}

// nanFirst leaves for the cold code of NaNs unless one of the results is the smallest
// normal number.
func (c *compiler) nanFirst(f *fpCold) {
	if f.kind.scalar() {
		c.b.JccNear(x64.P, f.nan) // of UCOMISx in the hot code
		return
	}
	t := x64.Xmm(0)
	if f.d == t {
		t = 1
	}
	c.b.MX(x64.MOVUPS, saveX(t), t)
	w := f.kind.width()
	c.b.XX(x64.MOVAPS, t, f.d)
	c.b.XM(x64.PAND, t, c.splat(w, signBit(w)-1))
	c.b.XM(eqOps[w], t, c.splat(w, fpLeastNormal[w]))
	c.b.XX(x64.PTEST, t, t)
	c.b.XM(x64.MOVUPS, t, saveX(t))
	c.b.JccNear(x64.EQ, f.nan)
}
