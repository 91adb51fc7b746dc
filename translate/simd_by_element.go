package translate

import (
	"emu/decoder"
	"emu/ir"
)

// Advanced SIMD vector x indexed element. The element is copied to all lanes;
// what is left is the operation of the three-same or three-different form.
func simdByElement() [][]rule {
	return [][]rule{
		enc(byElement(lanes2(ir.OpMul)), decoder.MUL_asimdelem_R),
		enc(byElementAcc(multiplyAdd), decoder.MLA_asimdelem_R),
		enc(byElementAcc(multiplySub), decoder.MLS_asimdelem_R),
		enc(byElementSat(ir.OpSQDMulH), decoder.SQDMULH_asimdelem_R),
		enc(byElementSat(ir.OpSQRDMulH), decoder.SQRDMULH_asimdelem_R),
		enc(byElementSatAcc(ir.OpSQRDMlAH), decoder.SQRDMLAH_asimdelem_R),
		enc(byElementSatAcc(ir.OpSQRDMlSH), decoder.SQRDMLSH_asimdelem_R),

		enc(byElementLong(ir.OpSMulL), decoder.SMULL_asimdelem_L),
		enc(byElementLong(ir.OpUMulL), decoder.UMULL_asimdelem_L),
		enc(byElementLong(ir.OpSQDMulL), decoder.SQDMULL_asimdelem_L),
		enc(byElementLongAcc(ir.OpSMulL, ir.OpAdd), decoder.SMLAL_asimdelem_L),
		enc(byElementLongAcc(ir.OpUMulL, ir.OpAdd), decoder.UMLAL_asimdelem_L),
		enc(byElementLongAcc(ir.OpSMulL, ir.OpSub), decoder.SMLSL_asimdelem_L),
		enc(byElementLongAcc(ir.OpUMulL, ir.OpSub), decoder.UMLSL_asimdelem_L),
		enc(byElementLongAcc(ir.OpSQDMulL, ir.OpSQAdd), decoder.SQDMLAL_asimdelem_L),
		enc(byElementLongAcc(ir.OpSQDMulL, ir.OpSQSub), decoder.SQDMLSL_asimdelem_L),

		enc(byElementF(lanes2(ir.OpFMul)), decoder.FMUL_asimdelem_RH_H, decoder.FMUL_asimdelem_R_SD),
		enc(byElementF(lanes2(ir.OpFMulX)), decoder.FMULX_asimdelem_RH_H, decoder.FMULX_asimdelem_R_SD),
		enc(byElementFAcc(lanes3(ir.OpFMA), true), decoder.FMLA_asimdelem_RH_H, decoder.FMLA_asimdelem_R_SD),
		enc(byElementFAcc(multiplySubF, false), decoder.FMLS_asimdelem_RH_H, decoder.FMLS_asimdelem_R_SD),

		enc(byElementWiden(false, false), decoder.FMLAL_asimdelem_LH),
		enc(byElementWiden(true, false), decoder.FMLAL2_asimdelem_LH),
		enc(byElementWiden(false, true), decoder.FMLSL_asimdelem_LH),
		enc(byElementWiden(true, true), decoder.FMLSL2_asimdelem_LH),
	}
}

// element is the register and the lane of the indexed operand of type ty: 16-bit
// lanes leave four bits for the register.
func element(i decoder.Inst, ty ir.Type) (reg uint32, lane int) {
	h, l, m := i.Bit(11), i.Bit(21), i.Bit(20)
	switch laneBits(ty) {
	case 16:
		return i.Bits(19, 16), int(h<<2 | l<<1 | m)
	case 32:
		return i.Rm(), int(h<<1 | l)
	}
	return i.Rm(), int(h)
}

// dupElementOf is the indexed operand in all lanes.
func (t *Translator) dupElementOf(i decoder.Inst, ty ir.Type) ir.Value {
	reg, lane := element(i, ty)
	return t.op2(ir.OpVDupL, ty, t.V(reg, ty), ir.Imm(lane))
}

// byElementFloatVec is the type of a floating-point form: size 00 is FP16.
func byElementFloatVec(i decoder.Inst) ir.Type {
	if elemSize(i) == 0 {
		return ir.V8F16
	}
	return floatOf(intVec(elemSize(i)))
}

// byElement is <op> <Vd>.<T>, <Vn>.<T>, <Vm>.<Ts>[<index>].
func byElement(k binary) translateFunc {
	return func(t *Translator, i decoder.Inst) {
		ty := intVec(elemSize(i))
		t.setQ(i, k(t, ty, t.V(i.Rn(), ty), t.dupElementOf(i, ty)))
	}
}

func byElementAcc(k ternary) translateFunc {
	return func(t *Translator, i decoder.Inst) {
		ty := intVec(elemSize(i))
		t.setQ(i, k(t, ty, t.V(i.Rd(), ty), t.V(i.Rn(), ty), t.dupElementOf(i, ty)))
	}
}

// byElementSat is the same for a product that saturates: one zero factor makes
// it quiet and zero.
func byElementSat(op ir.Op) translateFunc {
	return func(t *Translator, i decoder.Inst) {
		ty := intVec(elemSize(i))
		n := t.lowIf(i, t.V(i.Rn(), ty))
		t.SetV(i.Rd(), t.op2(op, ty, n, t.dupElementOf(i, ty)))
	}
}

func byElementSatAcc(op ir.Op) translateFunc {
	return func(t *Translator, i decoder.Inst) {
		ty := intVec(elemSize(i))
		d, n := t.lowIf(i, t.V(i.Rd(), ty)), t.lowIf(i, t.V(i.Rn(), ty))
		t.SetV(i.Rd(), t.op3(op, ty, d, n, t.dupElementOf(i, ty)))
	}
}

// byElementLong is <op>{2} <Vd>.<Ta>, <Vn>.<Tb>, <Vm>.<Ts>[<index>].
func byElementLong(mul ir.Op) translateFunc {
	return func(t *Translator, i decoder.Inst) {
		ty := intVec(elemSize(i))
		t.SetV(i.Rd(), t.op2(mul, ty.Wider(), t.half(i, i.Rn(), ty), t.dupElementOf(i, ty)))
	}
}

func byElementLongAcc(mul, op ir.Op) translateFunc {
	return func(t *Translator, i decoder.Inst) {
		ty := intVec(elemSize(i))
		ta := ty.Wider()
		product := t.op2(mul, ta, t.half(i, i.Rn(), ty), t.dupElementOf(i, ty))
		t.SetV(i.Rd(), t.op2(op, ta, t.V(i.Rd(), ta), product))
	}
}

// byElementF is the form on floating-point lanes: in the upper half of the
// 64-bit forms both factors are zero, for 0 x infinity is invalid.
func byElementF(k binary) translateFunc {
	return func(t *Translator, i decoder.Inst) {
		ty := byElementFloatVec(i)
		n, e := t.lowIf(i, t.V(i.Rn(), ty)), t.lowIf(i, t.dupElementOf(i, ty))
		t.SetV(i.Rd(), k(t, ty, n, e))
	}
}

func byElementFAcc(k ternary, zeroStays bool) translateFunc {
	return func(t *Translator, i decoder.Inst) {
		ty := byElementFloatVec(i)
		d, n := t.lowIf(i, t.V(i.Rd(), ty)), t.lowIf(i, t.V(i.Rn(), ty))
		e := t.lowIf(i, t.dupElementOf(i, ty))
		t.setZeroed(i, k(t, ty, d, n, e), zeroStays)
	}
}

// byElementWiden is FMLAL{2} and FMLSL{2} <Vd>.<Ta>, <Vn>.<Tb>, <Vm>.H[<index>].
func byElementWiden(second, negate bool) translateFunc {
	return func(t *Translator, i decoder.Inst) {
		n := t.halfOfDatasize(i, i.Rn(), second)
		e := t.dupElementOf(i, ir.V8F16)
		if !quad(i) {
			e = t.Bitcast(ir.V8F16, t.lane0(t.Bitcast(ir.V4I32, e)))
		}
		t.fmlal(i, n, e, negate)
	}
}
