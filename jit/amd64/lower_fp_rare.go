package amd64

import (
	"emu/ir"
	"emu/jit/asm/x64"
)

// Instructions of A64 that the host has nothing like: FRINT32X and its kin, FRECPX,
// FCVTXN.

// beyond emits t = a mask of the lanes of a whose magnitude is above limit, a
// number's bits, and a branch to Go if there are any. NaNs are above all numbers.
func (c *compiler) beyond(in ir.Inst, k fpKind, d, t, a x64.Xmm, limit uint64) *coldCode {
	w := k.width()
	c.v3m(x64.PAND, t, a, c.maskedK(k, signBit(w)-1, 0))
	c.v3m(gtOps[w], t, t, c.splat(w, limit))
	c.v2(x64.PTEST, t, t)
	return c.branchFP(x64.NE, c.newFP(fpGo, in, k, d, inReg(a)))
}

// roundWithin lowers FRINT32X, FRINT32Z, FRINT64X and FRINT64Z: what is in range
// becomes integral.
func roundWithin(size int) lowerFn {
	return func(c *compiler, v ir.Value, in ir.Inst) {
		k := kindOf(c.f.TypeOf(v))
		mode := ir.Round(c.f.ImmOf(in.B()))
		if k.half() || !c.native(k) || mode == ir.RoundAway {
			viaGo(c, v, in)
			return
		}
		c.clobber()
		a := c.useX(in.A())
		d := c.defX(v)
		c.upperZero(v, in.A())
		// 2^31 - 1 is a double; other numbers next to the limit are integral.
		limit := power(k.width(), size-1) - 1
		if k.double() && size == 32 {
			limit = power(3, 31) - 1<<22
		}
		p := c.beyond(in, k, d, c.tempX(), a, limit)
		c.round(k, d, a, hostRound[mode])
		c.b.Bind(p.back)
	}
}

// lowerFRecpX: the exponent field inverted, without a fraction; the largest normal
// exponent for zeros and denormals.
func lowerFRecpX(c *compiler, v ir.Value, in ir.Inst) {
	k := kindOf(c.f.TypeOf(v))
	if !c.native(kF32) {
		viaGo(c, v, in)
		return
	}
	w := k.width()
	infinity := c.loneK(k, fpInfinity[w])
	c.clobber()
	a := c.useX(in.A())
	d := c.defX(v)
	t := c.tempX()
	c.v3m(x64.PAND, t, a, c.loneK(k, signBit(w)-1))
	c.v3m(gtOps[w], t, t, c.splat(w, fpInfinity[w]))
	c.v2(x64.PTEST, t, t)
	p := c.branchFP(x64.NE, c.newFP(fpGo, in, k, d, inReg(a)))
	c.vload(t, infinity)
	c.v3(x64.PANDN, d, a, t)
	c.v3(eqOps[w], t, t, d)
	c.v3m(x64.PAND, t, t, c.loneK(k, fpLeastNormal[w]))
	c.v3(subOps[w], d, d, t)
	c.v3m(x64.PAND, t, a, c.loneK(k, signBit(w)))
	c.v3(x64.POR, d, d, t)
	c.b.Bind(p.back)
	c.scalarAlone(v)
}

// loneK is a literal with n in lane 0 of a scalar and zeros above.
func (c *compiler) loneK(k fpKind, n uint64) x64.Mem { return c.b.Lit128(n, 0) }

// lowerFCvtXN: the last bit that a single keeps becomes one if any of those below
// are, which makes the conversion exact; that of the operand itself is there for
// Inexact. The rest, from the largest numbers and NaNs to denormal results, goes
// through Go.
func lowerFCvtXN(c *compiler, v ir.Value, in ir.Inst) {
	k := kindOf(c.f.TypeOf(in.A()))
	if !c.native(k) {
		viaGo(c, v, in)
		return
	}
	const below = 1<<29 - 1
	c.clobber()
	a := c.useX(in.A())
	d := c.defX(v)
	t, u := c.tempX(), c.tempX()
	c.v3m(x64.PAND, t, a, c.maskedK(k, signBit(3)-1, 0))
	c.vload(u, c.maskedK(k, power(3, -126), 0))
	c.v3(x64.PCMPGTQ, u, u, t)
	c.vzero(d)
	c.v3(x64.PCMPEQQ, d, d, t)
	c.v3(x64.PANDN, d, d, u) // denormal results that are not zero
	c.v3m(x64.PCMPGTQ, t, t, c.splat(3, power(3, 127)-1))
	c.v3(x64.POR, d, d, t)
	c.v2(x64.PTEST, d, d)
	p := c.branchFP(x64.NE, c.newFP(fpGo, in, k, d, inReg(a)))
	c.v3m(x64.PAND, t, a, c.splat(3, below))
	c.v3m(x64.PADDQ, t, t, c.splat(3, below))
	c.v3(x64.POR, t, t, a)
	c.v3m(x64.PAND, t, t, c.splat(3, ^uint64(below)))
	if k.scalar() {
		c.vzero(d)
		c.v3(x64.CVTSD2SS, d, d, a)
		c.vzero(d)
		c.v3(x64.CVTSD2SS, d, d, t)
	} else {
		c.v2(x64.CVTPD2PS, d, a)
		c.v2(x64.CVTPD2PS, d, t)
	}
	c.b.Bind(p.back)
	if k.scalar() {
		c.scalarAlone(v)
	}
}
