package amd64

import (
	"emu/internal/softfp"
	"emu/ir"
	"emu/jit/asm/x64"
)

var (
	fpRound = fpOps{x64.ROUNDSS, x64.ROUNDSD, x64.ROUNDPS, x64.ROUNDPD, x64.VRNDSCALESH, x64.VRNDSCALEPH}
	// fpWhole is the least number from which on all are integral.
	fpWhole = [4]uint64{2: 0x4b000000, 3: 0x4330000000000000}
	fpOne   = [4]uint64{2: 0x3f800000, 3: 0x3ff0000000000000}
)

// Immediate of ROUNDxx: a rounding mode or MXCSR's, and no Precision exception.
const (
	roundEven  = 0
	roundMXCSR = 4
	roundQuiet = 8
)

// hostRound maps ir.Round to the immediate of ROUNDxx; RoundAway has none.
var hostRound = [6]uint8{ir.RoundEven: roundEven, ir.RoundUp: 2, ir.RoundDown: 1, ir.RoundZero: 3, ir.RoundFPCR: roundMXCSR}

// round emits d = a rounded to integral.
func (c *compiler) round(k fpKind, d, a x64.Xmm, imm uint8) {
	switch k {
	case kF16:
		c.b.XXXI(fpRound[k], d, a, a, imm)
	case kV8F16:
		c.b.XXI(fpRound[k], d, a, imm)
	case kF32, kF64:
		if c.avx() {
			c.b.XXXI(vexOf(fpRound[k]), d, a, a, imm)
			return
		}
		c.vmov(d, a)
		c.b.XXI(fpRound[k], d, a, imm)
	default:
		c.v2i(fpRound[k], d, a, imm)
	}
}

func lowerFRound(c *compiler, v ir.Value, in ir.Inst) {
	k := kindOf(c.f.TypeOf(v))
	mode := ir.Round(c.f.ImmOf(in.B()))
	exact := c.f.ImmOf(in.C()) != 0
	if k.half() && (!c.fp16() || mode == ir.RoundAway) && !(mode == ir.RoundAway && exact) && c.halfAsSingle() {
		c.halfRound(v, in, mode, exact)
		return
	}
	if !c.native(k) || mode == ir.RoundAway && (k.half() || exact) {
		viaGo(c, v, in)
		return
	}
	if mode == ir.RoundAway {
		c.clobber()
		a := c.useX(in.A())
		d := c.defX(v)
		c.upperZero(v, in.A())
		t, u := c.tempX(), c.tempX()
		w := c.tempX()
		whole := c.arm(c.notBelow(k, t, a), func() { c.roundWhole(k, d, a, t, u, w) })
		c.roundAway(k, d, a, t, u)
		c.b.Bind(whole)
		return
	}
	if c.dn() {
		c.clobber()
	}
	a := c.useX(in.A())
	d := c.defX(v)
	c.upperZero(v, in.A())
	imm := hostRound[mode]
	if !exact {
		imm |= roundQuiet
	}
	c.round(k, d, a, imm)
	if c.dn() { // else a NaN comes out as A64 has it
		c.mendNaN(in, k, d, inReg(a), inReg(a))
	}
}

// notBelow emits a check for lanes of a that are integral because of their
// magnitude, or NaNs. t is scratch.
func (c *compiler) notBelow(k fpKind, t, a x64.Xmm) x64.Cond {
	abs := c.splat(k.width(), signBit(k.width())-1)
	if k.scalar() {
		u := c.tempX()
		c.vload(u, c.splatK(k, &fpWhole))
		c.v3m(x64.PAND, t, a, abs)
		c.v2(fpUcom[k], u, t)
		return x64.BE
	}
	c.wholeLanes(k, t, a)
	c.v2(x64.PTEST, t, t)
	return x64.NE
}

// wholeLanes emits t = a mask of those lanes. Magnitudes compare as integers; NaNs are
// above all.
func (c *compiler) wholeLanes(k fpKind, t, a x64.Xmm) {
	w := k.width()
	c.v3m(x64.PAND, t, a, c.splat(w, signBit(w)-1))
	c.v3m(gtOps[w], t, t, c.splat(w, fpWhole[w]-1))
}

// roundSome emits d = a rounded as roundAway does, where wholeLanes has found lanes in a,
// which become t and stay as they are; they are zero in d.
func (c *compiler) roundSome(k fpKind, d, a, t, u, w x64.Xmm) {
	c.v3(x64.PANDN, t, t, a)
	c.roundAway(k, d, t, u, w)
	c.wholeLanes(k, t, a)
	c.v3(x64.PAND, t, t, a)
}

// roundWhole is the cold code of FRINTA: integral lanes stay as they are, and NaNs
// become quiet.
func (c *compiler) roundWhole(k fpKind, d, a, t, u, w x64.Xmm) {
	if k.scalar() {
		c.vzero(t)
		c.f3(&fpAdd, k, d, a, inReg(t))
		if c.dn() {
			c.defaultNaNs(k, d, t, u)
		}
		return
	}
	c.roundSome(k, d, a, t, u, w)
	c.vzero(u)
	c.f3(&fpAdd, k, t, t, inReg(u))
	if c.dn() {
		c.defaultNaNs(k, t, u, w)
	}
	c.v3(x64.POR, d, d, t)
}

// defaultNaNs makes the NaNs in d the default NaN. t and u are scratch.
func (c *compiler) defaultNaNs(k fpKind, d, t, u x64.Xmm) {
	c.v3i(fpCmp[k], t, d, d, cmpUnordQ)
	if k.scalar() { // of the compare, what is above lane 0 is d's
		c.v3m(x64.PAND, t, t, c.b.Lit128(signBit(k.width())<<1-1, 0))
	}
	c.v3(x64.PANDN, u, t, d)
	c.v3m(x64.PAND, t, t, c.splat(k.width(), fpDefaultNaN[k.width()]))
	c.v3(x64.POR, d, u, t)
}

// roundAway emits d = a rounded to nearest, ties away from zero, for lanes that
// notBelow has passed: towards zero, and one more where a half or more was lost.
// The difference is exact, and so is the sum.
func (c *compiler) roundAway(k fpKind, d, a, t, u x64.Xmm) {
	sign := c.splat(k.width(), signBit(k.width()))
	c.round(k, d, a, hostRound[ir.RoundZero]|roundQuiet)
	c.f3(&fpSub, k, t, a, inReg(d))
	c.v3m(x64.PAND, t, t, c.splat(k.width(), signBit(k.width())-1))
	// 0.5 <= t
	c.vload(u, c.splatK(k, &fpHalf))
	c.v3i(fpCmp[k], u, u, t, cmpLeS)
	c.v3m(x64.PAND, u, u, c.splatK(k, &fpOne))
	c.v3m(x64.PAND, t, a, sign)
	c.v3(x64.POR, u, u, t)
	c.f3(&fpAdd, k, d, d, inReg(u))
}

// lowerFCvt lowers FCVT and FCVTIEEE. A NaN keeps its sign and the upper bits of its
// payload on both machines.
func lowerFCvt(c *compiler, v ir.Value, in ir.Inst) {
	from, to := kindOf(c.f.TypeOf(in.A())), kindOf(c.f.TypeOf(v))
	if from == kV2F64 && to == kV8F16 { // no instruction: in two steps it would be rounded twice
		viaGo(c, v, in)
		return
	}
	if !from.half() && !to.half() && c.flushes(from) {
		c.convertFlushing(v, in, from, to)
		return
	}
	half := from.half() || to.half()
	// With FPCR.AHP halves have neither infinities nor NaNs.
	alternative := half && in.Op() == ir.OpFCvt && c.opt.FPCR&softfp.AHP != 0
	if !c.native(kF32) || alternative || half && !c.nativeHalfCvt(from, to) {
		viaGo(c, v, in)
		return
	}
	narrow := to.width() < from.width()
	if c.dn() || narrow {
		c.clobber()
	}
	a := c.useX(in.A())
	d := c.convert(v, a, from, to)
	if narrow && (c.fz() || c.watched()) {
		c.tinyInt(in, to, d, [3]bool{}, inReg(a))
	}
	if !c.dn() {
		return // the NaN is as A64 makes it
	}
	if to.half() {
		c.defaultHalf(d, a, from)
		return
	}
	c.mendNaN(in, to, d, inReg(a), inReg(a))
}

// convert emits the conversion of a to v, and returns v's register.
func (c *compiler) convert(v ir.Value, a x64.Xmm, from, to fpKind) x64.Xmm {
	d := c.defX(v)
	if to.scalar() {
		c.vzero(d) // what is above the result, and no dependence on d
		c.zero(v, uint8(c.f.TypeOf(v).Bits()))
		c.cvtScalar(d, a, from, to)
	} else {
		c.cvtVector(d, a, from, to)
	}
	return d
}

// defaultHalf makes the NaNs in d the default NaN of half precision, if there is one in
// the operand a.
func (c *compiler) defaultHalf(d, a x64.Xmm, from fpKind) {
	t, u := c.tempX(), c.tempX()
	c.b.Bind(c.arm(c.unordered(from, a, inReg(a)), func() {
		c.v3m(x64.PAND, t, d, c.splat(1, signBit(1)-1))
		c.v3m(x64.PCMPGTW, t, t, c.splat(1, fpInfinity[1]))
		c.v3(x64.PANDN, u, t, d)
		c.v3m(x64.PAND, t, t, c.splat(1, fpDefaultNaN[1]))
		c.v3(x64.POR, d, u, t)
	}))
}

// nativeHalfCvt: F16C converts between half and single precision, and to and from
// double precision in two steps; AVX512-FP16 has all.
func (c *compiler) nativeHalfCvt(from, to fpKind) bool {
	// In two steps with FPCR.FZ, the first would flush what is no single.
	return c.fp16() || c.feat.Has(x64.F16C|x64.AVX) && !(from == kF64 && to == kF16 && c.fz())
}

// halfCvt are the conversions of AVX512-FP16: from, to.
var halfCvt = map[[2]fpKind]x64.Op{
	{kF16, kF32}: x64.VCVTSH2SS, {kF32, kF16}: x64.VCVTSS2SH,
	{kF16, kF64}: x64.VCVTSH2SD, {kF64, kF16}: x64.VCVTSD2SH,
}

// cvtScalar converts lane 0 of a to lane 0 of d, which is zero.
func (c *compiler) cvtScalar(d, a x64.Xmm, from, to fpKind) {
	switch {
	case from == kF32 && to == kF64:
		c.v3(x64.CVTSS2SD, d, d, a)
	case from == kF64 && to == kF32:
		c.v3(x64.CVTSD2SS, d, d, a)
	case c.fp16():
		c.b.XXX(halfCvt[[2]fpKind{from, to}], d, d, a)
	case to == kF16 && from == kF64:
		c.doubleToHalf(d, a, c.tempX())
	case to == kF16:
		// The packed instruction is all there is: the other lanes become zero first.
		c.b.XXXI(x64.VBLENDPS, d, d, a, 1)
		c.b.XXI(x64.VCVTPS2PH, d, d, roundMXCSR)
	default:
		c.b.XXXI(x64.VPBLENDW, d, d, a, 1)
		c.b.XX(x64.VCVTPH2PS, d, d)
		if to == kF64 {
			c.b.XXX(x64.VCVTSS2SD, d, d, d)
			c.b.XX(x64.VMOVQX, d, d)
		}
	}
}

func (c *compiler) cvtVector(d, a x64.Xmm, from, to fpKind) {
	switch {
	case from == kV8F16 && to == kV2F64:
		c.b.XX(x64.VPMOVZXDQ, d, a) // without the next two, which raised exceptions
		c.b.XX(x64.VCVTPH2PS, d, d)
		c.b.XX(x64.VCVTPS2PD, d, d)
	case from == kV8F16:
		c.b.XX(x64.VCVTPH2PS, d, a)
	case to == kV8F16:
		c.b.XXI(x64.VCVTPS2PH, d, a, roundMXCSR)
	case from == kV4F32:
		c.v2(x64.CVTPS2PD, d, a)
	default:
		c.v2(x64.CVTPD2PS, d, a)
	}
}
