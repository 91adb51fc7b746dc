package amd64

import (
	"emu/ir"
	"emu/jit/asm/x64"
	"emu/jit/host"
	"emu/jit/regalloc"
)

// Loops. What is alive in front of a LOOP and needed inside keeps its register
// while there are enough; what is not needed inside goes to its slot. Arguments
// get registers of their own, where CONTINUE puts the new ones. Nothing that was
// pending in front of a loop is so inside, but for pins that the loop does not change and
// has registers for, and in inner loops what is kept anyway.

// Registers of each class that a loop's header leaves to its body, if it can.
const (
	loopSpareR = 3
	loopSpareX = 3
)

// maxShortLoop is how many loads, stores and operations may make 64 bytes or less.
const maxShortLoop = 14

func lowerLoop(c *compiler, v ir.Value, in ir.Inst) {
	c.args = c.f.Operands(int(v), c.args[:0])
	for _, a := range c.args {
		c.materialize(a)
	}
	id := c.scoped.tree.Of[v]
	held := len(c.held)
	across := c.pinsAcross(id)
	more := c.moreAcross(id)
	across = regSet{across[0] | more[0], across[1] | more[1]}
	head := &c.scoped.info[id].head
	c.storeSets(regSet{^(head[0] | across[0]), ^(head[1] | across[1])})
	c.unsetBut(across)
	if c.flagsLive() {
		c.pack()
	}
	c.fl.v, c.flOf.v = ir.None, ir.None
	c.findArgs(v)
	fixed := c.fixed
	temps := c.weigh(id)
	// From here on the operands count as used.
	mine := func(w ir.Value) (n int32) {
		for _, a := range c.args {
			if c.root(a) == w {
				n++
			}
		}
		return n
	}
	c.thin(temps, mine, across)
	c.clearFixed(mine)
	across = c.pinsLeft(across, held)
	c.holdMore(more)
	for _, a := range c.args {
		if a = c.root(a); a.IsSSA() {
			c.vals[a].uses-- // so that the snapshot does not hold what ends here
		}
	}
	s := c.open(v, ir.OpLoop)
	s.across, s.held, s.pins, s.fixed = across, held, len(c.held), fixed
	c.captureAlive(s)
	short := c.short(id)
	c.loopHomes(s, short)
	for _, a := range c.args {
		if a = c.root(a); a.IsSSA() {
			c.vals[a].uses++
		}
	}
	for _, q := range c.placesOf(&s.entry) {
		if q.reg >= 0 {
			c.planMove(regHome(q.reg, c.vals[q.v].inX), q.v)
		}
	}
	for n, a := range c.args {
		if h := c.homes[s.homes+n]; h != noHome {
			c.planMove(h, c.root(a))
		}
	}
	c.emitMoves()
	c.loseOthers(c.info(s).Start, mine)
	c.hintArgs(s)
	s.wanted = c.wanted
	for _, h := range c.homes[s.homes : s.homes+s.nargs] {
		if h != noHome && !h.isSlot() {
			c.wanted[h>>5] |= 1 << (h & 31)
		}
	}
	align := host.CodeAlign
	if c.opt.AlignLoops && short {
		align = host.LoopAlign
	}
	c.beginLoop(s, align)
}

// short reports whether the loop in scope id probably fits into LoopAlign bytes: of longer ones
// one piece more to fetch is little, and what pads in front of them is executed each time.
func (c *compiler) short(id int32) bool {
	sc := &c.scoped.tree.Scopes[id]
	work := 0
	for n := sc.Start + 1; n < sc.End; n++ {
		switch op := c.f.Insts[n].Op(); op {
		case ir.OpLoop:
			return false
		case ir.OpTrunc, ir.OpZext, ir.OpBitcast, ir.OpBlockArg, ir.OpMerge, ir.OpDefExt: // mostly nothing
		default:
			if op == ir.OpStore || op == ir.OpStoreP || c.f.Types[n] != ir.Void {
				work++
			}
		}
		if work > maxShortLoop {
			return false
		}
	}
	return true
}

// captureAlive takes a loop's snapshot, of what is used behind the LOOP, and holds
// all of it: each use inside is counted once, and the body runs many times.
func (c *compiler) captureAlive(s *scope) {
	c.capture(&s.entry)
	all := c.placesOf(&s.entry)
	n := s.entry.from
	for _, q := range all {
		if !c.vals[q.v].aliveBehind(c.info(s).Start, 0) {
			continue
		}
		c.places[n] = q
		n++
		c.holdOne(q.v) // a lazy value's operands are in the snapshot themselves
		c.held = append(c.held, q.v)
	}
	s.entry.to = n
	c.places = c.places[:n]
}

// loseOthers forgets where values are that only an arm needs that is lowered later:
// it starts from its own snapshot.
func (c *compiler) loseOthers(start int32, mine func(ir.Value) int32) {
	for n := range uint8(regs) {
		for _, v := range [2]ir.Value{c.g.Owner(n), c.x.Owner(n)} {
			if v != ir.None && c.vals[v].uses > mine(v) && !c.vals[v].aliveBehind(start, 0) {
				c.unbind(v)
			}
		}
	}
	for n, v := range c.slots[:c.nSlot] {
		if v != ir.None && c.vals[v].uses > mine(v) && !c.vals[v].aliveBehind(start, 0) {
			c.slots[n], c.vals[v].slot = ir.None, -1
		}
	}
}

// thin spills what the loop does not use, and the least used, if registers would
// be short otherwise.
func (c *compiler) thin(temps int, mine func(ir.Value) int32, across regSet) {
	for x, f := range [2]*regalloc.File{&c.g, &c.x} {
		alive := 0
		for _, r := range f.Order() {
			if w := f.Owner(r); w != ir.None && c.vals[w].uses > mine(w) {
				alive++
			}
		}
		args := 0
		for _, w := range c.argOf {
			if w != ir.None && b2i(c.vals[w].inX) == x {
				args++
			}
		}
		room := len(f.Order()) - temps
		if x == 0 {
			alive -= c.thinPins(alive+args-len(f.Order())+max(temps, loopSpareR+3), mine, across)
		}
		for alive+args > room {
			least, at := ^uint32(0), ir.None
			for _, r := range f.Order() {
				if w := f.Owner(r); w != ir.None && c.vals[w].uses > mine(w) && c.weight[w] < least {
					least, at = c.weight[w], w
				}
			}
			// Registers go to what is used, in the loop's arguments too.
			if at == ir.None || least >= leastUse && alive <= room/2 {
				break
			}
			c.spill(at)
			c.unbind(at)
			alive--
			if mine(at) > 0 {
				continue // its copy is an argument
			}
		}
		if alive+args > room {
			c.spillAlive(f, mine)
		}
	}
}

// spillAlive stores what stays in registers of f to slots as well: what the loop takes a
// register from for a while then need not be stored on each iteration.
func (c *compiler) spillAlive(f *regalloc.File, mine func(ir.Value) int32) {
	for _, r := range f.Order() {
		if w := f.Owner(r); w != ir.None && c.vals[w].uses > mine(w) && c.weight[w] > 0 {
			c.spill(w)
		}
	}
}

// findArgs finds the arguments of the LOOP v that are used, whose operands are compiler.args.
func (c *compiler) findArgs(v ir.Value) {
	c.argOf = c.argOf[:0]
	for range c.args {
		c.argOf = append(c.argOf, ir.None)
	}
	for w := v + 1; int(w) < len(c.f.Insts); w++ {
		op := c.f.Insts[w].Op()
		if op == ir.OpNop {
			continue
		}
		if op != ir.OpBlockArg {
			break
		}
		if c.vals[w].uses > 0 {
			c.argOf[c.f.ImmOf(c.f.Insts[w].A())] = w
		}
	}
}

// keptReg is the register in which an argument's initial value is, if that ends there and the argument is used; -1 otherwise.
// No value has to be moved into the loop then.
func (c *compiler) keptReg(arg int) int8 {
	w, a := c.argOf[arg], c.root(c.args[arg])
	if w == ir.None || c.weight[w] < oneUse || !a.IsSSA() {
		return -1
	}
	p := &c.vals[a]
	if p.uses > 0 || p.reg < 0 || p.inX != c.vals[w].inX || !p.inX && c.fixed>>p.reg&1 != 0 {
		return -1
	}
	return p.reg
}

// keptRegs are these registers, by class.
func (c *compiler) keptRegs() (regs [2]uint32) {
	for n := range c.args {
		if r := c.keptReg(n); r >= 0 {
			regs[b2i(c.vals[c.argOf[n]].inX)] |= 1 << r
		}
	}
	return regs
}

// loopHomes chooses the places of a loop's arguments: those that it uses most
// first.
func (c *compiler) loopHomes(s *scope, short bool) {
	s.nargs = len(c.args)
	for range c.args {
		c.homes = append(c.homes, noHome)
	}
	var taken [2]uint32
	var slots slotSet
	for _, q := range c.placesOf(&s.entry) {
		if q.reg >= 0 {
			taken[b2i(c.vals[q.v].inX)] |= 1 << q.reg
		}
		if q.slot >= 0 {
			slots.add(q.slot)
		}
	}
	kept := c.keptRegs()
	for {
		best, at := uint32(0), -1
		for n := range c.args {
			if w := c.argOf[n]; w != ir.None && c.homes[s.homes+n] == noHome && (at < 0 || c.weight[w] > best) {
				best, at = c.weight[w], n
			}
		}
		if at < 0 {
			break
		}
		w, x := c.argOf[at], b2i(c.vals[c.argOf[at]].inX)
		if r := c.keptReg(at); r >= 0 && taken[x]>>r&1 == 0 {
			taken[x] |= 1 << r
			c.homes[s.homes+at] = regHome(r, x == 1)
			continue
		}
		leave := loopSpareR
		if x == 1 {
			leave = loopSpareX
		}
		if best < oneUse && !short { // in a short one its register is that of what replaces it
			leave += 3
		}
		if c.f.Types[w] == ir.Flags && taken[0]>>x64.RAX&1 == 0 {
			taken[0] |= 1 << x64.RAX
			c.homes[s.homes+at] = home(x64.RAX)
			continue
		}
		c.homes[s.homes+at] = c.freeReg(w, &taken, kept[x], leave)
	}
	c.chooseSlots(c.homes[s.homes:s.homes+s.nargs], c.argOf, c.args, &slots)
}

func lowerBlockArg(c *compiler, v ir.Value, in ir.Inst) {
	c.settleIn(v, c.homes[c.top().homes+int(c.f.ImmOf(in.A()))])
}

func lowerContinue(c *compiler, v ir.Value, in ir.Inst) {
	c.args = c.f.Operands(int(v), c.args[:0])
	s := c.enclosing(int(c.f.ImmOf(in.A())), false)
	if c.top().fused == v {
		c.poll = 0
		c.unsetAll()
		return // the IF's branch goes there
	}
	for _, a := range c.args[1:] {
		c.materialize(a)
	}
	head := &c.scoped.info[s.id].head
	c.storeSets(regSet{^(head[0] | s.across[0]), ^(head[1] | s.across[1])})
	polls := c.poll.Op() == ir.OpPoll
	if polls {
		c.clobber()
	}
	c.planContinue(s, c.args[1:])
	if polls {
		p := c.pollCold(c.poll)
		c.poll = 0
		c.comparePending()
		if !c.moved() && s.table == nil {
			c.moves = c.moves[:0]
			c.b.Jcc(x64.EQ, s.head)
			c.b.JmpNear(p.from)
			c.unsetAll()
			return
		}
		c.b.JccNear(x64.NE, p.from)
	}
	c.emitMoves()
	if s.table != nil {
		c.fl.v, c.flOf.v = ir.None, ir.None // which the jump changes: nothing is needed any more
		s.table.jump(c)
	} else {
		c.b.Jmp(s.head)
	}
	c.unsetAll()
}

// planContinue plans the moves to a loop's header.
func (c *compiler) planContinue(s *scope, vals []ir.Value) {
	for _, q := range c.placesOf(&s.entry) {
		if q.reg >= 0 {
			c.planMove(regHome(q.reg, c.vals[q.v].inX), q.v)
		}
	}
	for n, a := range vals {
		if h := c.homes[s.homes+n]; h != noHome {
			c.planMove(h, c.root(a))
		}
	}
}
