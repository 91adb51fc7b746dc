package amd64

import (
	"emu/ir"
	"emu/jit/asm/x64"
)

// Reciprocal steps and estimates (FRECPS, FRSQRTS, FRECPE, FRSQRTE): what compilers
// and hand-written kernels make divisions of. The common operands are computed
// here; zeros, infinities, NaNs and the ends of the range go through Go.

// maskedK is a literal with n in lane 0 of a scalar and rest above, or with n in
// all lanes.
func (c *compiler) maskedK(k fpKind, n, rest uint64) x64.Mem {
	if !k.scalar() {
		return c.splat(k.width(), n)
	}
	if k.width() == 2 {
		return c.b.Lit128(n|rest<<32, rest)
	}
	return c.b.Lit128(n, rest)
}

// exponents emits t = the exponent fields of a, zero above a scalar.
func (c *compiler) exponents(k fpKind, t x64.Xmm, a vsrc) {
	mask := c.maskedK(k, fpInfinity[k.width()], 0)
	if a.mem {
		c.vload(t, a.m)
		c.v3m(x64.PAND, t, t, mask)
		return
	}
	c.v3m(x64.PAND, t, a.x, mask)
}

// special emits u = a mask of the lanes that are infinite or NaNs; t is scratch.
func (c *compiler) special(k fpKind, u, t x64.Xmm, a vsrc) {
	c.exponents(k, t, a)
	c.v3m(eqOps[k.width()], u, t, c.maskedK(k, fpInfinity[k.width()], ^uint64(0)))
}

// finiteOperands branches to Go if an operand is infinite or a NaN. d is scratch.
func (c *compiler) finiteOperands(in ir.Inst, k fpKind, d, a x64.Xmm, b vsrc) *coldCode {
	t, u := c.tempX(), c.tempX()
	c.special(k, d, t, inReg(a))
	c.special(k, u, t, b)
	c.v3(x64.POR, d, d, u)
	c.v2(x64.PTEST, d, d)
	return c.branchFP(x64.NE, c.newFP(fpGo, in, k, d, inReg(a), b))
}

// newton emits d = first - a*b for the operands that passed.
func (c *compiler) newton(k fpKind, d, a x64.Xmm, b vsrc, first uint64) {
	c.vload(d, c.splatK(k, &[4]uint64{2: first, 3: first}))
	if b.mem {
		c.b.XXM(fmaOps[2][k], d, a, b.m)
		return
	}
	c.b.XXX(fmaOps[2][k], d, a, b.x)
}

// lowerFRecpS: 2 - a*b. Zero times infinity is zero here, without an exception:
// infinities go through Go, and NaNs with them.
func lowerFRecpS(c *compiler, v ir.Value, in ir.Inst) {
	k := kindOf(c.f.TypeOf(v))
	if k.half() && c.halfAsSingle() {
		c.halfStep(v, in, power(2, 1), false)
		return
	}
	if k.half() || !c.nativeFMA(k) {
		viaGo(c, v, in)
		return
	}
	c.clobber()
	a, b := c.useX(in.A()), c.srcX(in.B())
	d := c.defX(v)
	p := c.finiteOperands(in, k, d, a, b)
	c.newton(k, d, a, b, power(k.width(), 1))
	c.b.Bind(p.back)
	c.scalarAlone(v)
}

// lowerFRSqrtS: (3 - a*b) / 2, computed as 1.5 - a/2*b, which rounds and overflows
// where it should as long as half of a is exact.
func lowerFRSqrtS(c *compiler, v ir.Value, in ir.Inst) {
	k := kindOf(c.f.TypeOf(v))
	if k.half() && c.halfAsSingle() {
		c.halfStep(v, in, power(2, 1)|1<<22, true)
		return
	}
	if k.half() || !c.nativeFMA(k) {
		viaGo(c, v, in)
		return
	}
	c.clobber()
	w := k.width()
	a, b := c.useX(in.A()), c.srcX(in.B())
	d := c.defX(v)
	t, u := c.tempX(), c.tempX()
	c.special(k, d, t, b)
	c.special(k, u, t, inReg(a))
	c.v3(x64.POR, d, d, u)
	one := power(w, 1) - power(w, 0) // in the exponent field
	c.vload(u, c.maskedK(k, 2*one, 0))
	c.v3(gtOps[w], u, u, t)
	c.v3(x64.POR, d, d, u)
	c.v2(x64.PTEST, d, d)
	p := c.branchFP(x64.NE, c.newFP(fpGo, in, k, d, inReg(a), b))
	c.v3m(fpMul[k], t, a, c.splatK(k, &fpHalf))
	c.newton(k, d, t, b, power(w, 0)+one/2)
	c.b.Bind(p.back)
	c.scalarAlone(v)
}

// scalarAlone notes that nothing is above the scalar v in its register.
func (c *compiler) scalarAlone(v ir.Value) { c.zero(v, uint8(c.f.TypeOf(v).Bits())) }

// lowerFRecpE: single precision. The estimate of the operand's 9 leading bits a is
// 2^19/(2a+1), rounded down, then halved, rounded.
func lowerFRecpE(c *compiler, v ir.Value, in ir.Inst) {
	k := kindOf(c.f.TypeOf(v))
	if k.half() || k.double() || !c.native(k) {
		viaGo(c, v, in)
		return
	}
	c.clobber()
	x := c.useX(in.A())
	d := c.defX(v)
	t, u, w := c.tempX(), c.tempX(), c.tempX()
	// Results are normal for exponents from 1 to 252.
	c.exponents(k, t, inReg(x))
	c.v3m(x64.PCMPEQD, u, t, c.maskedK(k, 0, 1<<32-1))
	c.v3m(x64.PCMPGTD, w, t, c.maskedK(k, 252<<23, 0))
	c.v3(x64.POR, u, u, w)
	c.v2(x64.PTEST, u, u)
	p := c.branchFP(x64.NE, c.newFP(fpGo, in, k, d, inReg(x)))

	c.vsh(x64.PSRLD, u, x, 14)
	c.v3m(x64.PAND, u, u, c.splat(2, 0x1fe))
	c.v3m(x64.POR, u, u, c.splat(2, 513))
	c.recip8(w, u)
	c.halve(d, w, 15)
	c.vload(w, c.maskedK(k, 253<<23-256<<15, 0))
	c.v3(x64.PSUBD, w, w, t)
	c.v3(x64.PADDD, d, d, w)
	c.v3m(x64.PAND, t, x, c.maskedK(k, 1<<31, 0))
	c.v3(x64.POR, d, d, t)
	c.aloneK(k, d)
	c.b.Bind(p.back)
	c.scalarAlone(v)
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

// aloneK clears what is above a single-precision scalar.
func (c *compiler) aloneK(k fpKind, d x64.Xmm) {
	if k.scalar() {
		c.v3m(x64.PAND, d, d, c.b.Lit128(1<<32-1, 0))
	}
}

// lowerFRSqrtE: single precision. Of the leading bits a, doubled if the exponent
// is odd, the estimate is the largest b with a*b*b < 2^28, halved, rounded.
func lowerFRSqrtE(c *compiler, v ir.Value, in ir.Inst) {
	k := kindOf(c.f.TypeOf(v))
	if k.half() || k.double() || !c.native(k) {
		viaGo(c, v, in)
		return
	}
	c.clobber()
	x := c.useX(in.A())
	d := c.defX(v)
	t, u, w := c.tempX(), c.tempX(), c.tempX()
	// Positive normal numbers, compared as integers.
	c.vload(t, c.splat(2, 1<<23))
	c.v3(x64.PCMPGTD, t, t, x)
	c.v3m(x64.PCMPGTD, u, x, c.splat(2, fpInfinity[2]-1))
	c.v3(x64.POR, t, t, u)
	c.aloneK(k, t)
	c.v2(x64.PTEST, t, t)
	p := c.branchFP(x64.NE, c.newFP(fpGo, in, k, d, inReg(x)))

	c.vsh(x64.PSRLD, u, x, 15)
	c.v3m(x64.PAND, u, u, c.splat(2, 0xff))
	c.v3m(x64.POR, u, u, c.splat(2, 0x101))
	c.vzero(t)
	c.v3m(x64.PAND, w, x, c.splat(2, 1<<23))
	c.v3(x64.PCMPEQD, t, t, w)
	c.v3(x64.PAND, t, t, u)
	c.v3(x64.PADDD, u, u, t)
	c.rsqrt8(w, u)
	c.halve(d, w, 15)
	// The exponent field is 190 less half of the operand's, rounded up.
	c.vsh(x64.PSRLD, t, x, 23)
	c.v3m(x64.PADDD, t, t, c.splat(2, 1))
	c.vsh(x64.PSRLD, t, t, 1)
	c.vsh(x64.PSLLD, t, t, 23)
	c.vload(w, c.splat(2, 190<<23-256<<15))
	c.v3(x64.PSUBD, w, w, t)
	c.v3(x64.PADDD, d, d, w)
	c.aloneK(k, d)
	c.b.Bind(p.back)
	c.scalarAlone(v)
}
