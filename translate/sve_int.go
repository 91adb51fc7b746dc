package translate

import (
	"emu/decoder"
	"emu/ir"
)

// SVE integer arithmetic of vectors.
func sveIntegers() [][]rule {
	return [][]rule{
		enc(unpredicated(lanes2(ir.OpAdd)), decoder.ADD_Z_ZZ_),
		enc(unpredicated(lanes2(ir.OpSub)), decoder.SUB_Z_ZZ_),
		enc(unpredicated(lanes2(ir.OpSQAdd.Quiet())), decoder.SQADD_Z_ZZ_),
		enc(unpredicated(lanes2(ir.OpUQAdd.Quiet())), decoder.UQADD_Z_ZZ_),
		enc(unpredicated(lanes2(ir.OpSQSub.Quiet())), decoder.SQSUB_Z_ZZ_),
		enc(unpredicated(lanes2(ir.OpUQSub.Quiet())), decoder.UQSUB_Z_ZZ_),

		// The bits of a size are part of the opcode, and it does not matter to logic.
		enc(unpredicated(lanes2(ir.OpAnd)), decoder.AND_Z_ZZ_),
		enc(unpredicated(lanes2(ir.OpOr)), decoder.ORR_Z_ZZ_),
		enc(unpredicated(lanes2(ir.OpXor)), decoder.EOR_Z_ZZ_),
		enc(unpredicated(lanes2(ir.OpAndNot)), decoder.BIC_Z_ZZ_),

		enc(merging(lanes2(ir.OpAdd)), decoder.ADD_Z_P_ZZ_),
		enc(merging(lanes2(ir.OpSub)), decoder.SUB_Z_P_ZZ_),
		enc(merging(reversed(lanes2(ir.OpSub))), decoder.SUBR_Z_P_ZZ_),
		enc(merging(lanes2(ir.OpSMax)), decoder.SMAX_Z_P_ZZ_),
		enc(merging(lanes2(ir.OpUMax)), decoder.UMAX_Z_P_ZZ_),
		enc(merging(lanes2(ir.OpSMin)), decoder.SMIN_Z_P_ZZ_),
		enc(merging(lanes2(ir.OpUMin)), decoder.UMIN_Z_P_ZZ_),
		enc(merging(lanes2(ir.OpSAbd)), decoder.SABD_Z_P_ZZ_),
		enc(merging(lanes2(ir.OpUAbd)), decoder.UABD_Z_P_ZZ_),
		enc(merging(lanes2(ir.OpMul)), decoder.MUL_Z_P_ZZ_),
		enc(merging(lanes2(ir.OpAnd)), decoder.AND_Z_P_ZZ_),
		enc(merging(lanes2(ir.OpOr)), decoder.ORR_Z_P_ZZ_),
		enc(merging(lanes2(ir.OpXor)), decoder.EOR_Z_P_ZZ_),
		enc(merging(lanes2(ir.OpAndNot)), decoder.BIC_Z_P_ZZ_),

		enc(mergingUnary(lanes1(ir.OpNeg)), decoder.NEG_Z_P_Z_),
		enc(mergingUnary(lanes1(ir.OpNot)), decoder.NOT_Z_P_Z_),
		enc(accumulating(accumulate(ir.OpSAbd)), decoder.SABA_Z_ZZZ_),
		enc(accumulating(accumulate(ir.OpUAbd)), decoder.UABA_Z_ZZZ_),
	}
}
