package opt

import "emu/ir"

// LICM moves pure operations and reads of guest registers, predicates among them, out of the
// loops in which they do not change (loop-invariant code motion; seed 004 keeps state and
// computation apart so that this is legal by construction). It assumes nothing
// and leaves no movable invariant in a loop.
func LICM(w *Work, f *ir.Func) {
	if f.Structure(&w.scopes) != nil {
		panic("the unit's scopes are broken")
	}
	for k := range w.scopes.Scopes {
		if w.scopes.Scopes[k].Op == ir.OpLoop {
			w.rebuild.Hoist = movable
			w.again(f)
			return
		}
	}
}

// movable reports whether op is worth computing in front of a loop although the
// loop may not get to it: divisions are not.
func movable(op ir.Op) bool {
	switch op {
	case ir.OpGetX, ir.OpGetV, ir.OpGetNZCV, ir.OpGetSys:
		return true
	case ir.OpSDiv, ir.OpUDiv, ir.OpSRem, ir.OpURem, ir.OpExp:
		return false
	}
	return op.Has(ir.Pure)
}
