package amd64

import (
	"emu/ir"
	"emu/jit/asm/x64"
)

// Estimates of 8 bits (FRECPE, FRSQRTE, URECPE, URSQRTE). In single and double precision
// lanes of that width are computed with, in half precision singles: the 8 bits and the
// exponent come to the same. Operands and results that are not normal are left to cold
// code (lower_fp_special.go), those of half precision to Go.

// estimate is FRECPE or FRSQRTE being lowered, on lanes of kind k.
type estimate struct {
	c       *compiler
	k       fpKind
	frac    uint8 // bits of the fraction
	bias    uint64
	t, u, w x64.Xmm // scratch
}

func (c *compiler) newEstimate(k fpKind) *estimate {
	e := &estimate{c: c, k: k, frac: 23, bias: 127, t: c.tempX(), u: c.tempX(), w: c.tempX()}
	if k.double() {
		e.frac, e.bias = 52, 1023
	}
	return e
}

// reciprocal emits d = the estimate of 1/x, whose exponents are in t. Of x's 9 leading bits a it is 2^19/(2a+1),
// rounded down, then halved, rounded.
func (e *estimate) reciprocal(d, x x64.Xmm) {
	c, k, wd := e.c, e.k, e.k.width()
	c.vsh(shrOps[wd], e.u, x, e.frac-9)
	c.v3m(x64.PAND, e.u, e.u, c.splat(wd, 0x1fe))
	c.v3m(x64.POR, e.u, e.u, c.splat(2, 513))
	c.recip8(e.w, e.u)
	e.halve(d)
	c.vload(e.w, c.maskedK(k, (2*e.bias-1)<<e.frac-256<<(e.frac-8), 0))
	c.v3(subOps[wd], e.w, e.w, e.t)
	c.v3(addOps[wd], d, d, e.w)
	c.v3m(x64.PAND, e.t, x, c.maskedK(k, signBit(wd), 0))
	c.v3(x64.POR, d, d, e.t)
	c.aloneK(k, d)
}

// root emits d = the estimate of 1/sqrt(x). Of the leading bits a, doubled if the
// exponent is odd, it is the largest b with a*b*b < 2^28, halved, rounded.
func (e *estimate) root(d, x x64.Xmm) {
	c, k, wd := e.c, e.k, e.k.width()
	c.vsh(shrOps[wd], e.u, x, e.frac-8)
	c.v3m(x64.PAND, e.u, e.u, c.splat(wd, 0xff))
	c.v3m(x64.POR, e.u, e.u, c.splat(2, 0x101))
	c.vsh(shrOps[wd], e.t, x, e.frac)
	c.vsh(x64.PSLLD, e.t, e.t, 31)
	c.vsh(x64.PSRAD, e.t, e.t, 31) // where the biased exponent is odd
	c.v3(x64.PANDN, e.t, e.t, e.u)
	c.v3(x64.PADDD, e.u, e.u, e.t)
	c.rsqrt8(e.w, e.u)
	e.halve(d)
	// The exponent field is 3/2 of the bias less half of the operand's, rounded up.
	c.vsh(shrOps[wd], e.t, x, e.frac)
	c.v3m(addOps[wd], e.t, e.t, c.splat(wd, 1))
	c.vsh(shrOps[wd], e.t, e.t, 1)
	c.vsh(shlOps[wd], e.t, e.t, e.frac)
	c.vload(e.w, c.splat(wd, (3*e.bias-1)/2<<e.frac-256<<(e.frac-8)))
	c.v3(subOps[wd], e.w, e.w, e.t)
	c.v3(addOps[wd], d, d, e.w)
	c.aloneK(k, d)
}

// halve emits d = half of the integers in w, rounded, as fractions with an integer bit.
func (e *estimate) halve(d x64.Xmm) {
	c, wd := e.c, e.k.width()
	c.v3m(x64.PADDD, d, e.w, c.splat(2, 1))
	if wd == 3 {
		c.v3m(x64.PAND, d, d, c.splat(3, 1<<32-1))
	}
	c.vsh(x64.PSRLD, d, d, 1)
	c.vsh(shlOps[wd], d, d, e.frac-8)
}

// aloneK clears what is above a scalar.
func (c *compiler) aloneK(k fpKind, d x64.Xmm) {
	if k.scalar() {
		c.v3m(x64.PAND, d, d, c.b.Lit128(1<<(k.bits()-1)<<1-1, 0))
	}
}

func lowerFRecpE(c *compiler, v ir.Value, in ir.Inst) {
	k := kindOf(c.f.TypeOf(v))
	half := func() { c.halfEstimate(v, in, 141<<23, 1<<31-1, (*estimate).reciprocal) } // up to 2^14
	if c.elsewhere(v, in, k, false, !k.half() && (c.native(k) || c.flushes(k)), half) {
		return
	}
	c.clobber()
	x := c.useX(in.A())
	d := c.defX(v)
	e := c.newEstimate(k)
	wd := k.width()
	// Results are normal for exponents up to three less than the largest.
	c.exponents(k, e.t, inReg(x))
	c.v3m(eqOps[wd], e.u, e.t, c.maskedK(k, 0, ^uint64(0)))
	c.v3m(gtOps[wd], e.w, e.t, c.maskedK(k, (2*e.bias-2)<<e.frac, 0))
	c.v3(x64.POR, e.u, e.u, e.w)
	c.v2(x64.PTEST, e.u, e.u)
	back := e.ifRare(in, d, x, false)
	e.reciprocal(d, x)
	c.b.Bind(back)
	c.scalarAlone(v)
}

func lowerFRSqrtE(c *compiler, v ir.Value, in ir.Inst) {
	k := kindOf(c.f.TypeOf(v))
	half := func() { c.halfEstimate(v, in, fpInfinity[2], 1<<32-1, (*estimate).root) }
	if c.elsewhere(v, in, k, false, !k.half() && (c.native(k) || c.flushes(k)), half) {
		return
	}
	c.clobber()
	x := c.useX(in.A())
	d := c.defX(v)
	e := c.newEstimate(k)
	wd := k.width()
	// Positive normal numbers, compared as integers.
	c.vload(e.t, c.splat(wd, fpLeastNormal[wd]))
	c.v3(gtOps[wd], e.t, e.t, x)
	c.v3m(gtOps[wd], e.u, x, c.splat(wd, fpInfinity[wd]-1))
	c.v3(x64.POR, e.t, e.t, e.u)
	c.aloneK(k, e.t)
	c.v2(x64.PTEST, e.t, e.t)
	back := e.ifRare(in, d, x, true)
	e.root(d, x)
	c.b.Bind(back)
	c.scalarAlone(v)
}

// ifRare branches to cold code, which is left to Go if denormals are flushed and FPSR is in use.
func (e *estimate) ifRare(in ir.Inst, d, x x64.Xmm, root bool) (back x64.Label) {
	if e.c.flushes(e.k) {
		return e.c.branchFP(x64.NE, e.c.newFP(fpGo, in, e.k, d, inReg(x))).back
	}
	return e.c.arm(x64.NE, func() { e.rare(d, x, other(d, x, e.t, e.u, e.w), root) })
}

// halfEstimate does an estimate of halves that are normal and, in the bits of mask,
// below limit.
func (c *compiler) halfEstimate(v ir.Value, in ir.Inst, limit, mask uint64, do func(e *estimate, d, x x64.Xmm)) {
	h := c.newHalf(v, in)
	e := &estimate{c: c, k: h.sk, frac: 23, bias: 127, t: h.t, u: h.u, w: c.tempX()}
	bad := h.d
	c.vzero(bad)
	h.each(func(w *[3]x64.Xmm) {
		w[1] = c.tempX()
		c.v3m(x64.PAND, e.t, w[0], c.splat(2, mask))
		c.vload(e.u, c.maskedK(h.sk, 113<<23, 0)) // 2^-14
		c.v3(x64.PCMPGTD, e.u, e.u, e.t)
		c.v3(x64.POR, bad, bad, e.u)
		c.v3m(x64.PCMPGTD, e.t, e.t, c.splat(2, limit-1))
		c.v3(x64.POR, bad, bad, e.t)
	})
	c.v2(x64.PTEST, bad, bad)
	back := h.toGo(x64.NE)
	h.each(func(w *[3]x64.Xmm) {
		c.exponents(h.sk, e.t, inReg(w[0]))
		do(e, w[1], w[0])
		c.vmov(w[0], w[1])
	})
	h.finish(false, back)
}

// recip8 emits w = 2^19 / u rounded down, for integers u from 513 to 1023. RCPPS
// raises nothing and is off by less than one half, so that its value rounded is the
// quotient or one more. u changes.
func (c *compiler) recip8(w, u x64.Xmm) {
	c.v2(x64.CVTDQ2PS, u, u)
	c.v2(x64.RCPPS, w, u)
	c.v3m(x64.MULPS, w, w, c.splat(2, power(2, 19)))
	c.v2i(x64.ROUNDPS, w, w, roundEven|roundQuiet)
	// One too many if the product exceeds 2^19; all of this is exact.
	c.v3(x64.MULPS, u, u, w)
	c.v2(x64.CVTPS2DQ, w, w)
	c.v2(x64.CVTPS2DQ, u, u)
	c.v3m(x64.PCMPGTD, u, u, c.splat(2, 1<<19))
	c.v3(x64.PADDD, w, w, u)
}

// rsqrt8 emits w = the largest integer with u*w*w < 2^28, for u from 257 to 1022.
// RSQRTPS finds it or the next. u changes.
func (c *compiler) rsqrt8(w, u x64.Xmm) {
	c.v2(x64.CVTDQ2PS, w, u)
	c.v2(x64.RSQRTPS, w, w)
	c.v3m(x64.MULPS, w, w, c.splat(2, power(2, 14)))
	c.v2i(x64.ROUNDPS, w, w, roundEven|roundQuiet)
	c.v2(x64.CVTPS2DQ, w, w)
	c.v3(x64.PMULLD, u, u, w)
	c.v3(x64.PMULLD, u, u, w)
	c.v3m(x64.PCMPGTD, u, u, c.splat(2, 1<<28-1))
	c.v3(x64.PADDD, w, w, u)
}

// halve emits d = (w + 1) / 2, rounded down, shifted left.
func (c *compiler) halve(d, w x64.Xmm, shift uint8) {
	c.v3m(x64.PADDD, d, w, c.splat(2, 1))
	c.vsh(x64.PSRLD, d, d, 1)
	c.vsh(x64.PSLLD, d, d, shift)
}

// lowerURecpE: the estimate of the 9 leading bits; all ones where the first is clear.
func lowerURecpE(c *compiler, v ir.Value, in ir.Inst) {
	x := c.useX(in.A())
	d := c.defX(v)
	u, w := c.tempX(), c.tempX()
	c.vsh(x64.PSRLD, u, x, 22)
	c.v3m(x64.PAND, u, u, c.splat(2, 0x3fe))
	c.v3m(x64.POR, u, u, c.splat(2, 513))
	c.recip8(w, u)
	c.halve(d, w, 23)
	c.vsh(x64.PSRAD, u, x, 31)
	c.v3m(x64.PXOR, u, u, c.ones())
	c.v3(x64.POR, d, d, u)
}

// lowerURSqrtE: with the first bit set 8 bits count, and otherwise 8 after the first;
// all ones where the two leading bits are clear.
func lowerURSqrtE(c *compiler, v ir.Value, in ir.Inst) {
	x := c.useX(in.A())
	d := c.defX(v)
	u, w, t := c.tempX(), c.tempX(), c.tempX()
	c.vsh(x64.PSRAD, t, x, 31)
	c.vsh(x64.PSRLD, u, x, 22)
	c.vsh(x64.PSRLD, w, x, 23)
	c.v3(x64.PAND, w, w, t)
	c.v3(x64.PANDN, t, t, u)
	c.v3(x64.POR, u, t, w)
	c.v3m(x64.PAND, u, u, c.splat(2, 0x1fe))
	c.v3m(x64.POR, u, u, c.splat(2, 0x101))
	c.vsh(x64.PSRAD, t, x, 31)
	c.v3(x64.PAND, t, t, u)
	c.v3(x64.PADDD, u, u, t)
	c.rsqrt8(w, u)
	c.halve(d, w, 23)
	c.vload(u, c.splat(2, 0x3fffffff))
	c.vsh(x64.PSRAD, t, x, 31)
	c.v3(x64.PCMPGTD, w, x, u)
	c.v3(x64.POR, w, w, t)
	c.v3m(x64.PXOR, w, w, c.ones())
	c.v3(x64.POR, d, d, w)
}
