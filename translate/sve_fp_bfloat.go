package translate

import (
	"emu/decoder"
	"emu/ir"
)

// SVE BFloat16: conversions, dot products, matrix products and widening multiplication.
func sveBFloats() [][]rule {
	return [][]rule{
		enc(narrowing(narrowBFloat), decoder.BFCVT_Z_P_Z_S2BF),
		enc(narrowingTop(narrowBFloat), decoder.BFCVTNT_Z_P_Z_S2BF),
		enc(bfAccumulate(ir.OpBFDot), decoder.BFDOT_Z_ZZZ_),
		enc(bfAccumulate(ir.OpBFMMLA), decoder.BFMMLA_Z_ZZZ_),
		enc(bfDotPair, decoder.BFDOT_Z_ZZZI_),
		enc(bfMulAddLong, decoder.BFMLALB_Z_ZZZ_, decoder.BFMLALT_Z_ZZZ_),
		enc(bfMulAddLongElement, decoder.BFMLALB_Z_ZZZI_, decoder.BFMLALT_Z_ZZZI_),
	}
}

// bfAccumulate is <op> <Zda>.S, <Zn>.H, <Zm>.H.
func bfAccumulate(op ir.Op) translateFunc {
	return func(t *Translator, i decoder.Inst) {
		n, m := t.V(i.Rn(), ir.V8I16), t.V(i.Rm(), ir.V8I16)
		t.SetV(i.Rd(), t.op3(op, ir.V4F32, t.V(i.Rd(), ir.V4F32), n, m))
	}
}

// BFDOT <Zda>.S, <Zn>.H, <Zm>.H[<imm>]: a pair for all.
func bfDotPair(t *Translator, i decoder.Inst) {
	n, m := t.V(i.Rn(), ir.V8I16), t.Bitcast(ir.V8I16, elementM(t, i, ir.V4I32))
	t.SetV(i.Rd(), t.op3(ir.OpBFDot, ir.V4F32, t.V(i.Rd(), ir.V4F32), n, m))
}

// BFMLALB, BFMLALT <Zda>.S, <Zn>.H, <Zm>.H
func bfMulAddLong(t *Translator, i decoder.Inst) {
	t.bfMultiplyAdd(i, t.V(i.Rm(), ir.V4I32), isTop(i))
}

// BFMLALB, BFMLALT <Zda>.S, <Zn>.H, <Zm>.H[<imm>]
func bfMulAddLongElement(t *Translator, i decoder.Inst) {
	t.bfMultiplyAdd(i, longElementM(t, i, ir.V8I16), isTop(i))
}
