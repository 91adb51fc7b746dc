package amd64

import (
	"emu/ir"
	"emu/jit/asm/x64"
)

// Cold code of reciprocals: operands that are zero, denormal, infinite or NaNs, and
// results that are too small or too large. The host's operations on numbers that are
// scaled, or selected, give result and exceptions.

// rare emits d = the estimate of 1/x, or of 1/sqrt(x), for lanes of any kind; other, a
// register that is none of these, keeps its value.
//
// Denormal numbers are multiplied by 2^64 first and, for reciprocals, the largest by
// 2^-64; so are the estimates, or by the root: that overflows where it has to, and gives
// denormals exactly. Of zeros, infinities, NaNs and roots of negative numbers it is a
// division, or a root and a division, that gives results and exceptions.
func (e *estimate) rare(d, x, y x64.Xmm, root bool) {
	c, k, wd := e.c, e.k, e.k.width()
	t, u, w := e.t, e.u, e.w
	scale, one := uint64(64)<<e.frac, power(wd, 0)
	c.b.MX(x64.MOVUPS, saveX(y), y)
	c.exponents(k, t, inReg(x))
	c.vzero(u)
	c.v3(eqOps[wd], u, u, t)
	if root {
		c.v3m(x64.PAND, w, u, c.splat(wd, scale/2))
		c.v3m(addOps[wd], w, w, c.splat(wd, one))
		c.v3m(x64.PAND, u, u, c.splat(wd, scale))
		c.v3m(addOps[wd], u, u, c.splat(wd, one))
	} else {
		c.v3m(x64.PAND, u, u, c.splat(wd, scale))
		c.v3m(gtOps[wd], t, t, c.splat(wd, (2*e.bias-2)<<e.frac))
		c.v3m(x64.PAND, t, t, c.splat(wd, scale))
		c.v3(subOps[wd], u, u, t)
		c.v3m(addOps[wd], u, u, c.splat(wd, one))
		c.vmov(w, u)
	}
	c.b.MX(x64.MOVUPS, argMem16(0), w) // what to multiply the estimate by
	c.f3(&fpMul, k, y, x, inReg(u))
	if root {
		e.root(d, y)
	} else {
		c.exponents(k, t, inReg(y))
		e.reciprocal(d, y)
	}
	// u = a mask of what is no positive, or no finite, number.
	c.exponents(k, t, inReg(y))
	c.vzero(u)
	c.v3(eqOps[wd], u, u, t)
	c.v3m(eqOps[wd], t, t, c.splat(wd, fpInfinity[wd]))
	c.v3(x64.POR, u, u, t)
	if root {
		c.vzero(w)
		c.v3(gtOps[wd], w, w, y)
		c.v3(x64.POR, u, u, w)
	}
	c.v3(x64.PANDN, w, u, d)
	c.vload(d, argMem16(0))
	c.f3(&fpMul, k, d, d, inReg(w))
	c.v3m(x64.PANDN, t, u, c.splat(wd, one))
	c.v3(x64.PAND, w, u, y)
	c.v3(x64.POR, w, w, t)
	if root {
		if k.scalar() {
			c.f3(&fpSqrt, k, w, w, inReg(w))
		} else {
			c.v2(fpSqrt[k], w, w)
		}
	}
	c.vload(t, c.splat(wd, one))
	c.f3(&fpDiv, k, t, t, inReg(w))
	if root { // the host's default NaN is negative
		c.v3i(fpCmp[k], w, t, t, cmpUnordQ)
		c.v3i(fpCmp[k], y, y, y, cmpUnordQ)
		c.v3(x64.PANDN, y, y, w)
		c.v3m(x64.PAND, y, y, c.splat(wd, signBit(wd)))
		c.v3(x64.PXOR, t, t, y)
	}
	if c.dn() {
		c.defaultNaNs(k, t, w, y)
	}
	c.v3(x64.PAND, t, t, u)
	c.v3(x64.POR, d, d, t)
	c.aloneK(k, d)
	c.b.XM(x64.MOVUPS, y, saveX(y))
}

// other returns a vector register that is none of those.
func other(of ...x64.Xmm) x64.Xmm {
	for x := x64.Xmm(0); ; x++ {
		used := false
		for _, o := range of {
			used = used || o == x
		}
		if !used {
			return x
		}
	}
}

// steps is cold code of FRECPS, FRSQRTS and FMULX, in which zero times infinity is a
// constant.
type steps struct {
	c       *compiler
	k       fpKind
	a       x64.Xmm
	b       vsrc
	d       x64.Xmm // the result
	t, u, w x64.Xmm // scratch
}

// factors emits t and w = a and b with zeros for both where one is zero and the other
// infinite, and u = a mask of those lanes.
func (s *steps) factors() {
	c, wd := s.c, s.k.width()
	t, u, w, d := s.t, s.u, s.w, s.d
	absolute, infinity := c.splat(wd, signBit(wd)-1), c.splat(wd, fpInfinity[wd])
	b := w
	if s.b.mem {
		c.vload(b, s.b.m)
	} else {
		c.vmov(b, s.b.x)
	}
	c.vzero(u)
	c.v3i(fpCmp[s.k], u, u, s.a, cmpEqQ)
	c.v3m(x64.PAND, t, b, absolute)
	c.v3m(eqOps[wd], t, t, infinity)
	c.v3(x64.PAND, u, u, t)
	c.vzero(t)
	c.v3i(fpCmp[s.k], t, t, b, cmpEqQ)
	c.v3m(x64.PAND, d, s.a, absolute)
	c.v3m(eqOps[wd], d, d, infinity)
	c.v3(x64.PAND, t, t, d)
	c.v3(x64.POR, u, u, t)
	c.v3(x64.PANDN, t, u, s.a)
	c.v3(x64.PANDN, d, u, b)
	c.vmov(w, d)
}

// halved emits t = half of t, exactly: where that could be no number, t becomes 2^64 times
// as large and w, if it is at least 1, 2^65 times as small. A smaller product cannot be
// told from others of its sign.
func (s *steps) halved() {
	c, wd := s.c, s.k.width()
	t, u, w, d := s.t, s.u, s.w, s.d
	unit, one := power(wd, 1)-power(wd, 0), power(wd, 0) // unit is 1 in the exponent field
	small, down, up := 2*unit, power(wd, -65), power(wd, 64)
	c.v3m(x64.PAND, d, t, c.splat(wd, fpInfinity[wd]))
	c.vload(u, c.splat(wd, small))
	c.v3(gtOps[wd], u, u, d)
	c.v3m(x64.PAND, d, w, c.splat(wd, signBit(wd)-1))
	c.v3m(gtOps[wd], d, d, c.splat(wd, one-1))
	c.v3(x64.PAND, d, d, u)
	c.v3m(x64.PAND, d, d, c.splat(wd, one^down))
	c.v3m(x64.PXOR, d, d, c.splat(wd, one))
	c.f3(&fpMul, s.k, w, w, inReg(d))
	c.v3m(x64.PAND, u, u, c.splat(wd, fpHalf[wd]^up))
	c.v3m(x64.PXOR, u, u, c.splat(wd, fpHalf[wd]))
	c.f3(&fpMul, s.k, t, t, inReg(u))
}

// stepCold branches to cold code of FRECPS (or FRSQRTS: root), first - a*b, if cc holds.
func (s *steps) stepCold(cc x64.Cond, in ir.Inst, first uint64, root bool) (back x64.Label) {
	c := s.c
	f := c.newFP(fpPick2, in, s.k, s.d, inReg(s.a), s.b)
	f.negate([3]bool{true})
	f.keep, f.alone = true, s.k.scalar()
	if c.dn() {
		f.routine = fpDefault2
	}
	f.before = func() {
		s.factors()
		if root {
			s.halved()
		}
		c.newton(s.k, s.d, s.t, inReg(s.w), first)
	}
	return c.branchFP(cc, f).back
}

// product emits d = the product, 2 of its sign for zero times infinity. NaNs are left to
// the hot code.
func (s *steps) product() {
	c, wd := s.c, s.k.width()
	s.factors()
	c.f3(&fpMul, s.k, s.d, s.t, inReg(s.w))
	c.vmov(s.t, s.a)
	c.v3s(x64.PXOR, s.t, s.t, s.b)
	c.v3m(x64.PAND, s.t, s.t, c.splat(wd, signBit(wd)))
	c.v3m(x64.POR, s.t, s.t, c.splat(wd, power(wd, 1)))
	c.v3(x64.PAND, s.t, s.t, s.u)
	c.v3(x64.POR, s.d, s.d, s.t)
}
