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
	way, direct := c.direct(s.mode)
	x := a
	switch {
	case direct:
	case s.mode == ir.RoundAway:
		c.roundedAwayLanes(s.k, w, a, t, u, d)
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
	if s.k.half() {
		back := c.branchFP(x64.NE, c.newFP(fpGo, in, s.k, d, inReg(a))).back
		if !direct {
			c.cvtVec(&s, 0, t, a, u, r)
		}
		c.b.Bind(back)
		return
	}
	// At the limits of signed results operands have no fraction. Unsigned ones must not
	// raise Inexact for what is below zero.
	exact := c.b.NewLabel()
	back := c.arm(x64.NE, func() {
		if !s.unsigned {
			c.saturateLanes(s.k, a, d, t, u)
			c.b.JmpNear(exact)
			return
		}
		c.saturateLanesU(s.k, a, d, t, u)
		c.v3(x64.PANDN, t, t, a)
		c.cvtVec(&s, 0, t, t, u, r)
	})
	c.b.Bind(exact)
	c.cvtVec(&s, 0, t, a, u, r)
	c.b.Bind(back)
}

// roundedAwayLanes emits x = a rounded to nearest, ties away from zero; NaNs and
// infinities stay. t, u and w are scratch.
func (c *compiler) roundedAwayLanes(k fpKind, x, a, t, u, w x64.Xmm) {
	whole := c.arm(c.notBelow(k, t, a), func() {
		c.roundSome(k, x, a, t, u, w)
		c.v3(x64.POR, x, x, t)
	})
	c.roundAway(k, x, a, t, u)
	c.b.Bind(whole)
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
	spare := c.tempX()
	orig := a
	switch s.mode {
	case ir.RoundZero:
	case ir.RoundAway:
		q := c.tempX()
		c.roundedAwayLanes(s.k, q, a, t, u, d)
		a = q
	default:
		q := c.tempX()
		c.round(s.k, q, a, hostRound[s.mode]|roundQuiet)
		a = q
	}
	size := 8 << w
	unsigned := s.unsigned
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
	beyond := fixedLanes{c: c, s: s, a: a, orig: orig, d: d, t: t, u: u, w: spare, r: r}
	beyond.s.unsigned = false
	emit := beyond.toSigned
	if unsigned {
		emit = beyond.toUnsigned
	}
	back := c.arm(x64.NE, emit)
	if s.fbits != 0 {
		c.v3m(fpMul[s.k], t, a, c.splat(w, power(w, s.fbits)))
		a = t
	}
	if s.mode != ir.RoundZero {
		c.cvtVec(&s, 0, d, orig, u, r) // for Inexact
	}
	c.cvtVec(&s, 0, d, a, u, r)
	c.b.Bind(back)
}

// fixedLanes is the cold code of toFixedVector, where lanes are out of range, or in that
// of unsigned results only. They become zero, or less by half of the range, before the
// multiplication and the signed conversion.
type fixedLanes struct {
	c       *compiler
	s       toInt   // to signed results
	a, orig x64.Xmm // integral unless the mode is RoundZero; the operand
	d       x64.Xmm // the result
	t, u, w x64.Xmm // scratch
	r       x64.Reg // scratch
}

// splat is a literal with 2^n / 2^fbits, plus delta in its last place, in all lanes.
func (l *fixedLanes) splat(n int, delta uint64) x64.Mem {
	w := l.s.k.width()
	return l.c.splat(w, power(w, n-l.s.fbits)+delta)
}

// above emits d = a mask of the lanes of a that are as integers above m's.
func (l *fixedLanes) above(d, a x64.Xmm, m x64.Mem) {
	l.c.v3m(gtOps[l.s.k.width()], d, a, m)
}

// invalid raises Invalid Operation if x is not zero.
func (l *fixedLanes) invalid(x x64.Xmm) {
	c, none := l.c, l.c.b.NewLabel()
	c.v2(x64.PTEST, x, x)
	c.b.JccShort(x64.EQ, none)
	c.raiseInvalid()
	c.b.Bind(none)
}

// convert emits w = the lanes of u * 2^fbits as integers. t is scratch.
func (l *fixedLanes) convert(w, u x64.Xmm) {
	c, s := l.c, &l.s
	if s.fbits != 0 {
		c.v3m(fpMul[s.k], u, u, l.c.splat(s.k.width(), power(s.k.width(), s.fbits)))
	}
	c.cvtVec(s, 0, w, u, l.t, l.r)
}

// toUnsigned: lanes below zero give zero, those beyond the range its end, NaNs zero.
func (l *fixedLanes) toUnsigned() {
	c, k, d, t, u, w := l.c, l.s.k, l.d, l.t, l.u, l.w
	wd := k.width()
	size := 8 << wd
	infinity := c.splat(wd, fpInfinity[wd])
	l.above(u, l.a, l.splat(size, ^uint64(0))) // beyond, positive NaNs with them
	c.v3m(x64.PAND, t, l.a, c.splat(wd, signBit(wd)-1))
	l.above(t, t, l.splat(0, ^uint64(0)))
	c.vzero(w)
	c.v3(gtOps[wd], w, w, l.a)
	c.v3(x64.PAND, t, t, w) // -1 or less, negative NaNs with them
	c.v3(x64.POR, w, t, u)
	l.invalid(w)
	l.above(t, l.a, l.splat(size-1, ^uint64(0)))
	c.v3(x64.PANDN, d, u, t) // in the upper half
	l.above(t, l.a, infinity)
	c.v3(x64.PANDN, t, t, u)
	c.b.MX(x64.MOVUPS, argMem16(0), t) // results that are the range's end
	c.v3(x64.PANDN, u, w, l.a)
	if l.s.mode != ir.RoundZero { // for Inexact
		c.v3(x64.POR, w, w, d)
		c.v3(x64.PANDN, w, w, l.orig)
		c.cvtVec(&l.s, 0, w, w, t, l.r)
	}
	c.v3m(x64.PAND, t, d, l.splat(size-1, 0))
	c.f3(&fpSub, k, u, u, inReg(t))
	l.convert(w, u)
	c.v3m(x64.PAND, d, d, c.splat(wd, signBit(wd)))
	c.v3(x64.PXOR, d, d, w)
	c.vload(t, argMem16(0))
	c.v3(x64.POR, d, d, t)
}

// toSigned: the limit of the sign, or zero for NaNs.
func (l *fixedLanes) toSigned() {
	c, d, t, u, w := l.c, l.d, l.t, l.u, l.w
	wd := l.s.k.width()
	size := 8 << wd
	c.v3m(x64.PAND, u, l.a, c.splat(wd, signBit(wd)-1))
	l.above(u, u, l.splat(size-1, ^uint64(0))) // beyond, or the most negative
	c.v3m(eqOps[wd], t, l.a, l.splat(size-1, signBit(wd)))
	c.v3(x64.PANDN, t, t, u)
	l.invalid(t)
	c.v3(x64.PANDN, w, u, l.a)
	l.convert(w, w)
	c.vzero(t)
	c.v3(gtOps[wd], t, t, l.a)
	c.v3m(x64.PXOR, t, t, c.splat(wd, signBit(wd)-1))
	c.v3(x64.PAND, t, t, u)
	c.v3m(x64.PAND, d, l.a, c.splat(wd, signBit(wd)-1))
	l.above(d, d, c.splat(wd, fpInfinity[wd]))
	c.v3(x64.PANDN, d, d, t)
	c.v3(x64.POR, d, d, w)
}

func emitSaturateLanes(c *compiler, p *coldCode) {
	c.saturateLanes(fpKind(p.site), p.x[0], p.x[1], p.x[2], p.x[3])
	c.b.JmpNear(p.back)
}

// saturateLanes mends the lanes of d that t selects, the most negative numbers:
// positive operands give the largest, NaNs zero.
func (c *compiler) saturateLanes(k fpKind, a, d, t, u x64.Xmm) {
	c.vzero(u)
	c.v3i(fpCmp[k], u, u, a, cmpLeS) // has raised Invalid Operation for NaNs already
	c.v3(x64.PAND, u, u, t)
	c.v3(x64.PXOR, d, d, u)
	c.v3i(fpCmp[k], u, a, a, cmpUnordQ)
	c.v3(x64.PANDN, u, u, d)
	c.vmov(d, u)
}

func emitSaturateLanesU(c *compiler, p *coldCode) {
	c.saturateLanesU(fpKind(p.site), p.x[0], p.x[1], p.x[2], p.x[3])
	c.b.JmpNear(p.back)
}

// saturateLanesU is the same where the host gave the largest numbers, which are wrong
// for negative operands and NaNs. t stays.
func (c *compiler) saturateLanesU(k fpKind, a, d, t, u x64.Xmm) {
	c.vzero(u)
	c.v3i(fpCmp[k], u, u, a, cmpLeS)
	c.v3(x64.PANDN, u, u, t)
	c.v3(x64.PANDN, u, u, d)
	c.vmov(d, u)
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
