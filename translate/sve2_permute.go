package translate

import (
	"emu/decoder"
	"emu/ir"
)

// SVE2 look-ups in tables; those in one vector with zeroes for what is out of range are SVE's.
func sve2Permutes() [][]rule {
	return [][]rule{
		enc(lookUpInTwo, decoder.TBL_Z_ZZ_2),
		enc(accumulating(lookUpOrKeep), decoder.TBX_Z_ZZ_),
	}
}

// TBL <Zd>.<T>, { <Zn1>.<T>, <Zn2>.<T> }, <Zm>.<T>
func lookUpInTwo(t *Translator, i decoder.Inst) {
	ty := intVec(elemSize(i))
	index := t.V(i.Rm(), ty)
	if ty != ir.V16I8 {
		index = t.byteIndices(ty, index, uint64(2*ty.Lanes()))
	}
	t.SetV(i.Rd(), t.lookup(i.Rn(), 2, index))
}

// lookUpOrKeep is TBX: where an index is out of range, the lane of d.
func lookUpOrKeep(t *Translator, ty ir.Type, d, table, index ir.Value) ir.Value {
	inside := t.ICmp(ir.ULT, index, t.splat(ty, uint64(ty.Lanes())))
	return t.op3(ir.OpBsl, ty, inside, lookUpLanes(t, ty, table, index), d)
}
