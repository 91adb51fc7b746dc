package amd64

import (
	"emu/ir"
	"emu/jit/asm/x64"
)

// Scopes. At every join - ELSE, MERGE, END_BLOCK, a loop's header - all pending
// SETs are stored, and everything alive is in its spill slot: values live across
// a scope were spilled before it opened, results and loop arguments have slots of
// their own that YIELD, BREAK and CONTINUE fill. So all ways to a join agree.

// scope is an open IF, LOOP or BLOCK.
type scope struct {
	op     ir.Op
	cond   x64.Label // IF: the else arm
	end    x64.Label // behind the scope
	head   x64.Label // LOOP: its first instruction
	args   int       // LOOP: start of its arguments in compiler.results
	nargs  int
	held   int  // LOOP: start of its values in compiler.held
	res    int  // start of the results in compiler.results, -1 = not known yet
	nres   int  // number of results
	leaves bool // something goes to end
}

// settle prepares for a join or a scope: nothing is pending, everything alive has
// a slot.
func (c *compiler) settle() { c.settleFor(ir.None) }

// settleFor is settle for a scope that opens with condition cond: flags that only
// it needs stay where they are.
func (c *compiler) settleFor(cond ir.Value) {
	c.flush()
	if v := c.fl.v; c.flagsLive() {
		p := &c.vals[v]
		u, ok := c.lastCondition(v)
		if !(ok && u == cond) && !(v == c.root(cond) && p.uses == 1) {
			c.pack()
		}
	}
	for r := range uint8(regs) {
		if v := c.g.Owner(r); v != ir.None {
			c.spill(v)
		}
		if v := c.x.Owner(r); v != ir.None {
			c.spill(v)
		}
	}
}

const regs = 16

// forget drops what is in registers and flags: a join was reached.
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

func (c *compiler) open(op ir.Op) *scope {
	c.scopes = append(c.scopes, scope{op: op, end: c.b.NewLabel(), res: -1, held: len(c.held), args: len(c.results)})
	return &c.scopes[len(c.scopes)-1]
}

func (c *compiler) top() *scope { return &c.scopes[len(c.scopes)-1] }

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

// reserveSlots takes n slots that belong to the scope instead of to a value.
func (c *compiler) reserveSlots(n int, owner ir.Value) (start int) {
	start = len(c.results)
	for range n {
		c.results = append(c.results, c.newSlot(owner))
	}
	return start
}

// leaveTo passes the operands in c.args[from:] to the results of s.
func (c *compiler) leaveTo(s *scope, vals []ir.Value, at ir.Value) {
	if s.res < 0 {
		s.res, s.nres = c.reserveSlots(len(vals), at), len(vals)
	}
	for k, a := range vals {
		c.storeValue(slotMem(c.results[s.res+k]), a)
	}
	s.leaves = true
}

func lowerIf(c *compiler, v ir.Value, in ir.Inst) {
	if exit, merge, ok := c.sideExit(v); ok {
		c.leaveIf(in.A(), c.f.Insts[exit])
		for j := v + 1; j <= merge; j++ {
			c.vals[j].early = true
		}
		return
	}
	c.settleFor(in.A())
	s := c.open(ir.OpIf)
	s.cond = c.b.NewLabel()
	cc := c.cond(in.A())
	c.b.JccNear(cc.Invert(), s.cond)
	c.fl.v, c.flOf.v = ir.None, ir.None
}

func lowerElse(c *compiler, v ir.Value, in ir.Inst) {
	s := c.top()
	c.b.Bind(s.cond)
	s.cond = 0
	c.forget()
}

func lowerBlock(c *compiler, v ir.Value, in ir.Inst) {
	c.settle()
	c.open(ir.OpBlock)
}

func lowerYield(c *compiler, v ir.Value, in ir.Inst) {
	c.args = c.f.Operands(int(v), c.args[:0])
	c.flush()
	s := c.top()
	c.leaveTo(s, c.args, v)
	c.b.JmpNear(s.end)
}

func lowerBreak(c *compiler, v ir.Value, in ir.Inst) {
	c.args = c.f.Operands(int(v), c.args[:0])
	c.flush()
	s := c.enclosing(int(c.f.ImmOf(in.A())), true)
	c.leaveTo(s, c.args[1:], v)
	c.b.JmpNear(s.end)
}

// enclosing finds the nth enclosing LOOP, or BLOCK as well if blocks is set.
func (c *compiler) enclosing(n int, blocks bool) *scope {
	for k := len(c.scopes) - 1; k >= 0; k-- {
		s := &c.scopes[k]
		if s.op != ir.OpLoop && !(blocks && s.op == ir.OpBlock) {
			continue
		}
		if n == 0 {
			return s
		}
		n--
	}
	panic("BUG: amd64: branch out of no scope")
}

func lowerLoop(c *compiler, v ir.Value, in ir.Inst) {
	c.args = c.f.Operands(int(v), c.args[:0])
	c.settle()
	s := c.open(ir.OpLoop)
	// What is alive here stays so until the loop ends, however often it is used
	// inside: each use is counted once, and the body runs many times.
	for n := range c.nSlot {
		if w := c.slots[n]; w != ir.None && w < v && c.vals[w].slot == int16(n) {
			c.vals[w].uses++
			c.held = append(c.held, w)
		}
	}
	s.args, s.nargs = c.reserveSlots(len(c.args), v), len(c.args)
	for k, a := range c.args {
		c.storeValue(slotMem(c.results[s.args+k]), a)
	}
	c.forget()
	s.head = c.b.Here()
}

func lowerBlockArg(c *compiler, v ir.Value, in ir.Inst) {
	s := c.top()
	c.fromSlot(v, c.results[s.args+int(c.f.ImmOf(in.A()))])
	// The slot is the loop's until its end.
	c.vals[v].uses++
	c.held = append(c.held, v)
}

// fromSlot makes v the owner of a slot that holds it.
func (c *compiler) fromSlot(v ir.Value, slot int16) {
	p := &c.vals[v]
	p.slot, p.form = slot, formHere
	c.slots[slot] = v
}

func lowerContinue(c *compiler, v ir.Value, in ir.Inst) {
	c.args = c.f.Operands(int(v), c.args[:0])
	c.flush()
	s := c.enclosing(int(c.f.ImmOf(in.A())), false)
	vals := c.args[1:]
	// The new arguments may be made of the old ones: all are read before one is
	// written. Registers hold what they have room for, slots the rest.
	start := c.reserveSlots(len(vals), v)
	for k, a := range vals {
		c.storeValue(slotMem(c.results[start+k]), a)
	}
	for k, a := range vals {
		from, to := slotMem(c.results[start+k]), slotMem(c.results[s.args+k])
		if c.f.TypeOf(a).InXMM() {
			c.b.XM(x64.MOVUPS, x64.X0, from)
			c.b.MX(x64.MOVUPS, to, x64.X0)
			continue
		}
		c.b.RM(x64.MOVQ, x64.RAX, from)
		c.b.MR(x64.MOVQ, to, x64.RAX)
	}
	c.freeSlots(start, len(vals))
	c.results = c.results[:start]
	c.b.JmpNear(s.head)
}

func (c *compiler) freeSlots(start, n int) {
	for _, s := range c.results[start : start+n] {
		c.slots[s] = ir.None
	}
}

// lowerEndBlock closes a scope that nothing falls out of, and every loop's body;
// the MERGE after a loop's belongs to the loop if something breaks out of it.
func lowerEndBlock(c *compiler, v ir.Value, in ir.Inst) {
	s := c.top()
	if s.op == ir.OpLoop {
		c.endLoop(s)
		if s.leaves {
			return
		}
	}
	c.forget()
	c.close(s)
}

// endLoop lets go of what the loop kept alive.
func (c *compiler) endLoop(s *scope) {
	c.forget()
	for _, w := range c.held[s.held:] {
		c.release(w)
	}
	c.held = c.held[:s.held]
}

// close pops the scope. Slots of results that were never defined become free.
func (c *compiler) close(s *scope) {
	if s.cond != 0 {
		c.b.Bind(s.cond)
	}
	c.b.Bind(s.end)
	c.scopes = c.scopes[:len(c.scopes)-1]
	if len(c.scopes) == 0 {
		c.results = c.results[:0] // an inner scope may have taken an outer one's
	}
}

// lowerMerge is the join behind a scope; it and its DEF_EXTs own the results.
func lowerMerge(c *compiler, v ir.Value, in ir.Inst) {
	s := c.top()
	c.forget()
	w := v
	for k := range s.nres {
		slot := c.results[s.res+k]
		if k > 0 {
			w = c.nextResult(w)
		}
		if c.vals[w].uses == 0 {
			c.slots[slot] = ir.None
			c.vals[w].form = formSkip
			continue
		}
		c.fromSlot(w, slot)
	}
	c.close(s)
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
