package translate

import (
	"emu/decoder"
	"emu/ir"
)

// SVE2 instructions with results twice as wide as their narrow operands, of which they take
// the even (bottom) or the odd (top) elements: sums, differences and shifts. The products are
// in sve2_product.go.
func sve2Long() [][]rule {
	return [][]rule{
		enc(long2(extendParts(ir.OpAdd, true), vectorM), decoder.SADDLB_Z_ZZ_, decoder.SADDLT_Z_ZZ_),
		enc(long2(extendParts(ir.OpAdd, false), vectorM), decoder.UADDLB_Z_ZZ_, decoder.UADDLT_Z_ZZ_),
		enc(long2(extendParts(ir.OpSub, true), vectorM), decoder.SSUBLB_Z_ZZ_, decoder.SSUBLT_Z_ZZ_),
		enc(long2(extendParts(ir.OpSub, false), vectorM), decoder.USUBLB_Z_ZZ_, decoder.USUBLT_Z_ZZ_),
		enc(long2(differenceParts(ir.OpSAbd), vectorM), decoder.SABDLB_Z_ZZ_, decoder.SABDLT_Z_ZZ_),
		enc(long2(differenceParts(ir.OpUAbd), vectorM), decoder.UABDLB_Z_ZZ_, decoder.UABDLT_Z_ZZ_),
		enc(long2Acc(differenceParts(ir.OpSAbd), ir.OpAdd, vectorM), decoder.SABALB_Z_ZZZ_, decoder.SABALT_Z_ZZZ_),
		enc(long2Acc(differenceParts(ir.OpUAbd), ir.OpAdd, vectorM), decoder.UABALB_Z_ZZZ_, decoder.UABALT_Z_ZZZ_),

		enc(long2Mixed(extendParts(ir.OpAdd, true), false), decoder.SADDLBT_Z_ZZ_),
		enc(long2Mixed(extendParts(ir.OpSub, true), false), decoder.SSUBLBT_Z_ZZ_),
		enc(long2Mixed(extendParts(ir.OpSub, true), true), decoder.SSUBLTB_Z_ZZ_),

		enc(wideParts(ir.OpAdd, true), decoder.SADDWB_Z_ZZ_, decoder.SADDWT_Z_ZZ_),
		enc(wideParts(ir.OpAdd, false), decoder.UADDWB_Z_ZZ_, decoder.UADDWT_Z_ZZ_),
		enc(wideParts(ir.OpSub, true), decoder.SSUBWB_Z_ZZ_, decoder.SSUBWT_Z_ZZ_),
		enc(wideParts(ir.OpSub, false), decoder.USUBWB_Z_ZZ_, decoder.USUBWT_Z_ZZ_),

		enc(shiftLongPart(ir.OpAShr), decoder.SSHLLB_Z_ZI_, decoder.SSHLLT_Z_ZI_),
		enc(shiftLongPart(ir.OpLShr), decoder.USHLLB_Z_ZI_, decoder.USHLLT_Z_ZI_),

		enc(addPairsLong(ir.OpSAddLP), decoder.SADALP_Z_P_Z_),
		enc(addPairsLong(ir.OpUAddLP), decoder.UADALP_Z_P_Z_),
	}
}

// part is every other element of a vector: the odd ones (top) or the even ones (bottom).
type part struct {
	v   ir.Value
	top bool
}

// isTop is bit T, which tells instructions on the top elements from those on the bottom ones.
func isTop(i decoder.Inst) bool { return i.Bit(10) == 1 }

// ofParts emits an operation with lanes of type ty out of parts with lanes of half the width.
type ofParts func(t *Translator, ty ir.Type, a, b part) ir.Value

// operandM is what an instruction has for its second operand: a vector of type ty.
type operandM func(t *Translator, i decoder.Inst, ty ir.Type) ir.Value

func vectorM(t *Translator, i decoder.Inst, ty ir.Type) ir.Value { return t.V(i.Rm(), ty) }

// extendPart is a part extended to lanes of ty: in place, as they have the room.
func (t *Translator) extendPart(ty ir.Type, a part, signed bool) ir.Value {
	half := int(laneBits(ty) / 2)
	v := t.Bitcast(ty, a.v)
	switch {
	case a.top && signed:
		return t.AShrI(v, half)
	case a.top:
		return t.LShrI(v, half)
	case signed:
		return t.AShrI(t.ShlI(v, half), half)
	}
	return t.And(v, t.splat(ty, 1<<half-1))
}

func extendParts(op ir.Op, signed bool) ofParts {
	return func(t *Translator, ty ir.Type, a, b part) ir.Value {
		return t.op2(op, ty, t.extendPart(ty, a, signed), t.extendPart(ty, b, signed))
	}
}

// differenceParts is the absolute difference. That of signed elements, too, fits an unsigned
// one.
func differenceParts(op ir.Op) ofParts {
	return func(t *Translator, ty ir.Type, a, b part) ir.Value {
		v := t.op2(op, t.TypeOf(a.v), a.v, b.v)
		return t.extendPart(ty, part{v, a.top}, false)
	}
}

// long2 is <op>B, <op>T <Zd>.<T>, <Zn>.<Tb>, and <Zm>.<Tb> or <Zm>.<Tb>[<imm>].
func long2(k ofParts, m operandM) translateFunc {
	return func(t *Translator, i decoder.Inst) {
		ty := intVec(elemSize(i))
		half := ty.Narrower()
		t.SetV(i.Rd(), k(t, ty, part{t.V(i.Rn(), half), isTop(i)}, part{m(t, i, half), isTop(i)}))
	}
}

// long2Acc is the same for instructions that accumulate into Zda with op.
func long2Acc(k ofParts, op ir.Op, m operandM) translateFunc {
	return func(t *Translator, i decoder.Inst) {
		ty := intVec(elemSize(i))
		half := ty.Narrower()
		v := k(t, ty, part{t.V(i.Rn(), half), isTop(i)}, part{m(t, i, half), isTop(i)})
		t.SetV(i.Rd(), t.op2(op, ty, t.V(i.Rd(), ty), v))
	}
}

// long2Mixed is <op>BT, <op>TB <Zd>.<T>, <Zn>.<Tb>, <Zm>.<Tb>: the top elements of one operand
// with the bottom ones of the other.
func long2Mixed(k ofParts, top bool) translateFunc {
	return func(t *Translator, i decoder.Inst) {
		ty := intVec(elemSize(i))
		half := ty.Narrower()
		t.SetV(i.Rd(), k(t, ty, part{t.V(i.Rn(), half), top}, part{t.V(i.Rm(), half), !top}))
	}
}

// wideParts is <op>WB, <op>WT <Zd>.<T>, <Zn>.<T>, <Zm>.<Tb>.
func wideParts(op ir.Op, signed bool) translateFunc {
	return func(t *Translator, i decoder.Inst) {
		ty := intVec(elemSize(i))
		m := t.extendPart(ty, part{t.V(i.Rm(), ty), isTop(i)}, signed)
		t.SetV(i.Rd(), t.op2(op, ty, t.V(i.Rn(), ty), m))
	}
}

// shiftLongPart is SSHLLB and its kind <Zd>.<T>, <Zn>.<Tb>, #<const>: with the element at the
// top of the wide one, what is left of the way is a shift right.
func shiftLongPart(right ir.Op) translateFunc {
	return func(t *Translator, i decoder.Inst) {
		half := i.TszEsize()
		ty, n := vecOfBits(2*half), i.TszLeftShift()
		v := t.V(i.Rn(), ty)
		switch {
		case !isTop(i) && right == ir.OpLShr && n == 0:
			t.SetV(i.Rd(), t.And(v, t.splat(ty, 1<<half-1)))
			return
		case !isTop(i):
			v = t.ShlI(v, int(half))
		case n > 0:
			v = t.And(v, t.splat(ty, ^uint64(0)<<half))
		}
		t.SetV(i.Rd(), t.op2(right, ty, v, ir.Imm(int(half-n))))
	}
}

// addPairsLong is SADALP, UADALP <Zda>.<T>, <Pg>/M, <Zn>.<Tb>.
func addPairsLong(op ir.Op) translateFunc {
	return func(t *Translator, i decoder.Inst) {
		ty := intVec(elemSize(i))
		old := t.V(i.Rd(), ty)
		sum := t.op1(op, ty, t.V(i.Rn(), ty.Narrower()))
		t.SetV(i.Rd(), t.merge(pg(i), t.op2(ir.OpAdd, ty, old, sum), old))
	}
}
