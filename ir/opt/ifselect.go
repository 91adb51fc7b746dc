package opt

import "emu/ir"

const (
	// maxArm is how many instructions an arm may compute to be flattened: seed
	// 000 asks for fewer than two.
	maxArm = 1
	// maxResults is how many SELECTs may replace a branch.
	maxResults = 3
)

// IfSelect turns IFs whose arms compute next to nothing into SELECTs: both arms
// run, and no branch can be mispredicted (seed 000, IF-to-SELECT). It assumes
// that dead SETs are gone and leaves no flattened IF behind.
func IfSelect(w *Work, f *ir.Func) {
	found := true
	for found {
		found = false
		w.rebuild.Flatten = func(f *ir.Func, sc *ir.ScopeInfo) bool {
			ok := diamond(f, sc)
			found = found || ok
			return ok
		}
		if f.Structure(&w.scopes) != nil {
			panic("the unit's scopes are broken")
		}
		if !anyDiamond(f, &w.scopes) {
			w.rebuild.Flatten = nil
			return
		}
		w.again(f)
	}
}

func anyDiamond(f *ir.Func, s *ir.Structure) bool {
	for k := range s.Scopes {
		if sc := &s.Scopes[k]; sc.Op == ir.OpIf && diamond(f, sc) {
			return true
		}
	}
	return false
}

// diamond reports whether both arms of an IF are pure, small and yield.
func diamond(f *ir.Func, sc *ir.ScopeInfo) bool {
	if sc.Exits != 2 || results(f, int(sc.Merge)) > maxResults {
		return false
	}
	marked1, ok1 := smallArm(f, int(sc.Start)+1, int(sc.Else))
	marked2, ok2 := smallArm(f, int(sc.Else)+1, int(sc.End))
	return ok1 && ok2 && (!marked1 && !marked2 || insnFollows(f, int(sc.Merge)))
}

// smallArm reports whether an arm is pure and small, and whether guest
// instructions begin in it.
func smallArm(f *ir.Func, from, to int) (marked, ok bool) {
	n := 0
	for k := from; k < to; k++ {
		switch op := f.Insts[k].Op(); {
		case op == ir.OpNop, op == ir.OpYield, op == ir.OpArgExt:
		case op == ir.OpInsn:
			marked = true
		case op.Has(ir.Pure):
			n++
		default:
			return false, false
		}
	}
	return marked, n <= maxArm
}

// insnFollows reports whether a guest instruction begins behind the MERGE at n
// before anything needs to know which one it is in.
func insnFollows(f *ir.Func, n int) bool {
	for n++; n < len(f.Insts); n++ {
		switch op := f.Insts[n].Op(); {
		case op == ir.OpInsn:
			return true
		case op == ir.OpDefExt, op == ir.OpNop, op.Has(ir.Pure):
		case op.Has(ir.StateRead | ir.StateWrite):
		default:
			return false
		}
	}
	return false
}

// results is the number of values that the MERGE at n defines.
func results(f *ir.Func, n int) int {
	if f.Types[n] == ir.Void {
		return 0
	}
	first := n
	for n++; n < len(f.Insts) && f.Insts[n].Op() == ir.OpDefExt; n++ {
	}
	return n - first
}
