package translate

import (
	"emu/decoder"
	"emu/ir"
)

// SVE floating-point arithmetic with one rounding, unpredicated, predicated, with immediates
// and by element, and SVE2's operations on pairs.
func sveFloatArith() [][]rule {
	halfOne, halfTwo, zeroOne := [2]idle{idleHalf, idleOne}, [2]idle{idleHalf, idleTwo}, [2]idle{idleZero, idleOne}
	return [][]rule{
		enc(unpredicatedF(lanes2(ir.OpFAdd)), decoder.FADD_Z_ZZ_),
		enc(unpredicatedF(lanes2(ir.OpFSub)), decoder.FSUB_Z_ZZ_),
		enc(unpredicatedF(lanes2(ir.OpFMul)), decoder.FMUL_Z_ZZ_),
		enc(unpredicatedF(lanes2(ir.OpFRecpS)), decoder.FRECPS_Z_ZZ_),
		enc(unpredicatedF(lanes2(ir.OpFRSqrtS)), decoder.FRSQRTS_Z_ZZ_),
		enc(unpredicatedUnaryF(lanes1(ir.OpFRecpE)), decoder.FRECPE_Z_Z_),
		enc(unpredicatedUnaryF(lanes1(ir.OpFRSqrtE)), decoder.FRSQRTE_Z_Z_),

		enc(mergingF(lanes2(ir.OpFAdd)), decoder.FADD_Z_P_ZZ_),
		enc(mergingF(lanes2(ir.OpFSub)), decoder.FSUB_Z_P_ZZ_),
		enc(mergingF(reversed(lanes2(ir.OpFSub))), decoder.FSUBR_Z_P_ZZ_),
		enc(mergingF(lanes2(ir.OpFMul)), decoder.FMUL_Z_P_ZZ_),
		enc(mergingF(lanes2(ir.OpFMulX)), decoder.FMULX_Z_P_ZZ_),
		enc(mergingIdle(lanes2(ir.OpFDiv), idleZero, idleOne), decoder.FDIV_Z_P_ZZ_),
		enc(mergingIdle(reversed(lanes2(ir.OpFDiv)), idleOne, idleZero), decoder.FDIVR_Z_P_ZZ_),
		enc(mergingF(absDifference), decoder.FABD_Z_P_ZZ_),
		enc(mergingF(lanes2(ir.OpFMax)), decoder.FMAX_Z_P_ZZ_),
		enc(mergingF(lanes2(ir.OpFMin)), decoder.FMIN_Z_P_ZZ_),
		enc(mergingF(lanes2(ir.OpFMaxNM)), decoder.FMAXNM_Z_P_ZZ_),
		enc(mergingF(lanes2(ir.OpFMinNM)), decoder.FMINNM_Z_P_ZZ_),
		enc(mergingF(scaleF), decoder.FSCALE_Z_P_ZZ_),

		enc(mergingImmediate(lanes2(ir.OpFAdd), halfOne), decoder.FADD_Z_P_ZS_),
		enc(mergingImmediate(lanes2(ir.OpFSub), halfOne), decoder.FSUB_Z_P_ZS_),
		enc(mergingImmediate(reversed(lanes2(ir.OpFSub)), halfOne), decoder.FSUBR_Z_P_ZS_),
		enc(mergingImmediate(lanes2(ir.OpFMul), halfTwo), decoder.FMUL_Z_P_ZS_),
		enc(mergingImmediate(lanes2(ir.OpFMax), zeroOne), decoder.FMAX_Z_P_ZS_),
		enc(mergingImmediate(lanes2(ir.OpFMin), zeroOne), decoder.FMIN_Z_P_ZS_),
		enc(mergingImmediate(lanes2(ir.OpFMaxNM), zeroOne), decoder.FMAXNM_Z_P_ZS_),
		enc(mergingImmediate(lanes2(ir.OpFMinNM), zeroOne), decoder.FMINNM_Z_P_ZS_),

		enc(mergingSign(fpAbs), decoder.FABS_Z_P_Z_),
		enc(mergingSign(fpNeg), decoder.FNEG_Z_P_Z_),
		enc(mergingUnaryF(lanes1(ir.OpFSqrt)), decoder.FSQRT_Z_P_Z_),
		enc(mergingUnaryF(reciprocalExponent), decoder.FRECPX_Z_P_Z_),
		enc(logB, decoder.FLOGB_Z_P_Z_),

		enc(multiplyElement, decoder.FMUL_Z_ZZI_H, decoder.FMUL_Z_ZZI_S, decoder.FMUL_Z_ZZI_D),

		enc(mergingPairs(ir.OpFAdd), decoder.FADDP_Z_P_ZZ_),
		enc(mergingPairs(ir.OpFMax), decoder.FMAXP_Z_P_ZZ_),
		enc(mergingPairs(ir.OpFMin), decoder.FMINP_Z_P_ZZ_),
		enc(mergingPairs(ir.OpFMaxNM), decoder.FMAXNMP_Z_P_ZZ_),
		enc(mergingPairs(ir.OpFMinNM), decoder.FMINNMP_Z_P_ZZ_),
	}
}

func idleHalf(ty ir.Type) uint64 { return oneOf(ty) - exponentUnit(ty) }
func idleTwo(ty ir.Type) uint64  { return oneOf(ty) + exponentUnit(ty) }

// exponentUnit is the lowest bit of the exponent in a lane of ty.
func exponentUnit(ty ir.Type) uint64 { return infinityOf(ty) & -infinityOf(ty) }

// scaleF is FSCALE: the second operand is an integer.
func scaleF(t *Translator, ty ir.Type, a, b ir.Value) ir.Value {
	return t.op2(ir.OpFScale, ty, a, t.Bitcast(ty.IntOf(), b))
}

func reciprocalExponent(t *Translator, ty ir.Type, a ir.Value) ir.Value {
	return t.eachLane(a, ty, ty, func(x ir.Value) ir.Value { return t.op1(ir.OpFRecpX, ty.Lane(), x) })
}

// FLOGB <Zd>.<T>, <Pg>/M, <Zn>.<T>: the exponent of zero is invalid.
func logB(t *Translator, i decoder.Inst) {
	ty := floatVec(i.Bits(18, 17))
	t.mergeUnary(i, ty, func(t *Translator, ty ir.Type, a ir.Value) ir.Value {
		return t.Bitcast(ty, t.op1(ir.OpFLogB, ty.IntOf(), a))
	}, idleOne)
}

// FMUL <Zd>.<T>, <Zn>.<T>, <Zm>.<T>[<imm>]
func multiplyElement(t *Translator, i decoder.Inst) {
	ty := elementFloatVec(i)
	t.SetV(i.Rd(), t.op2(ir.OpFMul, ty, t.V(i.Rn(), ty), elementM(t, i, ty)))
}

// mergingPairs is <op> <Zdn>.<T>, <Pg>/M, <Zdn>.<T>, <Zm>.<T>: the pairs of Zdn give the even
// lanes, those of Zm the odd ones.
func mergingPairs(op ir.Op) translateFunc {
	return func(t *Translator, i decoder.Inst) {
		g, ty := pg(i), floatVec(elemSize(i))
		n, m := t.V(i.Rd(), ty), t.V(i.Rn(), ty)
		first, second := t.zeroing(g, t.op2(ir.OpTrn1, ty, n, m)), t.zeroing(g, t.op2(ir.OpTrn2, ty, n, m))
		t.SetV(i.Rd(), t.merge(g, t.op2(op, ty, first, second), n))
	}
}
