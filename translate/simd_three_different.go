package translate

import (
	"emu/decoder"
	"emu/ir"
)

// Advanced SIMD three different: long, wide and narrowing forms. The second
// forms (SADDL2, ADDHN2 ...) use the upper half of the narrow registers.
func simdThreeDifferent() [][]rule {
	return [][]rule{
		enc(long(extendBoth(ir.OpVSext, ir.OpAdd)), decoder.SADDL_asimddiff_L),
		enc(long(extendBoth(ir.OpVZext, ir.OpAdd)), decoder.UADDL_asimddiff_L),
		enc(long(extendBoth(ir.OpVSext, ir.OpSub)), decoder.SSUBL_asimddiff_L),
		enc(long(extendBoth(ir.OpVZext, ir.OpSub)), decoder.USUBL_asimddiff_L),
		enc(wide(ir.OpVSext, ir.OpAdd), decoder.SADDW_asimddiff_W),
		enc(wide(ir.OpVZext, ir.OpAdd), decoder.UADDW_asimddiff_W),
		enc(wide(ir.OpVSext, ir.OpSub), decoder.SSUBW_asimddiff_W),
		enc(wide(ir.OpVZext, ir.OpSub), decoder.USUBW_asimddiff_W),

		enc(narrowHigh(ir.OpAdd, false), decoder.ADDHN_asimddiff_N),
		enc(narrowHigh(ir.OpAdd, true), decoder.RADDHN_asimddiff_N),
		enc(narrowHigh(ir.OpSub, false), decoder.SUBHN_asimddiff_N),
		enc(narrowHigh(ir.OpSub, true), decoder.RSUBHN_asimddiff_N),

		enc(differenceLong(ir.OpSAbd, false), decoder.SABDL_asimddiff_L),
		enc(differenceLong(ir.OpUAbd, false), decoder.UABDL_asimddiff_L),
		enc(differenceLong(ir.OpSAbd, true), decoder.SABAL_asimddiff_L),
		enc(differenceLong(ir.OpUAbd, true), decoder.UABAL_asimddiff_L),

		enc(long(productLong(ir.OpSMulL)), decoder.SMULL_asimddiff_L),
		enc(long(productLong(ir.OpUMulL)), decoder.UMULL_asimddiff_L),
		enc(long(lanes2(ir.OpSQDMulL)), decoder.SQDMULL_asimddiff_L),
		enc(longAcc(ir.OpSMulL, ir.OpAdd), decoder.SMLAL_asimddiff_L),
		enc(longAcc(ir.OpUMulL, ir.OpAdd), decoder.UMLAL_asimddiff_L),
		enc(longAcc(ir.OpSMulL, ir.OpSub), decoder.SMLSL_asimddiff_L),
		enc(longAcc(ir.OpUMulL, ir.OpSub), decoder.UMLSL_asimddiff_L),
		enc(longAcc(ir.OpSQDMulL, ir.OpSQAdd), decoder.SQDMLAL_asimddiff_L),
		enc(longAcc(ir.OpSQDMulL, ir.OpSQSub), decoder.SQDMLSL_asimddiff_L),
		enc(polynomialLong, decoder.PMULL_asimddiff_L),
	}
}

// long is <op>{2} <Vd>.<Ta>, <Vn>.<Tb>, <Vm>.<Tb>; k gets the type of the result
// and looks at the lower halves of its operands.
func long(k binary) translateFunc {
	return func(t *Translator, i decoder.Inst) {
		ty := intVec(elemSize(i))
		t.SetV(i.Rd(), k(t, ty.Wider(), t.half(i, i.Rn(), ty), t.half(i, i.Rm(), ty)))
	}
}

func extendBoth(ext, op ir.Op) binary {
	return func(t *Translator, ty ir.Type, a, b ir.Value) ir.Value {
		return t.op2(op, ty, t.op1(ext, ty, a), t.op1(ext, ty, b))
	}
}

// productLong is the long product of mul. Bytes are extended first, as the host has no other way:
// for a factor that does not change that can be done in front of a loop.
func productLong(mul ir.Op) binary {
	return func(t *Translator, ty ir.Type, a, b ir.Value) ir.Value {
		switch {
		case ty != ir.V8I16:
		case mul == ir.OpSMulL:
			return extendBoth(ir.OpVSext, ir.OpMul)(t, ty, a, b)
		case mul == ir.OpUMulL:
			return extendBoth(ir.OpVZext, ir.OpMul)(t, ty, a, b)
		}
		return t.op2(mul, ty, a, b)
	}
}

// longAcc multiplies long and accumulates with op.
func longAcc(mul, op ir.Op) translateFunc {
	return func(t *Translator, i decoder.Inst) {
		ty := intVec(elemSize(i))
		ta := ty.Wider()
		product := productLong(mul)(t, ta, t.half(i, i.Rn(), ty), t.half(i, i.Rm(), ty))
		t.SetV(i.Rd(), t.op2(op, ta, t.V(i.Rd(), ta), product))
	}
}

// wide is <op>{2} <Vd>.<Ta>, <Vn>.<Ta>, <Vm>.<Tb>.
func wide(ext, op ir.Op) translateFunc {
	return func(t *Translator, i decoder.Inst) {
		ty := intVec(elemSize(i))
		ta := ty.Wider()
		m := t.op1(ext, ta, t.half(i, i.Rm(), ty))
		t.SetV(i.Rd(), t.op2(op, ta, t.V(i.Rn(), ta), m))
	}
}

// narrowHigh is {R}ADDHN{2} and {R}SUBHN{2} <Vd>.<Tb>, <Vn>.<Ta>, <Vm>.<Ta>: the
// upper half of each lane of the result, which is an odd lane of half the width.
func narrowHigh(op ir.Op, round bool) translateFunc {
	return func(t *Translator, i decoder.Inst) {
		ty := intVec(elemSize(i))
		ta := ty.Wider()
		v := t.op2(op, ta, t.V(i.Rn(), ta), t.V(i.Rm(), ta))
		if round {
			v = t.op2(ir.OpAdd, ta, v, t.splat(ta, 1<<(laneBits(ty)-1)))
		}
		t.setNarrow(i, t.op2(ir.OpUzp2, ty, t.Bitcast(ty, v), t.zero(ty)))
	}
}

// differenceLong is SABDL{2}, UABDL{2}, SABAL{2} and UABAL{2}. The absolute
// difference of signed lanes, too, fits an unsigned lane.
func differenceLong(op ir.Op, acc bool) translateFunc {
	return func(t *Translator, i decoder.Inst) {
		ty := intVec(elemSize(i))
		ta := ty.Wider()
		v := t.op2(op, ty, t.V(i.Rn(), ty), t.V(i.Rm(), ty))
		if quad(i) {
			v = t.op1(ir.OpVHigh, ty, v)
		}
		v = t.op1(ir.OpVZext, ta, v)
		if acc {
			v = t.op2(ir.OpAdd, ta, t.V(i.Rd(), ta), v)
		}
		t.SetV(i.Rd(), v)
	}
}

// PMULL{2} <Vd>.<Ta>, <Vn>.<Tb>, <Vm>.<Tb>: Ta is 8H or 1Q.
func polynomialLong(t *Translator, i decoder.Inst) {
	ty := intVec(elemSize(i))
	ta := ty
	if ty == ir.V16I8 {
		ta = ir.V8I16
	}
	t.SetV(i.Rd(), t.op2(ir.OpPMulL, ta, t.half(i, i.Rn(), ty), t.half(i, i.Rm(), ty)))
}
