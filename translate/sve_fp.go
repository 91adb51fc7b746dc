package translate

import (
	"slices"

	"emu/decoder"
	"emu/ir"
)

// sveFloats lists the rules of SVE's floating-point instructions.
//
// What is computed in inactive lanes is thrown away, but its exceptions would stay in FPSR:
// the operands are replaced there by numbers for which the operation is quiet, which costs
// nothing where all lanes are known to be active. FPCR.NEP does not concern SVE.
func sveFloats() [][]rule {
	return slices.Concat(
		sveFloatArith(), sveFloatMulAdd(), sveFloatCompares(), sveFloatRounding(), sveFloatConverts(),
		sveFloatReductions(), sveFloatComplex(), sveFloatTrig(), sveBFloats(), sveFloatLong())
}

// floatVec is the vector type of floating-point elements of 1 << size bytes.
func floatVec(size uint32) ir.Type { return floatOf(intVec(size)) }

// idle is the bit pattern of what an operand is replaced by in inactive lanes.
type idle func(ty ir.Type) uint64

func idleZero(ir.Type) uint64   { return 0 }
func idleOne(ty ir.Type) uint64 { return oneOf(ty) }

// unpredicatedF is <op> <Zd>.<T>, <Zn>.<T>, <Zm>.<T>.
func unpredicatedF(k binary) translateFunc {
	return func(t *Translator, i decoder.Inst) {
		ty := floatVec(elemSize(i))
		t.SetV(i.Rd(), k(t, ty, t.V(i.Rn(), ty), t.V(i.Rm(), ty)))
	}
}

// unpredicatedUnaryF is <op> <Zd>.<T>, <Zn>.<T>.
func unpredicatedUnaryF(k unary) translateFunc {
	return func(t *Translator, i decoder.Inst) {
		ty := floatVec(elemSize(i))
		t.SetV(i.Rd(), k(t, ty, t.V(i.Rn(), ty)))
	}
}

// mergingF is <op> <Zdn>.<T>, <Pg>/M, <Zdn>.<T>, <Zm>.<T>.
func mergingF(k binary) translateFunc { return mergingIdle(k, idleZero, idleZero) }

// mergingIdle is mergingF for an operation that needs others than zeroes to be quiet.
func mergingIdle(k binary, idleN, idleM idle) translateFunc {
	return func(t *Translator, i decoder.Inst) {
		g, ty := pg(i), floatVec(elemSize(i))
		old := t.V(i.Rd(), ty)
		n, m := t.otherwise(g, old, idleN(ty)), t.otherwise(g, t.V(i.Rn(), ty), idleM(ty))
		t.SetV(i.Rd(), t.merge(g, k(t, ty, n, m), old))
	}
}

// mergingImmediate is <op> <Zdn>.<T>, <Pg>/M, <Zdn>.<T>, #<const>: one of two powers of two, or
// zero for the first, all of which are quiet with zero.
func mergingImmediate(k binary, consts [2]idle) translateFunc {
	return func(t *Translator, i decoder.Inst) {
		g, ty := pg(i), floatVec(elemSize(i))
		old := t.V(i.Rd(), ty)
		imm := t.splat(ty, consts[i.Bit(5)](ty))
		t.SetV(i.Rd(), t.merge(g, k(t, ty, t.zeroing(g, old), imm), old))
	}
}

// mergingUnaryF is <op> <Zd>.<T>, <Pg>/M, <Zn>.<T>.
func mergingUnaryF(k unary) translateFunc {
	return func(t *Translator, i decoder.Inst) {
		t.mergeUnary(i, floatVec(elemSize(i)), k, idleZero)
	}
}

// mergeUnary merges what an operation makes of Zn into Zd.
func (t *Translator) mergeUnary(i decoder.Inst, ty ir.Type, k unary, idleN idle) {
	g := pg(i)
	n := t.otherwise(g, t.V(i.Rn(), ty), idleN(ty))
	t.SetV(i.Rd(), t.merge(g, k(t, ty, n), t.V(i.Rd(), ty)))
}

// mergingSign is <op> <Zd>.<T>, <Pg>/M, <Zn>.<T> for an operation that raises nothing.
func mergingSign(k unary) translateFunc {
	return func(t *Translator, i decoder.Inst) {
		ty := floatVec(elemSize(i))
		t.SetV(i.Rd(), t.merge(pg(i), k(t, ty, t.V(i.Rn(), ty)), t.V(i.Rd(), ty)))
	}
}

// eachLane emits a scalar operation for the low part of each lane of v, that has type from,
// and makes a vector of type to with the results in the low parts of lanes as wide as v's.
func (t *Translator) eachLane(v ir.Value, from, to ir.Type, k func(x ir.Value) ir.Value) ir.Value {
	lanes := t.TypeOf(v).Lanes()
	v = t.Bitcast(from, v)
	r := t.zero(to)
	for n := range lanes {
		x := k(t.VGet(v, n*from.Lanes()/lanes))
		r = t.op3(ir.OpVSet, to, r, x, ir.Imm(n*to.Lanes()/lanes))
	}
	return r
}

// elementFloatVec is the type of instructions by element as wide as their results.
func elementFloatVec(i decoder.Inst) ir.Type { return floatVec(elementSizeOf(i)) }
