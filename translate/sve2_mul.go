package translate

import (
	"emu/decoder"
	"emu/ir"
)

// SVE2 multiplications of vectors with results as wide as their operands.
func sve2Multiply() [][]rule {
	return [][]rule{
		enc(unpredicated(lanes2(ir.OpMul)), decoder.MUL_Z_ZZ_),
		enc(unpredicated(lanes2(ir.OpPMul)), decoder.PMUL_Z_ZZ_),
		enc(unpredicated(lanes2(ir.OpSMulH)), decoder.SMULH_Z_ZZ_),
		enc(unpredicated(lanes2(ir.OpUMulH)), decoder.UMULH_Z_ZZ_),
		enc(unpredicated(doublingHigh), decoder.SQDMULH_Z_ZZ_),
		enc(unpredicated(roundingDoublingHigh), decoder.SQRDMULH_Z_ZZ_),
		enc(accumulating(roundingDoublingAdd), decoder.SQRDMLAH_Z_ZZZ_),
		enc(accumulating(roundingDoublingSub), decoder.SQRDMLSH_Z_ZZZ_),
	}
}

// The doubling multiplications exist for all sizes of elements. Those of 64 bits, which the host
// has nothing for, are put together from the halves of the product.

// doubled64 is the doubled product of 64-bit lanes, 128 bits wide and wrapping.
func (t *Translator) doubled64(a, b ir.Value) (high, low ir.Value) {
	high, low = t.op2(ir.OpSMulH, ir.V2I64, a, b), t.Mul(a, b)
	return t.Or(t.Add(high, high), t.LShrI(low, 63)), t.Add(low, low)
}

// doublingHigh is SQDMULH.
func doublingHigh(t *Translator, ty ir.Type, a, b ir.Value) ir.Value {
	if ty == ir.V2I64 {
		high, _ := t.doubled64(a, b)
		return t.capMinimum(ty, high)
	}
	return t.op2(ir.OpSQDMulH.Quiet(), ty, a, b)
}

// roundingDoublingHigh is SQRDMULH.
func roundingDoublingHigh(t *Translator, ty ir.Type, a, b ir.Value) ir.Value {
	if ty == ir.V2I64 {
		high, low := t.doubled64(a, b)
		return t.capMinimum(ty, t.Sub(high, compareZero(ir.SLT)(t, ty, low)))
	}
	return t.op2(ir.OpSQRDMulH.Quiet(), ty, a, b)
}

// roundingDoublingAdd is SQRDMLAH. The rounded high half may be one more than 64 bits hold; its
// negative never is.
func roundingDoublingAdd(t *Translator, ty ir.Type, d, a, b ir.Value) ir.Value {
	if ty == ir.V2I64 {
		high, low := t.doubled64(a, b)
		return t.op2(ir.OpSQSub.Quiet(), ty, d, t.Sub(compareZero(ir.SLT)(t, ty, low), high))
	}
	return t.op3(ir.OpSQRDMlAH.Quiet(), ty, d, a, b)
}

// roundingDoublingSub is SQRDMLSH: of the negative product one half rounds up, so that half
// a unit is not taken away.
func roundingDoublingSub(t *Translator, ty ir.Type, d, a, b ir.Value) ir.Value {
	if ty == ir.V2I64 {
		high, low := t.doubled64(a, b)
		above := t.ICmp(ir.UGT, low, t.splat(ty, 1<<63))
		return t.op2(ir.OpSQAdd.Quiet(), ty, d, t.Sub(above, high))
	}
	return t.op3(ir.OpSQRDMlSH.Quiet(), ty, d, a, b)
}
