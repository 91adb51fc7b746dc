package translate

import (
	"emu/decoder"
	"emu/ir"
)

// SVE floating-point multiplication and addition with one rounding. Where the product or the
// addend is subtracted, the sign of the first factor and of the addend changes (and, unless
// FPCR.AH is set, so does that of a NaN in them), as in the Arm ARM's FPMulAdd(FPNeg(...)).
func sveFloatMulAdd() [][]rule {
	return [][]rule{
		enc(mulAddF(lanes3(ir.OpFMA)), decoder.FMLA_Z_P_ZZZ_),
		enc(mulAddF(multiplySubF), decoder.FMLS_Z_P_ZZZ_),
		enc(mulAddF(fromNegative(multiplySubF)), decoder.FNMLA_Z_P_ZZZ_),
		enc(mulAddF(fromNegative(lanes3(ir.OpFMA))), decoder.FNMLS_Z_P_ZZZ_),
		enc(mulAddToFactor(lanes3(ir.OpFMA)), decoder.FMAD_Z_P_ZZZ_),
		enc(mulAddToFactor(multiplySubF), decoder.FMSB_Z_P_ZZZ_),
		enc(mulAddToFactor(fromNegative(multiplySubF)), decoder.FNMAD_Z_P_ZZZ_),
		enc(mulAddToFactor(fromNegative(lanes3(ir.OpFMA))), decoder.FNMSB_Z_P_ZZZ_),

		enc(mulAddElement(lanes3(ir.OpFMA)), decoder.FMLA_Z_ZZZI_H, decoder.FMLA_Z_ZZZI_S, decoder.FMLA_Z_ZZZI_D),
		enc(mulAddElement(multiplySubF), decoder.FMLS_Z_ZZZI_H, decoder.FMLS_Z_ZZZI_S, decoder.FMLS_Z_ZZZI_D),
		enc(multiplyMatrices, decoder.FMMLA_Z_ZZZ_S),
	}
}

// fromNegative is k with the sign of the addend changed.
func fromNegative(k ternary) ternary {
	return func(t *Translator, ty ir.Type, d, a, b ir.Value) ir.Value {
		return k(t, ty, fpNeg(t, ty, d), a, b)
	}
}

// mulAddF is <op> <Zda>.<T>, <Pg>/M, <Zn>.<T>, <Zm>.<T>.
func mulAddF(k ternary) translateFunc {
	return func(t *Translator, i decoder.Inst) {
		ty := floatVec(elemSize(i))
		t.mergeMulAdd(i, k, t.V(i.Rd(), ty), t.V(i.Rn(), ty), t.V(i.Rm(), ty))
	}
}

// mulAddToFactor is <op> <Zdn>.<T>, <Pg>/M, <Zm>.<T>, <Za>.<T>: Za has the field of Zm elsewhere.
func mulAddToFactor(k ternary) translateFunc {
	return func(t *Translator, i decoder.Inst) {
		ty := floatVec(elemSize(i))
		t.mergeMulAdd(i, k, t.V(i.Rm(), ty), t.V(i.Rd(), ty), t.V(i.Rn(), ty))
	}
}

// mergeMulAdd merges the result for addend d and factors a and b into Zd.
func (t *Translator) mergeMulAdd(i decoder.Inst, k ternary, d, a, b ir.Value) {
	g, ty := pg(i), t.TypeOf(d)
	v := k(t, ty, t.zeroing(g, d), t.zeroing(g, a), t.zeroing(g, b))
	t.SetV(i.Rd(), t.merge(g, v, t.V(i.Rd(), ty)))
}

// mulAddElement is <op> <Zda>.<T>, <Zn>.<T>, <Zm>.<T>[<imm>].
func mulAddElement(k ternary) translateFunc {
	return func(t *Translator, i decoder.Inst) {
		ty := elementFloatVec(i)
		t.SetV(i.Rd(), k(t, ty, t.V(i.Rd(), ty), t.V(i.Rn(), ty), elementM(t, i, ty)))
	}
}

// FMMLA <Zda>.S, <Zn>.S, <Zm>.S: 2x2 matrices, the second one transposed. Products and sums are
// rounded one by one (FPMatMulAdd).
func multiplyMatrices(t *Translator, i decoder.Inst) {
	const ty = ir.V4F32
	n, m := t.V(i.Rn(), ty), t.V(i.Rm(), ty)
	// Lanes of the result are n's rows times m's: rows 0 0 1 1 and 0 1 0 1.
	product := func(part ir.Op) ir.Value {
		row := t.op2(part, ty, n, n)         // r0 r0 r1 r1
		column := t.op2(ir.OpUzp1, ty, m, m) // r0 r1 r0 r1
		if part == ir.OpTrn2 {
			column = t.op2(ir.OpUzp2, ty, m, m)
		}
		return t.op2(ir.OpFMul, ty, row, column)
	}
	sum := t.op2(ir.OpFAdd, ty, product(ir.OpTrn1), product(ir.OpTrn2))
	t.SetV(i.Rd(), t.op2(ir.OpFAdd, ty, t.V(i.Rd(), ty), sum))
}
