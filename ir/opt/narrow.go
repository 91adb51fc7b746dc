package opt

import "emu/ir"

// Narrow removes extensions of what is extended already: of I64s with a zero upper half,
// which the W forms of integer instructions make (Arm ARM C1.2.4), and of vectors with a
// zero upper half, as 64-bit SIMD forms make them. It knows that of loop arguments and
// results of scopes as well: all are taken to be extended at first, and those are given
// up that some way passes another value to. It assumes nothing; what it replaced has no
// users any more.
func Narrow(w *Work, f *ir.Func) {
	n := &w.narrow
	if !n.any(f) {
		return
	}
	if f.Structure(&w.scopes) != nil {
		panic("the unit's scopes are broken")
	}
	n.f, n.s = f, &w.scopes
	n.flows.find(f, &w.scopes)
	n.find()
	n.edits.Reset(f)
	for k := range f.Insts {
		if v := n.extended(k); v != ir.None {
			n.edits.Replace(ir.Value(k), v)
		}
	}
	n.edits.Apply(f)
}

type narrow struct {
	f     *ir.Func
	s     *ir.Structure
	flows flows
	edits ir.Edits
	upper []bool // by instruction: the upper half of its value is zero
	args  []ir.Value
}

// any reports whether f has anything to remove.
func (n *narrow) any(f *ir.Func) bool {
	n.f = f
	for k := range f.Insts {
		if n.source(k) != ir.None {
			return true
		}
	}
	return false
}

// source is the value that instruction k extends the lower half of, None if it does
// something else.
func (n *narrow) source(k int) ir.Value {
	i := n.f.Insts[k]
	switch i.Op() {
	case ir.OpVLow:
		return i.A()
	case ir.OpZext:
		if a := i.A(); a.IsSSA() && n.f.Types[k] == ir.I64 && n.f.Types[a] == ir.I32 && n.f.Insts[a].Op() == ir.OpTrunc {
			return n.f.Insts[a].A()
		}
	}
	return ir.None
}

// extended is the value that instruction k only extends once more, None if it does
// something.
func (n *narrow) extended(k int) ir.Value {
	v := n.source(k)
	if v == ir.None || n.f.TypeOf(v) != n.f.Types[k] || !n.known(v) {
		return ir.None
	}
	return v
}

// known reports whether the upper half of v is zero.
func (n *narrow) known(v ir.Value) bool {
	if v.IsSSA() {
		return n.upper[v]
	}
	return n.f.UpperZero(v, nil)
}

// find computes upper, from the hope that the upper half of each I64 and vector is zero
// down to what holds.
func (n *narrow) find() {
	n.upper = resize(n.upper, len(n.f.Insts))
	for k, t := range n.f.Types {
		n.upper[k] = t == ir.I64 || t.IsVec()
	}
	for changed := true; changed; {
		changed = false
		for k := range n.upper {
			if n.upper[k] && !n.upperZero(k) {
				n.upper[k], changed = false, true
			}
		}
	}
}

// upperZero is what the operands of instruction k tell at this point of find.
func (n *narrow) upperZero(k int) bool {
	if !flow(n.f.Insts[k].Op()) {
		return n.f.UpperZero(ir.Value(k), n.known)
	}
	n.args = n.flows.into(n.f, n.s, k, n.args[:0])
	for _, v := range n.args {
		if !n.known(v) {
			return false
		}
	}
	return true
}
