package opt

import "emu/ir"

// Twins replaces results of scopes and loop arguments that always equal another
// one of the same scope by that one: on every way in they are passed the same
// value, or each itself. It assumes nothing; what it replaced has no users any
// more.
func Twins(w *Work, f *ir.Func) {
	if f.Structure(&w.scopes) != nil {
		panic("the unit's scopes are broken")
	}
	t := &w.twins
	t.f, t.s = f, &w.scopes
	t.flows.find(f, &w.scopes)
	t.edits.Reset(f)
	for scope := range w.scopes.Scopes {
		sc := &w.scopes.Scopes[scope]
		if sc.Op == ir.OpLoop {
			t.arguments(int32(scope), int(sc.Start))
		}
		if sc.Merge >= 0 && f.Types[sc.Merge] != ir.Void {
			t.results(int32(scope), int(sc.Merge))
		}
	}
	t.edits.Apply(f)
}

type twins struct {
	f     *ir.Func
	s     *ir.Structure
	flows flows
	edits ir.Edits
	insts []int32 // the results or arguments of a scope
	at    []int   // their places among the values passed
	class []int   // of each: the first one that it may equal
	next  []int
	args  []ir.Value
}

// arguments looks at those of the LOOP at start.
func (t *twins) arguments(scope int32, start int) {
	t.insts, t.at = t.insts[:0], t.at[:0]
	for n := start + 1; t.f.Insts[n].Op() == ir.OpBlockArg || t.f.Insts[n].Op() == ir.OpNop; n++ {
		if i := t.f.Insts[n]; i.Op() == ir.OpBlockArg {
			t.insts, t.at = append(t.insts, int32(n)), append(t.at, int(t.f.ImmOf(i.A())))
		}
	}
	t.merge(t.flows.backs.of(scope))
}

// results looks at those of a scope.
func (t *twins) results(scope int32, merge int) {
	t.insts, t.at = t.insts[:0], t.at[:0]
	for n := merge; n == merge || n < len(t.f.Insts) && t.f.Insts[n].Op() == ir.OpDefExt; n++ {
		t.insts, t.at = append(t.insts, int32(n)), append(t.at, n-merge)
	}
	t.merge(t.flows.leaves.of(scope))
}

// merge starts from the hope that all values of a type are equal and splits the
// classes until every way in agrees.
func (t *twins) merge(from chainHead) {
	t.class, t.next = resize(t.class, len(t.insts)), resize(t.next, len(t.insts))
	for k := range t.class {
		t.class[k] = 0
		for t.f.Types[t.insts[t.class[k]]] != t.f.Types[t.insts[k]] {
			t.class[k]++
		}
	}
	for changed := true; changed; {
		changed = false
		for n := from.first; n >= 0; n = from.next[n] {
			t.args = t.f.Operands(int(n), t.args[:0])
			if op := t.f.Insts[n].Op(); op == ir.OpBreak || op == ir.OpContinue {
				t.args = t.args[1:]
			}
			if t.refine() {
				changed = true
			}
		}
	}
	for k, c := range t.class {
		if c != k {
			t.edits.Replace(ir.Value(t.insts[k]), ir.Value(t.insts[c]))
		}
	}
}

// refine splits the classes by the values in t.args.
func (t *twins) refine() (changed bool) {
	for k := range t.class {
		t.next[k] = k
		for j := range k {
			if t.class[j] == t.class[k] && t.canonical(t.args[t.at[j]]) == t.canonical(t.args[t.at[k]]) {
				t.next[k] = t.next[j]
				break
			}
		}
		if t.next[k] != t.class[k] {
			changed = true
		}
	}
	t.class, t.next = t.next, t.class
	return changed
}

// canonical is v, or the first of its class if it is one of the values at hand.
func (t *twins) canonical(v ir.Value) ir.Value {
	v = t.edits.Get(v)
	for k, n := range t.insts {
		if v == ir.Value(n) {
			return ir.Value(t.insts[t.class[k]])
		}
	}
	return v
}
