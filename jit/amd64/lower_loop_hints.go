package amd64

import (
	"math"

	"emu/ir"
)

// hintArgs notes for the values that CONTINUEs pass to the loop in which register or slot
// they had better be.
func (c *compiler) hintArgs(s *scope) {
	c.beginHints()
	sc := c.info(s)
	for n := sc.Start + 1; n < sc.End; n++ {
		if c.f.Insts[n].Op() != ir.OpContinue || c.scoped.tree.Of[n] != s.id {
			continue
		}
		c.ops = c.f.Operands(int(n), c.ops[:0])
		for k, a := range c.ops[1:] {
			if h := c.homes[s.homes+k]; a.IsSSA() && int32(a) > sc.Start && h != noHome {
				c.hintAt(a, h, sc.Start)
			}
		}
	}
	c.hintJoins(sc)
}

// hintJoins passes what is noted for the results of the joins in a loop on to the values
// that come to them, from the last join to the first.
func (c *compiler) hintJoins(loop *ir.ScopeInfo) {
	for n := loop.End - 1; n > loop.Start; n-- {
		op := c.f.Insts[n].Op()
		if op != ir.OpYield && op != ir.OpBreak {
			continue
		}
		merge := c.scoped.tree.Scopes[c.scoped.tree.Of[n]].Merge
		if merge > loop.End {
			continue
		}
		c.ops = c.f.Operands(int(n), c.ops[:0])
		vals := c.ops
		if op == ir.OpBreak {
			vals = vals[1:]
		}
		w := ir.Value(merge)
		for k, a := range vals {
			if k > 0 {
				w = c.nextResult(w)
			}
			if h := c.hints[w]; h != noHome && a.IsSSA() && int32(a) > loop.Start && c.hints[a] == noHome {
				c.hintAt(a, h, math.MaxInt32)
			}
		}
	}
}

// hintAt notes that v had better be in h, and what v shares the place of or takes that over from: an
// operand that nothing else uses. Those behind instruction inner, the start of a loop, had better be there although
// loops around that have noted another place.
func (c *compiler) hintAt(v ir.Value, h home, inner int32) {
	c.hints[v] = h
	in := c.f.Insts[v]
	op := in.Op()
	more := func(a ir.Value) {
		if a.IsSSA() && (c.hints[a] == noHome || int32(a) > inner) {
			c.hintAt(a, h, inner)
		}
	}
	switch {
	case op == ir.OpZext:
		more(in.A())
	case !op.Has(ir.Pure) || h.isSlot():
	case c.takenOver(in.A(), v):
		more(in.A())
	case op.Has(ir.Commutes) && c.takenOver(in.B(), v):
		more(in.B())
	}
}

// takenOver reports whether a is in a register of the kind that v is in, and used by v only.
func (c *compiler) takenOver(a, v ir.Value) bool {
	return a.IsSSA() && c.vals[a].uses == 1 && c.f.TypeOf(a).InXMM() == c.f.TypeOf(v).InXMM()
}

func (c *compiler) beginHints() {
	if cap(c.hints) < len(c.vals) {
		c.hints = make([]home, 0, cap(c.vals))
	}
	if len(c.hints) == len(c.vals) {
		return
	}
	c.hints = c.hints[:len(c.vals)]
	for n := range c.hints {
		c.hints[n] = noHome
	}
}

// hinted reports whether v had better be in register r of its class.
func (c *compiler) hinted(v ir.Value, r uint8) bool {
	return int(v) < len(c.hints) && c.hints[v] == regHome(int8(r), c.vals[v].inX)
}

// hint returns the register that v had better be in, if that is free.
func (c *compiler) hint(v ir.Value) (uint8, bool) {
	n := c.hintOf(v)
	if n < 0 {
		return 0, false
	}
	r, f := uint8(n), c.fileOf(v)
	return r, f.Owner(r) == ir.None && !f.Locked(r)
}

// hintOf returns the register that v had better be in, -1 if it does not matter.
func (c *compiler) hintOf(v ir.Value) int8 {
	if int(v) >= len(c.hints) || c.hints[v] == noHome || c.hints[v].isSlot() {
		return -1
	}
	return int8(c.hints[v] & 31)
}
