package translate

import (
	"emu/decoder"
	"emu/ir"
)

// SVE2 instructions with results half as wide as their operands. Those of the bottom forms
// are in the even elements, above them zeroes; those of the top forms are in the odd
// elements, and the even ones of Zd stay.
func sve2Narrow() [][]rule {
	return [][]rule{
		enc(narrowHighPart(ir.OpAdd, false), decoder.ADDHNB_Z_ZZ_, decoder.ADDHNT_Z_ZZ_),
		enc(narrowHighPart(ir.OpAdd, true), decoder.RADDHNB_Z_ZZ_, decoder.RADDHNT_Z_ZZ_),
		enc(narrowHighPart(ir.OpSub, false), decoder.SUBHNB_Z_ZZ_, decoder.SUBHNT_Z_ZZ_),
		enc(narrowHighPart(ir.OpSub, true), decoder.RSUBHNB_Z_ZZ_, decoder.RSUBHNT_Z_ZZ_),

		enc(shiftNarrowPart(false), decoder.SHRNB_Z_ZI_, decoder.SHRNT_Z_ZI_),
		enc(shiftNarrowPart(true), decoder.RSHRNB_Z_ZI_, decoder.RSHRNT_Z_ZI_),
		enc(saturateNarrowPart(ir.OpAShr, toSigned), decoder.SQSHRNB_Z_ZI_, decoder.SQSHRNT_Z_ZI_),
		enc(saturateNarrowPart(ir.OpSRShr, toSigned), decoder.SQRSHRNB_Z_ZI_, decoder.SQRSHRNT_Z_ZI_),
		enc(saturateNarrowPart(ir.OpLShr, unsignedToUnsigned), decoder.UQSHRNB_Z_ZI_, decoder.UQSHRNT_Z_ZI_),
		enc(saturateNarrowPart(ir.OpURShr, unsignedToUnsigned), decoder.UQRSHRNB_Z_ZI_, decoder.UQRSHRNT_Z_ZI_),
		enc(saturateNarrowPart(ir.OpAShr, signedToUnsigned), decoder.SQSHRUNB_Z_ZI_, decoder.SQSHRUNT_Z_ZI_),
		enc(saturateNarrowPart(ir.OpSRShr, signedToUnsigned), decoder.SQRSHRUNB_Z_ZI_, decoder.SQRSHRUNT_Z_ZI_),

		enc(extractNarrowPart(toSigned), decoder.SQXTNB_Z_ZZ_, decoder.SQXTNT_Z_ZZ_),
		enc(extractNarrowPart(unsignedToUnsigned), decoder.UQXTNB_Z_ZZ_, decoder.UQXTNT_Z_ZZ_),
		enc(extractNarrowPart(signedToUnsigned), decoder.SQXTUNB_Z_ZZ_, decoder.SQXTUNT_Z_ZZ_),
	}
}

// setTop writes the upper halves of the lanes of v to the odd elements of Zd.
func (t *Translator) setTop(i decoder.Inst, v ir.Value) {
	ty := t.TypeOf(v)
	upper := t.splat(ty, ^uint64(0)<<(laneBits(ty)/2))
	t.SetV(i.Rd(), t.op3(ir.OpBsl, ty, upper, v, t.V(i.Rd(), ty)))
}

// setField writes the half of each lane of v that begins at bit n, 1 to half the width.
func (t *Translator) setField(i decoder.Inst, v ir.Value, n uint) {
	ty := t.TypeOf(v)
	half := laneBits(ty) / 2
	if isTop(i) {
		t.setTop(i, t.ShlI(v, int(half-n)))
		return
	}
	v = t.LShrI(v, int(n))
	if n < half {
		v = t.And(v, t.splat(ty, 1<<half-1))
	}
	t.SetV(i.Rd(), v)
}

// narrowHighPart is {R}ADDHNB and its kind <Zd>.<T>, <Zn>.<Tb>, <Zm>.<Tb>: the upper half of
// each lane.
func narrowHighPart(op ir.Op, round bool) translateFunc {
	return func(t *Translator, i decoder.Inst) {
		ty := intVec(elemSize(i))
		half := laneBits(ty) / 2
		v := t.op2(op, ty, t.V(i.Rn(), ty), t.V(i.Rm(), ty))
		if round {
			v = t.Add(v, t.splat(ty, 1<<(half-1)))
		}
		t.setField(i, v, half)
	}
}

// shiftNarrowPart is {R}SHRNB, {R}SHRNT <Zd>.<T>, <Zn>.<Tb>, #<const>. A carry out of the lane
// is above the field.
func shiftNarrowPart(round bool) translateFunc {
	return func(t *Translator, i decoder.Inst) {
		ty, n := vecOfBits(2*i.TszEsize()), i.TszRightShift()
		v := t.V(i.Rn(), ty)
		if round {
			v = t.Add(v, t.splat(ty, 1<<(n-1)))
		}
		t.setField(i, v, n)
	}
}

// saturation is a kind of saturation to half the width.
type saturation int

const (
	toSigned saturation = iota
	unsignedToUnsigned
	signedToUnsigned
)

// setSaturated writes the lanes of v, saturated, to the bottom or the top elements of Zd.
func (t *Translator) setSaturated(i decoder.Inst, k saturation, v ir.Value) {
	ty := t.TypeOf(v)
	half := laneBits(ty) / 2
	all := uint64(1)<<half - 1
	switch k {
	case toSigned:
		v = t.op2(ir.OpSMin, ty, v, t.splat(ty, all>>1))
		v = t.op2(ir.OpSMax, ty, v, t.splat(ty, ^(all>>1)))
	case unsignedToUnsigned:
		v = t.op2(ir.OpUMin, ty, v, t.splat(ty, all))
	case signedToUnsigned:
		v = t.op2(ir.OpSMax, ty, v, t.zero(ty))
		v = t.op2(ir.OpSMin, ty, v, t.splat(ty, all))
	}
	switch {
	case isTop(i):
		t.setTop(i, t.ShlI(v, int(half)))
	case k == toSigned:
		t.SetV(i.Rd(), t.And(v, t.splat(ty, all)))
	default:
		t.SetV(i.Rd(), v)
	}
}

// saturateNarrowPart is SQSHRNB and its kind <Zd>.<T>, <Zn>.<Tb>, #<const>.
func saturateNarrowPart(shift ir.Op, k saturation) translateFunc {
	return func(t *Translator, i decoder.Inst) {
		ty := vecOfBits(2 * i.TszEsize())
		t.setSaturated(i, k, t.op2(shift, ty, t.V(i.Rn(), ty), ir.Imm(int(i.TszRightShift()))))
	}
}

// extractNarrowPart is SQXTNB and its kind <Zd>.<T>, <Zn>.<Tb>.
func extractNarrowPart(k saturation) translateFunc {
	return func(t *Translator, i decoder.Inst) {
		t.setSaturated(i, k, t.V(i.Rn(), vecOfBits(2*i.TszEsize())))
	}
}
