package amd64

import (
	"math/bits"

	"emu/ir"
	"emu/jit/asm/x64"
	"emu/jit/regalloc"
)

// Joins. Where several ways meet - ELSE starts again from the IF, MERGE follows
// every YIELD and BREAK, a loop's header every CONTINUE - all of them have to
// leave values in the same places. Those are the places at the scope's start: a
// snapshot is taken there, each way to a join moves what is alive behind it back
// to where the snapshot has it, and the walk goes on from the snapshot.

// place is where a value was when a snapshot was taken.
type place struct {
	v     ir.Value
	stamp uint32 // of its register
	slot  int16
	reg   int8
	zbits uint8
}

// snapshot is the allocation at the start of a scope.
type snapshot struct {
	from, to int // in compiler.places
	pend     [numGuest]ir.Value
	pendM    [2]uint64
	fl       flagState
	pc       uint64
}

// capture takes a snapshot.
func (c *compiler) capture(s *snapshot) {
	s.from = len(c.places)
	for r := range uint8(regs) {
		for _, v := range [2]ir.Value{c.g.Owner(r), c.x.Owner(r)} {
			if v != ir.None {
				p := &c.vals[v]
				c.places = append(c.places, place{v, c.fileOf(v).Stamp(r), p.slot, p.reg, p.zbits})
			}
		}
	}
	for n, v := range c.slots[:c.nSlot] {
		if v == ir.None {
			continue
		}
		if p := &c.vals[v]; p.reg < 0 {
			c.places = append(c.places, place{v, 0, int16(n), -1, p.zbits})
		}
	}
	s.to = len(c.places)
	s.pendM, s.fl, s.pc = c.pendM, c.fl, c.pc
	for w := range s.pendM {
		for m := s.pendM[w]; m != 0; m &= m - 1 {
			g := w<<6 + bits.TrailingZeros64(m)
			s.pend[g] = c.pend[g]
		}
	}
}

func (c *compiler) placesOf(s *snapshot) []place { return c.places[s.from:s.to] }

// aliveBehind reports whether the value is needed behind instruction end, where
// some of the scopes that hold it will be closed. An arm that is lowered later
// though it stands before does not count: it starts from its own snapshot.
func (p *val) aliveBehind(end int32, closed uint16) bool {
	return p.uses > 0 && (p.holds > closed || p.user != ir.None && int32(p.user) > end)
}

// restore makes the snapshot, as far as its values are needed behind instruction
// end, the allocation again and keep of its pending SETs.
func (c *compiler) restore(s *snapshot, keep [2]uint64, end int32) {
	c.unsetAll()
	c.forget()
	for n, v := range c.slots[:c.nSlot] {
		if v != ir.None {
			c.vals[v].slot = -1
			c.slots[n] = ir.None
		}
	}
	for _, q := range c.placesOf(s) {
		p := &c.vals[q.v]
		if p.uses == 0 || end >= 0 && !p.aliveBehind(end, 0) {
			continue
		}
		p.form, p.zbits = formHere, q.zbits
		if q.slot >= 0 {
			c.putInSlot(q.v, q.slot)
		}
		if q.reg >= 0 {
			p.reg = q.reg
			f := c.fileOf(q.v)
			f.Bind(uint8(q.reg), q.v)
			f.SetStamp(uint8(q.reg), q.stamp)
		}
	}
	for w := range keep {
		for m := s.pendM[w] & keep[w]; m != 0; m &= m - 1 {
			g := w<<6 + bits.TrailingZeros64(m)
			v := s.pend[g]
			c.pend[g] = v
			c.pendM[w] |= 1 << (g & 63)
			if v.IsSSA() {
				c.vals[v].pend++
			}
		}
	}
	c.pc = s.pc
}

// fileOf returns the registers of v's class.
func (c *compiler) fileOf(v ir.Value) *regalloc.File {
	if c.vals[v].inX {
		return &c.x
	}
	return &c.g
}

// unsetAll forgets all that is pending.
func (c *compiler) unsetAll() { c.unsetBut(regSet{}) }

// unsetBut forgets what is pending for registers that are not in keep.
func (c *compiler) unsetBut(keep regSet) {
	for w := range c.pendM {
		for c.pendM[w]&^keep[w] != 0 {
			c.unset(w<<6 + bits.TrailingZeros64(c.pendM[w]&^keep[w]))
		}
	}
}

// unsetDead forgets what is pending for registers that nothing looks at behind
// instruction v before they are SET again, so that it need not be kept.
func (c *compiler) unsetDead(v ir.Value) {
	dead := &c.scoped.dead[v]
	for w := range dead {
		for m := c.pendM[w] & dead[w]; m != 0; m &= m - 1 {
			c.unset(w<<6 + bits.TrailingZeros64(m))
		}
	}
}

// storeSets stores what is pending for the registers of set.
func (c *compiler) storeSets(set [2]uint64) {
	if g := numGuest - 1; c.pendM[g>>6]&set[g>>6]>>(g&63)&1 != 0 {
		c.store(g) // the flags first, as in flush
	}
	for w := range c.pendM {
		for c.pendM[w]&set[w] != 0 {
			c.store(w<<6 + bits.TrailingZeros64(c.pendM[w]&set[w]))
		}
	}
}

// hold keeps v alive, and what it is made from if it is lazy, until letGo is called
// as often.
func (c *compiler) hold(v ir.Value) {
	c.holdOne(v)
	if n := c.vals[v].lazy; n != 0 {
		for _, o := range [2]ir.Value{c.lazies[n].a, c.lazies[n].b} {
			if o.IsSSA() {
				c.hold(o)
			}
		}
	}
}

func (c *compiler) letGo(v ir.Value) {
	if n := c.vals[v].lazy; n != 0 {
		for _, o := range [2]ir.Value{c.lazies[n].a, c.lazies[n].b} {
			if o.IsSSA() {
				c.letGo(o)
			}
		}
	}
	c.letGoOne(v)
}

// madeFrom counts how often v occurs in what the value w is made from, w included.
func (c *compiler) madeFrom(w, v ir.Value) (n uint16) {
	if !w.IsSSA() {
		return 0
	}
	if w == v {
		n = 1
	}
	if k := c.vals[w].lazy; k != 0 {
		n += c.madeFrom(c.lazies[k].a, v) + c.madeFrom(c.lazies[k].b, v)
	}
	return n
}

// holdOne is hold without regard for what v is made from.
func (c *compiler) holdOne(v ir.Value) {
	c.vals[v].uses++
	c.vals[v].holds++
}

func (c *compiler) letGoOne(v ir.Value) {
	c.vals[v].holds--
	c.release(v)
}

// putInSlot makes v the owner of a slot that holds it.
func (c *compiler) putInSlot(v ir.Value, slot int16) {
	p := &c.vals[v]
	p.slot, p.form = slot, formHere
	c.slots[slot] = v
}

// materialize makes sure that v, an operand, is in a register or slot.
func (c *compiler) materialize(v ir.Value) {
	locks, xlocks := c.g.Locks(), c.x.Locks()
	if v = c.ready(v); v.IsSSA() {
		if p := &c.vals[v]; p.reg < 0 && p.slot < 0 {
			if p.inX {
				c.useX(v)
			} else {
				c.useR(v)
			}
		}
	}
	c.g.SetLocks(locks)
	c.x.SetLocks(xlocks)
}

const regs = 16

// forget drops what is in registers and flags.
func (c *compiler) forget() {
	for r := range uint8(regs) {
		if v := c.g.Owner(r); v != ir.None {
			c.unbind(v)
		}
		if v := c.x.Owner(r); v != ir.None {
			c.unbind(v)
		}
	}
	c.fl.v, c.flOf.v = ir.None, ir.None
	c.recipeStale = true
}

// storeValue stores v at m as a spill slot holds it, whatever its type; narrow
// integers are zero-extended.
func (c *compiler) storeValue(m x64.Mem, v ir.Value) {
	t := c.f.TypeOf(v)
	locks, xlocks := c.g.Locks(), c.x.Locks()
	switch {
	case t.InXMM():
		c.b.MX(x64.MOVUPS, m, c.useX(v))
	case t == ir.I8 || t == ir.I16 || t == ir.I32:
		c.b.MR(x64.MOVQ, m, c.useZ(v, uint8(t.Bits())))
	default:
		c.b.MR(x64.MOVQ, m, c.useR(v))
	}
	c.g.SetLocks(locks)
	c.x.SetLocks(xlocks)
}
