package translate

import (
	"emu/cpu"
	"emu/decoder"
	"emu/ir"
)

// SVE instructions on predicate registers alone.
func svePredicates() [][]rule {
	return [][]rule{
		enc(predLogical((*Translator).And), decoder.AND_P_P_PP_Z, decoder.ANDS_P_P_PP_Z),
		enc(predLogical((*Translator).AndNot), decoder.BIC_P_P_PP_Z, decoder.BICS_P_P_PP_Z),
		enc(predLogical((*Translator).Xor), decoder.EOR_P_P_PP_Z, decoder.EORS_P_P_PP_Z),
		enc(predLogical((*Translator).Or), decoder.ORR_P_P_PP_Z, decoder.ORRS_P_P_PP_Z),
		enc(predLogical((*Translator).OrNot), decoder.ORN_P_P_PP_Z, decoder.ORNS_P_P_PP_Z),
		enc(predLogical(inverted((*Translator).Or)), decoder.NOR_P_P_PP_Z, decoder.NORS_P_P_PP_Z),
		enc(predLogical(inverted((*Translator).And)), decoder.NAND_P_P_PP_Z, decoder.NANDS_P_P_PP_Z),
		enc(selPredicates, decoder.SEL_P_P_PP_),
		enc(ptrue, decoder.PTRUE_P_S_, decoder.PTRUES_P_S_),
		enc(pfalse, decoder.PFALSE_P_),
		enc(ptest, decoder.PTEST_P_P_),
		enc(pfirst, decoder.PFIRST_P_P_P_),
		enc(pnext, decoder.PNEXT_P_P_P_),
		enc(brkBoth(false), decoder.BRKA_P_P_P_, decoder.BRKAS_P_P_P_Z),
		enc(brkBoth(true), decoder.BRKB_P_P_P_, decoder.BRKBS_P_P_P_Z),
		enc(brkPair(false), decoder.BRKPA_P_P_PP_, decoder.BRKPAS_P_P_PP_),
		enc(brkPair(true), decoder.BRKPB_P_P_PP_, decoder.BRKPBS_P_P_PP_),
		enc(brkn, decoder.BRKN_P_P_PP_, decoder.BRKNS_P_P_PP_),
		enc(rdffr, decoder.RDFFR_P_F_),
		enc(rdffrPredicated, decoder.RDFFR_P_P_F_, decoder.RDFFRS_P_P_F_),
		enc(wrffr, decoder.WRFFR_F_P_),
		enc(setffr, decoder.SETFFR_F_),
		enc(predUnpack(0), decoder.PUNPKLO_P_P_),
		enc(predUnpack(8), decoder.PUNPKHI_P_P_),
		enc(predPermute(ir.OpZip1), decoder.ZIP1_P_PP_),
		enc(predPermute(ir.OpZip2), decoder.ZIP2_P_PP_),
		enc(predPermute(ir.OpUzp1), decoder.UZP1_P_PP_),
		enc(predPermute(ir.OpUzp2), decoder.UZP2_P_PP_),
		enc(predPermute(ir.OpTrn1), decoder.TRN1_P_PP_),
		enc(predPermute(ir.OpTrn2), decoder.TRN2_P_PP_),
		enc(predReverse, decoder.REV_P_P_),
	}
}

// predBinary combines two predicates.
type predBinary func(t *Translator, a, b ir.Value) ir.Value

func inverted(k predBinary) predBinary {
	return func(t *Translator, a, b ir.Value) ir.Value { return t.Not(k(t, a, b)) }
}

// setsPredicateFlags is bit S of instructions on predicates.
func setsPredicateFlags(i decoder.Inst) bool { return i.Bit(22) == 1 }

// predLogical is <op>{S} <Pd>.B, <Pg>/Z, <Pn>.B, <Pm>.B.
func predLogical(k predBinary) translateFunc {
	return func(t *Translator, i decoder.Inst) {
		g := t.P(pg4(i))
		v := t.And(k(t, t.P(pn(i)), t.P(pm(i))), g)
		t.SetP(pd(i), v)
		if setsPredicateFlags(i) {
			t.setPredicateFlags(g, v)
		}
	}
}

// SEL <Pd>.B, <Pg>, <Pn>.B, <Pm>.B
func selPredicates(t *Translator, i decoder.Inst) {
	g := t.P(pg4(i))
	t.SetP(pd(i), t.Or(t.And(t.P(pn(i)), g), t.AndNot(t.P(pm(i)), g)))
}

// PTRUE{S} <Pd>.<T>{, <pattern>}
func ptrue(t *Translator, i decoder.Inst) {
	size := elemSize(i)
	n := decoder.DecodePredCount(i.Bits(9, 5), cpu.VectorBytes>>size)
	v := t.I64(elementBits(size) & (1<<(n<<size) - 1))
	t.SetP(pd(i), v)
	if i.Bit(16) == 1 {
		t.setPredicateFlags(v, v)
	}
}

// PFALSE <Pd>.B
func pfalse(t *Translator, i decoder.Inst) { t.SetP(pd(i), t.I64(0)) }

// PTEST <Pg>, <Pn>.B
func ptest(t *Translator, i decoder.Inst) {
	g := t.P(pg4(i))
	t.setPredicateFlags(g, t.And(t.P(pn(i)), g))
}

// PFIRST <Pdn>.B, <Pg>, <Pdn>.B: the first active element becomes true.
func pfirst(t *Translator, i decoder.Inst) {
	g := t.P(pn(i)) // the field of Pn holds Pg here
	v := t.Or(t.P(pd(i)), t.And(g, t.Neg(g)))
	t.SetP(pd(i), v)
	t.setPredicateFlags(g, t.And(v, g))
}

// PNEXT <Pdn>.<T>, <Pv>, <Pdn>.<T>: the next active element behind the last true one.
func pnext(t *Translator, i decoder.Inst) {
	size := elemSize(i)
	g := t.active(pn(i), size)
	behind := t.Not(t.throughLast(t.active(pd(i), size)))
	rest := t.And(g, behind)
	v := t.And(rest, t.Neg(rest))
	t.SetP(pd(i), v)
	t.setPredicateFlags(g, t.And(v, g))
}

// throughLast are all bits up to the highest one of a predicate, none if it is empty.
func (t *Translator) throughLast(p ir.Value) ir.Value {
	// Shifted right by the number of leading zeros, -1 has as many ones. With 64 of them p is zero.
	ones := t.LShr(t.I64(^uint64(0)), t.AndI(t.Op1(ir.OpClz, p), 63))
	return t.Select(t.ICmp(ir.EQ, p, t.I64(0)), t.I64(0), ones)
}

// upTo are the bits below the lowest one of a predicate, all if it is empty, with that bit
// unless before.
func (t *Translator) upTo(p ir.Value, before bool) ir.Value {
	less := t.SubI(p, 1)
	if before {
		return t.AndNot(less, p) // BLSMSK without the bit: p - 1 &^ p
	}
	return t.Xor(less, p)
}

// brkBoth is BRKA{S}, BRKB{S} <Pd>.B, <Pg>/<ZM>, <Pn>.B: the active elements up to the first
// one that is true in Pn, with it or before it.
func brkBoth(before bool) translateFunc {
	return func(t *Translator, i decoder.Inst) {
		g := t.P(pg4(i))
		v := t.And(g, t.upTo(t.And(g, t.P(pn(i))), before))
		result := v
		if i.Bit(4) == 1 { // merging
			result = t.Or(v, t.AndNot(t.P(pd(i)), g))
		}
		t.SetP(pd(i), result)
		if setsPredicateFlags(i) {
			t.setPredicateFlags(g, v)
		}
	}
}

// lastActive is all ones if the last element that is active in g is true in p, and zero if
// not or if none is active.
func (t *Translator) lastActive(g, p ir.Value) ir.Value {
	r := t.And(p, g)
	return t.Neg(t.Zext(ir.I64, t.ICmp(ir.UGT, r, t.Xor(g, r))))
}

// brkPair is BRKPA{S}, BRKPB{S} <Pd>.B, <Pg>/Z, <Pn>.B, <Pm>.B: BRKA or BRKB of Pm if the last
// active element of Pn is true, and nothing otherwise.
func brkPair(before bool) translateFunc {
	return func(t *Translator, i decoder.Inst) {
		g := t.P(pg4(i))
		v := t.And(g, t.upTo(t.And(g, t.P(pm(i))), before))
		v = t.And(v, t.lastActive(g, t.P(pn(i))))
		t.SetP(pd(i), v)
		if setsPredicateFlags(i) {
			t.setPredicateFlags(g, v)
		}
	}
}

// BRKN{S} <Pdm>.B, <Pg>/Z, <Pn>.B, <Pdm>.B: Pdm if the last active element of Pn is true.
func brkn(t *Translator, i decoder.Inst) {
	g := t.P(pg4(i))
	v := t.And(t.P(pd(i)), t.lastActive(g, t.P(pn(i))))
	t.SetP(pd(i), v)
	if setsPredicateFlags(i) {
		t.setPredicateFlags(t.I64(allTrue), v)
	}
}

// RDFFR <Pd>.B
func rdffr(t *Translator, i decoder.Inst) { t.SetP(pd(i), t.P(ffr)) }

// RDFFR{S} <Pd>.B, <Pg>/Z
func rdffrPredicated(t *Translator, i decoder.Inst) {
	g := t.P(pn(i)) // the field of Pn holds Pg here
	v := t.And(t.P(ffr), g)
	t.SetP(pd(i), v)
	if setsPredicateFlags(i) {
		t.setPredicateFlags(g, v)
	}
}

// WRFFR <Pn>.B
func wrffr(t *Translator, i decoder.Inst) { t.SetP(ffr, t.P(pn(i))) }

// SETFFR
func setffr(t *Translator, i decoder.Inst) { t.SetP(ffr, t.I64(allTrue)) }

// predUnpack is PUNPKLO, PUNPKHI <Pd>.H, <Pn>.B: each bit of half of Pn for an element of
// twice the size.
func predUnpack(from int) translateFunc {
	return func(t *Translator, i decoder.Inst) {
		v := t.AndI(t.LShrI(t.P(pn(i)), from), 0xff)
		t.SetP(pd(i), t.spread(v))
	}
}

// spread moves bit n of a byte to bit 2n.
func (t *Translator) spread(v ir.Value) ir.Value {
	v = t.AndI(t.Or(v, t.ShlI(v, 4)), 0x0f0f)
	v = t.AndI(t.Or(v, t.ShlI(v, 2)), 0x3333)
	return t.AndI(t.Or(v, t.ShlI(v, 1)), 0x5555)
}

// predPermute is ZIP1 and its kind <Pd>.<T>, <Pn>.<T>, <Pm>.<T>, on masks of bytes: elements
// move whole, with the bits between.
func predPermute(op ir.Op) translateFunc {
	return func(t *Translator, i decoder.Inst) {
		a, b := t.byteMask(t.P(pn(i))), t.byteMask(t.P(pm(i)))
		ty := intVec(elemSize(i))
		v := t.op2(op, ty, t.Bitcast(ty, a), t.Bitcast(ty, b))
		t.SetP(pd(i), t.Op1(ir.OpTopBits, t.Bitcast(ir.V16I8, v)))
	}
}

// byteMask has all ones in the bytes whose bits are set in a predicate.
func (t *Translator) byteMask(p ir.Value) ir.Value { return t.op1(ir.OpLaneMask, ir.V16I8, p) }

// REV <Pd>.<T>, <Pn>.<T>: reverses the bits, and then those of each element back.
func predReverse(t *Translator, i decoder.Inst) {
	v := t.LShrI(t.Op1(ir.OpRBit, t.P(pn(i))), 48)
	keep := uint64(0x5555)
	for n := range elemSize(i) {
		by := 1 << n
		v = t.Or(t.AndI(t.LShrI(v, by), keep), t.ShlI(t.AndI(v, keep), by))
		keep = [...]uint64{0x3333, 0x0f0f, 0}[n]
	}
	t.SetP(pd(i), v)
}
