package translate

import (
	"emu/decoder"
	"emu/ir"
)

// Advanced SIMD scalar three same, three different and pairwise.
func simdScalarThreeSame() [][]rule {
	return [][]rule{
		enc(scalar3(lanes2(ir.OpAdd)), decoder.ADD_asisdsame_only),
		enc(scalar3(lanes2(ir.OpSub)), decoder.SUB_asisdsame_only),
		enc(scalar3(lanes2(ir.OpSShlV)), decoder.SSHL_asisdsame_only),
		enc(scalar3(lanes2(ir.OpUShlV)), decoder.USHL_asisdsame_only),
		enc(scalar3(lanes2(ir.OpSRShlV)), decoder.SRSHL_asisdsame_only),
		enc(scalar3(lanes2(ir.OpURShlV)), decoder.URSHL_asisdsame_only),
		enc(scalar3(compare(ir.EQ)), decoder.CMEQ_asisdsame_only),
		enc(scalar3(compare(ir.SGT)), decoder.CMGT_asisdsame_only),
		enc(scalar3(compare(ir.SGE)), decoder.CMGE_asisdsame_only),
		enc(scalar3(compare(ir.UGT)), decoder.CMHI_asisdsame_only),
		enc(scalar3(compare(ir.UGE)), decoder.CMHS_asisdsame_only),
		enc(scalar3(testBits), decoder.CMTST_asisdsame_only),

		enc(scalar3Sat(ir.OpSQAdd), decoder.SQADD_asisdsame_only),
		enc(scalar3Sat(ir.OpUQAdd), decoder.UQADD_asisdsame_only),
		enc(scalar3Sat(ir.OpSQSub), decoder.SQSUB_asisdsame_only),
		enc(scalar3Sat(ir.OpUQSub), decoder.UQSUB_asisdsame_only),
		enc(scalar3Sat(ir.OpSQShlV), decoder.SQSHL_asisdsame_only),
		enc(scalar3Sat(ir.OpUQShlV), decoder.UQSHL_asisdsame_only),
		enc(scalar3Sat(ir.OpSQRShlV), decoder.SQRSHL_asisdsame_only),
		enc(scalar3Sat(ir.OpUQRShlV), decoder.UQRSHL_asisdsame_only),
		enc(scalar3Sat(ir.OpSQDMulH), decoder.SQDMULH_asisdsame_only),
		enc(scalar3Sat(ir.OpSQRDMulH), decoder.SQRDMULH_asisdsame_only),
		enc(scalar3SatAcc(ir.OpSQRDMlAH), decoder.SQRDMLAH_asisdsame2_only),
		enc(scalar3SatAcc(ir.OpSQRDMlSH), decoder.SQRDMLSH_asisdsame2_only),

		enc(scalarLong, decoder.SQDMULL_asisddiff_only),
		enc(scalarLongAcc(ir.OpSQAdd), decoder.SQDMLAL_asisddiff_only),
		enc(scalarLongAcc(ir.OpSQSub), decoder.SQDMLSL_asisddiff_only),

		enc(scalar3F(lanes2(ir.OpFMulX)), decoder.FMULX_asisdsame_only, decoder.FMULX_asisdsamefp16_only),
		enc(scalar3F(lanes2(ir.OpFRecpS)), decoder.FRECPS_asisdsame_only, decoder.FRECPS_asisdsamefp16_only),
		enc(scalar3F(lanes2(ir.OpFRSqrtS)), decoder.FRSQRTS_asisdsame_only, decoder.FRSQRTS_asisdsamefp16_only),
		enc(scalar3F(absDifference), decoder.FABD_asisdsame_only, decoder.FABD_asisdsamefp16_only),
		enc(scalar3Mask(compareF(ir.FOEQ)), decoder.FCMEQ_asisdsame_only, decoder.FCMEQ_asisdsamefp16_only),
		enc(scalar3Mask(compareF(ir.FOGE|ir.FSignal)), decoder.FCMGE_asisdsame_only, decoder.FCMGE_asisdsamefp16_only),
		enc(scalar3Mask(compareF(ir.FOGT|ir.FSignal)), decoder.FCMGT_asisdsame_only, decoder.FCMGT_asisdsamefp16_only),
		enc(scalar3Mask(compareAbs(ir.FOGE|ir.FSignal)), decoder.FACGE_asisdsame_only, decoder.FACGE_asisdsamefp16_only),
		enc(scalar3Mask(compareAbs(ir.FOGT|ir.FSignal)), decoder.FACGT_asisdsame_only, decoder.FACGT_asisdsamefp16_only),

		enc(addPair, decoder.ADDP_asisdpair_only),
		enc(scalarPair(ir.OpFAdd), decoder.FADDP_asisdpair_only_H, decoder.FADDP_asisdpair_only_SD),
		enc(scalarPair(ir.OpFMax), decoder.FMAXP_asisdpair_only_H, decoder.FMAXP_asisdpair_only_SD),
		enc(scalarPair(ir.OpFMin), decoder.FMINP_asisdpair_only_H, decoder.FMINP_asisdpair_only_SD),
		enc(scalarPair(ir.OpFMaxNM), decoder.FMAXNMP_asisdpair_only_H, decoder.FMAXNMP_asisdpair_only_SD),
		enc(scalarPair(ir.OpFMinNM), decoder.FMINNMP_asisdpair_only_H, decoder.FMINNMP_asisdpair_only_SD),
	}
}

// scalar3 is <op> D<d>, D<n>, D<m>.
func scalar3(k binary) translateFunc {
	return func(t *Translator, i decoder.Inst) {
		v := k(t, ir.V2I64, t.V(i.Rn(), ir.V2I64), t.V(i.Rm(), ir.V2I64))
		t.SetV(i.Rd(), t.low(v))
	}
}

// scalar3Sat is <op> <V><d>, <V><n>, <V><m> for operations that saturate: zeroes
// do not, and give zero.
func scalar3Sat(op ir.Op) translateFunc {
	return func(t *Translator, i decoder.Inst) {
		ty := intVec(elemSize(i))
		t.SetV(i.Rd(), t.op2(op, ty, t.vecLane0(i.Rn(), ty), t.vecLane0(i.Rm(), ty)))
	}
}

func scalar3SatAcc(op ir.Op) translateFunc {
	return func(t *Translator, i decoder.Inst) {
		ty := intVec(elemSize(i))
		d, n := t.vecLane0(i.Rd(), ty), t.vecLane0(i.Rn(), ty)
		t.SetV(i.Rd(), t.op3(op, ty, d, n, t.V(i.Rm(), ty)))
	}
}

// SQDMULL <Va><d>, <Vb><n>, <Vb><m>
func scalarLong(t *Translator, i decoder.Inst) {
	ty := intVec(elemSize(i))
	t.SetV(i.Rd(), t.op2(ir.OpSQDMulL, ty.Wider(), t.vecLane0(i.Rn(), ty), t.V(i.Rm(), ty)))
}

// scalarLongAcc is SQDMLAL and SQDMLSL <Va><d>, <Vb><n>, <Vb><m>.
func scalarLongAcc(op ir.Op) translateFunc {
	return func(t *Translator, i decoder.Inst) {
		ty := intVec(elemSize(i))
		ta := ty.Wider()
		product := t.op2(ir.OpSQDMulL, ta, t.vecLane0(i.Rn(), ty), t.V(i.Rm(), ty))
		t.SetV(i.Rd(), t.op2(op, ta, t.vecLane0(i.Rd(), ta), product))
	}
}

// scalar3F is <op> <V><d>, <V><n>, <V><m> on floats.
func scalar3F(k binary) translateFunc {
	return func(t *Translator, i decoder.Inst) {
		ty := same3FloatVec(i).Lane()
		t.setScalar(i, i.Rn(), k(t, ty, t.V(i.Rn(), ty), t.V(i.Rm(), ty)))
	}
}

// scalar3Mask compares lane 0; the other lanes compare zeroes. With FPCR.NEP it is
// the second operand that the rest of the register comes from.
func scalar3Mask(k binary) translateFunc {
	return func(t *Translator, i decoder.Inst) {
		ty := same3FloatVec(i)
		t.setScalar(i, i.Rm(), t.lane0(k(t, ty, t.fpLane0(i.Rn(), ty), t.fpLane0(i.Rm(), ty))))
	}
}

// ADDP D<d>, <Vn>.2D
func addPair(t *Translator, i decoder.Inst) {
	v := t.V(i.Rn(), ir.V2I64)
	t.SetV(i.Rd(), t.low(t.op2(ir.OpAddP, ir.V2I64, v, v)))
}

// scalarPair is <op> <V><d>, <Vn>.<T> with two lanes; U (bit 29) is 0 in the
// FP16 forms.
func scalarPair(op ir.Op) translateFunc {
	return func(t *Translator, i decoder.Inst) {
		ty := ir.V8F16
		if i.Bit(29) == 1 {
			ty = ir.V4F32 + ir.Type(i.Bit(22))
		}
		v := t.V(i.Rn(), ty)
		t.SetV(i.Rd(), t.op2(op, ty.Lane(), t.VGet(v, 0), t.VGet(v, 1)))
	}
}
