package ir

// leaveEarly is for an IF at n with an arm that Early has named: it leaves for good, and does so if either of two conditions
// holds, of which cond is made. It emits an IF of the first one in front, with a copy of that arm, and returns the other
// condition, until there are no two any more. What it emits has conditions of its own.
func (r *Rebuilder) leaveEarly(n int, cond Value) Value {
	if r.Early == nil {
		return r.get(cond)
	}
	sc := &r.s.Scopes[r.s.Of[n]]
	arm, ok := r.Early(r.src, sc)
	if !ok {
		return r.get(cond)
	}
	b := r.b
	for {
		first, is, rest, ok := r.src.EitherOf(cond, arm == sc.Start)
		if !ok {
			return r.ownTruth(cond)
		}
		if _, known := r.truth(r.get(first)); known {
			return r.get(cond)
		}
		c := r.ownTruth(first)
		b.emit(OpIf, Void, c, None, None)
		for _, then := range [...]bool{true, false} {
			if !then {
				b.emit(OpElse, Void, None, None, None)
			}
			if then != is {
				b.emitArgs(OpYield, None, nil)
				continue
			}
			end := sc.Else
			if arm != sc.Start {
				end = sc.End
			}
			for k := int(arm) + 1; k < int(end); k++ {
				k = r.inst(k)
			}
			b.dead = false
		}
		b.emit(OpMerge, Void, None, None, None)
		r.facts = append(r.facts, fact{c, !is})
		cond = rest
	}
}

// ownTruth is what a truth value is in the new Func, for one user: a condition of flags is emitted once more, as are the flags.
// A backend has them at hand then where it needs them, and need not keep the truth for others.
func (r *Rebuilder) ownTruth(v Value) Value {
	if !v.IsSSA() || r.src.Insts[v].Op() != OpFlagCond {
		return r.get(v)
	}
	i := r.src.Insts[v]
	if !i.A().IsSSA() {
		return r.get(v)
	}
	switch f := r.src.Insts[i.A()]; f.Op() {
	case OpNZ, OpAddF, OpSubF:
		flags := r.b.emit(f.Op(), Flags, r.get(f.A()), r.get(f.B()), None)
		return r.b.emit(OpFlagCond, I1, flags, r.get(i.B()), None)
	}
	return r.get(v)
}

// EitherOf takes apart the truth value v: it is the truth value result if first is is, and what rest is if not.
func (f *Func) EitherOf(v Value, result bool) (first Value, is bool, rest Value, ok bool) {
	if !v.IsSSA() || f.Insts[v].Op() != OpSelect || f.Types[v] != I1 {
		return None, false, None, false
	}
	i := f.Insts[v]
	if c, ok := f.ConstOf(i.B()); ok && c.Lo&1 != 0 == result {
		return i.A(), true, i.C(), true
	}
	if c, ok := f.ConstOf(i.C()); ok && c.Lo&1 != 0 == result {
		return i.A(), false, i.B(), true
	}
	return None, false, None, false
}
