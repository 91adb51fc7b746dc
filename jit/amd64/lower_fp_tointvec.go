package amd64

import (
	"emu/ir"
	"emu/jit/asm/x64"
)

// Vector conversions: SSE forms where there are, by truncation and MXCSR's mode.
var (
	toIntVec = [numKinds][2]x64.Op{
		kV4F32: {x64.CVTTPS2DQ, x64.CVTPS2DQ},
		kV2F64: {x64.VCVTTPD2QQ, x64.VCVTPD2QQ},
		kV8F16: {x64.VCVTTPH2W, x64.VCVTPH2W},
	}
	toUintVec = [numKinds][2]x64.Op{
		kV4F32: {x64.VCVTTPS2UDQ, x64.VCVTPS2UDQ},
		kV2F64: {x64.VCVTTPD2UQQ, x64.VCVTPD2UQQ},
		kV8F16: {x64.VCVTTPH2UW, x64.VCVTPH2UW},
	}
)

// toIntVector converts lanes of equal width.
func (c *compiler) toIntVector(v ir.Value, in ir.Inst, s toInt) {
	baseline := s.unsigned && !c.evex() // as signed numbers
	if s.fbits != 0 && s.k.half() {
		viaGo(c, v, in)
		return
	}
	c.clobber()
	if s.fbits != 0 || baseline {
		c.toFixedVector(v, in, s)
		return
	}
	a := c.useX(in.A())
	d := c.defX(v)
	t, u, w := c.tempX(), c.tempX(), c.tempX()
	var r x64.Reg
	if s.k == kV2F64 && !c.evex() {
		r = c.tempR()
	}
	toGo := func(cc x64.Cond) x64.Label {
		return c.branchFP(cc, c.newFP(fpGo, in, s.k, d, inReg(a))).back
	}
	way, direct := c.direct(s.mode)
	x, early := a, x64.Label(0)
	switch {
	case direct:
	case s.mode == ir.RoundAway:
		early = toGo(c.notBelow(s.k, t, a))
		c.roundAway(s.k, w, a, t, u)
		x = w
	default:
		c.round(s.k, w, a, hostRound[s.mode]|roundQuiet)
		x = w
	}
	c.cvtVec(&s, way, d, x, t, r)
	special := c.splat(s.k.width(), signBit(s.k.width()))
	if s.unsigned {
		special = c.ones()
	}
	c.v3m(eqOps[s.k.width()], t, d, special)
	c.v2(x64.PTEST, t, t)
	if direct && !s.k.half() {
		p := c.newCold(coldSlow)
		p.emit, p.x, p.site = emitSaturateLanes, [4]x64.Xmm{a, d, t, u}, int32(s.k)
		if s.unsigned {
			p.emit = emitSaturateLanesU
		}
		c.b.JccNear(x64.NE, p.from)
		c.b.Bind(p.back)
		return
	}
	late := toGo(x64.NE)
	if !direct {
		c.cvtVec(&s, 0, t, a, u, r)
	}
	c.b.Bind(late)
	if early != 0 {
		c.b.Bind(early)
	}
}

// toFixedVector converts lanes * 2^fbits, by truncation if there are bits of fraction.
// In other modes lanes are rounded first. Exceptions allow the multiplication for
// what is in range only: that is checked first, with the bits as integers.
func (c *compiler) toFixedVector(v ir.Value, in ir.Inst, s toInt) {
	w := s.k.width()
	a := c.useX(in.A())
	d := c.defX(v)
	t, u := c.tempX(), c.tempX()
	var r x64.Reg
	if s.k == kV2F64 && !c.evex() {
		r = c.tempR()
	}
	orig := a
	var whole x64.Label
	toGo := func(cc x64.Cond) x64.Label { return c.branchFP(cc, c.newFP(fpGo, in, s.k, d, inReg(orig))).back }
	switch s.mode {
	case ir.RoundZero:
	case ir.RoundAway:
		q := c.tempX()
		whole = toGo(c.notBelow(s.k, t, a))
		c.roundAway(s.k, q, a, t, u)
		a = q
	default:
		q := c.tempX()
		c.round(s.k, q, a, hostRound[s.mode]|roundQuiet)
		a = q
	}
	size := 8 << w
	x, limit := t, power(w, size-s.fbits)
	if s.unsigned {
		c.v3m(x64.PAND, d, a, c.splat(w, signBit(w)))
		x = a
		if !c.evex() {
			s.unsigned = false
			limit = power(w, size-1-s.fbits)
		}
	} else {
		c.v3m(x64.PAND, t, a, c.splat(w, signBit(w)-1))
		c.vzero(d)
		limit = power(w, size-1-s.fbits)
	}
	c.v3m(gtOps[w], u, x, c.splat(w, limit-1))
	c.v3(x64.POR, d, d, u)
	c.v2(x64.PTEST, d, d)
	back := toGo(x64.NE)
	if s.fbits != 0 {
		c.v3m(fpMul[s.k], t, a, c.splat(w, power(w, s.fbits)))
		a = t
	}
	if s.mode != ir.RoundZero {
		c.cvtVec(&s, 0, d, orig, u, r) // for Inexact
	}
	c.cvtVec(&s, 0, d, a, u, r)
	c.b.Bind(back)
	if whole != 0 {
		c.b.Bind(whole)
	}
}

// emitSaturateLanes mends the lanes of d that t selects, the most negative numbers:
// positive operands give the largest, NaNs zero.
func emitSaturateLanes(c *compiler, p *coldCode) {
	k, a, d, t, u, back := fpKind(p.site), p.x[0], p.x[1], p.x[2], p.x[3], p.back
	c.vzero(u)
	c.v3i(fpCmp[k], u, u, a, cmpLeS) // has raised Invalid Operation for NaNs already
	c.v3(x64.PAND, u, u, t)
	c.v3(x64.PXOR, d, d, u)
	c.v3i(fpCmp[k], u, a, a, cmpUnordQ)
	c.v3(x64.PANDN, u, u, d)
	c.vmov(d, u)
	c.b.JmpNear(back)
}

// emitSaturateLanesU is the same where the host gave the largest numbers, which
// are wrong for negative operands and NaNs.
func emitSaturateLanesU(c *compiler, p *coldCode) {
	k, a, d, t, u, back := fpKind(p.site), p.x[0], p.x[1], p.x[2], p.x[3], p.back
	c.vzero(u)
	c.v3i(fpCmp[k], u, u, a, cmpLeS)
	c.v3(x64.PANDN, u, u, t)
	c.v3(x64.PANDN, u, u, d)
	c.vmov(d, u)
	c.b.JmpNear(back)
}

// cvtVec emits one vector conversion; before AVX-512 doubles go one by one.
func (c *compiler) cvtVec(s *toInt, way int, d, a, t x64.Xmm, r x64.Reg) {
	switch {
	case s.unsigned:
		c.b.XX(toUintVec[s.k][way], d, a)
	case s.k == kV4F32:
		c.v2(toIntVec[s.k][way], d, a)
	case c.evex():
		c.b.XX(toIntVec[s.k][way], d, a)
	default:
		one := toInt{k: kF64, wide: 1}
		c.v3(x64.UNPCKHPD, t, a, a)
		c.cvtR(&one, way, r, a)
		c.b.XR(x64.MOVQXR, d, r)
		c.cvtR(&one, way, r, t)
		c.b.XRI(x64.PINSRQ, d, r, 1)
	}
}
