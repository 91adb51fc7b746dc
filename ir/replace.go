package ir

// Kill turns instruction n, which nothing uses any more, into a NOP (rule 2.4).
func (f *Func) Kill(n int) {
	if f.Uses[n] != 0 {
		panic("BUG: ir: an instruction in use is deleted")
	}
	f.unuse(n, n+1)
	f.Insts[n] = MakeInst(OpNop, None, None, None)
	f.Types[n] = Void
	f.nops++
}

// NOPs is the number of NOPs.
func (f *Func) NOPs() int { return f.nops }

// Edits collects replacements of values while a Func is walked; Apply makes them
// all in one sweep (seed 002: through a work list, never while walking).
type Edits struct {
	to   []Value // what each instruction's value is replaced by, None if it stays
	work []Value // the replaced ones
}

// Reset prepares e for f.
func (e *Edits) Reset(f *Func) {
	n := len(f.Insts)
	if cap(e.to) < n {
		e.to = make([]Value, n, n+n/2)
	}
	e.to, e.work = e.to[:n], e.work[:0]
	for k := range e.to {
		e.to[k] = None
	}
}

// Replace makes all users of the SSA value old use new, a constant or a value of
// the same type that dominates them.
func (e *Edits) Replace(old, new Value) {
	if e.to[old] == None {
		e.work = append(e.work, old)
	}
	e.to[old] = new
}

// Get is what v will be after Apply.
func (e *Edits) Get(v Value) Value {
	for v.IsSSA() && e.to[v] != None {
		v = e.to[v]
	}
	return v
}

// Apply rewrites the operands and reports whether there was anything to do.
// Replaced instructions stay, without users.
func (e *Edits) Apply(f *Func) bool {
	if len(e.work) == 0 {
		return false
	}
	for n, i := range f.Insts {
		if i.Op() == OpDefExt {
			continue // names the MERGE that it belongs to, not its value
		}
		a, b, c := e.Get(i.A()), e.Get(i.B()), e.Get(i.C())
		if now := MakeInst(i.Op(), a, b, c); now != i {
			f.unuse(n, n+1)
			f.put(n, now, f.Types[n])
		}
	}
	return true
}

// ReplaceAllUses replaces a single value at once.
func (f *Func) ReplaceAllUses(old, new Value) {
	var e Edits
	e.Reset(f)
	e.Replace(old, new)
	e.Apply(f)
}
