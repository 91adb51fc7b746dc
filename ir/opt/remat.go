package opt

import "emu/ir"

// Remat computes an operand of flags anew behind a join instead of letting it flow there
// (rematerialization): SUBS and ADDS that change a register in place leave the result in it,
// and sink has the operands of the flags flow besides. The first one is the result plus
// or minus the second, which may flow as well, from several compares.
//
// It assumes nothing and leaves what does not flow any more without users.
func Remat(w *Work, f *ir.Func) {
	r := &w.remat
	if !r.candidates(f) {
		return
	}
	if f.Structure(&w.scopes) != nil {
		panic("the unit's scopes are broken")
	}
	r.s = &w.scopes
	r.flows.find(f, &w.scopes)
	if !r.find() {
		return
	}
	r.b = w.builder
	w.rebuild.Instead = r.instead
	w.again(f)
}

type remat struct {
	f     *ir.Func
	s     *ir.Structure
	b     *ir.Builder
	flows flows
	from  []ir.Value // by instruction that makes flags: the result or argument that is its result, None if there is none
	at    []int      // instructions that make flags of what flows
	old   []ir.Value // what the ways to a join pass for the operand
	new   []ir.Value // for what may be the result
	other []ir.Value // and for the second operand
}

// candidates finds the instructions that make flags of a result or argument which nothing
// else looks at. Of ADDS with a register either operand may come first.
func (r *remat) candidates(f *ir.Func) bool {
	r.f, r.at = f, r.at[:0]
	for n, i := range f.Insts {
		if op := i.Op(); op == ir.OpSubF || op == ir.OpAddF && i.B().IsConst() {
			if _, ok := r.flowing(i.A()); ok {
				r.at = append(r.at, n)
			}
		}
	}
	return len(r.at) > 0
}

// flowing returns the I64 result or argument that a, which nothing else uses, is all or the
// lower half of.
func (r *remat) flowing(a ir.Value) (k ir.Value, ok bool) {
	if !a.IsSSA() || r.f.Uses[a] != 1 {
		return ir.None, false
	}
	if i := r.f.Insts[a]; i.Op() == ir.OpTrunc && r.f.Types[a] == ir.I32 && i.A().IsSSA() && r.f.Uses[i.A()] == 1 {
		a = i.A()
	}
	return a, flow(r.f.Insts[a].Op()) && r.f.Types[a] == ir.I64
}

// find looks for the results and reports whether there is one.
func (r *remat) find() (found bool) {
	r.from = resize(r.from, len(r.f.Insts))
	for n := range r.from {
		r.from[n] = ir.None
	}
	for _, n := range r.at {
		k, _ := r.flowing(r.f.Insts[n].A())
		r.old = r.flows.into(r.f, r.s, int(k), r.old[:0])
		if !r.second(r.f.Insts[n].B(), k) {
			continue
		}
		first := k
		for first > 0 && r.beside(first-1, k) {
			first--
		}
		for j := first; int(j) < len(r.f.Insts) && r.beside(j, k); j++ {
			if j != k && r.f.Types[j] == ir.I64 && r.f.Uses[j] > 0 && r.always(n, j, k) {
				r.from[n], found = j, true
				break
			}
		}
	}
	return found
}

// second notes what the ways that pass something to k pass for the second operand b: that
// itself unless it flows beside k. One that is made inside the scope is not what it was on
// the way there.
func (r *remat) second(b, k ir.Value) bool {
	r.other = r.other[:0]
	if b.IsSSA() && r.beside(b, k) {
		r.other = r.flows.into(r.f, r.s, int(b), r.other)
		return true
	}
	for range r.old {
		r.other = append(r.other, b)
	}
	return b.IsConst() || int32(b) < r.s.Scopes[r.s.Of[k]].Start
}

// beside reports whether j is a result or an argument of the same scope as k is.
func (r *remat) beside(j, k ir.Value) bool {
	return flow(r.f.Insts[j].Op()) && r.s.Of[j] == r.s.Of[k] &&
		(r.f.Insts[j].Op() == ir.OpBlockArg) == (r.f.Insts[k].Op() == ir.OpBlockArg)
}

// always reports whether j is the result of the operation whose flags instruction n makes
// of k, on every way in.
func (r *remat) always(n int, j, k ir.Value) bool {
	r.new = r.flows.into(r.f, r.s, int(j), r.new[:0])
	for m, v := range r.new {
		if v == j && r.old[m] == k && r.other[m] == r.f.Insts[n].B() {
			continue // as it was
		}
		if !r.results(n, v, r.old[m], r.other[m]) {
			return false
		}
	}
	return true
}

// results reports whether v is the result of the operation whose flags instruction n would
// make of x and y, in the form that X registers have.
func (r *remat) results(n int, v, x, y ir.Value) bool {
	i := r.f.Insts[n]
	t := r.f.TypeOf(i.A())
	if !v.IsSSA() {
		return r.constant(n, v, x, y)
	}
	if t == ir.I32 {
		z := r.f.Insts[v]
		if z.Op() != ir.OpZext || !z.A().IsSSA() || r.f.Types[z.A()] != ir.I32 {
			return false
		}
		v = z.A()
	}
	made := r.f.Insts[v]
	if made.Op() != resultOf(i.Op()) || made.B() != y {
		return false
	}
	a := made.A()
	if t == ir.I64 || a == x {
		return a == x
	}
	if a.IsConst() || x.IsConst() {
		c, ok1 := r.f.ConstOf(a)
		d, ok2 := r.f.ConstOf(x)
		return ok1 && ok2 && uint32(c.Lo) == uint32(d.Lo)
	}
	return r.f.Insts[a].Op() == ir.OpTrunc && r.f.Insts[a].A() == x ||
		r.f.Insts[x].Op() == ir.OpZext && r.f.Insts[x].A() == a
}

// constant reports whether the operation of instruction n on y and what has the constant result v
// makes the flags that it makes of y and the constant x, which may be any that does (SplitFlags).
func (r *remat) constant(n int, v, x, y ir.Value) bool {
	i := r.f.Insts[n]
	res, ok1 := r.f.ConstOf(v)
	old, ok2 := r.f.ConstOf(x)
	b, ok3 := r.f.ConstOf(y)
	if !ok1 || !ok2 || !ok3 {
		return false
	}
	t := r.f.TypeOf(i.A())
	if t == ir.I32 && res.Lo>>32 != 0 {
		return false
	}
	before := res.Lo + b.Lo
	if i.Op() == ir.OpAddF {
		before = res.Lo - b.Lo
	}
	return ir.FlagsOf(i.Op(), t, before, b.Lo) == ir.FlagsOf(i.Op(), t, old.Lo, b.Lo)
}

// resultOf is the operation that op makes the flags of.
func resultOf(op ir.Op) ir.Op {
	if op == ir.OpSubF {
		return ir.OpSub
	}
	return ir.OpAdd
}

// instead emits flags of a result and the second operand.
func (r *remat) instead(n int, get func(ir.Value) ir.Value) (v ir.Value, done bool) {
	j := r.from[n]
	if j == ir.None {
		return ir.None, false
	}
	i, b := r.f.Insts[n], r.b
	res, second := get(j), get(i.B())
	if t := r.f.TypeOf(i.A()); t == ir.I32 {
		res = b.Trunc(t, res)
	}
	undo := ir.OpAdd
	if i.Op() == ir.OpAddF {
		undo = ir.OpSub
	}
	return b.Op2(i.Op(), b.Op2(undo, res, second), second), true
}
