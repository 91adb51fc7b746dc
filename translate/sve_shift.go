package translate

import (
	"emu/decoder"
	"emu/ir"
)

// SVE shifts. By vectors, amounts are whole lanes, unsigned: all that is the width of a lane
// or more shifts everything out.
func sveShifts() [][]rule {
	return [][]rule{
		enc(merging(lanes2(ir.OpAshrV)), decoder.ASR_Z_P_ZZ_),
		enc(merging(lanes2(ir.OpLshrV)), decoder.LSR_Z_P_ZZ_),
		enc(merging(lanes2(ir.OpShlV)), decoder.LSL_Z_P_ZZ_),
		enc(merging(reversed(lanes2(ir.OpAshrV))), decoder.ASRR_Z_P_ZZ_),
		enc(merging(reversed(lanes2(ir.OpLshrV))), decoder.LSRR_Z_P_ZZ_),
		enc(merging(reversed(lanes2(ir.OpShlV))), decoder.LSLR_Z_P_ZZ_),
		enc(merging(shiftWide(ir.OpAshrV)), decoder.ASR_Z_P_ZW_),
		enc(merging(shiftWide(ir.OpLshrV)), decoder.LSR_Z_P_ZW_),
		enc(merging(shiftWide(ir.OpShlV)), decoder.LSL_Z_P_ZW_),
		enc(unpredicated(shiftWide(ir.OpAshrV)), decoder.ASR_Z_ZW_),
		enc(unpredicated(shiftWide(ir.OpLshrV)), decoder.LSR_Z_ZW_),
		enc(unpredicated(shiftWide(ir.OpShlV)), decoder.LSL_Z_ZW_),

		enc(mergingRight(shiftAll(ir.OpAShr)), decoder.ASR_Z_P_ZI_),
		enc(mergingRight(shiftAll(ir.OpLShr)), decoder.LSR_Z_P_ZI_),
		enc(mergingLeft(shiftAll(ir.OpShl)), decoder.LSL_Z_P_ZI_),
		enc(mergingRight(shiftDivide), decoder.ASRD_Z_P_ZI_),
		enc(unpredicatedRight(shiftAll(ir.OpAShr)), decoder.ASR_Z_ZI_),
		enc(unpredicatedRight(shiftAll(ir.OpLShr)), decoder.LSR_Z_ZI_),
		enc(unpredicatedLeft(shiftAll(ir.OpShl)), decoder.LSL_Z_ZI_),
	}
}

// immediate is an operation on a vector and the number of an instruction.
type immediate func(t *Translator, ty ir.Type, a ir.Value, n uint) ir.Value

// shiftAll is a shift of all lanes by the same amount.
func shiftAll(op ir.Op) immediate {
	return func(t *Translator, ty ir.Type, a ir.Value, n uint) ir.Value {
		return t.op2(op, ty, a, ir.Imm(int(n)))
	}
}

// shiftDivide is the division by 1 << n of ASRD, which rounds towards zero: an arithmetic
// shift to the right of what is one less than the next multiple where it is negative.
func shiftDivide(t *Translator, ty ir.Type, a ir.Value, n uint) ir.Value {
	if n == laneBits(ty) {
		return t.zero(ty) // no number is that large
	}
	negative := compareZero(ir.SLT)(t, ty, a)
	bias := t.op2(ir.OpAnd, ty, negative, t.splat(ty, 1<<n-1))
	return t.op2(ir.OpAShr, ty, t.op2(ir.OpAdd, ty, a, bias), ir.Imm(int(n)))
}

// shiftWide is a shift of the lanes of a by the 64 bits of b in the same half.
func shiftWide(op ir.Op) binary {
	return func(t *Translator, ty ir.Type, a, b ir.Value) ir.Value {
		esize := laneBits(ty)
		n := t.op2(ir.OpUMin, ir.V2I64, t.Bitcast(ir.V2I64, b), t.splat(ir.V2I64, uint64(esize)))
		return t.op2(op, ty, a, t.fillHalves(n, esize))
	}
}

// mergingRight is <op> <Zdn>.<T>, <Pg>/M, <Zdn>.<T>, #<const>, the amount of a right shift.
func mergingRight(k immediate) translateFunc {
	return func(t *Translator, i decoder.Inst) { t.mergeImmediate(i, k, i.TszRightShift()) }
}

// mergingLeft is the same with the amount of a left shift.
func mergingLeft(k immediate) translateFunc {
	return func(t *Translator, i decoder.Inst) { t.mergeImmediate(i, k, i.TszLeftShift()) }
}

func (t *Translator) mergeImmediate(i decoder.Inst, k immediate, n uint) {
	ty := tszVec(i)
	old := t.V(i.Rd(), ty)
	t.SetV(i.Rd(), t.merge(pg(i), k(t, ty, old, n), old))
}

// unpredicatedRight is <op> <Zd>.<T>, <Zn>.<T>, #<const>, the amount of a right shift.
func unpredicatedRight(k immediate) translateFunc {
	return func(t *Translator, i decoder.Inst) {
		ty := tszVec(i)
		t.SetV(i.Rd(), k(t, ty, t.V(i.Rn(), ty), i.TszRightShift()))
	}
}

// unpredicatedLeft is the same with the amount of a left shift.
func unpredicatedLeft(k immediate) translateFunc {
	return func(t *Translator, i decoder.Inst) {
		ty := tszVec(i)
		t.SetV(i.Rd(), k(t, ty, t.V(i.Rn(), ty), i.TszLeftShift()))
	}
}
