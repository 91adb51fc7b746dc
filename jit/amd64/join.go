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
	own := uint16(b2i(s.op == ir.OpLoop))
	end := c.info(s).Merge
	if k+1 < len(c.scopes) {
		c.countInside(k+1, 1)
		defer c.countInside(k+1, ^uint16(0))
	}
	var taken, results [2]uint32
	var slots slotSet
	if s.res >= 0 {
		for _, h := range c.homes[s.res : s.res+s.nres] {
			if h != noHome && !h.isSlot() {
				results[h>>5] |= 1 << (h & 31)
			}
		}
	}
	for _, q := range c.placesOf(&s.entry) {
		p := &c.vals[q.v]
		if !p.aliveBehind(end, own+p.inside+c.holdsForOther(k, q.v)) {
			continue
		}
		if q.slot >= 0 {
			slots.add(q.slot)
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
		c.chooseResults(s, vals, taken, slots)
	}
	for n, a := range vals {
		if h := c.homes[s.res+n]; h != noHome {
			c.planMove(h, c.root(a))
		}
	}
}

// countInside adds n to val.inside of each value as often as scope number k and those inside
// of it hold it: these are closed behind the join.
func (c *compiler) countInside(k int, n uint16) {
	for ; k < len(c.scopes); k++ {
		to := len(c.held)
		if k+1 < len(c.scopes) {
			to = c.scopes[k+1].held
		}
		for _, v := range c.held[c.scopes[k].held:to] {
			if c.scopes[k].op == ir.OpLoop {
				c.vals[v].inside += n
			} else {
				c.addInside(v, n)
			}
		}
	}
}

// addInside adds n for a value that is held and for what it is made from, as hold does.
func (c *compiler) addInside(v ir.Value, n uint16) {
	c.vals[v].inside += n
	if k := c.vals[v].lazy; k != 0 {
		for _, o := range [2]ir.Value{c.lazies[k].a, c.lazies[k].b} {
			if o.IsSSA() {
				c.addInside(o, n)
			}
		}
	}
}

// holdsForOther counts how often scope number k, if it is an IF in its first arm, holds v for
// the other one.
func (c *compiler) holdsForOther(k int, v ir.Value) (n uint16) {
	s := &c.scopes[k]
	if s.op != ir.OpIf || s.second || c.vals[v].holds == 0 {
		return 0
	}
	for w := range s.entry.pendM {
		for m := s.entry.pendM[w] &^ s.across[w]; m != 0; m &= m - 1 {
			if w := s.entry.pend[w<<6+bits.TrailingZeros64(m)]; !c.leftHolds(k, w) {
				n += c.madeFrom(w, v)
			}
		}
	}
	return n
}

// homeLater stands for a place that is still to be chosen.
const homeLater home = noHome - 1

// chooseResults decides where a scope's results will be, given the registers and slots that
// are needed behind it: where the next iteration of a loop has them, where they are now, in
// another register that is free behind the scope, or in slots.
func (c *compiler) chooseResults(s *scope, vals []ir.Value, taken [2]uint32, slots slotSet) {
	s.res, s.nres = len(c.homes), len(vals)
	w := ir.Value(c.info(s).Merge)
	start := len(c.homes)
	for n := range vals {
		if n > 0 {
			w = c.nextResult(w)
		}
		h := noHome
		if c.vals[w].uses > 0 {
			h = c.homeNow(w, c.root(vals[n]), &taken, &slots)
		}
		c.homes = append(c.homes, h)
	}
	w = ir.Value(c.info(s).Merge)
	owners := c.owners[:0]
	for n := range vals {
		if n > 0 {
			w = c.nextResult(w)
		}
		owners = append(owners, w)
		if h := &c.homes[start+n]; *h == homeLater {
			*h = c.freeReg(w, &taken, 0, 2)
		}
	}
	c.owners = owners
	c.chooseSlots(c.homes[start:], owners, vals, &slots)
}

// homeNow chooses the place of a result w to which a comes: the one that w had better be in,
// or the register that a is in. What the next iteration has in a slot stays there.
func (c *compiler) homeNow(w, a ir.Value, taken *[2]uint32, slots *slotSet) home {
	x := b2i(c.vals[w].inX)
	if r := c.hintOf(w); r >= 0 && taken[x]>>r&1 == 0 {
		taken[x] |= 1 << r
		return regHome(r, x == 1)
	}
	if !a.IsSSA() {
		return homeLater
	}
	p := &c.vals[a]
	if p.reg < 0 && p.slot >= 0 && c.slotHint(w) == p.slot && !slots.has(p.slot) {
		slots.add(p.slot)
		return homeSlot + home(p.slot)
	}
	if p.reg >= 0 && p.inX == c.vals[w].inX && taken[x]>>p.reg&1 == 0 {
		taken[x] |= 1 << p.reg
		return regHome(p.reg, p.inX)
	}
	return homeLater
}

// freeReg chooses a place for v among the registers that are not taken, leaving
// some of them: homeLater if there are no more. Those that others had better have come later, and those that the
// loop's instructions need for themselves last.
func (c *compiler) freeReg(v ir.Value, taken *[2]uint32, others uint32, leave int) home {
	x := b2i(c.vals[v].inX)
	f := c.fileOf(v)
	cost := func(r uint8) uint32 {
		if x == 0 {
			return c.fixed>>r&1<<1 | others>>r&1
		}
		return others >> r & 1
	}
	free := 0
	pick, wanted := noHome, false
	for _, r := range f.Order() {
		if taken[x]>>r&1 != 0 {
			continue
		}
		free++
		switch {
		case c.hinted(v, r):
			pick, wanted = regHome(int8(r), x == 1), true
		case !wanted && (pick == noHome || cost(uint8(pick&31)) > cost(r)):
			pick = regHome(int8(r), x == 1)
		}
	}
	if free > leave {
		taken[x] |= 1 << (pick & 31)
		return pick
	}
	return homeLater
}

// chooseSlots gives those of owners whose homes are to come slots that are not taken: the ones in which
// what comes to them is, so that slots need not change places, and others.
func (c *compiler) chooseSlots(homes []home, owners, vals []ir.Value, taken *slotSet) {
	for n, w := range owners {
		if homes[n] != homeLater || c.slotHint(w) >= 0 {
			continue
		}
		if a := c.root(vals[n]); a.IsSSA() {
			if slot := c.vals[a].slot; slot >= 0 && !taken.has(slot) {
				taken.add(slot)
				homes[n] = homeSlot + home(slot)
			}
		}
	}
	for n, w := range owners {
		if homes[n] == homeLater {
			homes[n] = homeSlot + home(c.slotOutside(w, taken))
		}
	}
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
