package opt

import "emu/ir"

// LoadElim replaces loads of what the unit has just loaded or stored at the same
// address by that value. It assumes nothing; what it replaced is gone.
//
// The memory model allows it (Arm ARM B2.3): a later load of a location may return
// what an earlier load of it returned, or what the thread stored there itself, as
// long as nothing in between asks for order. So whatever acquires, releases or
// fences makes it forget, and so do safe points, where a signal handler may run,
// and the headers of loops, so that a loop that waits for memory to change sees
// the change. A load whose address depends on another one's result is ordered behind that:
// no operation on scalars is folded that would hide it (ir.Func.Simplify). A store makes it forget what it may overlap: all but other offsets
// from the same base, which may have been added in several steps, as frames' accesses with writeback do.
func LoadElim(w *Work, f *ir.Func) {
	if f.Structure(&w.scopes) != nil {
		panic("the unit's scopes are broken")
	}
	e := &w.loads
	e.f, e.s = f, &w.scopes
	e.edits.Reset(f)
	e.known, e.marks, e.dead, e.consts = e.known[:0], e.marks[:0], e.dead[:0], false
	for n := range f.Insts {
		e.inst(n)
	}
	e.edits.Apply(f)
	for _, n := range e.dead {
		f.Kill(n)
	}
	if e.consts {
		ConstFold(w, f)
	}
}

type loadElim struct {
	f     *ir.Func
	s     *ir.Structure
	edits ir.Edits
	known []location
	// For each open scope, how much was known in front of it. Entries before that
	// are valid in all of its arms and behind it unless something removed them:
	// then they are gone for good, whichever arm that was in.
	marks []int
	dead  []int // loads without users
	// A load became a constant: mostly a return address, which the code that was inlined there compares.
	consts bool
}

// location is memory whose contents are known: at base + index + disp, where index is
// ir.None if it is a constant and part of disp.
type location struct {
	base, index ir.Value
	disp        uint64
	ty          ir.Type
	val         ir.Value // ir.None: forgotten
}

// locate returns the location of a value of type ty at base + off.
func (e *loadElim) locate(base, off ir.Value, ty ir.Type) location {
	l := location{base: e.edits.Get(base), index: e.edits.Get(off), ty: ty}
	c, ok := e.f.ConstOf(l.index)
	if !ok {
		return l
	}
	l.index, l.disp = ir.None, c.Lo
	for !l.base.IsConst() && e.f.Insts[l.base].Op() == ir.OpAdd {
		i := e.f.Insts[l.base]
		c, ok := e.f.ConstOf(i.B())
		if !ok {
			break
		}
		l.base, l.disp = e.edits.Get(i.A()), l.disp+c.Lo
	}
	return l
}

func (e *loadElim) inst(n int) {
	i := e.f.Insts[n]
	switch op := i.Op(); op {
	case ir.OpLoad:
		l := e.locate(i.A(), i.B(), e.f.Types[n])
		for k := len(e.known) - 1; k >= 0; k-- {
			if l.val = e.known[k].val; l.val != ir.None && l == e.known[k] {
				e.edits.Replace(ir.Value(n), l.val)
				e.dead = append(e.dead, n)
				e.consts = e.consts || l.val.IsConst()
				return
			}
		}
		l.val = ir.Value(n)
		e.known = append(e.known, l)
	case ir.OpStore:
		l := e.locate(i.B(), i.C(), e.f.TypeOf(i.A()))
		l.val = e.edits.Get(i.A())
		for k := range e.known {
			if e.overlap(&e.known[k], &l) {
				e.known[k].val = ir.None
			}
		}
		e.known = append(e.known, l)
	case ir.OpIf, ir.OpBlock:
		e.marks = append(e.marks, len(e.known))
	case ir.OpLoop:
		e.forget()
		e.marks = append(e.marks, len(e.known))
	case ir.OpElse:
		e.known = e.known[:e.marks[len(e.marks)-1]]
	case ir.OpEndBlock, ir.OpMerge:
		e.close(n)
	default:
		if op.Has(ir.MemRead|ir.MemWrite|ir.Acquire|ir.Release) && op != ir.OpLoadS && op != ir.OpLoadP || op.Has(ir.Effect) && op != ir.OpInsn && op != ir.OpPrefetch {
			e.forget()
		}
	}
}

// close leaves a scope at its END_BLOCK or MERGE. A LOOP's MERGE stands behind its
// END_BLOCK and closes nothing.
func (e *loadElim) close(n int) {
	if e.f.Insts[n].Op() == ir.OpMerge && e.s.Scopes[e.s.Of[n]].Op == ir.OpLoop {
		return
	}
	last := len(e.marks) - 1
	e.known = e.known[:e.marks[last]]
	e.marks = e.marks[:last]
}

// forget drops everything. Entries stay in place for the marks.
func (e *loadElim) forget() {
	for k := range e.known {
		e.known[k].val = ir.None
	}
}

// overlap reports whether a and b may share a byte.
func (e *loadElim) overlap(a, b *location) bool {
	if a.base != b.base || a.index != ir.None || b.index != ir.None {
		return true
	}
	return a.disp-b.disp < uint64(b.ty.Bytes()) || b.disp-a.disp < uint64(a.ty.Bytes())
}
