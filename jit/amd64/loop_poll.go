package amd64

import (
	"slices"

	"emu/ir"
	"emu/jit/asm/x64"
	"emu/jit/host"
)

// A loop's way back that is all of an arm of an IF, moves nothing and has a poll is one branch, to a poll
// in front of the loop's first instruction, around which the loop is entered:
//
//	      jmp head
//	top:  cmp pending, 0
//	      jne cold
//	head: ...
//	      jcc top
//
// The poll's branch is never taken then, and the exit's falls through. With the exit's branch in front of the
// poll's, and the poll's the way back, some processors take half as long again for short loops that begin at a
// multiple of 64 (docs/tier2.md).

// pollAtTop is a LOOP's poll in front of its first instruction. Only one of its ways back can go there:
// the cold code depends on where that has which values.
type pollAtTop struct {
	top, cold x64.Label // 0 if there is none
	used      bool
}

// pollBytes is the size of the poll.
const pollBytes = 10

// beginLoop begins a loop's code at a multiple of align. Of short loops it is that of the poll: with the poll in the 64 bytes
// in front, these take one cycle in three more on processors that fetch a piece of 64 bytes in a cycle (docs/tier2.md).
func (c *compiler) beginLoop(s *scope, align int) {
	s.short = align == host.LoopAlign
	if c.storesArgs(s) || !c.pollsAlone(s) || slices.Contains(c.plain, c.info(s).Start) {
		c.b.Align(align)
		s.head = c.b.Here()
		return
	}
	s.head, s.poll.cold = c.b.NewLabel(), c.b.NewLabel()
	c.b.JmpShort(s.head)
	if s.short {
		c.b.Align(align)
	} else {
		c.b.Nop(-(c.b.Pos() + pollBytes) & (align - 1))
	}
	s.poll.top = c.b.Here()
	c.comparePending()
	c.b.JccNear(x64.NE, s.poll.cold)
	c.b.Bind(s.head)
}

// storesArgs reports whether a way back of the loop has to store arguments to slots.
func (c *compiler) storesArgs(s *scope) bool {
	return slices.ContainsFunc(c.homes[s.homes:s.homes+s.nargs], func(h home) bool { return h != noHome && h.isSlot() })
}

// pollsAlone reports whether one of the ways back of a loop is a poll that is all of an IF's arm.
func (c *compiler) pollsAlone(s *scope) bool {
	sc := c.info(s)
	for v := ir.Value(sc.Start) + 1; int32(v) < sc.End; v++ {
		switch c.f.Insts[v].Op() {
		case ir.OpIf, ir.OpElse:
			on, poll := c.afterPoll(v+1, true)
			if poll != ir.None && c.f.Insts[on].Op() == ir.OpContinue && c.scoped.tree.Of[on] == s.id {
				return true
			}
		}
	}
	return false
}

// afterPoll is the first instruction from v on that does something, with polls behind a poll if there is one.
func (c *compiler) afterPoll(v ir.Value, polls bool) (on, poll ir.Value) {
	poll = ir.None
	for {
		switch op := c.f.Insts[v].Op(); {
		case op == ir.OpNop, op == ir.OpArgExt, op == ir.OpInsn && polls && poll == ir.None:
		case op == ir.OpPoll && polls && poll == ir.None:
			poll = v
		default:
			return v, poll
		}
		v++
	}
}

// pollTop is where a way back to the loop t goes whose poll is the instruction at v, if nothing that is pending is in the
// host's flags alone: the poll changes them.
func (c *compiler) pollTop(t *scope, v ir.Value) (to x64.Label, ok bool) {
	if t.poll.top == 0 || t.poll.used {
		return 0, false
	}
	if v := c.fl.v; v != ir.None && c.vals[v].pend > 0 && c.vals[v].onlyFlags() {
		return 0, false
	}
	p := c.pollCold(c.f.Insts[v])
	p.from, t.poll.used = t.poll.cold, true
	return t.poll.top, true
}

// closePoll is the end of a loop: a poll at its top that no way back goes to leads nowhere. A short loop had better have its
// first instruction there.
func (c *compiler) closePoll(s *scope) {
	if s.poll.top == 0 || s.poll.used {
		return
	}
	c.b.Bind(s.poll.cold)
	if s.short {
		c.plain = append(c.plain, c.info(s).Start)
	}
}
