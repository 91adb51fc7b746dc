package translate

import (
	"emu/decoder"
	"emu/ir"
)

// SVE integer operations on one vector.
func sveUnary() [][]rule {
	return [][]rule{
		enc(mergingUnary(lanes1(ir.OpAbs)), decoder.ABS_Z_P_Z_),
		enc(mergingUnary(lanes1(ir.OpCls)), decoder.CLS_Z_P_Z_),
		enc(mergingUnary(lanes1(ir.OpClz)), decoder.CLZ_Z_P_Z_),
		enc(mergingUnary(lanes1(ir.OpPopcnt)), decoder.CNT_Z_P_Z_),
		enc(mergingUnary(isZero), decoder.CNOT_Z_P_Z_),
		enc(mergingUnary(lanes1(ir.OpRBit)), decoder.RBIT_Z_P_Z_),
		enc(mergingUnary(reverseParts(ir.V16I8)), decoder.REVB_Z_Z_),
		enc(mergingUnary(reverseParts(ir.V8I16)), decoder.REVH_Z_Z_),
		enc(mergingUnary(reverseParts(ir.V4I32)), decoder.REVW_Z_Z_),
		enc(mergingUnary(signExtend(8)), decoder.SXTB_Z_P_Z_),
		enc(mergingUnary(signExtend(16)), decoder.SXTH_Z_P_Z_),
		enc(mergingUnary(signExtend(32)), decoder.SXTW_Z_P_Z_),
		enc(mergingUnary(zeroExtend(8)), decoder.UXTB_Z_P_Z_),
		enc(mergingUnary(zeroExtend(16)), decoder.UXTH_Z_P_Z_),
		enc(mergingUnary(zeroExtend(32)), decoder.UXTW_Z_P_Z_),
	}
}

// isZero is 1 in the lanes that are zero and 0 in the others.
func isZero(t *Translator, ty ir.Type, a ir.Value) ir.Value {
	return t.op2(ir.OpAnd, ty, compareZero(ir.EQ)(t, ty, a), t.splat(ty, 1))
}

// reverseParts reverses the lanes of a narrower vector type in each lane.
func reverseParts(parts ir.Type) unary {
	return func(t *Translator, ty ir.Type, a ir.Value) ir.Value {
		container := ir.Imm(int(laneBits(ty)))
		return t.Bitcast(ty, t.op2(ir.OpRev, parts, t.Bitcast(parts, a), container))
	}
}

// signExtend extends the low bits of each lane.
func signExtend(bits int) unary {
	return func(t *Translator, ty ir.Type, a ir.Value) ir.Value {
		return t.op3(ir.OpSbfx, ty, a, ir.Imm(0), ir.Imm(bits))
	}
}

func zeroExtend(bits int) unary {
	return func(t *Translator, ty ir.Type, a ir.Value) ir.Value {
		return t.op2(ir.OpAnd, ty, a, t.splat(ty, 1<<bits-1))
	}
}
