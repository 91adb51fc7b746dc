package amd64

import (
	"math/bits"

	"emu/ir"
	"emu/jit/asm/x64"
)

// armOrder is the order in which the arms of an IF are lowered.
type armOrder uint8

const (
	thenFirst armOrder = iota
	elseFirst          // the else arm goes on with the loop: it is lowered first
	thenLast           // it has been
)

func lowerIf(c *compiler, v ir.Value, in ir.Inst) {
	if k := c.caseAt(v); k != nil {
		c.lowerCase(v, k)
		return
	}
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
	s.away = c.goesAway(s)
	if c.fuse(s, cc) {
		s.away = noArm
		c.unsetDead(v)
		if int32(s.fused) > sc.Else {
			c.leaveToOther(s)
		}
		return
	}
	if s.away == thenArm && !(c.goesOn(sc) && c.endsIn(sc.Else) == ir.OpBreak) {
		away := c.b.NewLabel()
		c.b.JccNear(cc, away)
		c.beginAway(away)
		c.unsetDead(v)
		c.leaveToOther(s)
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
	c.leaveToOther(s)
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

// fuse branches to where an arm goes, provided that the arm does nothing else. What goes on behind the IF
// needs no branch if the other arm goes away.
func (c *compiler) fuse(s *scope, cc x64.Cond) bool {
	sc := c.info(s)
	for _, op := range [...]ir.Op{ir.OpContinue, ir.OpBreak, ir.OpYield} {
		on := op == ir.OpYield
		if !(on && s.away == elseArm) {
			if to, ok := c.fuseArm(s, sc.Start, op); ok {
				c.b.Jcc(cc, to)
				return true
			}
		}
		if !(on && s.away == thenArm) {
			if to, ok := c.fuseArm(s, sc.Else, op); ok {
				c.b.Jcc(cc.Invert(), to)
				return true
			}
		}
	}
	return false
}

// fuseArm is where the arm behind instruction n goes, for the branch of its IF, if op is all that is in it, but for
// the poll of a CONTINUE, and nothing has to be moved.
func (c *compiler) fuseArm(s *scope, n int32, op ir.Op) (to x64.Label, ok bool) {
	v, poll := c.afterPoll(ir.Value(n)+1, op == ir.OpContinue)
	if c.f.Insts[v].Op() != op {
		return 0, false
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
		return 0, false
	}
	for _, a := range vals {
		if a = c.root(a); a.IsSSA() {
			if p := &c.vals[a]; p.form == formLater || p.reg < 0 && p.slot < 0 {
				return 0, false
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
		return 0, false
	}
	if poll != ir.None {
		if to, ok = c.pollTop(t, poll); ok {
			s.fused = v
		}
		return to, ok
	}
	s.fused = v
	if op == ir.OpContinue {
		return t.head, true
	}
	return t.end, true
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
	c.takeFromOther(s)
	c.endAway(s)
	if s.away == elseArm {
		c.beginAway(s.cond)
	} else {
		c.b.Bind(s.cond)
	}
	c.restore(&s.entry, regSet{^uint64(0), ^uint64(0)}, -1)
	if v := s.entry.fl.v; v != ir.None && (c.vals[v].uses > 0 || c.vals[v].pend > 0) {
		c.fl, c.flAt = s.entry.fl, c.b.Pos()
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
