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
