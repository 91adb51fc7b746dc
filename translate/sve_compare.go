package translate

import (
	"emu/decoder"
	"emu/ir"
)

// SVE comparisons of integers.
func sveCompares() [][]rule {
	return [][]rule{
		enc(compareVectors(ir.EQ), decoder.CMPEQ_P_P_ZZ_),
		enc(compareVectors(ir.NE), decoder.CMPNE_P_P_ZZ_),
		enc(compareVectors(ir.SGE), decoder.CMPGE_P_P_ZZ_),
		enc(compareVectors(ir.SGT), decoder.CMPGT_P_P_ZZ_),
		enc(compareVectors(ir.UGE), decoder.CMPHS_P_P_ZZ_),
		enc(compareVectors(ir.UGT), decoder.CMPHI_P_P_ZZ_),

		enc(compareSigned(ir.EQ), decoder.CMPEQ_P_P_ZI_),
		enc(compareSigned(ir.NE), decoder.CMPNE_P_P_ZI_),
		enc(compareSigned(ir.SGE), decoder.CMPGE_P_P_ZI_),
		enc(compareSigned(ir.SGT), decoder.CMPGT_P_P_ZI_),
		enc(compareSigned(ir.SLE), decoder.CMPLE_P_P_ZI_),
		enc(compareSigned(ir.SLT), decoder.CMPLT_P_P_ZI_),
		enc(compareUnsigned(ir.UGE), decoder.CMPHS_P_P_ZI_),
		enc(compareUnsigned(ir.UGT), decoder.CMPHI_P_P_ZI_),
		enc(compareUnsigned(ir.ULE), decoder.CMPLS_P_P_ZI_),
		enc(compareUnsigned(ir.ULT), decoder.CMPLO_P_P_ZI_),

		enc(compareWide(ir.EQ), decoder.CMPEQ_P_P_ZW_),
		enc(compareWide(ir.NE), decoder.CMPNE_P_P_ZW_),
		enc(compareWide(ir.SGE), decoder.CMPGE_P_P_ZW_),
		enc(compareWide(ir.SGT), decoder.CMPGT_P_P_ZW_),
		enc(compareWide(ir.SLE), decoder.CMPLE_P_P_ZW_),
		enc(compareWide(ir.SLT), decoder.CMPLT_P_P_ZW_),
		enc(compareWide(ir.UGE), decoder.CMPHS_P_P_ZW_),
		enc(compareWide(ir.UGT), decoder.CMPHI_P_P_ZW_),
		enc(compareWide(ir.ULE), decoder.CMPLS_P_P_ZW_),
		enc(compareWide(ir.ULT), decoder.CMPLO_P_P_ZW_),
	}
}

// setCompared sets Pd and the flags to the lanes of a mask that Pg makes active.
func (t *Translator) setCompared(i decoder.Inst, lanes ir.Value) {
	g := t.active(pg(i), sizeOf(t.TypeOf(lanes)))
	v := t.And(t.Op1(ir.OpTopBits, lanes), g)
	t.SetP(pd(i), v)
	t.setPredicateFlags(g, v)
}

// compareVectors is CMP<cc> <Pd>.<T>, <Pg>/Z, <Zn>.<T>, <Zm>.<T>.
func compareVectors(c ir.Cond) translateFunc {
	return func(t *Translator, i decoder.Inst) {
		ty := intVec(elemSize(i))
		t.setCompared(i, compare(c)(t, ty, t.V(i.Rn(), ty), t.V(i.Rm(), ty)))
	}
}

// compareSigned is CMP<cc> <Pd>.<T>, <Pg>/Z, <Zn>.<T>, #imm5.
func compareSigned(c ir.Cond) translateFunc {
	return func(t *Translator, i decoder.Inst) {
		ty := intVec(elemSize(i))
		imm := t.splat(ty, uint64(decoder.SignExtend(i.Bits(20, 16), 5)))
		t.setCompared(i, compare(c)(t, ty, t.V(i.Rn(), ty), imm))
	}
}

// compareUnsigned is CMP<cc> <Pd>.<T>, <Pg>/Z, <Zn>.<T>, #imm7.
func compareUnsigned(c ir.Cond) translateFunc {
	return func(t *Translator, i decoder.Inst) {
		ty := intVec(elemSize(i))
		t.setCompared(i, compare(c)(t, ty, t.V(i.Rn(), ty), t.splat(ty, uint64(i.Bits(20, 14)))))
	}
}

// compareWide is CMP<cc> <Pd>.<T>, <Pg>/Z, <Zn>.<T>, <Zm>.D: each lane of Zn with the 64 bits
// of Zm in the same half. What a lane cannot hold is replaced by the nearest number that it
// can, and the result then corrected where that one compares in another way.
func compareWide(c ir.Cond) translateFunc {
	return func(t *Translator, i decoder.Inst) {
		ty, wide := intVec(elemSize(i)), ir.V2I64
		y := t.V(i.Rm(), wide)
		isSigned := c < ir.ULT || c > ir.UGE
		top := uint64(1)<<laneBits(ty) - 1
		if isSigned {
			top >>= 1
		}
		most := t.splat(wide, top)
		gt := ir.UGT
		if isSigned {
			gt = ir.SGT
		}
		above := compare(gt)(t, wide, y, most)
		near := t.op3(ir.OpBsl, wide, above, most, y)
		below := t.zero(wide)
		if isSigned {
			least := t.splat(wide, ^top)
			below = compare(gt)(t, wide, least, y)
			near = t.op3(ir.OpBsl, wide, below, least, near)
		}
		near = t.fillHalves(near, laneBits(ty))
		v := t.Bitcast(wide, compare(c)(t, ty, t.V(i.Rn(), ty), near))
		switch c {
		case ir.EQ:
			v = t.AndNot(v, t.Or(above, below))
		case ir.NE:
			v = t.Or(v, t.Or(above, below))
		case ir.SGT:
			v = t.Or(v, below)
		case ir.SGE, ir.UGE:
			v = t.AndNot(v, above)
		case ir.SLT, ir.ULT:
			v = t.Or(v, above)
		case ir.SLE:
			v = t.AndNot(v, below)
		}
		t.setCompared(i, t.Bitcast(ty, v))
	}
}

// fillHalves repeats the low esize bits of each 64-bit lane in it, as a vector of lanes of
// esize bits.
func (t *Translator) fillHalves(v ir.Value, esize uint) ir.Value {
	return t.Bitcast(vecOfBits(esize), t.fill(v, 8, esize/8))
}
