package amd64

import (
	"emu/ir"
	"emu/jit/asm/x64"
)

// Reciprocal steps (FRECPS, FRSQRTS): what compilers and hand-written kernels make
// divisions of, with the estimates. The common operands are computed here; zeros,
// infinities, NaNs and the ends of the range go through Go.

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
	if c.elsewhere(v, in, k, false, !k.half() && c.nativeFMA(k), func() { c.halfStep(v, in, power(2, 1), false) }) {
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
	if c.elsewhere(v, in, k, false, !k.half() && c.nativeFMA(k), func() { c.halfStep(v, in, power(2, 1)|1<<22, true) }) {
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
