package opt

import "emu/ir"

// flows lists by scope the instructions that pass values: YIELDs and BREAKs to
// its MERGE, and the LOOP and CONTINUEs to its BLOCK_ARGs.
type flows struct{ leaves, backs chain }

func (l *flows) find(f *ir.Func, s *ir.Structure) {
	l.leaves.reset(len(s.Scopes), len(f.Insts))
	l.backs.reset(len(s.Scopes), len(f.Insts))
	for n, i := range f.Insts {
		switch i.Op() {
		case ir.OpYield, ir.OpBreak:
			l.leaves.add(s.Of[n], n)
		case ir.OpLoop, ir.OpContinue:
			l.backs.add(s.Of[n], n)
		}
	}
}

// into appends what all ways pass to instruction n, a result or argument.
func (l *flows) into(f *ir.Func, s *ir.Structure, n int, out []ir.Value) []ir.Value {
	scope := s.Of[n]
	from, k := l.leaves.of(scope), n-int(s.Scopes[scope].Merge)
	if i := f.Insts[n]; i.Op() == ir.OpBlockArg {
		from, k = l.backs.of(scope), int(f.ImmOf(i.A()))
	}
	for at := from.first; at >= 0; at = from.next[at] {
		arg := k
		if op := f.Insts[at].Op(); op == ir.OpBreak || op == ir.OpContinue {
			arg++ // behind the depth
		}
		first := len(out)
		out = f.Operands(int(at), out)
		out[first] = out[first+arg]
		out = out[:first+1]
	}
	return out
}

// chain lists instructions by scope without allocating a slice for each.
type chain struct {
	head []int32 // by scope
	next []int32 // by instruction
}

// chainHead is the list of one scope; -1 ends it.
type chainHead struct {
	first int32
	next  []int32
}

func (c *chain) of(scope int32) chainHead { return chainHead{c.head[scope], c.next} }

func (c *chain) reset(scopes, insts int) {
	c.head, c.next = resize(c.head, scopes), resize(c.next, insts)
	for k := range c.head {
		c.head[k] = -1
	}
}

func (c *chain) add(scope int32, n int) {
	c.next[n] = c.head[scope]
	c.head[scope] = int32(n)
}

func resize[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n, n+n/2)
	}
	return s[:n]
}
