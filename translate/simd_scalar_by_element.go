package translate

import (
	"emu/decoder"
	"emu/ir"
)

// Advanced SIMD scalar x indexed element.
func simdScalarByElement() [][]rule {
	return [][]rule{
		enc(scalarElementF(lanes2(ir.OpFMul)), decoder.FMUL_asisdelem_RH_H, decoder.FMUL_asisdelem_R_SD),
		enc(scalarElementF(lanes2(ir.OpFMulX)), decoder.FMULX_asisdelem_RH_H, decoder.FMULX_asisdelem_R_SD),
		enc(scalarElementFAcc(lanes3(ir.OpFMA)), decoder.FMLA_asisdelem_RH_H, decoder.FMLA_asisdelem_R_SD),
		enc(scalarElementFAcc(multiplySubF), decoder.FMLS_asisdelem_RH_H, decoder.FMLS_asisdelem_R_SD),

		enc(scalarElementSat(ir.OpSQDMulH), decoder.SQDMULH_asisdelem_R),
		enc(scalarElementSat(ir.OpSQRDMulH), decoder.SQRDMULH_asisdelem_R),
		enc(scalarElementSatAcc(ir.OpSQRDMlAH), decoder.SQRDMLAH_asisdelem_R),
		enc(scalarElementSatAcc(ir.OpSQRDMlSH), decoder.SQRDMLSH_asisdelem_R),
		enc(scalarElementLong, decoder.SQDMULL_asisdelem_L),
		enc(scalarElementLongAcc(ir.OpSQAdd), decoder.SQDMLAL_asisdelem_L),
		enc(scalarElementLongAcc(ir.OpSQSub), decoder.SQDMLSL_asisdelem_L),
	}
}

// elementF is the indexed operand as a scalar float.
func (t *Translator) elementF(i decoder.Inst, ty ir.Type) ir.Value {
	reg, lane := element(i, ty)
	return t.VGet(t.V(reg, ty), lane)
}

// scalarElementF is <op> <V><d>, <V><n>, <Vm>.<Ts>[<index>].
func scalarElementF(k binary) translateFunc {
	return func(t *Translator, i decoder.Inst) {
		ty := byElementFloatVec(i)
		f := ty.Lane()
		t.setScalar(i, i.Rn(), k(t, f, t.V(i.Rn(), f), t.elementF(i, ty)))
	}
}

func scalarElementFAcc(k ternary) translateFunc {
	return func(t *Translator, i decoder.Inst) {
		ty := byElementFloatVec(i)
		f := ty.Lane()
		t.setScalar(i, i.Rd(), k(t, f, t.V(i.Rd(), f), t.V(i.Rn(), f), t.elementF(i, ty)))
	}
}

// scalarElementSat is <op> <V><d>, <V><n>, <Vm>.<Ts>[<index>]: in the other lanes
// one factor is zero.
func scalarElementSat(op ir.Op) translateFunc {
	return func(t *Translator, i decoder.Inst) {
		ty := intVec(elemSize(i))
		t.SetV(i.Rd(), t.op2(op, ty, t.vecLane0(i.Rn(), ty), t.dupElementOf(i, ty)))
	}
}

func scalarElementSatAcc(op ir.Op) translateFunc {
	return func(t *Translator, i decoder.Inst) {
		ty := intVec(elemSize(i))
		d, n := t.vecLane0(i.Rd(), ty), t.vecLane0(i.Rn(), ty)
		t.SetV(i.Rd(), t.op3(op, ty, d, n, t.dupElementOf(i, ty)))
	}
}

// SQDMULL <Va><d>, <Vb><n>, <Vm>.<Ts>[<index>]
func scalarElementLong(t *Translator, i decoder.Inst) {
	ty := intVec(elemSize(i))
	t.SetV(i.Rd(), t.op2(ir.OpSQDMulL, ty.Wider(), t.vecLane0(i.Rn(), ty), t.dupElementOf(i, ty)))
}

// scalarElementLongAcc is SQDMLAL and SQDMLSL <Va><d>, <Vb><n>, <Vm>.<Ts>[<index>].
func scalarElementLongAcc(op ir.Op) translateFunc {
	return func(t *Translator, i decoder.Inst) {
		ty := intVec(elemSize(i))
		ta := ty.Wider()
		product := t.op2(ir.OpSQDMulL, ta, t.vecLane0(i.Rn(), ty), t.dupElementOf(i, ty))
		t.SetV(i.Rd(), t.op2(op, ta, t.vecLane0(i.Rd(), ta), product))
	}
}
