package translate

import (
	"emu/decoder"
	"emu/ir"
)

// SVE2 multiplication of half precision, added to or subtracted from single precision.
func sveFloatLong() [][]rule {
	return [][]rule{
		enc(mulAddLong(false), decoder.FMLALB_Z_ZZZ_, decoder.FMLALT_Z_ZZZ_),
		enc(mulAddLong(true), decoder.FMLSLB_Z_ZZZ_, decoder.FMLSLT_Z_ZZZ_),
		enc(mulAddLongElement(false), decoder.FMLALB_Z_ZZZI_S, decoder.FMLALT_Z_ZZZI_S),
		enc(mulAddLongElement(true), decoder.FMLSLB_Z_ZZZI_S, decoder.FMLSLT_Z_ZZZI_S),
	}
}

// gatherPart is the even (bottom) or the odd (top) lanes of half precision in the lower half.
func (t *Translator) gatherPart(i decoder.Inst, v ir.Value) ir.Value {
	op := ir.OpUzp1
	if isTop(i) {
		op = ir.OpUzp2
	}
	return t.op2(op, ir.V8F16, v, v)
}

// mulAddLong is <op>B, <op>T <Zda>.S, <Zn>.H, <Zm>.H.
func mulAddLong(negate bool) translateFunc {
	return func(t *Translator, i decoder.Inst) {
		t.mulAddLong(i, t.gatherPart(i, t.V(i.Rm(), ir.V8F16)), negate)
	}
}

// mulAddLongElement is <op>B, <op>T <Zda>.S, <Zn>.H, <Zm>.H[<imm>].
func mulAddLongElement(negate bool) translateFunc {
	return func(t *Translator, i decoder.Inst) {
		t.mulAddLong(i, longElementM(t, i, ir.V8F16), negate)
	}
}

// mulAddLong adds to Zda the products of a part of Zn and the lower half of m.
func (t *Translator) mulAddLong(i decoder.Inst, m ir.Value, negate bool) {
	n := t.gatherPart(i, t.V(i.Rn(), ir.V8F16))
	if negate {
		n = fpNeg(t, ir.V8F16, n)
	}
	t.SetV(i.Rd(), t.op3(ir.OpFMLAL, ir.V4F32, t.V(i.Rd(), ir.V4F32), n, m))
}
