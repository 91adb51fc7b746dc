package translate

import (
	"emu/decoder"
	"emu/ir"
)

// SVE2 vectors times an indexed element, with results as wide as that.
func sve2Elements() [][]rule {
	return [][]rule{
		enc(timesElement(lanes2(ir.OpMul)), decoder.MUL_Z_ZZI_H, decoder.MUL_Z_ZZI_S, decoder.MUL_Z_ZZI_D),
		enc(timesElement(doublingHigh), decoder.SQDMULH_Z_ZZI_H, decoder.SQDMULH_Z_ZZI_S, decoder.SQDMULH_Z_ZZI_D),
		enc(timesElement(roundingDoublingHigh),
			decoder.SQRDMULH_Z_ZZI_H, decoder.SQRDMULH_Z_ZZI_S, decoder.SQRDMULH_Z_ZZI_D),
		enc(timesElementAcc(multiplyAdd), decoder.MLA_Z_ZZZI_H, decoder.MLA_Z_ZZZI_S, decoder.MLA_Z_ZZZI_D),
		enc(timesElementAcc(multiplySub), decoder.MLS_Z_ZZZI_H, decoder.MLS_Z_ZZZI_S, decoder.MLS_Z_ZZZI_D),
		enc(timesElementAcc(roundingDoublingAdd),
			decoder.SQRDMLAH_Z_ZZZI_H, decoder.SQRDMLAH_Z_ZZZI_S, decoder.SQRDMLAH_Z_ZZZI_D),
		enc(timesElementAcc(roundingDoublingSub),
			decoder.SQRDMLSH_Z_ZZZI_H, decoder.SQRDMLSH_Z_ZZZI_S, decoder.SQRDMLSH_Z_ZZZI_D),
	}
}

// elementSizeOf is the size of instructions by element as wide as their results: that of 16
// bits has a bit of the index in the field of the size.
func elementSizeOf(i decoder.Inst) uint32 { return max(elemSize(i), 1) }

// elementM is <Zm>.<T>[<imm>] in all lanes.
func elementM(t *Translator, i decoder.Inst, ty ir.Type) ir.Value {
	reg, lane := i.Bits(18, 16), i.Bits(20, 19)
	switch laneBits(ty) {
	case 16:
		lane |= i.Bit(22) << 2
	case 64:
		reg, lane = i.Bits(19, 16), i.Bit(20)
	}
	return t.op2(ir.OpVDupL, ty, t.V(reg, ty), ir.Imm(int(lane)))
}

// longElementM is the same for elements of half the width of the result.
func longElementM(t *Translator, i decoder.Inst, ty ir.Type) ir.Value {
	reg, lane := i.Bits(18, 16), i.Bits(20, 19)<<1|i.Bit(11)
	if laneBits(ty) == 32 {
		reg, lane = i.Bits(19, 16), i.Bit(20)<<1|i.Bit(11)
	}
	return t.op2(ir.OpVDupL, ty, t.V(reg, ty), ir.Imm(int(lane)))
}

// timesElement is <op> <Zd>.<T>, <Zn>.<T>, <Zm>.<T>[<imm>].
func timesElement(k binary) translateFunc {
	return func(t *Translator, i decoder.Inst) {
		ty := intVec(elementSizeOf(i))
		t.SetV(i.Rd(), k(t, ty, t.V(i.Rn(), ty), elementM(t, i, ty)))
	}
}

// timesElementAcc is <op> <Zda>.<T>, <Zn>.<T>, <Zm>.<T>[<imm>].
func timesElementAcc(k ternary) translateFunc {
	return func(t *Translator, i decoder.Inst) {
		ty := intVec(elementSizeOf(i))
		t.SetV(i.Rd(), k(t, ty, t.V(i.Rd(), ty), t.V(i.Rn(), ty), elementM(t, i, ty)))
	}
}
