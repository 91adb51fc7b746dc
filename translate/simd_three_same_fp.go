package translate

import (
	"emu/decoder"
	"emu/ir"
)

// Advanced SIMD three same (floating-point), single and double precision and
// FP16, and the widening FMLAL family.
func simdThreeSameFP() [][]rule {
	return [][]rule{
		enc(same3F(lanes2(ir.OpFAdd), true), decoder.FADD_asimdsame_only, decoder.FADD_asimdsamefp16_only),
		enc(same3F(lanes2(ir.OpFSub), false), decoder.FSUB_asimdsame_only, decoder.FSUB_asimdsamefp16_only),
		enc(same3F(lanes2(ir.OpFMul), true), decoder.FMUL_asimdsame_only, decoder.FMUL_asimdsamefp16_only),
		enc(same3F(lanes2(ir.OpFMulX), true), decoder.FMULX_asimdsame_only, decoder.FMULX_asimdsamefp16_only),
		enc(divideVector, decoder.FDIV_asimdsame_only, decoder.FDIV_asimdsamefp16_only),
		enc(same3F(absDifference, true), decoder.FABD_asimdsame_only, decoder.FABD_asimdsamefp16_only),
		enc(same3F(lanes2(ir.OpFRecpS), false), decoder.FRECPS_asimdsame_only, decoder.FRECPS_asimdsamefp16_only),
		enc(same3F(lanes2(ir.OpFRSqrtS), false), decoder.FRSQRTS_asimdsame_only, decoder.FRSQRTS_asimdsamefp16_only),

		enc(same3F(lanes2(ir.OpFMax), true), decoder.FMAX_asimdsame_only, decoder.FMAX_asimdsamefp16_only),
		enc(same3F(lanes2(ir.OpFMin), true), decoder.FMIN_asimdsame_only, decoder.FMIN_asimdsamefp16_only),
		enc(same3F(lanes2(ir.OpFMaxNM), true), decoder.FMAXNM_asimdsame_only, decoder.FMAXNM_asimdsamefp16_only),
		enc(same3F(lanes2(ir.OpFMinNM), true), decoder.FMINNM_asimdsame_only, decoder.FMINNM_asimdsamefp16_only),

		enc(same3F(compareF(ir.FOEQ), false), decoder.FCMEQ_asimdsame_only, decoder.FCMEQ_asimdsamefp16_only),
		enc(same3F(compareF(ir.FOGE|ir.FSignal), false), decoder.FCMGE_asimdsame_only, decoder.FCMGE_asimdsamefp16_only),
		enc(same3F(compareF(ir.FOGT|ir.FSignal), true), decoder.FCMGT_asimdsame_only, decoder.FCMGT_asimdsamefp16_only),
		enc(same3F(compareAbs(ir.FOGE|ir.FSignal), false), decoder.FACGE_asimdsame_only, decoder.FACGE_asimdsamefp16_only),
		enc(same3F(compareAbs(ir.FOGT|ir.FSignal), true), decoder.FACGT_asimdsame_only, decoder.FACGT_asimdsamefp16_only),

		enc(same3FAcc(lanes3(ir.OpFMA), true), decoder.FMLA_asimdsame_only, decoder.FMLA_asimdsamefp16_only),
		enc(same3FAcc(multiplySubF, false), decoder.FMLS_asimdsame_only, decoder.FMLS_asimdsamefp16_only),

		enc(same3FPair(ir.OpFAdd), decoder.FADDP_asimdsame_only, decoder.FADDP_asimdsamefp16_only),
		enc(same3FPair(ir.OpFMax), decoder.FMAXP_asimdsame_only, decoder.FMAXP_asimdsamefp16_only),
		enc(same3FPair(ir.OpFMin), decoder.FMINP_asimdsame_only, decoder.FMINP_asimdsamefp16_only),
		enc(same3FPair(ir.OpFMaxNM), decoder.FMAXNMP_asimdsame_only, decoder.FMAXNMP_asimdsamefp16_only),
		enc(same3FPair(ir.OpFMinNM), decoder.FMINNMP_asimdsame_only, decoder.FMINNMP_asimdsamefp16_only),

		enc(widenMultiply(false, false), decoder.FMLAL_asimdsame_F),
		enc(widenMultiply(true, false), decoder.FMLAL2_asimdsame_F),
		enc(widenMultiply(false, true), decoder.FMLSL_asimdsame_F),
		enc(widenMultiply(true, true), decoder.FMLSL2_asimdsame_F),
	}
}

// same3FloatVec is the vector type of a three-same instruction: bit 21 is 0 in
// the FP16 encodings, otherwise bit 22 selects double precision.
func same3FloatVec(i decoder.Inst) ir.Type {
	if i.Bit(21) == 0 {
		return ir.V8F16
	}
	return ir.V4F32 + ir.Type(i.Bit(22))
}

// same3F is <op> <Vd>.<T>, <Vn>.<T>, <Vm>.<T> on floating-point lanes. Zeroes in
// the operands raise no exception; zeroStays says that they also give +0 in
// every rounding mode, so that the result needs no clearing.
func same3F(k binary, zeroStays bool) translateFunc {
	return func(t *Translator, i decoder.Inst) {
		ty := same3FloatVec(i)
		a, b := t.lowIf(i, t.V(i.Rn(), ty)), t.lowIf(i, t.V(i.Rm(), ty))
		t.setZeroed(i, k(t, ty, a, b), zeroStays)
	}
}

// setZeroed writes a result whose upper half, in 64-bit forms, came of zeroes.
func (t *Translator) setZeroed(i decoder.Inst, v ir.Value, zeroStays bool) {
	if zeroStays {
		t.SetV(i.Rd(), v)
		return
	}
	t.setQ(i, v)
}

func same3FAcc(k ternary, zeroStays bool) translateFunc {
	return func(t *Translator, i decoder.Inst) {
		ty := same3FloatVec(i)
		d := t.lowIf(i, t.V(i.Rd(), ty))
		a, b := t.lowIf(i, t.V(i.Rn(), ty)), t.lowIf(i, t.V(i.Rm(), ty))
		t.setZeroed(i, k(t, ty, d, a, b), zeroStays)
	}
}

// same3FPair is the pairwise form. In 64-bit forms every pair is computed twice,
// which raises no exception that once would not.
func same3FPair(op ir.Op) translateFunc {
	return func(t *Translator, i decoder.Inst) {
		ty := same3FloatVec(i)
		a, b := t.V(i.Rn(), ty), t.V(i.Rm(), ty)
		if !quad(i) {
			a = t.op2(ir.OpVCombine, ty, a, b)
			b = a
		}
		even, odd := t.op2(ir.OpUzp1, ty, a, b), t.op2(ir.OpUzp2, ty, a, b)
		t.setQ(i, t.op2(op, ty, even, odd))
	}
}

// FDIV <Vd>.<T>, <Vn>.<T>, <Vm>.<T>: the upper half of the 64-bit forms
// computes 0 / 1.
func divideVector(t *Translator, i decoder.Inst) {
	ty := same3FloatVec(i)
	a, b := t.lowIf(i, t.V(i.Rn(), ty)), t.V(i.Rm(), ty)
	if !quad(i) {
		b = t.onesAbove(b)
	}
	t.SetV(i.Rd(), t.op2(ir.OpFDiv, ty, a, b))
}

// onesAbove replaces the upper half of a vector by lanes of 1.0.
func (t *Translator) onesAbove(v ir.Value) ir.Value {
	ty := t.TypeOf(v)
	return t.op2(ir.OpVCombine, ty, v, t.splat(ty, oneOf(ty)))
}

// oneOf is the bit pattern of 1.0 in a lane of ty.
func oneOf(ty ir.Type) uint64 {
	switch ty.Lane() {
	case ir.F16:
		return 0x3c00
	case ir.F32:
		return 0x3f80_0000
	}
	return 0x3ff0_0000_0000_0000
}

func absDifference(t *Translator, ty ir.Type, a, b ir.Value) ir.Value {
	return fpAbs(t, ty, t.op2(ir.OpFSub, ty, a, b))
}

// multiplySubF is d - a*b in one rounding; the sign of a NaN in a changes.
func multiplySubF(t *Translator, ty ir.Type, d, a, b ir.Value) ir.Value {
	return t.op3(ir.OpFMA, ty, d, fpNeg(t, ty, a), b)
}

func compareF(c ir.FCond) binary {
	return func(t *Translator, ty ir.Type, a, b ir.Value) ir.Value {
		return t.op3(ir.OpFCmp, ty.IntOf(), a, b, ir.Imm(int(c)))
	}
}

func compareAbs(c ir.FCond) binary {
	return func(t *Translator, ty ir.Type, a, b ir.Value) ir.Value {
		return compareF(c)(t, ty, fpAbs(t, ty, a), fpAbs(t, ty, b))
	}
}

// widenMultiply is FMLAL{2} and FMLSL{2} <Vd>.<Ta>, <Vn>.<Tb>, <Vm>.<Tb>: half
// precision products, exact, added to single precision. The lower form takes the
// lower half of the datasize, the second form the upper half.
func widenMultiply(second, negate bool) translateFunc {
	return func(t *Translator, i decoder.Inst) {
		n := t.halfOfDatasize(i, i.Rn(), second)
		m := t.halfOfDatasize(i, i.Rm(), second)
		t.fmlal(i, n, m, negate)
	}
}

// halfOfDatasize reads the lower or upper half of a 128-bit or 64-bit source
// into the lower half of a vector, zero above (32 bits above 64-bit sources).
func (t *Translator) halfOfDatasize(i decoder.Inst, n uint32, upper bool) ir.Value {
	switch {
	case quad(i) && upper:
		return t.op1(ir.OpVHigh, ir.V8F16, t.V(n, ir.V8F16))
	case quad(i):
		return t.V(n, ir.V8F16)
	case upper:
		return t.Bitcast(ir.V8F16, t.op2(ir.OpLShr, ir.V2I64, t.V(n, ir.V2I64), ir.Imm(32)))
	}
	return t.Bitcast(ir.V8F16, t.lane0(t.V(n, ir.V4I32)))
}

// fmlal adds the products of the lower halves of n and m to Vd.
func (t *Translator) fmlal(i decoder.Inst, n, m ir.Value, negate bool) {
	if negate {
		n = fpNeg(t, ir.V8F16, n)
	}
	d := t.lowIf(i, t.V(i.Rd(), ir.V4F32))
	t.setZeroed(i, t.op3(ir.OpFMLAL, ir.V4F32, d, n, m), !negate)
}
