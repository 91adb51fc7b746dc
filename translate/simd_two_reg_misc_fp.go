package translate

import (
	"emu/decoder"
	"emu/ir"
)

// Advanced SIMD two-register miscellaneous (floating-point), FP16 included.
func simdTwoRegMiscFP() [][]rule {
	return [][]rule{
		enc(miscPureF(fpAbs), decoder.FABS_asimdmisc_R, decoder.FABS_asimdmiscfp16_R),
		enc(miscPureF(fpNeg), decoder.FNEG_asimdmisc_R, decoder.FNEG_asimdmiscfp16_R),
		enc(miscF(lanes1(ir.OpFSqrt)), decoder.FSQRT_asimdmisc_R, decoder.FSQRT_asimdmiscfp16_R),
		enc(estimateF(ir.OpFRecpE), decoder.FRECPE_asimdmisc_R, decoder.FRECPE_asimdmiscfp16_R),
		enc(estimateF(ir.OpFRSqrtE), decoder.FRSQRTE_asimdmisc_R, decoder.FRSQRTE_asimdmiscfp16_R),

		enc(miscF(roundF(ir.RoundEven, false)), decoder.FRINTN_asimdmisc_R, decoder.FRINTN_asimdmiscfp16_R),
		enc(miscF(roundF(ir.RoundUp, false)), decoder.FRINTP_asimdmisc_R, decoder.FRINTP_asimdmiscfp16_R),
		enc(miscF(roundF(ir.RoundDown, false)), decoder.FRINTM_asimdmisc_R, decoder.FRINTM_asimdmiscfp16_R),
		enc(miscF(roundF(ir.RoundZero, false)), decoder.FRINTZ_asimdmisc_R, decoder.FRINTZ_asimdmiscfp16_R),
		enc(miscF(roundF(ir.RoundAway, false)), decoder.FRINTA_asimdmisc_R, decoder.FRINTA_asimdmiscfp16_R),
		enc(miscF(roundF(ir.RoundFPCR, true)), decoder.FRINTX_asimdmisc_R, decoder.FRINTX_asimdmiscfp16_R),
		enc(miscF(roundF(ir.RoundFPCR, false)), decoder.FRINTI_asimdmisc_R, decoder.FRINTI_asimdmiscfp16_R),
		enc(miscF(roundSized(ir.OpFRound32, ir.RoundZero)), decoder.FRINT32Z_asimdmisc_R),
		enc(miscF(roundSized(ir.OpFRound32, ir.RoundFPCR)), decoder.FRINT32X_asimdmisc_R),
		enc(miscF(roundSized(ir.OpFRound64, ir.RoundZero)), decoder.FRINT64Z_asimdmisc_R),
		enc(miscF(roundSized(ir.OpFRound64, ir.RoundFPCR)), decoder.FRINT64X_asimdmisc_R),

		enc(miscF(toInt(ir.OpFToSI, ir.RoundEven)), decoder.FCVTNS_asimdmisc_R, decoder.FCVTNS_asimdmiscfp16_R),
		enc(miscF(toInt(ir.OpFToSI, ir.RoundUp)), decoder.FCVTPS_asimdmisc_R, decoder.FCVTPS_asimdmiscfp16_R),
		enc(miscF(toInt(ir.OpFToSI, ir.RoundDown)), decoder.FCVTMS_asimdmisc_R, decoder.FCVTMS_asimdmiscfp16_R),
		enc(miscF(toInt(ir.OpFToSI, ir.RoundZero)), decoder.FCVTZS_asimdmisc_R, decoder.FCVTZS_asimdmiscfp16_R),
		enc(miscF(toInt(ir.OpFToSI, ir.RoundAway)), decoder.FCVTAS_asimdmisc_R, decoder.FCVTAS_asimdmiscfp16_R),
		enc(miscF(toInt(ir.OpFToUI, ir.RoundEven)), decoder.FCVTNU_asimdmisc_R, decoder.FCVTNU_asimdmiscfp16_R),
		enc(miscF(toInt(ir.OpFToUI, ir.RoundUp)), decoder.FCVTPU_asimdmisc_R, decoder.FCVTPU_asimdmiscfp16_R),
		enc(miscF(toInt(ir.OpFToUI, ir.RoundDown)), decoder.FCVTMU_asimdmisc_R, decoder.FCVTMU_asimdmiscfp16_R),
		enc(miscF(toInt(ir.OpFToUI, ir.RoundZero)), decoder.FCVTZU_asimdmisc_R, decoder.FCVTZU_asimdmiscfp16_R),
		enc(miscF(toInt(ir.OpFToUI, ir.RoundAway)), decoder.FCVTAU_asimdmisc_R, decoder.FCVTAU_asimdmiscfp16_R),
		enc(miscF(fromInt(ir.OpSIToF)), decoder.SCVTF_asimdmisc_R, decoder.SCVTF_asimdmiscfp16_R),
		enc(miscF(fromInt(ir.OpUIToF)), decoder.UCVTF_asimdmisc_R, decoder.UCVTF_asimdmiscfp16_R),

		enc(miscFMask(compareZeroF(ir.FOEQ)), decoder.FCMEQ_asimdmisc_FZ, decoder.FCMEQ_asimdmiscfp16_FZ),
		enc(miscFMask(compareZeroF(ir.FOGE|ir.FSignal)), decoder.FCMGE_asimdmisc_FZ, decoder.FCMGE_asimdmiscfp16_FZ),
		enc(miscFMask(compareZeroF(ir.FOLE|ir.FSignal)), decoder.FCMLE_asimdmisc_FZ, decoder.FCMLE_asimdmiscfp16_FZ),
		enc(miscF(compareZeroF(ir.FOGT|ir.FSignal)), decoder.FCMGT_asimdmisc_FZ, decoder.FCMGT_asimdmiscfp16_FZ),
		enc(miscF(compareZeroF(ir.FOLT|ir.FSignal)), decoder.FCMLT_asimdmisc_FZ, decoder.FCMLT_asimdmiscfp16_FZ),

		enc(convertLong, decoder.FCVTL_asimdmisc_L),
		enc(convertNarrow, decoder.FCVTN_asimdmisc_N),
		enc(convertNarrowOdd, decoder.FCVTXN_asimdmisc_N),
		enc(convertBFloat, decoder.BFCVTN_asimdmisc_4S),
	}
}

// miscFloatVec is the vector type of a two-register floating-point instruction:
// bits 20:19 are 11 in the FP16 encodings, otherwise bit 22 selects double
// precision.
func miscFloatVec(i decoder.Inst) ir.Type {
	if i.Bits(20, 19) == 3 {
		return ir.V8F16
	}
	return ir.V4F32 + ir.Type(i.Bit(22))
}

// miscF is <op> <Vd>.<T>, <Vn>.<T> for an operation that makes +0 of +0, without
// exception and in every rounding mode.
func miscF(k unary) translateFunc {
	return func(t *Translator, i decoder.Inst) {
		ty := miscFloatVec(i)
		t.SetV(i.Rd(), k(t, ty, t.lowIf(i, t.V(i.Rn(), ty))))
	}
}

// miscFMask is the same for comparisons that are true of zero.
func miscFMask(k unary) translateFunc {
	return func(t *Translator, i decoder.Inst) {
		ty := miscFloatVec(i)
		t.setQ(i, k(t, ty, t.lowIf(i, t.V(i.Rn(), ty))))
	}
}

// miscPureF is FABS and FNEG, which raise nothing.
func miscPureF(k unary) translateFunc {
	return func(t *Translator, i decoder.Inst) {
		ty := miscFloatVec(i)
		t.setQ(i, k(t, ty, t.V(i.Rn(), ty)))
	}
}

// estimateF is FRECPE and FRSQRTE: the upper half of the 64-bit forms computes
// the estimate of 1.0.
func estimateF(op ir.Op) translateFunc {
	return func(t *Translator, i decoder.Inst) {
		ty := miscFloatVec(i)
		v := t.V(i.Rn(), ty)
		if !quad(i) {
			v = t.onesAbove(v)
		}
		t.setQ(i, t.op1(op, ty, v))
	}
}

func roundF(mode ir.Round, exact bool) unary {
	raise := ir.Imm(0)
	if exact {
		raise = ir.Imm(1)
	}
	return func(t *Translator, ty ir.Type, a ir.Value) ir.Value {
		return t.op3(ir.OpFRound, ty, a, ir.Imm(int(mode)), raise)
	}
}

func roundSized(op ir.Op, mode ir.Round) unary {
	return func(t *Translator, ty ir.Type, a ir.Value) ir.Value {
		return t.op2(op, ty, a, ir.Imm(int(mode)))
	}
}

func toInt(op ir.Op, mode ir.Round) unary {
	return func(t *Translator, ty ir.Type, a ir.Value) ir.Value {
		return t.op3(op, ty.IntOf(), a, ir.Imm(int(mode)), ir.Imm(0))
	}
}

func fromInt(op ir.Op) unary {
	return func(t *Translator, ty ir.Type, a ir.Value) ir.Value {
		return t.op2(op, ty, t.Bitcast(ty.IntOf(), a), ir.Imm(0))
	}
}

func compareZeroF(c ir.FCond) unary {
	return func(t *Translator, ty ir.Type, a ir.Value) ir.Value {
		return t.op3(ir.OpFCmp, ty.IntOf(), a, t.zero(ty), ir.Imm(int(c)))
	}
}

// FCVTL{2} <Vd>.<Ta>, <Vn>.<Tb>
func convertLong(t *Translator, i decoder.Inst) {
	ty := ir.V8F16 + ir.Type(i.Bit(22))
	t.SetV(i.Rd(), t.op1(ir.OpFCvt, ty.Wider(), t.half(i, i.Rn(), ty)))
}

// FCVTN{2} <Vd>.<Tb>, <Vn>.<Ta>
func convertNarrow(t *Translator, i decoder.Inst) {
	ty := ir.V8F16 + ir.Type(i.Bit(22))
	t.setNarrow(i, t.op1(ir.OpFCvt, ty, t.V(i.Rn(), ty.Wider())))
}

// FCVTXN{2} <Vd>.<Tb>, <Vn>.2D
func convertNarrowOdd(t *Translator, i decoder.Inst) {
	t.setNarrow(i, t.op1(ir.OpFCvtXN, ir.V4F32, t.V(i.Rn(), ir.V2F64)))
}

// BFCVTN{2} <Vd>.<Ta>, <Vn>.4S
func convertBFloat(t *Translator, i decoder.Inst) {
	t.setNarrow(i, t.op1(ir.OpBFCvt, ir.V8I16, t.V(i.Rn(), ir.V4F32)))
}
