package translate

import (
	"emu/decoder"
	"emu/ir"
)

// Advanced SIMD scalar two-register miscellaneous.
func simdScalarMisc() [][]rule {
	return [][]rule{
		enc(scalarMisc(lanes1(ir.OpAbs)), decoder.ABS_asisdmisc_R),
		enc(scalarMisc(lanes1(ir.OpNeg)), decoder.NEG_asisdmisc_R),
		enc(scalarMisc(compareZero(ir.EQ)), decoder.CMEQ_asisdmisc_Z),
		enc(scalarMisc(compareZero(ir.SGT)), decoder.CMGT_asisdmisc_Z),
		enc(scalarMisc(compareZero(ir.SGE)), decoder.CMGE_asisdmisc_Z),
		enc(scalarMisc(compareZero(ir.SLT)), decoder.CMLT_asisdmisc_Z),
		enc(scalarMisc(compareZero(ir.SLE)), decoder.CMLE_asisdmisc_Z),

		enc(scalarMiscSat(ir.OpSQAbs), decoder.SQABS_asisdmisc_R),
		enc(scalarMiscSat(ir.OpSQNeg), decoder.SQNEG_asisdmisc_R),
		enc(scalarAccumulateSat(ir.OpSUQAdd), decoder.SUQADD_asisdmisc_R),
		enc(scalarAccumulateSat(ir.OpUSQAdd), decoder.USQADD_asisdmisc_R),
		enc(scalarNarrow(ir.OpSQXtN), decoder.SQXTN_asisdmisc_N),
		enc(scalarNarrow(ir.OpUQXtN), decoder.UQXTN_asisdmisc_N),
		enc(scalarNarrow(ir.OpSQXtUN), decoder.SQXTUN_asisdmisc_N),

		enc(scalarMiscF(lanes1(ir.OpFRecpE)), decoder.FRECPE_asisdmisc_R, decoder.FRECPE_asisdmiscfp16_R),
		enc(scalarMiscF(lanes1(ir.OpFRecpX)), decoder.FRECPX_asisdmisc_R, decoder.FRECPX_asisdmiscfp16_R),
		enc(scalarMiscF(lanes1(ir.OpFRSqrtE)), decoder.FRSQRTE_asisdmisc_R, decoder.FRSQRTE_asisdmiscfp16_R),
		enc(scalarConvertOdd, decoder.FCVTXN_asisdmisc_N),

		enc(scalarToInt(ir.OpFToSI, ir.RoundEven), decoder.FCVTNS_asisdmisc_R, decoder.FCVTNS_asisdmiscfp16_R),
		enc(scalarToInt(ir.OpFToSI, ir.RoundUp), decoder.FCVTPS_asisdmisc_R, decoder.FCVTPS_asisdmiscfp16_R),
		enc(scalarToInt(ir.OpFToSI, ir.RoundDown), decoder.FCVTMS_asisdmisc_R, decoder.FCVTMS_asisdmiscfp16_R),
		enc(scalarToInt(ir.OpFToSI, ir.RoundZero), decoder.FCVTZS_asisdmisc_R, decoder.FCVTZS_asisdmiscfp16_R),
		enc(scalarToInt(ir.OpFToSI, ir.RoundAway), decoder.FCVTAS_asisdmisc_R, decoder.FCVTAS_asisdmiscfp16_R),
		enc(scalarToInt(ir.OpFToUI, ir.RoundEven), decoder.FCVTNU_asisdmisc_R, decoder.FCVTNU_asisdmiscfp16_R),
		enc(scalarToInt(ir.OpFToUI, ir.RoundUp), decoder.FCVTPU_asisdmisc_R, decoder.FCVTPU_asisdmiscfp16_R),
		enc(scalarToInt(ir.OpFToUI, ir.RoundDown), decoder.FCVTMU_asisdmisc_R, decoder.FCVTMU_asisdmiscfp16_R),
		enc(scalarToInt(ir.OpFToUI, ir.RoundZero), decoder.FCVTZU_asisdmisc_R, decoder.FCVTZU_asisdmiscfp16_R),
		enc(scalarToInt(ir.OpFToUI, ir.RoundAway), decoder.FCVTAU_asisdmisc_R, decoder.FCVTAU_asisdmiscfp16_R),
		enc(scalarFromInt(ir.OpSIToF), decoder.SCVTF_asisdmisc_R, decoder.SCVTF_asisdmiscfp16_R),
		enc(scalarFromInt(ir.OpUIToF), decoder.UCVTF_asisdmisc_R, decoder.UCVTF_asisdmiscfp16_R),

		enc(scalarMiscMask(compareZeroF(ir.FOEQ)), decoder.FCMEQ_asisdmisc_FZ, decoder.FCMEQ_asisdmiscfp16_FZ),
		enc(scalarMiscMask(compareZeroF(ir.FOGE|ir.FSignal)), decoder.FCMGE_asisdmisc_FZ, decoder.FCMGE_asisdmiscfp16_FZ),
		enc(scalarMiscMask(compareZeroF(ir.FOGT|ir.FSignal)), decoder.FCMGT_asisdmisc_FZ, decoder.FCMGT_asisdmiscfp16_FZ),
		enc(scalarMiscMask(compareZeroF(ir.FOLE|ir.FSignal)), decoder.FCMLE_asisdmisc_FZ, decoder.FCMLE_asisdmiscfp16_FZ),
		enc(scalarMiscMask(compareZeroF(ir.FOLT|ir.FSignal)), decoder.FCMLT_asisdmisc_FZ, decoder.FCMLT_asisdmiscfp16_FZ),
	}
}

// scalarMisc is <op> D<d>, D<n>.
func scalarMisc(k unary) translateFunc {
	return func(t *Translator, i decoder.Inst) {
		t.SetV(i.Rd(), t.low(k(t, ir.V2I64, t.V(i.Rn(), ir.V2I64))))
	}
}

// scalarMiscSat is SQABS and SQNEG <V><d>, <V><n>.
func scalarMiscSat(op ir.Op) translateFunc {
	return func(t *Translator, i decoder.Inst) {
		ty := intVec(elemSize(i))
		t.SetV(i.Rd(), t.op1(op, ty, t.vecLane0(i.Rn(), ty)))
	}
}

// scalarAccumulateSat is SUQADD and USQADD <V><d>, <V><n>.
func scalarAccumulateSat(op ir.Op) translateFunc {
	return func(t *Translator, i decoder.Inst) {
		ty := intVec(elemSize(i))
		t.SetV(i.Rd(), t.op2(op, ty, t.vecLane0(i.Rd(), ty), t.vecLane0(i.Rn(), ty)))
	}
}

// scalarNarrow is SQXTN, UQXTN and SQXTUN <Vb><d>, <Va><n>.
func scalarNarrow(op ir.Op) translateFunc {
	return func(t *Translator, i decoder.Inst) {
		ty := intVec(elemSize(i))
		t.SetV(i.Rd(), t.op1(op, ty, t.vecLane0(i.Rn(), ty.Wider())))
	}
}

// scalarMiscF is <op> <V><d>, <V><n> on floats.
func scalarMiscF(k unary) translateFunc {
	return func(t *Translator, i decoder.Inst) {
		ty := miscFloatVec(i).Lane()
		t.setScalar(i, i.Rd(), k(t, ty, t.V(i.Rn(), ty)))
	}
}

// FCVTXN S<d>, D<n>
func scalarConvertOdd(t *Translator, i decoder.Inst) {
	t.setScalar(i, i.Rd(), t.op1(ir.OpFCvtXN, ir.F32, t.V(i.Rn(), ir.F64)))
}

// scalarToInt is FCVTNS and alike <V><d>, <V><n>. Single and double precision
// convert as scalars; half precision as a vector, for there are no 16-bit
// integer values.
func scalarToInt(op ir.Op, mode ir.Round) translateFunc {
	return func(t *Translator, i decoder.Inst) {
		t.scalarToInt(i, miscFloatVec(i), op, mode, ir.Imm(0))
	}
}

func (t *Translator) scalarToInt(i decoder.Inst, ty ir.Type, op ir.Op, mode ir.Round, fbits ir.Value) {
	if ty == ir.V8F16 {
		t.setScalar(i, i.Rd(), t.op3(op, ir.V8I16, t.fpLane0(i.Rn(), ty), ir.Imm(int(mode)), fbits))
		return
	}
	f := ty.Lane()
	t.setScalar(i, i.Rd(), t.op3(op, f.IntOf(), t.V(i.Rn(), f), ir.Imm(int(mode)), fbits))
}

// scalarFromInt is SCVTF and UCVTF <V><d>, <V><n>.
func scalarFromInt(op ir.Op) translateFunc {
	return func(t *Translator, i decoder.Inst) {
		t.scalarFromInt(i, miscFloatVec(i), op, ir.Imm(0))
	}
}

func (t *Translator) scalarFromInt(i decoder.Inst, ty ir.Type, op ir.Op, fbits ir.Value) {
	if ty == ir.V8F16 {
		t.setScalar(i, i.Rd(), t.op2(op, ty, t.vecLane0(i.Rn(), ir.V8I16), fbits))
		return
	}
	x := t.VGet(t.V(i.Rn(), ty.IntOf()), 0)
	t.setScalar(i, i.Rd(), t.op2(op, ty.Lane(), x, fbits))
}

// scalarMiscMask compares lane 0 with zero.
func scalarMiscMask(k unary) translateFunc {
	return func(t *Translator, i decoder.Inst) {
		ty := miscFloatVec(i)
		t.SetV(i.Rd(), t.lane0(k(t, ty, t.fpLane0(i.Rn(), ty))))
	}
}
