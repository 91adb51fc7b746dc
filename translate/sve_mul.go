package translate

import (
	"emu/decoder"
	"emu/ir"
)

// SVE multiplication and division of integer vectors.
func sveMultiplies() [][]rule {
	return [][]rule{
		enc(merging(lanes2(ir.OpSMulH)), decoder.SMULH_Z_P_ZZ_),
		enc(merging(lanes2(ir.OpUMulH)), decoder.UMULH_Z_P_ZZ_),
		enc(mergingAccumulate(multiplyAdd), decoder.MLA_Z_P_ZZZ_),
		enc(mergingAccumulate(multiplySub), decoder.MLS_Z_P_ZZZ_),
		enc(mergingMultiply(multiplyAdd), decoder.MAD_Z_P_ZZZ_),
		enc(mergingMultiply(multiplySub), decoder.MSB_Z_P_ZZZ_),

		enc(merging(divide(ir.OpSDiv)), decoder.SDIV_Z_P_ZZ_),
		enc(merging(divide(ir.OpUDiv)), decoder.UDIV_Z_P_ZZ_),
		enc(merging(reversed(divide(ir.OpSDiv))), decoder.SDIVR_Z_P_ZZ_),
		enc(merging(reversed(divide(ir.OpUDiv))), decoder.UDIVR_Z_P_ZZ_),
	}
}

// mergingAccumulate is <op> <Zda>.<T>, <Pg>/M, <Zn>.<T>, <Zm>.<T>.
func mergingAccumulate(k ternary) translateFunc {
	return func(t *Translator, i decoder.Inst) {
		ty := intVec(elemSize(i))
		old := t.V(i.Rd(), ty)
		t.SetV(i.Rd(), t.merge(pg(i), k(t, ty, old, t.V(i.Rn(), ty), t.V(i.Rm(), ty)), old))
	}
}

// mergingMultiply is <op> <Zdn>.<T>, <Pg>/M, <Zm>.<T>, <Za>.<T>, with Za in bits 9:5: the
// destination is a factor.
func mergingMultiply(k ternary) translateFunc {
	return func(t *Translator, i decoder.Inst) {
		ty := intVec(elemSize(i))
		old := t.V(i.Rd(), ty)
		t.SetV(i.Rd(), t.merge(pg(i), k(t, ty, t.V(i.Rn(), ty), old, t.V(i.Rm(), ty)), old))
	}
}

// divide takes the lanes apart: hosts divide one number at a time. What inactive lanes give
// does not matter, as no division fails.
func divide(op ir.Op) binary {
	return func(t *Translator, ty ir.Type, a, b ir.Value) ir.Value {
		var v ir.Value
		for n := range ty.Lanes() {
			q := t.Op2(op, t.VGet(a, n), t.VGet(b, n))
			if n == 0 {
				v = t.VFrom(q)
			} else {
				v = t.op3(ir.OpVSet, ty, v, q, ir.Imm(n))
			}
		}
		return v
	}
}
