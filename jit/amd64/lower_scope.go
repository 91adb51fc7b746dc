package amd64

import (
	"math/bits"

	"emu/ir"
	"emu/jit/asm/x64"
	"emu/jit/host"
)

// Scopes. What is pending for a register that is SET nowhere inside of a scope
// stays so across it; what is pending for one that is SET behind the join anyway
// is kept while it lasts and never stored; the rest is stored before (scan_scopes.go
// tells them apart). snapshot.go says how values keep their places.

// scope is an open IF, LOOP or BLOCK.
type scope struct {
	op     ir.Op
	id     int32     // in compiler.scoped
	cond   x64.Label // IF: the other arm
	end    x64.Label // behind the scope
	head   x64.Label // LOOP: its first instruction
	entry  snapshot
	across regSet    // registers whose pending SETs stay across
	held   int       // start of its values in compiler.held
	pins   int       // LOOP: start of those that are not pinned registers'
	homes  int       // start of its arguments in compiler.homes
	wanted [2]uint32 // LOOP: compiler.wanted outside
	nargs  int       // LOOP
	res    int       // start of the results in compiler.homes, -1 = not known yet
	nres   int
	order  armOrder
	away   armAway  // IF
	second bool     // IF: the arm that is lowered last has begun
	fused  ir.Value // IF: the CONTINUE that its branch does
}

// armOrder is the order in which the arms of an IF are lowered.
type armOrder uint8

const (
	thenFirst armOrder = iota
	elseFirst          // the else arm goes on with the loop: it is lowered first
	thenLast           // it has been
)

func (c *compiler) info(s *scope) *ir.ScopeInfo { return &c.scoped.tree.Scopes[s.id] }

func (c *compiler) top() *scope { return &c.scopes[len(c.scopes)-1] }

// open opens the scope that instruction v starts.
func (c *compiler) open(v ir.Value, op ir.Op) *scope {
	n := len(c.scopes)
	if n < cap(c.scopes) {
		c.scopes = c.scopes[:n+1]
	} else {
		c.scopes = append(c.scopes, scope{})
	}
	s := &c.scopes[n]
	s.op, s.id = op, c.scoped.tree.Of[v]
	s.cond, s.end, s.head = 0, c.b.NewLabel(), 0
	s.held, s.homes, s.nargs, s.res, s.nres = len(c.held), len(c.homes), 0, -1, 0
	s.order, s.away, s.second, s.fused = thenFirst, noArm, false, ir.None
	return s
}

// openAcross stores what cannot stay pending across the scope that v starts, and
// packs flags that are needed behind it. It returns which registers can.
func (c *compiler) openAcross(v ir.Value) (across regSet) {
	id := c.scoped.tree.Of[v]
	info, sc := &c.scoped.info[id], &c.scoped.tree.Scopes[id]
	if sc.Merge < 0 {
		return regSet{}
	}
	for w := range across {
		across[w] = ^(info.sets[w] | info.join[w])
	}
	c.storeSets(regSet{info.sets[0] &^ info.join[0], info.sets[1] &^ info.join[1]})
	if f := c.fl.v; c.flagsLive() {
		p := &c.vals[f]
		waits := false
		if w, ok := c.pending(int(host.GuestNZCV)); ok && w == f {
			waits = across[1]&1 != 0
		}
		if waits || p.holds > 0 || p.user != ir.None && int32(p.user) > sc.Merge {
			c.pack()
		}
	}
	return across
}

// capturePending takes the snapshot of a scope and holds what is pending for the
// registers of set: other ways through the scope still need it.
func (c *compiler) capturePending(s *scope, set regSet) {
	c.capture(&s.entry)
	for w := range set {
		for m := c.pendM[w] & set[w]; m != 0; m &= m - 1 {
			if v := c.pend[w<<6+bits.TrailingZeros64(m)]; v.IsSSA() {
				c.hold(v)
				c.held = append(c.held, v)
			}
		}
	}
}

// letGoAll releases what the scope holds.
func (c *compiler) letGoAll(s *scope) {
	for _, w := range c.held[s.held:] {
		if s.op == ir.OpLoop {
			c.letGoOne(w)
		} else {
			c.letGo(w)
		}
	}
	c.held = c.held[:s.held]
}

func lowerIf(c *compiler, v ir.Value, in ir.Inst) {
	if exit, merge, ok := c.sideExit(v); ok {
		c.leaveIf(in.A(), c.f.Insts[exit])
		for j := v + 1; j <= merge; j++ {
			c.vals[j].early = true
		}
		return
	}
	across := c.openAcross(v)
	cc := c.cond(in.A())
	s := c.open(v, ir.OpIf)
	s.across = across
	c.capturePending(s, regSet{^uint64(0), ^uint64(0)})
	s.cond = c.b.NewLabel()
	c.flOf.v = ir.None
	sc := c.info(s)
	if c.fuse(s, cc) {
		c.unsetDead(v)
		return
	}
	s.away = c.goesAway(s)
	if s.away == thenArm && !(c.goesOn(sc) && c.endsIn(sc.Else) == ir.OpBreak) {
		away := c.b.NewLabel()
		c.b.JccNear(cc, away)
		c.beginAway(away)
		c.unsetDead(v)
		return
	}
	if c.goesOn(sc) {
		s.away = noArm // it stands behind the loop
		s.order = elseFirst
		c.b.JccNear(cc, s.cond)
		c.jump = int(sc.Else) + 1
		c.unsetDead(ir.Value(sc.Else))
		return
	}
	c.b.JccNear(cc.Invert(), s.cond)
	c.unsetDead(v)
}

// goesOn reports whether an IF's else arm ends in a CONTINUE and the other one
// does not: a loop is left in the middle, and what goes on comes first.
func (c *compiler) goesOn(sc *ir.ScopeInfo) bool {
	return c.endsIn(sc.End) == ir.OpContinue && c.endsIn(sc.Else) != ir.OpContinue
}

// endsIn is the opcode of the last instruction in front of n.
func (c *compiler) endsIn(n int32) ir.Op {
	for n--; c.f.Insts[n].Op() == ir.OpNop; n-- {
	}
	return c.f.Insts[n].Op()
}

// fuse branches to where an arm goes, provided that the arm does nothing else.
func (c *compiler) fuse(s *scope, cc x64.Cond) bool {
	sc := c.info(s)
	for _, op := range [...]ir.Op{ir.OpContinue, ir.OpBreak, ir.OpYield} {
		if c.fuseArm(s, sc.Start, op, cc) || c.fuseArm(s, sc.Else, op, cc.Invert()) {
			return true
		}
	}
	return false
}

// fuseArm is fuse for the arm behind instruction n if op is all that is in it.
func (c *compiler) fuseArm(s *scope, n int32, op ir.Op, cc x64.Cond) bool {
	v := ir.Value(n) + 1
	for c.f.Insts[v].Op() == ir.OpNop || c.f.Insts[v].Op() == ir.OpArgExt {
		v++
	}
	if c.f.Insts[v].Op() != op {
		return false
	}
	c.args = c.f.Operands(int(v), c.args[:0])
	vals := c.args
	k := len(c.scopes) - 1
	if op != ir.OpYield {
		k = c.enclosingAt(int(c.f.ImmOf(vals[0])), op == ir.OpBreak)
		vals = vals[1:]
	}
	t := &c.scopes[k]
	info := &c.scoped.info[t.id]
	kept := regSet{t.across[0] | info.join[0], t.across[1] | info.join[1]}
	if op == ir.OpContinue {
		kept = regSet{t.across[0] | info.head[0], t.across[1] | info.head[1]}
	}
	if c.pendM[0]&^kept[0]|c.pendM[1]&^kept[1] != 0 {
		return false
	}
	for _, a := range vals {
		if a = c.root(a); a.IsSSA() {
			if p := &c.vals[a]; p.form == formLater || p.reg < 0 && p.slot < 0 {
				return false
			}
		}
	}
	if op == ir.OpContinue {
		c.planContinue(t, vals)
	} else {
		c.planArrival(k, vals)
	}
	same := !c.moved()
	c.moves = c.moves[:0]
	if !same {
		return false
	}
	s.fused = v
	if op == ir.OpContinue {
		c.b.Jcc(cc, t.head)
	} else {
		c.b.JccNear(cc, t.end)
	}
	return true
}

func lowerElse(c *compiler, v ir.Value, in ir.Inst) {
	s := c.top()
	if s.order == thenLast {
		c.jump = int(c.info(s).End)
		return
	}
	c.otherArm(s)
}

// otherArm starts the second arm of an IF from the snapshot.
func (c *compiler) otherArm(s *scope) {
	s.second = true
	c.endAway(s)
	if s.away == elseArm {
		c.beginAway(s.cond)
	} else {
		c.b.Bind(s.cond)
	}
	c.restore(&s.entry, regSet{^uint64(0), ^uint64(0)}, -1)
	if v := s.entry.fl.v; v != ir.None && (c.vals[v].uses > 0 || c.vals[v].pend > 0) {
		c.fl = s.entry.fl
		c.vals[v].form = formHere
	}
	// What does not stay across is needed in this arm at most.
	n := s.held
	for w := range s.entry.pendM {
		for m := s.entry.pendM[w]; m != 0; m &= m - 1 {
			v := s.entry.pend[w<<6+bits.TrailingZeros64(m)]
			switch {
			case !v.IsSSA():
			case s.across[w]&(m&-m) != 0:
				c.held[n] = v
				n++
			default:
				c.letGo(v)
			}
		}
	}
	c.held = c.held[:n]
	if s.order == thenLast {
		c.unsetDead(ir.Value(c.info(s).Start))
	} else {
		c.unsetDead(ir.Value(c.info(s).Else))
	}
}

// turn goes from the end of an else arm that came first to the other arm.
func (c *compiler) turn(s *scope) bool {
	if s.order != elseFirst {
		return false
	}
	s.order = thenLast
	c.otherArm(s)
	c.jump = int(c.info(s).Start) + 1
	return true
}

func lowerBlock(c *compiler, v ir.Value, in ir.Inst) {
	across := c.openAcross(v)
	s := c.open(v, ir.OpBlock)
	s.across = across
	c.capturePending(s, across)
}

func lowerYield(c *compiler, v ir.Value, in ir.Inst) {
	c.args = c.f.Operands(int(v), c.args[:0])
	c.arrive(v, len(c.scopes)-1, c.args)
}

func lowerBreak(c *compiler, v ir.Value, in ir.Inst) {
	c.args = c.f.Operands(int(v), c.args[:0])
	c.arrive(v, c.enclosingAt(int(c.f.ImmOf(in.A())), true), c.args[1:])
}

// enclosingAt finds the nth enclosing LOOP, or BLOCK as well if blocks is set.
func (c *compiler) enclosingAt(n int, blocks bool) int {
	for k := len(c.scopes) - 1; k >= 0; k-- {
		s := &c.scopes[k]
		if s.op != ir.OpLoop && !(blocks && s.op == ir.OpBlock) {
			continue
		}
		if n == 0 {
			return k
		}
		n--
	}
	panic("BUG: amd64: branch out of no scope")
}

func (c *compiler) enclosing(n int, blocks bool) *scope { return &c.scopes[c.enclosingAt(n, blocks)] }

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

func regHome(r int8, inX bool) home {
	if inX {
		return homeX + home(r)
	}
	return home(r)
}

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
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

// lowerEndBlock closes a scope that nothing falls out of, and every loop's body;
// the MERGE after a loop's belongs to the loop if something breaks out of it.
func lowerEndBlock(c *compiler, v ir.Value, in ir.Inst) {
	s := c.top()
	if c.turn(s) {
		return
	}
	c.endAway(s)
	if s.op == ir.OpLoop {
		c.wanted = s.wanted
		if c.info(s).Merge >= 0 {
			for _, w := range c.held[s.pins:] {
				c.letGoOne(w)
			}
			c.held = c.held[:s.pins]
			return
		}
	}
	c.letGoAll(s)
	c.unsetAll()
	c.close(s)
}

// close pops the scope.
func (c *compiler) close(s *scope) {
	c.b.Bind(s.end)
	c.places = c.places[:s.entry.from]
	c.scopes = c.scopes[:len(c.scopes)-1]
	if len(c.scopes) == 0 {
		c.homes = c.homes[:0] // an outer scope's results may stand behind an inner one's
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
