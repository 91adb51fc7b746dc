package translate

import (
	"emu/decoder"
	"emu/ir"
)

// SVE dot products and matrix products of integers.
func sveDots() [][]rule {
	return [][]rule{
		enc(dotVectors(ir.OpSDot, dotHalfwords(ir.OpSMulL, ir.OpSAddLP)), decoder.SDOT_Z_ZZZ_),
		enc(dotVectors(ir.OpUDot, dotHalfwords(ir.OpUMulL, ir.OpUAddLP)), decoder.UDOT_Z_ZZZ_),
		enc(dotBytesElement(lanes3(ir.OpSDot)), decoder.SDOT_Z_ZZZI_S),
		enc(dotBytesElement(lanes3(ir.OpUDot)), decoder.UDOT_Z_ZZZI_S),
		enc(dotBytesElement(lanes3(ir.OpUSDot)), decoder.USDOT_Z_ZZZI_S),
		enc(dotBytesElement(dotSigned), decoder.SUDOT_Z_ZZZI_S),
		enc(dotHalfwordsElement(dotHalfwords(ir.OpSMulL, ir.OpSAddLP)), decoder.SDOT_Z_ZZZI_D),
		enc(dotHalfwordsElement(dotHalfwords(ir.OpUMulL, ir.OpUAddLP)), decoder.UDOT_Z_ZZZI_D),
		enc(dotBytes(lanes3(ir.OpUSDot)), decoder.USDOT_Z_ZZZ_S),
		enc(dotBytes(lanes3(ir.OpSMMLA)), decoder.SMMLA_Z_ZZZ_),
		enc(dotBytes(lanes3(ir.OpUMMLA)), decoder.UMMLA_Z_ZZZ_),
		enc(dotBytes(lanes3(ir.OpUSMMLA)), decoder.USMMLA_Z_ZZZ_),
	}
}

// dotSigned is USDOT with the signed factors first.
func dotSigned(t *Translator, ty ir.Type, d, a, b ir.Value) ir.Value {
	return t.op3(ir.OpUSDot, ty, d, b, a)
}

// dotHalfwords adds four products of halfwords to each doubleword.
func dotHalfwords(mul, addPairs ir.Op) ternary {
	return func(t *Translator, ty ir.Type, d, a, b ir.Value) ir.Value {
		pairs := func(a, b ir.Value) ir.Value {
			return t.op1(addPairs, ty, t.op2(mul, ir.V4I32, a, b))
		}
		low := pairs(a, b)
		high := pairs(t.op1(ir.OpVHigh, ir.V8I16, a), t.op1(ir.OpVHigh, ir.V8I16, b))
		return t.op2(ir.OpAdd, ty, d, t.op2(ir.OpAddP, ty, low, high))
	}
}

// dotBytes is <op> <Zda>.S, <Zn>.B, <Zm>.B.
func dotBytes(k ternary) translateFunc {
	return func(t *Translator, i decoder.Inst) {
		a, b := t.V(i.Rn(), ir.V16I8), t.V(i.Rm(), ir.V16I8)
		t.SetV(i.Rd(), k(t, ir.V4I32, t.V(i.Rd(), ir.V4I32), a, b))
	}
}

// dotVectors is <op> <Zda>.<T>, <Zn>.<Tb>, <Zm>.<Tb>: bytes in words, or halfwords in
// doublewords.
func dotVectors(bytes ir.Op, halfwords ternary) translateFunc {
	ofBytes := dotBytes(lanes3(bytes))
	return func(t *Translator, i decoder.Inst) {
		if elemSize(i) == 2 {
			ofBytes(t, i)
			return
		}
		a, b := t.V(i.Rn(), ir.V8I16), t.V(i.Rm(), ir.V8I16)
		t.SetV(i.Rd(), halfwords(t, ir.V2I64, t.V(i.Rd(), ir.V2I64), a, b))
	}
}

// dotBytesElement is <op> <Zda>.S, <Zn>.B, <Zm>.B[<imm>].
func dotBytesElement(k ternary) translateFunc {
	return func(t *Translator, i decoder.Inst) {
		a, group := t.V(i.Rn(), ir.V16I8), t.Bitcast(ir.V16I8, elementM(t, i, ir.V4I32))
		t.SetV(i.Rd(), k(t, ir.V4I32, t.V(i.Rd(), ir.V4I32), a, group))
	}
}

// dotHalfwordsElement is <op> <Zda>.D, <Zn>.H, <Zm>.H[<imm>].
func dotHalfwordsElement(k ternary) translateFunc {
	return func(t *Translator, i decoder.Inst) {
		a, group := t.V(i.Rn(), ir.V8I16), t.Bitcast(ir.V8I16, elementM(t, i, ir.V2I64))
		t.SetV(i.Rd(), k(t, ir.V2I64, t.V(i.Rd(), ir.V2I64), a, group))
	}
}
