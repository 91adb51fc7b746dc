package amd64

import (
	"emu/ir"
	"emu/jit/asm/x64"
)

// Conversions between half precision and integers by way of wider formats, for hosts
// without AVX512-FP16 and for what that has no instruction for.

// operand returns the operand of a conversion, a half as a single.
func (s *toInt) operand(c *compiler, v ir.Value) x64.Xmm {
	a := c.useX(v)
	if !s.widen {
		return a
	}
	x := c.tempX()
	if c.zbits(v) <= 16 {
		c.b.XX(x64.VCVTPH2PS, x, a)
		return x
	}
	c.vzero(x)
	c.b.XXXI(x64.VPBLENDW, x, x, a, 1)
	c.b.XX(x64.VCVTPH2PS, x, x)
	return x
}

// halfToIntVector: what is not in range for sure goes through Go.
func (c *compiler) halfToIntVector(v ir.Value, in ir.Inst, s toInt) {
	h := c.newHalf(v, in)
	a := h.src[0].x
	beyond := uint64(30-s.fbits) << 10 // 2^(15-fbits)
	if s.unsigned {
		beyond += 1 << 10
	}
	c.v3m(x64.PAND, h.t, a, c.splat(1, signBit(1)-1))
	c.v3m(x64.PCMPGTW, h.t, h.t, c.splat(1, beyond-1))
	if s.unsigned {
		c.v3m(x64.PAND, h.u, a, c.splat(1, signBit(1)))
		c.v3(x64.POR, h.t, h.t, h.u)
	}
	c.v2(x64.PTEST, h.t, h.t)
	back := h.toGo(x64.NE)
	way, direct := c.direct(s.mode)
	h.each(func(w *[3]x64.Xmm) {
		if s.fbits != 0 {
			c.v3m(x64.MULPS, w[0], w[0], c.splat(2, power(2, s.fbits)))
		}
		if !direct {
			c.vmov(h.u, w[0])
			h.round(w[0], s.mode, false)
			c.v2(x64.CVTTPS2DQ, h.u, h.u) // for Inexact
		}
		c.v2(toIntVec[kV4F32][way], w[0], w[0])
	})
	pack := x64.PACKSSDW
	if s.unsigned {
		pack = x64.PACKUSDW
	}
	c.v3(pack, h.d, h.w[0][0], h.w[1][0])
	c.b.Bind(back)
}

// halfFromInt converts integers of 32 and 64 bits. Below 2^53 they are doubles.
func (c *compiler) halfFromInt(v ir.Value, in ir.Inst, fbits int, unsigned bool) {
	c.clobber()
	op := x64.Op(x64.CVTSI2SDQ)
	var r x64.Reg
	from := c.f.TypeOf(in.A())
	switch {
	case from == ir.I64, !unsigned:
		r = c.useR(in.A())
	default:
		r = c.useZ(in.A(), 32)
	}
	if from == ir.I32 && !unsigned {
		op = x64.CVTSI2SDL
	}
	d := c.defX(v)
	t := c.tempX()
	var back x64.Label
	if from == ir.I64 {
		const limit = 53
		spare := c.tempR()
		if unsigned {
			c.b.RR(x64.MOVQ, spare, r)
			c.b.RI(x64.SHRQ, spare, limit)
		} else {
			c.b.MovImm(spare, 1<<limit)
			c.b.RR(x64.ADDQ, spare, r)
			c.b.RI(x64.SHRQ, spare, limit+1)
		}
		back = c.branchFP(x64.NE, c.goInt(in, kF16, d, r)).back
	}
	c.vzero(t)
	c.cvtX(op, t, r)
	if fbits != 0 {
		c.v3m(x64.MULSD, t, t, c.b.Lit128(power(3, -fbits), 0))
	}
	c.doubleToHalf(d, t, t)
	if back != 0 {
		c.b.Bind(back)
	}
	c.scalarAlone(v)
	if fbits != 0 && c.watched() {
		f := c.goInt(in, kF16, d, r)
		q := c.tempR()
		c.b.RX(x64.MOVDX, q, d)
		c.b.RI(x64.ANDL, q, 0x7fff)
		c.b.RI(x64.CMPL, q, int32(fpLeastNormal[1]))
		c.b.Bind(c.branchFP(x64.EQ, f).back)
	}
}

// goInt is newFP for an operation on an integer that goes through Go.
func (c *compiler) goInt(in ir.Inst, k fpKind, d x64.Xmm, r x64.Reg) *fpCold {
	f := c.newFP(fpGo, in, k, d)
	f.args[0] = fpArg{kind: argR, r: r}
	return f
}

// doubleToHalf emits d = the double in a as a half. On the way it becomes a single by
// rounding to odd, so that it is rounded once: see oddSum. t may be a.
func (c *compiler) doubleToHalf(d, a, t x64.Xmm) {
	const below = 1<<29 - 1
	c.v3m(x64.PAND, d, a, c.b.Lit128(below, 0))
	c.v3m(x64.PADDQ, d, d, c.b.Lit128(below, 0))
	c.v3(x64.POR, d, d, a)
	c.v3m(x64.PAND, t, d, c.splat(3, ^uint64(below)))
	c.vzero(d)
	c.v3(x64.CVTSD2SS, d, d, t)
	c.b.XXI(x64.VCVTPS2PH, d, d, roundMXCSR)
}

// halfFromIntVector converts lanes of 16 bits, which are singles.
func (c *compiler) halfFromIntVector(v ir.Value, in ir.Inst, fbits int, unsigned bool) {
	c.clobber()
	a := c.useX(in.A())
	d := c.defX(v)
	t := c.tempX()
	widen := x64.Op(x64.VPMOVSXWD)
	if unsigned {
		widen = x64.VPMOVZXWD
	}
	half := func(x, a x64.Xmm) {
		c.b.XX(widen, x, a)
		c.v2(x64.CVTDQ2PS, x, x)
		if fbits != 0 {
			c.v3m(x64.MULPS, x, x, c.splat(2, power(2, -fbits)))
		}
		c.b.XXI(x64.VCVTPS2PH, x, x, roundMXCSR)
	}
	half(d, a)
	c.b.XXX(x64.VPUNPCKHQDQ, t, a, a)
	half(t, t)
	c.b.XXX(x64.VPUNPCKLQDQ, d, d, t)
	if fbits != 0 && c.watched() {
		c.tinyInt(in, kV8F16, d, [3]bool{}, inReg(a))
	}
}
