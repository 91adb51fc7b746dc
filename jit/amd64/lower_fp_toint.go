package amd64

import (
	"emu/ir"
	"emu/jit/asm/x64"
)

// Conversions to integers. The host answers what is out of range, and NaNs, with
// one value, the "integer indefinite", and raises Invalid Operation as A64 does.
// When that value comes out, cold code saturates.
//
// Where the wanted rounding mode is not the host's, the operand is rounded first,
// without exceptions; if the result is in range a conversion whose result nobody
// reads raises Inexact.

// toIntOps converts a scalar of a kind: by truncation, by MXCSR's mode, each to
// 32 and 64 bits. The SSE forms are followed by their VEX forms.
var toIntOps = [numKinds][2][2]x64.Op{
	kF32: {{x64.CVTTSS2SIL, x64.CVTTSS2SIQ}, {x64.CVTSS2SIL, x64.CVTSS2SIQ}},
	kF64: {{x64.CVTTSD2SIL, x64.CVTTSD2SIQ}, {x64.CVTSD2SIL, x64.CVTSD2SIQ}},
	kF16: {{x64.VCVTTSH2SIL, x64.VCVTTSH2SIQ}, {x64.VCVTSH2SIL, x64.VCVTSH2SIQ}},
}

// toUintOps is the same to unsigned, EVEX forms.
var toUintOps = [numKinds][2][2]x64.Op{
	kF32: {{x64.VCVTTSS2USIL, x64.VCVTTSS2USIQ}, {x64.VCVTSS2USIL, x64.VCVTSS2USIQ}},
	kF64: {{x64.VCVTTSD2USIL, x64.VCVTTSD2USIQ}, {x64.VCVTSD2USIL, x64.VCVTSD2USIQ}},
	kF16: {{x64.VCVTTSH2USIL, x64.VCVTTSH2USIQ}, {x64.VCVTSH2USIL, x64.VCVTSH2USIQ}},
}

// power is 2^n as a number of lane width w, 32 or 64 bits.
func power(w, n int) uint64 {
	if w == 2 {
		return uint64(127+n) << 23
	}
	return uint64(1023+n) << 52
}

// toInt is one conversion to be lowered.
type toInt struct {
	k        fpKind
	mode     ir.Round
	fbits    int
	unsigned bool
	wide     int // 1 for 64-bit results
	t        ir.Type
	widen    bool // the operand is a half and to become a single first
}

func lowerFToSI(c *compiler, v ir.Value, in ir.Inst) { c.toInt(v, in, false) }
func lowerFToUI(c *compiler, v ir.Value, in ir.Inst) { c.toInt(v, in, true) }

func (c *compiler) toInt(v ir.Value, in ir.Inst, unsigned bool) {
	s := toInt{
		k: kindOf(c.f.TypeOf(in.A())), mode: ir.Round(c.f.ImmOf(in.B())), fbits: int(c.f.ImmOf(in.C())),
		unsigned: unsigned, t: c.f.TypeOf(v),
	}
	if s.t.Lane().Bits() == 64 {
		s.wide = 1
	}
	if !s.t.IsVec() && s.t.Bits() < 32 { // in no instruction
		viaGo(c, v, in)
		return
	}
	if s.k.half() && (!c.fp16() || s.mode == ir.RoundAway || s.fbits != 0) && c.halfAsSingle() {
		if s.k == kV8F16 {
			c.halfToIntVector(v, in, s)
			return
		}
		s.k, s.widen = kF32, true
	}
	switch {
	case !c.native(s.k), s.mode == ir.RoundAway && s.k.half(), s.fbits != 0 && s.mode != ir.RoundZero:
		viaGo(c, v, in)
	case !s.k.scalar():
		c.toIntVector(v, in, s)
	case s.fbits != 0 && !c.scales(s.k):
		c.toFixedScalar(v, in, s)
	case unsigned && !c.evex():
		c.toUintBaseline(v, in, s)
	default:
		c.toIntScalar(v, in, s)
	}
}

// scales reports whether a scalar can be multiplied by a power of two without
// overflow: single precision as double, or with exceptions suppressed.
func (c *compiler) scales(k fpKind) bool { return k == kF32 || k == kF64 && c.evex() }

// direct reports whether the host has a conversion in the mode, and which.
func (c *compiler) direct(mode ir.Round) (way int, ok bool) {
	switch {
	case mode == ir.RoundZero:
		return 0, true
	case mode == ir.RoundFPCR:
		return 1, true
	}
	return 0, false
}

// scaled returns a * 2^fbits and its kind. Nothing is raised for it but Invalid
// Operation for NaNs, which the conversion raises anyway.
func (c *compiler) scaled(a x64.Xmm, s *toInt) x64.Xmm {
	if s.fbits == 0 {
		return a
	}
	t := c.tempX()
	if s.k == kF32 {
		c.vzero(t)
		c.v3(x64.CVTSS2SD, t, t, a)
		c.v3m(x64.MULSD, t, t, c.b.Lit128(power(3, s.fbits), 0))
		s.k = kF64
		return t
	}
	u := c.tempX()
	c.vload(u, c.b.Lit128(power(3, s.fbits), 0))
	c.b.XXX(x64.VMULSD.Round(x64.RoundZero), t, a, u)
	return t
}

// cvtR emits a scalar conversion.
func (c *compiler) cvtR(s *toInt, way int, r x64.Reg, a x64.Xmm) {
	switch op := toIntOps[s.k][way][s.wide]; {
	case s.unsigned:
		c.b.RX(toUintOps[s.k][way][s.wide], r, a)
	case s.k.half() || !c.avx():
		c.b.RX(op, r, a)
	default:
		c.b.RX(vexOf(op), r, a)
	}
}

// indefinite emits a check for the host's answer to what is out of range.
func (c *compiler) indefinite(s *toInt, r x64.Reg) x64.Cond {
	op := x64.CMPL
	if s.wide == 1 {
		op = x64.CMPQ
	}
	if s.unsigned {
		c.b.RI(op, r, -1)
		return x64.EQ
	}
	c.b.RI(op, r, 1) // overflows for the most negative number only
	return x64.O
}

func (c *compiler) toIntScalar(v ir.Value, in ir.Inst, s toInt) {
	c.clobber()
	a := s.operand(c, in.A())
	x := a
	way, direct := c.direct(s.mode)
	r := c.defR(v)
	c.zero(v, uint8(s.t.Bits()))
	if direct {
		x = c.scaled(a, &s)
		c.cvtR(&s, way, r, x)
		p := c.newCold(coldSlow)
		p.emit, p.reg, p.t, p.site = emitSaturate, r, s.t, int32(s.k)
		p.x[0] = x
		if s.unsigned {
			p.emit = emitSaturateU
		}
		c.b.JccNear(c.indefinite(&s, r), p.from)
		c.b.Bind(p.back)
		return
	}
	spare := c.tempR()
	t := c.tempX()
	if s.mode == ir.RoundAway {
		x = c.tempX()
		c.roundedAway(s.k, x, a, t)
		c.cvtR(&s, 0, r, x)
	} else if c.evex() {
		op := vexOf(toIntOps[s.k][1][s.wide])
		if s.unsigned {
			op = toUintOps[s.k][1][s.wide]
		} else if s.k.half() {
			op = toIntOps[s.k][1][s.wide]
		}
		c.b.RX(op.Round(staticRound[s.mode]), r, a)
	} else {
		c.round(s.k, t, a, hostRound[s.mode]|roundQuiet)
		c.cvtR(&s, 0, r, t)
	}
	if !s.unsigned && !(s.k == kF64 && s.wide == 0) {
		// At the limits of the result operands have no fraction: truncation, which raises what
		// there is to raise, exceeds them where this mode does.
		p := c.newCold(coldSlow)
		p.emit, p.reg, p.t, p.site = emitSaturate, r, s.t, int32(s.k)
		p.x[0] = a
		c.b.JccNear(c.indefinite(&s, r), p.from)
		c.b.Bind(p.back)
		c.cvtR(&s, 0, spare, a)
		return
	}
	exact := c.b.NewLabel()
	back := c.arm(c.indefinite(&s, r), func() {
		if s.mode != ir.RoundAway {
			x = t
			c.round(s.k, x, a, hostRound[s.mode]|roundQuiet)
		}
		c.saturateRounded(&s, r, x, exact)
	})
	c.b.Bind(exact)
	c.cvtR(&s, 0, spare, a)
	c.b.Bind(back)
}

// roundedAway emits x = a rounded to nearest, ties away from zero; NaNs and infinities
// stay. t is scratch.
func (c *compiler) roundedAway(k fpKind, x, a, t x64.Xmm) {
	u := c.tempX()
	whole := c.arm(c.notBelow(k, t, a), func() { c.vmov(x, a) })
	c.roundAway(k, x, a, t, u)
	c.b.Bind(whole)
}

// saturateRounded is cold code where the host has given its answer to what is out of
// range, for x, which is integral or a NaN. Where that is the result all the same it
// goes on at exact.
func (c *compiler) saturateRounded(s *toInt, r x64.Reg, x x64.Xmm, exact x64.Label) {
	nan, above, done := c.b.NewLabel(), c.b.NewLabel(), c.b.NewLabel()
	limits := s.k == kF64 && s.wide == 0 // that the operand's format has
	isLimit := func(bits uint64) {
		if limits {
			c.v2s(fpUcom[s.k], x, inMem(c.b.Lit128(bits, 0)))
			c.b.JccNear(x64.EQ, exact)
		}
	}
	c.compareZero(s.k, x)
	c.b.JccShort(x64.P, nan)
	c.b.JccShort(x64.A, above)
	if s.unsigned {
		c.b.MovImm(r, 0)
	} else {
		isLimit(power(3, 31) | signBit(3))
	}
	c.b.JmpShort(done)
	c.b.Bind(nan)
	c.b.MovImm(r, 0)
	c.b.JmpShort(done)
	c.b.Bind(above)
	if s.unsigned {
		isLimit(power(3, 32) - 1<<21) // 2^32 - 1
		c.b.MovImm(r, 1<<(s.t.Bits()-1)<<1-1)
	} else {
		c.b.MovImm(r, 1<<(s.t.Bits()-1)-1)
	}
	c.b.Bind(done)
	c.raiseInvalid()
}

// staticRound maps ir.Round to the rounding of EVEX instructions.
var staticRound = [4]x64.Round{ir.RoundEven: x64.RoundNearest, ir.RoundUp: x64.RoundUp, ir.RoundDown: x64.RoundDown, ir.RoundZero: x64.RoundZero}

// emitSaturate: the host said the most negative number. That is right for negative
// operands.
func emitSaturate(c *compiler, p *coldCode) {
	r, back := p.reg, p.back
	c.compareZero(fpKind(p.site), p.x[0])
	nan := c.b.NewLabel()
	c.b.JccShort(x64.P, nan)
	c.b.JccNear(x64.B, back)
	c.b.MovImm(r, 1<<(p.t.Bits()-1)-1)
	c.b.JmpNear(back)
	c.b.Bind(nan)
	c.b.MovImm(r, 0)
	c.b.JmpNear(back)
}

// emitSaturateU: the host said the largest number. That is right for positive
// operands.
func emitSaturateU(c *compiler, p *coldCode) {
	r, back := p.reg, p.back
	c.compareZero(fpKind(p.site), p.x[0])
	c.b.JccNear(x64.A, back)
	c.b.MovImm(r, 0)
	c.b.JmpNear(back)
}

func (c *compiler) compareZero(k fpKind, x x64.Xmm) {
	zero := c.b.Lit128(0, 0)
	if k.half() {
		c.b.XM(fpUcom[k], x, zero)
		return
	}
	c.v2s(fpUcom[k], x, inMem(zero))
}

// lowerFJCvt: what fits in 32 bits is converted. Cold code has the others modulo 2^32:
// the difference of their integral part and a multiple of 2^32, all of which is exact. An
// infinity or a NaN ends as a NaN, and as the conversion's -2^63.
func lowerFJCvt(c *compiler, v ir.Value, in ir.Inst) {
	if !c.native(kF64) {
		viaGo(c, v, in)
		return
	}
	c.clobber()
	a := c.useX(in.A())
	r := c.defR(v)
	c.zero(v, 32)
	s := toInt{k: kF64}
	c.cvtR(&s, 0, r, a)
	t, u := c.tempX(), c.tempX()
	c.b.Bind(c.arm(c.indefinite(&s, r), func() {
		quiet := hostRound[ir.RoundZero] | roundQuiet
		c.round(kF64, t, a, quiet)
		c.v3m(x64.MULSD, u, t, c.b.Lit128(power(3, -32), 0))
		c.round(kF64, u, u, quiet)
		c.v3m(x64.MULSD, u, u, c.b.Lit128(power(3, 32), 0))
		c.v3(x64.SUBSD, t, t, u)
		c.cvtR(&toInt{k: kF64, wide: 1}, 0, r, t)
		c.b.RR(x64.MOVL, r, r)
	}))
}

// lowerFJCvtF: Z if converting back gives the operand's bits, which -0's are not.
func lowerFJCvtF(c *compiler, v ir.Value, in ir.Inst) {
	if !c.native(kF64) {
		viaGo(c, v, in)
		return
	}
	c.clobber()
	a := c.useX(in.A())
	r, q := c.defR(v), c.tempR()
	t := c.tempX()
	c.cvtR(&toInt{k: kF64}, 0, r, a)
	c.b.XX(x64.XORPS, t, t)
	c.b.XR(x64.CVTSI2SDL, t, r)
	c.b.RX(x64.MOVQXR, q, t)
	c.b.RX(x64.MOVQXR, r, a)
	c.b.RR(x64.CMPQ, q, r)
	c.b.SetR(x64.EQ, r)
	c.b.RR(x64.MOVZBL, r, r)
	c.b.RI(x64.SHLL, r, bitZ)
	c.zero(v, 16)
}
