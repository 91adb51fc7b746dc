package translate

import (
	"emu/decoder"
	"emu/ir"
)

// The forms that most instructions on vectors have. Each takes an operation on lanes of
// 1 << size bytes, size being bits 23:22.

// unpredicated is <op> <Zd>.<T>, <Zn>.<T>, <Zm>.<T>.
func unpredicated(k binary) translateFunc {
	return func(t *Translator, i decoder.Inst) {
		ty := intVec(elemSize(i))
		t.SetV(i.Rd(), k(t, ty, t.V(i.Rn(), ty), t.V(i.Rm(), ty)))
	}
}

// mergingUnary is <op> <Zd>.<T>, <Pg>/M, <Zn>.<T>.
func mergingUnary(k unary) translateFunc {
	return func(t *Translator, i decoder.Inst) {
		ty := intVec(elemSize(i))
		t.SetV(i.Rd(), t.merge(pg(i), k(t, ty, t.V(i.Rn(), ty)), t.V(i.Rd(), ty)))
	}
}

// merging is <op> <Zdn>.<T>, <Pg>/M, <Zdn>.<T>, <Zm>.<T>, with Zm in bits 9:5.
func merging(k binary) translateFunc {
	return func(t *Translator, i decoder.Inst) {
		ty := intVec(elemSize(i))
		old := t.V(i.Rd(), ty)
		t.SetV(i.Rd(), t.merge(pg(i), k(t, ty, old, t.V(i.Rn(), ty)), old))
	}
}

// reversed is an operation with its operands exchanged, as SUBR has them.
func reversed(k binary) binary {
	return func(t *Translator, ty ir.Type, a, b ir.Value) ir.Value { return k(t, ty, b, a) }
}

// accumulating is <op> <Zda>.<T>, <Zn>.<T>, <Zm>.<T>.
func accumulating(k ternary) translateFunc {
	return func(t *Translator, i decoder.Inst) {
		ty := intVec(elemSize(i))
		t.SetV(i.Rd(), k(t, ty, t.V(i.Rd(), ty), t.V(i.Rn(), ty), t.V(i.Rm(), ty)))
	}
}
