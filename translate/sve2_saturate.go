package translate

import (
	"emu/decoder"
	"emu/ir"
)

// SVE2 predicated arithmetic: saturating, halving, pairwise, and shifts by vectors that
// saturate and round.
func sve2Predicated() [][]rule {
	return [][]rule{
		enc(merging(lanes2(ir.OpSQAdd.Quiet())), decoder.SQADD_Z_P_ZZ_),
		enc(merging(lanes2(ir.OpUQAdd.Quiet())), decoder.UQADD_Z_P_ZZ_),
		enc(merging(lanes2(ir.OpSQSub.Quiet())), decoder.SQSUB_Z_P_ZZ_),
		enc(merging(lanes2(ir.OpUQSub.Quiet())), decoder.UQSUB_Z_P_ZZ_),
		enc(merging(lanes2(ir.OpSUQAdd.Quiet())), decoder.SUQADD_Z_P_ZZ_),
		enc(merging(lanes2(ir.OpUSQAdd.Quiet())), decoder.USQADD_Z_P_ZZ_),
		enc(merging(reversed(lanes2(ir.OpSQSub.Quiet()))), decoder.SQSUBR_Z_P_ZZ_),
		enc(merging(reversed(lanes2(ir.OpUQSub.Quiet()))), decoder.UQSUBR_Z_P_ZZ_),

		enc(merging(lanes2(ir.OpSHAdd)), decoder.SHADD_Z_P_ZZ_),
		enc(merging(lanes2(ir.OpUHAdd)), decoder.UHADD_Z_P_ZZ_),
		enc(merging(lanes2(ir.OpSHSub)), decoder.SHSUB_Z_P_ZZ_),
		enc(merging(lanes2(ir.OpUHSub)), decoder.UHSUB_Z_P_ZZ_),
		enc(merging(lanes2(ir.OpSRHAdd)), decoder.SRHADD_Z_P_ZZ_),
		enc(merging(lanes2(ir.OpURHAdd)), decoder.URHADD_Z_P_ZZ_),
		enc(merging(reversed(lanes2(ir.OpSHSub))), decoder.SHSUBR_Z_P_ZZ_),
		enc(merging(reversed(lanes2(ir.OpUHSub))), decoder.UHSUBR_Z_P_ZZ_),

		enc(merging(pairs(lanes2(ir.OpAdd))), decoder.ADDP_Z_P_ZZ_),
		enc(merging(pairs(lanes2(ir.OpSMax))), decoder.SMAXP_Z_P_ZZ_),
		enc(merging(pairs(lanes2(ir.OpUMax))), decoder.UMAXP_Z_P_ZZ_),
		enc(merging(pairs(lanes2(ir.OpSMin))), decoder.SMINP_Z_P_ZZ_),
		enc(merging(pairs(lanes2(ir.OpUMin))), decoder.UMINP_Z_P_ZZ_),

		enc(merging(shiftBySigned(ir.OpSRShlV)), decoder.SRSHL_Z_P_ZZ_),
		enc(merging(shiftBySigned(ir.OpURShlV)), decoder.URSHL_Z_P_ZZ_),
		enc(merging(shiftBySigned(ir.OpSQShlV.Quiet())), decoder.SQSHL_Z_P_ZZ_),
		enc(merging(shiftBySigned(ir.OpUQShlV.Quiet())), decoder.UQSHL_Z_P_ZZ_),
		enc(merging(shiftBySigned(ir.OpSQRShlV.Quiet())), decoder.SQRSHL_Z_P_ZZ_),
		enc(merging(shiftBySigned(ir.OpUQRShlV.Quiet())), decoder.UQRSHL_Z_P_ZZ_),
		enc(merging(reversed(shiftBySigned(ir.OpSRShlV))), decoder.SRSHLR_Z_P_ZZ_),
		enc(merging(reversed(shiftBySigned(ir.OpURShlV))), decoder.URSHLR_Z_P_ZZ_),
		enc(merging(reversed(shiftBySigned(ir.OpSQShlV.Quiet()))), decoder.SQSHLR_Z_P_ZZ_),
		enc(merging(reversed(shiftBySigned(ir.OpUQShlV.Quiet()))), decoder.UQSHLR_Z_P_ZZ_),
		enc(merging(reversed(shiftBySigned(ir.OpSQRShlV.Quiet()))), decoder.SQRSHLR_Z_P_ZZ_),
		enc(merging(reversed(shiftBySigned(ir.OpUQRShlV.Quiet()))), decoder.UQRSHLR_Z_P_ZZ_),

		enc(mergingUnary(lanes1(ir.OpSQAbs.Quiet())), decoder.SQABS_Z_P_Z_),
		enc(mergingUnary(lanes1(ir.OpSQNeg.Quiet())), decoder.SQNEG_Z_P_Z_),
		enc(mergingUnary(lanes1(ir.OpURecpE)), decoder.URECPE_Z_P_Z_),
		enc(mergingUnary(lanes1(ir.OpURSqrtE)), decoder.URSQRTE_Z_P_Z_),
	}
}

// pairs combines the neighbours of each vector by k. The results of both vectors alternate,
// where those of Advanced SIMD follow each other.
func pairs(k binary) binary {
	return func(t *Translator, ty ir.Type, a, b ir.Value) ir.Value {
		return k(t, ty, t.op2(ir.OpTrn1, ty, a, b), t.op2(ir.OpTrn2, ty, a, b))
	}
}

// shiftBySigned shifts by all of each lane of b (ShiftSat of the Arm ARM), where Advanced SIMD
// and the IR look at the low byte only.
func shiftBySigned(op ir.Op) binary {
	return func(t *Translator, ty ir.Type, a, b ir.Value) ir.Value {
		if ty != ir.V16I8 {
			b = t.op2(ir.OpSMin, ty, b, t.splat(ty, 127))
			b = t.op2(ir.OpSMax, ty, b, t.splat(ty, ^uint64(127)))
		}
		return t.op2(op, ty, a, b)
	}
}
