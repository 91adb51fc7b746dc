package amd64

import (
	"emu/ir"
	"emu/jit/asm/x64"
)

// Reciprocal steps (FRECPS, FRSQRTS): what compilers and hand-written kernels make
// divisions of, with the estimates. The common operands are computed here; infinities,
// NaNs and the ends of the range are left to cold code (lower_fp_special.go).

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

// newSteps begins an operation on a and b, and emits t = the exponents of a and d = a
// vector that is not zero if an operand is infinite or a NaN.
func (c *compiler) newSteps(k fpKind, d, a x64.Xmm, b vsrc) *steps {
	s := &steps{c: c, k: k, a: a, b: b, d: d, t: c.tempX(), u: c.tempX(), w: c.tempX()}
	c.special(k, d, s.t, b)
	c.special(k, s.u, s.t, inReg(a))
	c.v3(x64.POR, d, d, s.u)
	return s
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

// lowerFRecpS: 2 - a*b. Zero times infinity is zero here, without an exception.
func lowerFRecpS(c *compiler, v ir.Value, in ir.Inst) {
	k := kindOf(c.f.TypeOf(v))
	if c.elsewhere(v, in, k, false, !k.half() && c.nativeFMA(k), func() { c.halfStep(v, in, power(2, 1), false) }) {
		return
	}
	c.clobber()
	a, b := c.useX(in.A()), c.srcX(in.B())
	d := c.defX(v)
	s := c.newSteps(k, d, a, b)
	c.v2(x64.PTEST, d, d)
	first := power(k.width(), 1)
	back := s.stepCold(x64.NE, in, first, false)
	c.newton(k, d, a, b, first)
	c.b.Bind(back)
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
	s := c.newSteps(k, d, a, b)
	one := power(w, 1) - power(w, 0) // in the exponent field
	c.vload(s.u, c.maskedK(k, 2*one, 0))
	c.v3(gtOps[w], s.u, s.u, s.t)
	c.v3(x64.POR, d, d, s.u)
	c.v2(x64.PTEST, d, d)
	first := power(w, 0) + one/2
	back := s.stepCold(x64.NE, in, first, true)
	c.v3m(fpMul[k], s.t, a, c.splatK(k, &fpHalf))
	c.newton(k, d, s.t, b, first)
	c.b.Bind(back)
	c.scalarAlone(v)
}

// scalarAlone notes that nothing is above the scalar v in its register.
func (c *compiler) scalarAlone(v ir.Value) { c.zero(v, uint8(c.f.TypeOf(v).Bits())) }
