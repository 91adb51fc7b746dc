package amd64

import (
	"math/bits"

	"emu/ir"
	"emu/jit/asm/x64"
)

// Joins: how the ways to the end of a scope agree on where values are.

// arrive goes from instruction v to the end of scope number k with results vals.
func (c *compiler) arrive(v ir.Value, k int, vals []ir.Value) {
	s := &c.scopes[k]
	if c.top().fused == v {
		c.unsetAll()
		return // the IF's branch goes there
	}
	for _, a := range vals {
		c.materialize(a)
	}
	join := &c.scoped.info[s.id].join
	c.storeSets(regSet{^(s.across[0] | join[0]), ^(s.across[1] | join[1])})
	c.planArrival(k, vals)
	c.emitMoves()
	c.unsetAll()
	if k < c.awayAt.scope || !c.fallsTo(v, c.info(s).Merge) {
		c.b.JmpNear(s.end)
	}
}

// planArrival plans the moves to the end of scope number k with results vals,
// which are materialized.
func (c *compiler) planArrival(k int, vals []ir.Value) {
	s := &c.scopes[k]
	loops := uint16(0)
	for n := k; n < len(c.scopes); n++ {
		if c.scopes[n].op == ir.OpLoop {
			loops++
		}
	}
	end := c.info(s).Merge
	var taken, results [2]uint32
	if s.res >= 0 {
		for _, h := range c.homes[s.res : s.res+s.nres] {
			if h != noHome && !h.isSlot() {
				results[h>>5] |= 1 << (h & 31)
			}
		}
	}
	for _, q := range c.placesOf(&s.entry) {
		p := &c.vals[q.v]
		if !p.aliveBehind(end, loops+c.holdsForOther(s, q.v)) {
			continue
		}
		if q.reg >= 0 && results[b2i(p.inX)]>>q.reg&1 != 0 {
			continue // held by an IF inside of the scope, not needed behind it
		}
		if q.reg >= 0 {
			c.planMove(regHome(q.reg, p.inX), q.v)
			taken[b2i(p.inX)] |= 1 << q.reg
		}
	}
	if s.res < 0 {
		c.chooseResults(s, vals, taken)
	}
	for n, a := range vals {
		if h := c.homes[s.res+n]; h != noHome {
			c.planMove(h, c.root(a))
		}
	}
}

// holdsForOther counts how often an IF in its first arm holds v for the other one.
func (c *compiler) holdsForOther(s *scope, v ir.Value) (n uint16) {
	if s.op != ir.OpIf || s.second || c.vals[v].holds == 0 {
		return 0
	}
	for w := range s.entry.pendM {
		for m := s.entry.pendM[w] &^ s.across[w]; m != 0; m &= m - 1 {
			n += c.madeFrom(s.entry.pend[w<<6+bits.TrailingZeros64(m)], v)
		}
	}
	return n
}

// chooseResults decides where a scope's results will be: where they are now, in
// another register that is free behind the scope, or in slots.
func (c *compiler) chooseResults(s *scope, vals []ir.Value, taken [2]uint32) {
	s.res, s.nres = len(c.homes), len(vals)
	w := ir.Value(c.info(s).Merge)
	start := len(c.homes)
	for n := range vals {
		if n > 0 {
			w = c.nextResult(w)
		}
		h := noHome
		if c.vals[w].uses > 0 {
			h = homeSlot // to be chosen below
			if r, x := c.hintOf(w), b2i(c.vals[w].inX); r >= 0 && taken[x]>>r&1 == 0 {
				h = regHome(r, x == 1)
				taken[x] |= 1 << r
			} else if a := c.root(vals[n]); a.IsSSA() {
				if p := &c.vals[a]; p.reg >= 0 && p.inX == c.vals[w].inX && taken[b2i(p.inX)]>>p.reg&1 == 0 {
					h = regHome(p.reg, p.inX)
					taken[b2i(p.inX)] |= 1 << p.reg
				}
			}
		}
		c.homes = append(c.homes, h)
	}
	w = ir.Value(c.info(s).Merge)
	for n := range vals {
		if n > 0 {
			w = c.nextResult(w)
		}
		if h := &c.homes[start+n]; *h == homeSlot {
			*h = c.freeHome(s, w, &taken, 2)
		}
	}
}

// freeHome chooses a place for v among the registers that are not taken, leaving
// some of them, and the slots that neither the snapshot nor another result uses.
func (c *compiler) freeHome(s *scope, v ir.Value, taken *[2]uint32, leave int) home {
	x := b2i(c.vals[v].inX)
	f := c.fileOf(v)
	free := 0
	pick := noHome
	for _, r := range f.Order() {
		if taken[x]>>r&1 == 0 {
			if free++; pick == noHome || c.hinted(v, r) {
				pick = regHome(int8(r), x == 1)
			}
		}
	}
	if free > leave {
		taken[x] |= 1 << (pick & 31)
		return pick
	}
	return c.slotHome(s)
}

// slotHome chooses a slot that neither the snapshot nor another home of the scope
// uses. It may be in use inside of the scope.
func (c *compiler) slotHome(s *scope) home {
	for n := int16(0); n < numSlots; n++ {
		h := homeSlot + home(n)
		used := false
		for _, q := range c.placesOf(&s.entry) {
			used = used || q.slot == n
		}
		for _, o := range c.homes[s.homes:] {
			used = used || o == h
		}
		if used {
			continue
		}
		for ; c.nSlot <= int(n); c.nSlot++ {
			c.slots[c.nSlot] = ir.None
		}
		return h
	}
	c.err = ErrSpill
	return homeSlot + numSlots - 1
}

// fallsTo reports whether the instruction lowered after v is number end, apart
// from ends of scopes that emit nothing.
func (c *compiler) fallsTo(v ir.Value, end int32) bool {
	k := len(c.scopes) - 1
	for n := int32(v) + 1; ; n++ {
		if n == end && (k < 0 || c.info(&c.scopes[k]).Merge != n || c.scopes[k].order != elseFirst) {
			return true
		}
		switch c.f.Insts[n].Op() {
		case ir.OpNop:
		case ir.OpElse:
			s := &c.scopes[k]
			if s.order != thenLast && s.away != elseArm && (s.fused == ir.None || int32(s.fused) < n) {
				return false
			}
			n = c.info(&c.scopes[k]).End - 1
		case ir.OpEndBlock:
			if c.scopes[k].order == elseFirst {
				return false
			}
			k--
		default:
			return false
		}
	}
}

// lowerMerge is the join behind a scope; it and its DEF_EXTs own the results.
func lowerMerge(c *compiler, v ir.Value, in ir.Inst) {
	s := c.top()
	if c.turn(s) {
		return
	}
	c.endAway(s)
	c.restore(&s.entry, s.across, int32(v))
	w := v
	for k := range s.nres {
		if k > 0 {
			w = c.nextResult(w)
		}
		c.settleIn(w, c.homes[s.res+k])
	}
	c.letGoAll(s)
	c.close(s)
}

// settleIn makes h the place of the result or argument v.
func (c *compiler) settleIn(v ir.Value, h home) {
	p := &c.vals[v]
	switch {
	case h == noHome:
		p.form = formHere
	case h.isSlot():
		c.putInSlot(v, int16(h-homeSlot))
	case h.isX():
		c.bindX(v, x64.Xmm(h-homeX))
	default:
		c.bindR(v, x64.Reg(h))
	}
}

// nextResult returns the DEF_EXT after a MERGE or DEF_EXT.
func (c *compiler) nextResult(v ir.Value) ir.Value {
	for v++; int(v) < len(c.f.Insts); v++ {
		switch c.f.Insts[v].Op() {
		case ir.OpNop:
			continue
		case ir.OpDefExt:
			return v
		}
		panic("BUG: amd64: a scope has more results than its MERGE defines")
	}
	panic("BUG: amd64: the unit ends in a MERGE")
}

// lowerDefExt: its MERGE has done it.
func lowerDefExt(*compiler, ir.Value, ir.Inst) {}
