package amd64

import (
	"emu/cpu"
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

// Powers of two by lane width: limits of unsigned results.
var (
	fpPow32 = [4]uint64{2: 0x4f800000, 3: 0x41f0000000000000}
	fpPow63 = [4]uint64{2: 0x5f000000, 3: 0x43e0000000000000}
)

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
	case mode == ir.RoundFPCR || uint32(mode) == cpu.RMode(c.opt.FPCR):
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
	orig, a := s.operand(c, in.A())
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
	toGo := func(cc x64.Cond) *coldCode {
		f := c.newFP(fpGo, in, s.k, 0, inReg(orig))
		f.inR, f.r = true, r
		return c.branchFP(cc, f)
	}
	var early, late *coldCode
	var earlyBack x64.Label
	if s.mode == ir.RoundAway {
		t, u, w := c.tempX(), c.tempX(), c.tempX()
		early = toGo(c.notBelow(s.k, t, a))
		earlyBack = early.back
		c.roundAway(s.k, w, a, t, u)
		c.cvtR(&s, 0, r, w)
	} else if c.evex() {
		op := vexOf(toIntOps[s.k][1][s.wide])
		if s.unsigned {
			op = toUintOps[s.k][1][s.wide]
		} else if s.k.half() {
			op = toIntOps[s.k][1][s.wide]
		}
		c.b.RX(op.Round(staticRound[s.mode]), r, a)
	} else {
		t := c.tempX()
		c.round(s.k, t, a, hostRound[s.mode]|roundQuiet)
		c.cvtR(&s, 0, r, t)
	}
	if !s.unsigned && early == nil && !(s.k == kF64 && s.wide == 0) {
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
	late = toGo(c.indefinite(&s, r))
	c.cvtR(&s, 0, spare, a)
	c.b.Bind(late.back)
	if early != nil {
		c.b.Bind(earlyBack)
	}
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

// toUintBaseline converts to unsigned by way of the signed 64-bit conversion.
// Exceptions allow that only for what is in its range and the result's: that is
// checked first.
func (c *compiler) toUintBaseline(v ir.Value, in ir.Inst, s toInt) {
	c.clobber()
	orig, a := s.operand(c, in.A())
	r := c.defR(v)
	c.zero(v, uint8(s.t.Bits()))
	x := c.scaled(a, &s)
	way, direct := c.direct(s.mode)
	direct = direct && way == 0
	spare := c.tempR()
	t, u := c.tempX(), c.tempX()
	limit := &fpPow32
	if s.wide == 1 {
		limit = &fpPow63
	}
	toGo := func(cc x64.Cond) x64.Label {
		f := c.newFP(fpGo, in, s.k, 0, inReg(orig))
		f.inR, f.r = true, r
		return c.branchFP(cc, f).back
	}
	var whole x64.Label
	switch {
	case direct:
	case s.mode == ir.RoundAway:
		w := c.tempX()
		whole = toGo(c.notBelow(s.k, t, x))
		c.roundAway(s.k, w, x, t, u)
		x = w
	default:
		c.round(s.k, t, x, hostRound[s.mode]|roundQuiet)
		x = t
	}
	c.v2s(fpUcom[s.k], x, inMem(c.splatK(s.k, &fpMinusOne)))
	low := toGo(x64.BE) // -1 or less, or a NaN
	c.vload(u, c.splatK(s.k, limit))
	c.v2(fpUcom[s.k], u, x)
	high := toGo(x64.BE)
	q := toInt{k: s.k, wide: 1}
	c.cvtR(&q, 0, r, x)
	if !direct {
		c.cvtR(&q, 0, spare, a)
	}
	c.b.Bind(low)
	c.b.Bind(high)
	if whole != 0 {
		c.b.Bind(whole)
	}
}

// toFixedScalar truncates a double * 2^fbits. The multiplication must not overflow:
// what is not in range for sure, compared as an integer, goes through Go.
func (c *compiler) toFixedScalar(v ir.Value, in ir.Inst, s toInt) {
	c.clobber()
	a := c.useX(in.A())
	r := c.defR(v)
	c.zero(v, uint8(s.t.Bits()))
	spare := c.tempR()
	t := c.tempX()
	bits := s.t.Bits() - 1
	if s.unsigned && s.wide == 0 {
		bits, s.wide = 32, 1
	}
	c.b.RX(x64.MOVQXR, r, a)
	if !s.unsigned {
		c.b.RI(x64.SHLQ, r, 1)
		c.b.RI(x64.SHRQ, r, 1)
	}
	c.b.MovImm(spare, power(3, bits-s.fbits))
	c.b.RR(x64.CMPQ, r, spare) // the sign counts as above
	f := c.newFP(fpGo, in, s.k, 0, inReg(a))
	f.inR, f.r = true, r
	p := c.branchFP(x64.AE, f)
	c.v3m(x64.MULSD, t, a, c.b.Lit128(power(3, s.fbits), 0))
	s.unsigned = false
	c.cvtR(&s, 0, r, t)
	c.b.Bind(p.back)
}

// lowerFJCvt: what fits in 32 bits is converted, the rest is rare.
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
	f := c.newFP(fpGo, in, kF64, 0, inReg(a))
	f.inR, f.r = true, r
	c.b.Bind(c.branchFP(c.indefinite(&s, r), f).back)
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
