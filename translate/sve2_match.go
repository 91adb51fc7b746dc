package translate

import (
	"emu/decoder"
	"emu/ir"
)

// SVE2 searches for elements in vectors, and counts of those.
func sve2Match() [][]rule {
	return [][]rule{
		enc(match(false), decoder.MATCH_P_P_ZZ_),
		enc(match(true), decoder.NMATCH_P_P_ZZ_),
		enc(unpredicated(countInSegment), decoder.HISTSEG_Z_ZZ_),
		enc(histogram, decoder.HISTCNT_Z_P_ZZ_),
	}
}

// equalTo are the masks of the lanes of a that equal each lane of b.
func (t *Translator) equalTo(ty ir.Type, a, b ir.Value) (masks []ir.Value) {
	for n := range ty.Lanes() {
		masks = append(masks, t.ICmp(ir.EQ, a, t.op2(ir.OpVDupL, ty, b, ir.Imm(n))))
	}
	return masks
}

// match is MATCH, NMATCH <Pd>.<T>, <Pg>/Z, <Zn>.<T>, <Zm>.<T>: whether an element of Zn equals any
// of Zm.
func match(none bool) translateFunc {
	return func(t *Translator, i decoder.Inst) {
		ty := intVec(elemSize(i))
		any := t.zero(ty)
		for _, equal := range t.equalTo(ty, t.V(i.Rn(), ty), t.V(i.Rm(), ty)) {
			any = t.Or(any, equal)
		}
		if none {
			any = t.Not(any)
		}
		t.setCompared(i, any)
	}
}

// countInSegment is HISTSEG: how many lanes of b each lane of a equals.
func countInSegment(t *Translator, ty ir.Type, a, b ir.Value) ir.Value {
	count := t.zero(ty)
	for _, equal := range t.equalTo(ty, a, b) {
		count = t.Sub(count, equal)
	}
	return count
}

// HISTCNT <Zd>.<T>, <Pg>/Z, <Zn>.<T>, <Zm>.<T>: how many active elements of Zm, up to the one at the
// same place, each active element of Zn equals.
func histogram(t *Translator, i decoder.Inst) {
	ty := intVec(elemSize(i))
	zero, active := t.zero(ty), t.mask(pg(i), ty)
	n, m := t.V(i.Rn(), ty), t.V(i.Rm(), ty)
	count := zero
	for off := 0; off < 16; off += ty.Lane().Bytes() {
		// The elements of Zm that are so far below, with nothing where there are none.
		below := func(v ir.Value) ir.Value {
			if off == 0 {
				return v
			}
			return t.op3(ir.OpExt, ty, zero, v, ir.Imm(16-off))
		}
		count = t.Sub(count, t.And(t.ICmp(ir.EQ, n, below(m)), below(active)))
	}
	t.SetV(i.Rd(), t.And(count, active))
}
