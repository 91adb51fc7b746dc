package translate

import (
	"emu/decoder"
	"emu/ir"
)

// SVE2 bitwise operations of three vectors, rotations, and permutations of bits.
func sve2Logical() [][]rule {
	return [][]rule{
		enc(ternaryLogical(exclusiveOr3), decoder.EOR3_Z_ZZZ_),
		enc(ternaryLogical(clearExclusiveOr), decoder.BCAX_Z_ZZZ_),
		enc(ternaryLogical(selectBits), decoder.BSL_Z_ZZZ_),
		enc(ternaryLogical(selectFirstInverted), decoder.BSL1N_Z_ZZZ_),
		enc(ternaryLogical(selectSecondInverted), decoder.BSL2N_Z_ZZZ_),
		enc(ternaryLogical(selectInverted), decoder.NBSL_Z_ZZZ_),
		enc(xarSized, decoder.XAR_Z_ZZI_),
		enc(interleavingXor(false), decoder.EORBT_Z_ZZ_),
		enc(interleavingXor(true), decoder.EORTB_Z_ZZ_),

		enc(unpredicated(lanes2(ir.OpBExt)), decoder.BEXT_Z_ZZ_),
		enc(unpredicated(lanes2(ir.OpBDep)), decoder.BDEP_Z_ZZ_),
		enc(unpredicated(groupBits), decoder.BGRP_Z_ZZ_),
	}
}

// ternaryLogical is <op> <Zdn>.D, <Zdn>.D, <Zm>.D, <Zk>.D, with Zk in bits 9:5.
func ternaryLogical(k ternary) translateFunc {
	return func(t *Translator, i decoder.Inst) {
		ty := ir.V2I64
		t.SetV(i.Rd(), k(t, ty, t.V(i.Rd(), ty), t.V(i.Rm(), ty), t.V(i.Rn(), ty)))
	}
}

func exclusiveOr3(t *Translator, _ ir.Type, d, m, k ir.Value) ir.Value {
	return t.Xor(t.Xor(d, m), k)
}

func clearExclusiveOr(t *Translator, _ ir.Type, d, m, k ir.Value) ir.Value {
	return t.Xor(d, t.AndNot(m, k))
}

func selectBits(t *Translator, ty ir.Type, d, m, k ir.Value) ir.Value {
	return t.op3(ir.OpBsl, ty, k, d, m)
}

func selectFirstInverted(t *Translator, ty ir.Type, d, m, k ir.Value) ir.Value {
	return t.op3(ir.OpBsl, ty, k, t.Not(d), m)
}

func selectSecondInverted(t *Translator, ty ir.Type, d, m, k ir.Value) ir.Value {
	return t.op3(ir.OpBsl, ty, k, d, t.Not(m))
}

func selectInverted(t *Translator, ty ir.Type, d, m, k ir.Value) ir.Value {
	return t.Not(t.op3(ir.OpBsl, ty, k, d, m))
}

// XAR <Zdn>.<T>, <Zdn>.<T>, <Zm>.<T>, #<const>
func xarSized(t *Translator, i decoder.Inst) {
	ty := tszVec(i)
	v := t.Xor(t.V(i.Rd(), ty), t.V(i.Rn(), ty)) // the field of Zn holds Zm here
	t.SetV(i.Rd(), t.RorI(v, int(i.TszRightShift())))
}

// interleavingXor is EORBT, EORTB <Zd>.<T>, <Zn>.<T>, <Zm>.<T>: the bottom elements of Zn with
// the top ones of Zm, or the other way round. The others of Zd stay.
func interleavingXor(top bool) translateFunc {
	return func(t *Translator, i decoder.Inst) {
		ty := intVec(elemSize(i))
		d, v := t.V(i.Rd(), ty), t.Xor(t.V(i.Rn(), ty), t.swapPairs(t.V(i.Rm(), ty)))
		if top {
			t.SetV(i.Rd(), t.evenOdd(ty, d, v))
		} else {
			t.SetV(i.Rd(), t.evenOdd(ty, v, d))
		}
	}
}

// groupBits is BGRP: the bits of a where m has ones, above them the others. What is left above
// as many ones as m has at the low end is where those go.
func groupBits(t *Translator, ty ir.Type, a, m ir.Value) ir.Value {
	ones := t.op2(ir.OpBExt, ty, m, m)
	others := t.op2(ir.OpBExt, ty, a, t.Not(m))
	return t.Or(t.op2(ir.OpBExt, ty, a, m), t.op2(ir.OpBDep, ty, others, t.Not(ones)))
}
