package opt

import "emu/ir"

// ShortCircuit has loops be left by two branches where they are left for one of two reasons, which CCMP makes one
// condition of: the condition of each is in the host's flags, that of both has to be computed. A loop that goes on
// often has neither mostly, so that a branch more is not mispredicted more often.
//
//	if a && b {...} else {break}     if a {yield} else {break}; if b {...} else {break}
//
// It assumes that all values are live, and leaves it so.
func ShortCircuit(w *Work, f *ir.Func) {
	structured := false
	for n, i := range f.Insts {
		if i.Op() != ir.OpIf || !i.A().IsSSA() || f.Insts[i.A()].Op() != ir.OpSelect {
			continue
		}
		if !structured {
			structured = true
			if f.Structure(&w.scopes) != nil {
				panic("the unit's scopes are broken")
			}
		}
		sc := &w.scopes.Scopes[w.scopes.Of[n]]
		arm, ok := leavingArm(f, &w.scopes, sc)
		if !ok {
			continue
		}
		if _, _, _, ok := f.EitherOf(i.A(), arm == sc.Start); !ok {
			continue
		}
		w.rebuild.Early = func(f *ir.Func, sc *ir.ScopeInfo) (int32, bool) { return leavingArm(f, &w.scopes, sc) }
		w.again(f)
		DCE(w, f) // the SELECTs; whatever flows is needed still, so that this is no rebuild
		return
	}
}

// leavingArm finds the arm of an IF in a loop that does nothing but leave it, provided that the other one does not.
// The arm is the IF or ELSE that opens it.
func leavingArm(f *ir.Func, s *ir.Structure, sc *ir.ScopeInfo) (arm int32, ok bool) {
	loop := sc.Parent
	for loop >= 0 && s.Scopes[loop].Op != ir.OpLoop {
		loop = s.Scopes[loop].Parent
	}
	if loop < 0 {
		return 0, false
	}
	switch then, other := leaves(f, s, sc.Start, sc.Else, loop), leaves(f, s, sc.Else, sc.End, loop); {
	case then == other:
		return 0, false
	case then:
		return sc.Start, true
	}
	return sc.Else, true
}

// leaves reports whether the instructions between from and to do nothing but leave the loop.
func leaves(f *ir.Func, s *ir.Structure, from, to, loop int32) bool {
	for n := from + 1; n < to; n++ {
		switch f.Insts[n].Op() {
		case ir.OpNop, ir.OpInsn, ir.OpArgExt:
		case ir.OpJump:
			return true
		case ir.OpBreak:
			// What the loop is in, or itself, comes no later.
			return s.Of[n] <= loop
		default:
			return false
		}
	}
	return false
}
