package translate

import (
	"emu/decoder"
	"emu/ir"
)

// SVE floating-point complex arithmetic. Each part is computed if its own element is active,
// from both parts of the operands.
func sveFloatComplex() [][]rule {
	return [][]rule{
		enc(complexAddMerging, decoder.FCADD_Z_P_ZZ_),
		enc(complexMulAddMerging, decoder.FCMLA_Z_P_ZZZ_),
		enc(complexMulAddElement, decoder.FCMLA_Z_ZZZI_H, decoder.FCMLA_Z_ZZZI_S),
	}
}

// FCADD <Zdn>.<T>, <Pg>/M, <Zdn>.<T>, <Zm>.<T>, <const>
func complexAddMerging(t *Translator, i decoder.Inst) {
	g, ty := pg(i), floatVec(elemSize(i))
	old := t.V(i.Rd(), ty)
	by90 := i.Bit(16) == 0
	m := t.negateParts(t.zeroing(g, t.swapPairs(t.V(i.Rn(), ty))), by90, !by90)
	t.SetV(i.Rd(), t.merge(g, t.op2(ir.OpFAdd, ty, t.zeroing(g, old), m), old))
}

// FCMLA <Zda>.<T>, <Pg>/M, <Zn>.<T>, <Zm>.<T>, <const>
func complexMulAddMerging(t *Translator, i decoder.Inst) {
	ty := floatVec(elemSize(i))
	a, b := t.turnedFactors(t.V(i.Rn(), ty), t.V(i.Rm(), ty), i.Bits(14, 13))
	t.mergeMulAdd(i, lanes3(ir.OpFMA), t.V(i.Rd(), ty), a, b)
}

// FCMLA <Zda>.<T>, <Zn>.<T>, <Zm>.<T>[<imm>], <const>: the element is a pair, and the field of
// the size says how wide that is.
func complexMulAddElement(t *Translator, i decoder.Inst) {
	pair := intVec(elemSize(i))
	ty := floatOf(pair.Narrower())
	a, b := t.turnedFactors(t.V(i.Rn(), ty), t.Bitcast(ty, elementM(t, i, pair)), i.Bits(11, 10))
	t.SetV(i.Rd(), t.op3(ir.OpFMA, ty, t.V(i.Rd(), ty), a, b))
}
