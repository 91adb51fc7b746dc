package translate

import (
	"emu/decoder"
	"emu/ir"
)

// SVE floating-point reductions to a scalar.
func sveFloatReductions() [][]rule {
	return [][]rule{
		enc(reduceF(ir.OpFAdd, func(*Translator, ir.Type) uint64 { return 0 }), decoder.FADDV_V_P_Z_),
		enc(reduceF(ir.OpFMax, negativeInfinity), decoder.FMAXV_V_P_Z_),
		enc(reduceF(ir.OpFMin, positiveInfinity), decoder.FMINV_V_P_Z_),
		enc(reduceF(ir.OpFMaxNM, defaultNaN), decoder.FMAXNMV_V_P_Z_),
		enc(reduceF(ir.OpFMinNM, defaultNaN), decoder.FMINNMV_V_P_Z_),
		enc(addOrdered, decoder.FADDA_V_P_Z_),
	}
}

// identity is the bit pattern that stands for inactive elements in a reduction.
type identity func(t *Translator, ty ir.Type) uint64

func positiveInfinity(_ *Translator, ty ir.Type) uint64 { return infinityOf(ty) }
func negativeInfinity(_ *Translator, ty ir.Type) uint64 { return signOf(ty) | infinityOf(ty) }

// defaultNaN is FPDefaultNaN: negative with FPCR.AH.
func defaultNaN(t *Translator, ty ir.Type) uint64 {
	nan := infinityOf(ty) | exponentUnit(ty)>>1
	if t.alternate() {
		nan |= signOf(ty)
	}
	return nan
}

// signOf is the sign bit of a lane of ty.
func signOf(ty ir.Type) uint64 { return 1 << (laneBits(ty) - 1) }

// reduceF is <op> <V><d>, <Pg>, <Zn>.<T>: as a tree of adjacent elements (Reduce).
func reduceF(op ir.Op, id identity) translateFunc {
	return func(t *Translator, i decoder.Inst) {
		ty := floatVec(elemSize(i))
		v := t.otherwise(pg(i), t.V(i.Rn(), ty), id(t, ty))
		for n := ty.Lanes(); n > 2; n /= 2 {
			v = t.foldPairs(op, v)
		}
		t.SetV(i.Rd(), t.op2(op, ty.Lane(), t.VGet(v, 0), t.VGet(v, 1)))
	}
}

// FADDA <V><dn>, <Pg>, <V><dn>, <Zm>.<T>: one element after the other. There is nothing that
// could be added instead of an inactive one in every rounding mode.
func addOrdered(t *Translator, i decoder.Inst) {
	size := elemSize(i)
	ty := floatVec(size)
	p := t.active(pg(i), size)
	all := t.isAllTrue(p, size)
	sum, m := t.V(i.Rd(), ty.Lane()), t.V(i.Rn(), ty)
	for n := range ty.Lanes() {
		if all {
			sum = t.op2(ir.OpFAdd, ty.Lane(), sum, t.VGet(m, n))
			continue
		}
		t.If(t.ICmp(ir.NE, t.AndI(p, 1<<(n<<size)), ir.Imm(0)))
		t.Yield(t.op2(ir.OpFAdd, ty.Lane(), sum, t.VGet(m, n)))
		t.Else()
		t.Yield(sum)
		sum = t.End()
	}
	t.SetV(i.Rd(), sum)
}
