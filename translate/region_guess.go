package translate

import (
	"emu/ir"
)

// Guesses. Where an indirect call nearly always goes to one function that is worth
// inlining, it is inlined behind a comparison of the target with that; what is left
// branches indirectly. Indirect branches of inlined code go on in the same way, as entries
// of procedure linkage tables do, which lead to functions of other libraries. A guess may
// be wrong, or become wrong: it costs a comparison then.
//
// Other indirect branches, of switches and interpreters, are not guessed. Compilers let
// many operations of an interpreter share one of them, and a region that went on at up to
// three targets each ran Lua a tenth slower: where a guess is wrong a loop's registers
// are stored, and most were.

// maxThunkInsts is the length of functions that are inlined although they end in an
// indirect branch: entries of procedure linkage tables have four or five.
const maxThunkInsts = 6

// Guessed lists what the last region expects of indirect branches. It is valid until
// the next region.
func (t *Translator) Guessed() []Guess { return t.guesses }

// target asks the profile where the branch at site goes.
func (r *region) target(site uint64) (pc uint64, ok bool) {
	if r.profile == nil || r.profile.Target == nil || r.t.guards() || r.t.gcs {
		return 0, false
	}
	pc, ok = r.profile.Target(site)
	return pc, ok && pc&3 == 0
}

// guess fills in where the indirect branch g at p goes, if there is a guess.
func (r *region) guess(p place, g *guestInst) {
	to, ok := r.target(p.pc)
	switch {
	case !ok || !p.inlined() && (g.kind == flowInd || !r.leaf(to)):
		return
	case !p.inlined():
		g.target = place{to, p.pc + 4}
	default:
		g.target = place{to, p.ret} // leaf has looked there
	}
	g.guess = true
	r.t.guesses = append(r.t.guesses, Guess{p.pc, to})
}

// guessed ends a block with an indirect branch to target, of which the region has a
// guess.
func (t *Translator) guessed(target ir.Value) {
	t.flow.ended, t.flow.cond, t.flow.target = true, ir.None, target
}

// guess goes on where an indirect branch is guessed to go, or where it goes else.
func (e *emitter) guess(n *stmt) {
	cond := e.ICmp(ir.EQ, e.targets[n.block], e.I64(n.edge.pc))
	right, known := e.ConstOf(cond)
	switch {
	case known && right.Lo != 0:
		e.guessRight(n)
	case known:
		e.stmts(n.other)
	default:
		e.If(cond)
		e.guessRight(n)
		e.Else()
		e.stmts(n.other)
		e.End()
	}
}

// guessRight is where the guess is right. Cycles of control flow through it have a safe
// point (see poll) wherever they come back.
func (e *emitter) guessRight(n *stmt) {
	b := &e.r.blocks[n.block]
	if n.edge.pc <= b.last() {
		e.Poll(b.last())
	}
	if b.call {
		e.SetX(30, e.I64(n.edge.ret))
	}
	e.stmts(n.body)
}

// indirect is where it is not.
func (e *emitter) indirect(n *stmt) {
	b, target := &e.r.blocks[n.block], e.targets[n.block]
	e.Poll(b.last())
	ret := b.ret
	if b.call {
		ret = b.last() + 4
		e.SetX(30, e.I64(ret))
	}
	e.jumpOrCall(target, ret)
}

// jumpOrCall branches to target. In inlined code that is its call if X30 still says so.
func (t *Translator) jumpOrCall(target ir.Value, ret uint64) {
	if ret != 0 {
		if c, ok := t.ConstOf(t.GetX(30)); ok && c.Lo == ret {
			t.CallInd(target, ret)
			return
		}
	}
	t.JumpInd(target)
}
