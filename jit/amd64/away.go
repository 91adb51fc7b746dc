package amd64

import (
	"emu/ir"
	"emu/jit/asm/x64"
	"emu/jit/host"
)

// Arms that go away. An arm of an IF that leaves the unit, or the loop around the IF,
// while the other arm does not, is executed once each time the unit or loop is left,
// and mostly never. So is one that does nothing but leave the unit by a branch, as regions leave out what
// seldom runs. It is lowered where the IR has it, with what stores it needs, and
// its code stands behind all that is hot: the hot path has a branch that is not taken.

// armAway says which arm of an IF goes away.
type armAway uint8

const (
	noArm armAway = iota
	thenArm
	elseArm
)

// awayCode is the code of an arm until it is put in its place.
type awayCode struct {
	piece   x64.Piece
	label   x64.Label // where it begins
	exits   [2]int    // its part of host.Code.Exits
	entries [2]int    // its part of compiler.awayMap
}

// awayNow is the arm that is being lowered. There is one at a time: what is within it is
// away already.
type awayNow struct {
	scope   int // index in compiler.scopes + 1, 0 = none
	label   x64.Label
	exits   int // lengths when it began
	entries int
}

// beginAway starts the arm of the innermost open scope, to which branches to l lead.
func (c *compiler) beginAway(l x64.Label) {
	c.awayAt = awayNow{len(c.scopes), l, len(c.code.Exits), len(c.code.Map.Entries)}
	c.b.BeginCut()
}

// endAway ends the arm that goes away if it is one of s, the innermost open scope.
func (c *compiler) endAway(s *scope) {
	n := &c.awayAt
	if s.away == noArm || n.scope != len(c.scopes) {
		return
	}
	m := &c.code.Map
	from := len(c.awayMap)
	c.awayMap = append(c.awayMap, m.Entries[n.entries:]...)
	m.Entries = m.Entries[:n.entries]
	c.away = append(c.away, awayCode{c.b.EndCut(), n.label, [2]int{n.exits, len(c.code.Exits)}, [2]int{from, len(c.awayMap)}})
	n.scope = 0
}

// emitAway puts the arms that went away here.
func (c *compiler) emitAway() {
	for i := range c.away {
		a := &c.away[i]
		by := c.b.Paste(a.label, a.piece)
		for k := a.exits[0]; k < a.exits[1]; k++ {
			c.code.Exits[k].Patch += int32(by)
		}
		for _, e := range c.awayMap[a.entries[0]:a.entries[1]] {
			c.code.Map.Entries = append(c.code.Map.Entries, host.PCEntry{Off: e.Off + uint32(by), PC: e.PC, Recipe: e.Recipe})
		}
	}
}

// goesAway chooses the arm of s, an IF, that goes away.
func (c *compiler) goesAway(s *scope) armAway {
	if c.awayAt.scope != 0 {
		return noArm
	}
	stays := c.scoped.info[s.id].stays
	if !stays[0] && !stays[1] {
		sc := c.info(s)
		stays = [2]bool{!c.onlyJumps(sc.Start, sc.Else), !c.onlyJumps(sc.Else, sc.End)}
	}
	switch {
	case !stays[0] && stays[1]:
		return thenArm
	case stays[0] && !stays[1]:
		return elseArm
	}
	return noArm
}

// onlyJumps reports whether all that there is between two instructions is a JUMP and what SETs the guest's
// registers in front of it. One to a lower address than the unit's does not count: it may be the way back of a loop.
func (c *compiler) onlyJumps(from, to int32) bool {
	for _, in := range c.f.Insts[from+1 : to] {
		switch op := in.Op(); {
		case op == ir.OpJump:
			return c.f.ImmOf(in.A()) > c.f.PC
		case op == ir.OpNop, op == ir.OpInsn, op == ir.OpSetX, op == ir.OpSetV, op == ir.OpSetNZCV, op.Has(ir.Pure):
		default:
			return false
		}
	}
	return false
}

// findStaying notes for each arm of each IF whether control may stay around it: go on
// behind the IF, or in the innermost loop around that. Arms with loops in them count as
// such, as what runs in those is hot.
func (s *scopeScan) findStaying(c *compiler) {
	cur := int32(-1) // innermost open scope
	scopes := s.tree.Scopes
	// stay notes the arms that instruction n is in, of scopes inside of target and, if
	// own is set, of target itself. On a way that leaves its loop an arm does not stay.
	stay := func(n int, target int32, own bool, op ir.Op) {
		for at := cur; at >= 0 && (at != target || own); at = scopes[at].Parent {
			sc := &scopes[at]
			if sc.Op == ir.OpIf && !s.leavesLoop(at, target, op) {
				s.info[at].stays[b2i(n > int(sc.Else))] = true
			}
			if at == target {
				return
			}
		}
	}
	for n, in := range c.f.Insts {
		switch op := in.Op(); op {
		case ir.OpIf, ir.OpLoop, ir.OpBlock:
			if op == ir.OpLoop {
				stay(n, -1, false, op)
			}
			cur = s.tree.Of[n]
		case ir.OpYield:
			stay(n, s.tree.Of[n], true, op)
		case ir.OpBreak, ir.OpContinue:
			stay(n, s.tree.Of[n], false, op)
		case ir.OpEndBlock, ir.OpMerge:
			cur = scopes[s.tree.Of[n]].Parent
		}
	}
}

// leavesLoop reports whether op, a BREAK or CONTINUE to scope target, leaves the
// innermost loop around scope at.
func (s *scopeScan) leavesLoop(at, target int32, op ir.Op) bool {
	if op != ir.OpBreak && op != ir.OpContinue {
		return false
	}
	scopes := s.tree.Scopes
	loop := scopes[at].Parent
	for loop >= 0 && scopes[loop].Op != ir.OpLoop {
		if loop == target {
			return false
		}
		loop = scopes[loop].Parent
	}
	return loop >= 0 && (loop != target || op == ir.OpBreak)
}
