package translate

import (
	"emu/decoder"
	"emu/ir"
)

// SVE loads that fault for the first active element at most, LDFF1, or for none, LDNF1
// (Mem and MemNF of the Arm ARM). FFR tells of the others: from the first one on that cannot
// be read its bits become zero. Here these elements become zero, too, and those that FFR
// says nothing good of before the load are loaded all the same; the Arm ARM leaves both open.
var sveFirstFaults = []groupRule{
	{decoder.ClassSVE, "mem_cldff_ss", loadFirstFault, false},
	{decoder.ClassSVE, "mem_cldnf_si", loadNonFault, false},
}

// LDFF1B and its kind { <Zt>.<T> }, <Pg>/Z, [<Xn|SP>{, <Xm>{, LSL #amount}}]
func loadFirstFault(t *Translator, i decoder.Inst) {
	e := loadElements(dtype(i))
	a := t.contiguous(i, e.msize, e.bytes())
	addr, p := t.sum(a), t.active(pg(i), e.size)
	t.checkAny(addr, e.bytes())
	t.checkFirst(e, p, func(k int) ir.Value { return t.AddI(addr, uint64(k)<<e.msize) })
	// The others can be read if they are in the same page.
	last := t.AddI(addr, uint64(e.bytes()-1))
	good := t.untilFault(t.And(p, t.SubI(p, 1)), t.Xor(addr, last), func() ir.Value { return t.faults(e, addr) })
	t.loadUntilFault(i, good, func() ir.Value { return t.loadVector(e, a, t.And(p, good)) })
}

// LDNF1B and its kind { <Zt>.<T> }, <Pg>/Z, [<Xn|SP>{, #imm, MUL VL}]
func loadNonFault(t *Translator, i decoder.Inst) {
	e := loadElements(dtype(i))
	a := t.contiguous(i, e.msize, e.bytes())
	addr, p := t.sum(a), t.active(pg(i), e.size)
	t.checkAny(addr, e.bytes())
	good := t.before(t.And(p, t.faults(e, addr)))
	t.loadUntilFault(i, good, func() ir.Value { return t.loadVector(e, a, t.And(p, good)) })
}

// gatherFirstFault is gather for LDFF1.
func (t *Translator) gatherFirstFault(i decoder.Inst, e memElements, a []address, p ir.Value) {
	addr := make([]ir.Value, len(a))
	for k := range a {
		addr[k] = t.sum(a[k])
		t.checkAny(addr[k], 1<<e.msize)
	}
	p = t.elements(p, e.size)
	t.checkFirst(e, p, func(k int) ir.Value { return addr[k] })
	first := addr[len(a)-1]
	for k := len(a) - 2; k >= 0; k-- {
		first = t.Select(t.isActive(p, k, e.size), addr[k], first)
	}
	differ := t.I64(0)
	for k := range a {
		last := t.AddI(addr[k], 1<<e.msize-1)
		d := t.Or(t.Xor(addr[k], first), t.Xor(last, first))
		differ = t.Or(differ, t.And(d, t.ifActive(p, k, e.size)))
	}
	good := t.untilFault(t.And(p, t.SubI(p, 1)), differ, func() ir.Value {
		one := memElements{e.msize, 4, false} // the only one of its vector
		all := t.faults(one, addr[0])
		for k := 1; k < len(a); k++ {
			all = t.Or(all, t.ShlI(t.faults(one, addr[k]), k<<e.size))
		}
		return all
	})
	t.loadUntilFault(i, good, func() ir.Value { return t.gatherElements(e, a, t.And(p, good)) })
}

// faults are the elements that cannot be read of those that stand next to each other.
func (t *Translator) faults(e memElements, addr ir.Value) ir.Value {
	which := ir.Elements{Count: e.count(), Size: 1 << e.msize, Step: 1 << e.size, Tags: t.tags == tagsExact && !t.unchecked}
	return t.OpT(ir.OpHelper, ir.I64, ir.Imm(int(ir.HelperFaults)), addr, t.I64(which.Pack()))
}

// checkAny makes the unit leave if there may be wrong tags, for an engine that finds out
// whether the elements there are active, and the first.
func (t *Translator) checkAny(addr ir.Value, n int) {
	if t.tags == tagsChecked && !t.unchecked {
		t.checkTags(addr, n, false)
	}
}

// checkFirst checks the tag of the first active element. Those of the others are for faults.
func (t *Translator) checkFirst(e memElements, p ir.Value, at func(k int) ir.Value) {
	if t.tags != tagsExact || t.unchecked {
		return
	}
	first := t.And(p, t.Neg(p))
	for k := range e.count() {
		t.If(t.isActive(first, k, e.size))
		t.checkTags(at(k), 1<<e.msize, false)
		t.End()
	}
}

// untilFault are the elements before the first one of a predicate's that cannot be read.
// What differs in the addresses of all active elements says whether that has to be found
// out; it does not if they are in one page.
func (t *Translator) untilFault(p, differs ir.Value, faults func() ir.Value) ir.Value {
	if t.tags == tagsExact {
		return t.before(t.And(p, faults()))
	}
	const pageShift = 12
	t.If(t.ICmp(ir.NE, t.LShrI(differs, pageShift), ir.Imm(0)))
	t.Yield(t.before(t.And(p, faults())))
	t.Else()
	t.Yield(t.I64(^uint64(0)))
	return t.End()
}

// before are the bits below the lowest one of a predicate, all if it has none.
func (t *Translator) before(p ir.Value) ir.Value { return t.upTo(p, true) }

// loadUntilFault sets Zt to what load gives, and FFR. What is loaded has been checked.
func (t *Translator) loadUntilFault(i decoder.Inst, good ir.Value, load func() ir.Value) {
	ffrs := t.And(t.P(ffr), good)
	t.unchecked = true
	v := load()
	t.SetP(ffr, ffrs)
	t.SetV(i.Rd(), v)
}
