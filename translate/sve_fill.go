package translate

import (
	"emu/cpu"
	"emu/decoder"
	"emu/ir"
)

// Loads and stores of whole registers of SVE, the fill and spill of compilers.
func sveFill() [][]rule {
	return [][]rule{
		enc(fillVector, decoder.LDR_Z_BI_),
		enc(spillVector, decoder.STR_Z_BI_),
		enc(fillPredicate, decoder.LDR_P_BI_),
		enc(spillPredicate, decoder.STR_P_BI_),
	}
}

// wholeRegister is the address Rn + imm9 registers of so many bytes.
func (t *Translator) wholeRegister(i decoder.Inst, bytes int64) address {
	return t.at(i.Rn(), bytes*decoder.SignExtend(i.Bits(21, 16)<<3|i.Bits(12, 10), 9))
}

// LDR <Zt>, [<Xn|SP>{, #imm, MUL VL}]
func fillVector(t *Translator, i decoder.Inst) {
	a := t.wholeRegister(i, cpu.VectorBytes)
	t.SetV(i.Rt(), t.Load(ir.V16I8, a.base, a.off))
}

// STR <Zt>, [<Xn|SP>{, #imm, MUL VL}]
func spillVector(t *Translator, i decoder.Inst) {
	a := t.wholeRegister(i, cpu.VectorBytes)
	t.Store(t.V(i.Rt(), ir.V16I8), a.base, a.off)
}

// LDR <Pt>, [<Xn|SP>{, #imm, MUL VL}]
func fillPredicate(t *Translator, i decoder.Inst) {
	a := t.wholeRegister(i, cpu.VectorBytes/8)
	t.SetP(pd(i), t.Zext(ir.I64, t.Load(ir.I16, a.base, a.off)))
}

// STR <Pt>, [<Xn|SP>{, #imm, MUL VL}]
func spillPredicate(t *Translator, i decoder.Inst) {
	a := t.wholeRegister(i, cpu.VectorBytes/8)
	t.Store(t.Trunc(ir.I16, t.P(pd(i))), a.base, a.off)
}
