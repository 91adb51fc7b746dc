package translate

import "emu/ir"

// The condition flags that instructions on predicates set (PredTest of the Arm ARM): N if
// the first active element is true, Z if none is, C unless the last one is.

// test is a comparison that is emitted where its result is needed.
type test struct {
	c    ir.Cond
	a, b ir.Value
}

func (t *Translator) holdsTest(x test) ir.Value { return t.ICmp(x.c, x.a, x.b) }

func not(x test) test { return test{x.c.Not(), x.a, x.b} }

// predicateFlags are the flags that such an instruction has set, for the conditional branch
// behind it, which need not take them out of NZCV again.
type predicateFlags struct {
	known                bool
	nzcv                 ir.Value // what NZCV is while they hold
	first, none, notLast test
}

// setPredicateFlags sets NZCV for the result r of an instruction whose governing predicate
// is g. Both have bits of elements only, and those of r are among those of g.
func (t *Translator) setPredicateFlags(g, r ir.Value) {
	zero := t.I64(0)
	lowest := t.And(g, t.Neg(g))
	t.setFirstNoneLast(
		test{ir.NE, t.And(r, lowest), zero},
		test{ir.EQ, r, zero},
		// The last active element is false if what is left of g without r is no smaller number.
		test{ir.UGE, t.Xor(g, r), r})
}

// setFirstNoneLast sets NZCV from N, Z and C.
func (t *Translator) setFirstNoneLast(first, none, notLast test) {
	bit := func(x test, n int) ir.Value { return t.ShlI(t.Zext(ir.I64, t.holdsTest(x)), n) }
	nzcv := t.Op1(ir.OpUnpackF, t.Or(t.Or(bit(first, 31), bit(none, 30)), bit(notLast, 29)))
	t.SetNZCV(nzcv)
	t.preds.flags = predicateFlags{true, nzcv, first, none, notLast}
}

// choose is x if all, y if some and z if neither holds.
func (t *Translator) choose(all test, x uint64, some test, y, z uint64) ir.Value {
	return t.Select(t.holdsTest(all), t.I64(x), t.Select(t.holdsTest(some), t.I64(y), t.I64(z)))
}

// setFirstFlags sets NZCV for a predicate of which the first elements are true: all, some or
// none. A comparison of numbers chosen for that sets the same flags, and the backend keeps
// what a comparison compares until somebody asks for flags.
func (t *Translator) setFirstFlags(all, some test) {
	x := t.choose(all, 0, some, ^uint64(0), 1)
	t.setComparedFlags(x, t.I64(1), predicateFlags{first: some, none: not(some), notLast: not(all)})
}

// setLastFlags is the same where the last elements are true.
func (t *Translator) setLastFlags(all, some test) {
	x := t.choose(all, 1, some, ^uint64(0), 0)
	t.setComparedFlags(t.I64(0), x, predicateFlags{first: all, none: not(some), notLast: not(some)})
}

func (t *Translator) setComparedFlags(a, b ir.Value, f predicateFlags) {
	f.known, f.nzcv = true, t.Op2(ir.OpSubF, a, b)
	t.SetNZCV(f.nzcv)
	t.preds.flags = f
}

// predicateCond is the condition of a code if the flags are those of a predicate that are
// known and one comparison tells; ok is false otherwise.
func (t *Translator) predicateCond(code uint32) (cond ir.Value, ok bool) {
	f := &t.preds.flags
	if !f.known || t.GetNZCV() != f.nzcv {
		return ir.None, false
	}
	var x test
	switch code >> 1 {
	case 0: // EQ
		x = f.none
	case 1: // CS
		x = f.notLast
	case 2: // MI
		x = f.first
	default: // b.pmore and b.plast, HI and LS, take two
		return ir.None, false
	}
	if code&1 == 1 {
		x = not(x)
	}
	return t.holdsTest(x), true
}
