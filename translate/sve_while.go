package translate

import (
	"emu/cpu"
	"emu/decoder"
	"emu/ir"
)

// SVE instructions that make predicates from numbers: WHILE and CTERM.
func sveWhile() [][]rule {
	return [][]rule{
		enc(whileUp(ir.SLT), decoder.WHILELT_P_P_RR_),
		enc(whileUp(ir.SLE), decoder.WHILELE_P_P_RR_),
		enc(whileUp(ir.ULT), decoder.WHILELO_P_P_RR_),
		enc(whileUp(ir.ULE), decoder.WHILELS_P_P_RR_),
		enc(whileDown(ir.SGT), decoder.WHILEGT_P_P_RR_),
		enc(whileDown(ir.SGE), decoder.WHILEGE_P_P_RR_),
		enc(whileDown(ir.UGT), decoder.WHILEHI_P_P_RR_),
		enc(whileDown(ir.UGE), decoder.WHILEHS_P_P_RR_),
		enc(whileConflict(true), decoder.WHILERW_P_RR_),
		enc(whileConflict(false), decoder.WHILEWR_P_RR_),
		enc(cterm, decoder.CTERMEQ_RR_, decoder.CTERMNE_RR_),
	}
}

// whileCount is how many of the numbers that start at a and go on in steps of one, towards b
// with far the last of that direction, compare with b as c says: at most n. distance is from
// a to b. Equality with the last number never ends, as the next one is at the other end.
func (t *Translator) whileCount(c ir.Cond, a, b, distance ir.Value, far uint64, n uint32) (count ir.Value, some test) {
	some = test{c, a, b}
	distance = t.Zext(ir.I64, distance)
	limit := t.I64(uint64(n))
	if c == ir.SLE || c == ir.ULE || c == ir.SGE || c == ir.UGE {
		endless := t.ICmp(ir.EQ, b, t.Like(b, far))
		distance = t.Select(endless, limit, t.AddI(distance, 1))
	}
	count = t.Select(t.ICmp(ir.ULT, distance, limit), distance, limit)
	return t.Select(t.holdsTest(some), count, t.I64(0)), some
}

// firstBits are the lowest n bits, n at most 16.
func (t *Translator) firstBits(n ir.Value) ir.Value {
	return t.SubI(t.Shl(t.I64(1), n), 1)
}

// whileUp is WHILELT and its kind <Pd>.<T>, <R><n>, <R><m>: the first elements.
func whileUp(c ir.Cond) translateFunc {
	return func(t *Translator, i decoder.Inst) {
		size := elemSize(i)
		wide := i.Bit(12) == 1
		a, b := t.R(wide, i.Rn()), t.R(wide, i.Rm())
		n := uint32(cpu.VectorBytes) >> size
		count, some := t.whileCount(c, a, b, t.Sub(b, a), greatest(wide, c == ir.SLE), n)
		t.SetP(pd(i), t.elements(t.firstBits(t.ShlI(count, int(size))), size))
		t.setFirstFlags(test{ir.EQ, count, t.I64(uint64(n))}, some)
	}
}

// whileDown is WHILEGT and its kind <Pd>.<T>, <R><n>, <R><m>: the last elements.
func whileDown(c ir.Cond) translateFunc {
	return func(t *Translator, i decoder.Inst) {
		size := elemSize(i)
		wide := i.Bit(12) == 1
		a, b := t.R(wide, i.Rn()), t.R(wide, i.Rm())
		n := uint32(cpu.VectorBytes) >> size
		least := uint64(0)
		if c == ir.SGE {
			least = greatest(wide, true) + 1
		}
		count, some := t.whileCount(c, a, b, t.Sub(a, b), least, n)
		without := t.firstBits(t.ShlI(t.Sub(t.I64(uint64(n)), count), int(size)))
		t.SetP(pd(i), t.AndNot(t.I64(elementBits(size)), without))
		t.setLastFlags(test{ir.EQ, count, t.I64(uint64(n))}, some)
	}
}

// greatest is the greatest number of 32 or 64 bits.
func greatest(wide, signed bool) uint64 {
	n := ^uint64(0)
	if !wide {
		n >>= 32
	}
	if signed {
		n >>= 1
	}
	return n
}

// whileConflict is WHILERW, WHILEWR <Pd>.<T>, <Xn>, <Xm>: the first elements that can be
// accessed at two addresses without one access depending on another.
func whileConflict(readFirst bool) translateFunc {
	return func(t *Translator, i decoder.Inst) {
		size := elemSize(i)
		a, b := t.X(i.Rn()), t.X(i.Rm())
		above := t.ICmp(ir.UGT, b, a)
		distance := t.Sub(b, a)
		if readFirst {
			distance = t.Select(above, distance, t.Sub(a, b))
		} else {
			distance = t.Select(above, distance, t.I64(0))
		}
		distance = t.LShrI(distance, int(size))
		n := t.I64(uint64(cpu.VectorBytes) >> size)
		// With no distance the numbers below it wrap around to all.
		fewer := test{ir.ULT, t.SubI(distance, 1), t.SubI(n, 1)}
		count := t.Select(t.holdsTest(fewer), distance, n)
		t.SetP(pd(i), t.elements(t.firstBits(t.ShlI(count, int(size))), size))
		always := test{ir.EQ, t.I64(0), t.I64(0)}
		t.setFirstFlags(not(fewer), always)
	}
}

// CTERMEQ, CTERMNE <R><n>, <R><m>: N if the loop ends, V if neither that nor the last element
// of the WHILE before ends it.
func cterm(t *Translator, i decoder.Inst) {
	wide := i.Bit(22) == 1
	c := ir.EQ
	if i.Bit(4) == 1 {
		c = ir.NE
	}
	ends := t.ICmp(c, t.R(wide, i.Rn()), t.R(wide, i.Rm()))
	flags := t.Op1(ir.OpPackF, t.GetNZCV())
	const n, z, carry, v = 31, 30, 29, 28
	goesOn := t.LShrI(t.AndNot(t.I64(1<<carry), flags), carry-v)
	flags = t.Or(t.AndI(flags, 1<<z|1<<carry), t.Select(ends, t.I64(1<<n), goesOn))
	t.SetNZCV(t.Op1(ir.OpUnpackF, flags))
}
