package translate

import (
	"emu/decoder"
	"emu/ir"
)

// Advanced SIMD scalar shift by immediate.
func simdScalarShift() [][]rule {
	return [][]rule{
		enc(scalarShift(shiftRight(ir.OpAShr)), decoder.SSHR_asisdshf_R),
		enc(scalarShift(shiftRight(ir.OpLShr)), decoder.USHR_asisdshf_R),
		enc(scalarShift(shiftRight(ir.OpSRShr)), decoder.SRSHR_asisdshf_R),
		enc(scalarShift(shiftRight(ir.OpURShr)), decoder.URSHR_asisdshf_R),
		enc(scalarShift(shiftRightAcc(ir.OpAShr)), decoder.SSRA_asisdshf_R),
		enc(scalarShift(shiftRightAcc(ir.OpLShr)), decoder.USRA_asisdshf_R),
		enc(scalarShift(shiftRightAcc(ir.OpSRShr)), decoder.SRSRA_asisdshf_R),
		enc(scalarShift(shiftRightAcc(ir.OpURShr)), decoder.URSRA_asisdshf_R),
		enc(scalarShift(shiftLeft), decoder.SHL_asisdshf_R),
		enc(scalarShift(shiftRightInsert), decoder.SRI_asisdshf_R),
		enc(scalarShift(shiftLeftInsert), decoder.SLI_asisdshf_R),

		enc(scalarShiftSat(saturateLeft(ir.OpSQShlV)), decoder.SQSHL_asisdshf_R),
		enc(scalarShiftSat(saturateLeft(ir.OpUQShlV)), decoder.UQSHL_asisdshf_R),
		enc(scalarShiftSat(saturateLeftUnsigned), decoder.SQSHLU_asisdshf_R),

		enc(scalarShiftNarrow(ir.OpAShr, ir.OpSQXtN), decoder.SQSHRN_asisdshf_N),
		enc(scalarShiftNarrow(ir.OpSRShr, ir.OpSQXtN), decoder.SQRSHRN_asisdshf_N),
		enc(scalarShiftNarrow(ir.OpLShr, ir.OpUQXtN), decoder.UQSHRN_asisdshf_N),
		enc(scalarShiftNarrow(ir.OpURShr, ir.OpUQXtN), decoder.UQRSHRN_asisdshf_N),
		enc(scalarShiftNarrow(ir.OpAShr, ir.OpSQXtUN), decoder.SQSHRUN_asisdshf_N),
		enc(scalarShiftNarrow(ir.OpSRShr, ir.OpSQXtUN), decoder.SQRSHRUN_asisdshf_N),

		enc(scalarFixedFromInt(ir.OpSIToF), decoder.SCVTF_asisdshf_C),
		enc(scalarFixedFromInt(ir.OpUIToF), decoder.UCVTF_asisdshf_C),
		enc(scalarFixedToInt(ir.OpFToSI), decoder.FCVTZS_asisdshf_C),
		enc(scalarFixedToInt(ir.OpFToUI), decoder.FCVTZU_asisdshf_C),
	}
}

// scalarShift is <op> D<d>, D<n>, #<shift>.
func scalarShift(k shifted) translateFunc {
	return func(t *Translator, i decoder.Inst) {
		t.SetV(i.Rd(), t.low(k(t, i, ir.V2I64, t.V(i.Rn(), ir.V2I64))))
	}
}

// scalarShiftSat is <op> <V><d>, <V><n>, #<shift>; zero stays zero.
func scalarShiftSat(k shifted) translateFunc {
	return func(t *Translator, i decoder.Inst) {
		ty := shiftVec(i)
		t.SetV(i.Rd(), k(t, i, ty, t.vecLane0(i.Rn(), ty)))
	}
}

// scalarShiftNarrow is <op> <Vb><d>, <Va><n>, #<shift>.
func scalarShiftNarrow(shift, narrow ir.Op) translateFunc {
	return func(t *Translator, i decoder.Inst) {
		ty := shiftVec(i)
		ta := ty.Wider()
		v := t.op2(shift, ta, t.vecLane0(i.Rn(), ta), ir.Imm(int(i.RightShift())))
		t.SetV(i.Rd(), t.op1(narrow, ty, v))
	}
}

// scalarFixedFromInt is SCVTF and UCVTF <V><d>, <V><n>, #<fbits>.
func scalarFixedFromInt(op ir.Op) translateFunc {
	return func(t *Translator, i decoder.Inst) {
		t.scalarFromInt(i, floatOf(shiftVec(i)), op, ir.Imm(int(i.RightShift())))
	}
}

// scalarFixedToInt is FCVTZS and FCVTZU <V><d>, <V><n>, #<fbits>.
func scalarFixedToInt(op ir.Op) translateFunc {
	return func(t *Translator, i decoder.Inst) {
		t.scalarToInt(i, floatOf(shiftVec(i)), op, ir.RoundZero, ir.Imm(int(i.RightShift())))
	}
}
