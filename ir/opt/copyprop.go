package opt

import "emu/ir"

// CopyProp replaces results of scopes and loop arguments that are only ever one
// value by that value: every way into the MERGE passes it, or the LOOP takes it
// and every CONTINUE passes it or the argument itself. It assumes nothing; what
// it replaced has no users any more.
func CopyProp(w *Work, f *ir.Func) {
	if f.Structure(&w.scopes) != nil {
		panic("the unit's scopes are broken")
	}
	p := &w.copies
	p.f, p.s = f, &w.scopes
	p.flows.find(f, &w.scopes)
	p.edits.Reset(f)
	// A replacement can make another one possible further up, through a loop.
	for p.sweep() {
	}
	p.edits.Apply(f)
}

type copyProp struct {
	f     *ir.Func
	s     *ir.Structure
	flows flows
	edits ir.Edits
	args  []ir.Value
}

// sweep visits each result and argument once and reports whether it replaced any.
func (p *copyProp) sweep() (found bool) {
	for n, i := range p.f.Insts {
		var from chainHead
		k, first := 0, 0
		scope := p.s.Of[n]
		switch i.Op() {
		case ir.OpMerge, ir.OpDefExt:
			if p.f.Types[n] == ir.Void {
				continue
			}
			from, k = p.flows.leaves.of(scope), n-int(p.s.Scopes[scope].Merge)
		case ir.OpBlockArg:
			from, k = p.flows.backs.of(scope), int(p.f.ImmOf(i.A()))
		default:
			continue
		}
		first = int(p.s.Scopes[scope].Start)
		self := ir.Value(n)
		if p.edits.Get(self) != self {
			continue
		}
		if v := p.only(self, from, k); v != ir.None && (v.IsConst() || int(v) < first) {
			p.edits.Replace(self, v)
			found = true
		}
	}
	return found
}

// only is the value that all instructions of a chain pass as number k, self not
// counted; None if there are two.
func (p *copyProp) only(self ir.Value, from chainHead, k int) ir.Value {
	one := ir.None
	for n := from.first; n >= 0; n = from.next[n] {
		p.args = p.f.Operands(int(n), p.args[:0])
		at := k
		if op := p.f.Insts[n].Op(); op == ir.OpBreak || op == ir.OpContinue {
			at++ // behind the depth
		}
		switch v := p.edits.Get(p.args[at]); {
		case v == self, v == one:
		case one != ir.None:
			return ir.None
		default:
			one = v
		}
	}
	return one
}
