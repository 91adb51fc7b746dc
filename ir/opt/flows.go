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
