package translate

import (
	"slices"

	"emu/cpu"
	"emu/ir"
)

// Guesses. Where an indirect call nearly always goes to one function that is worth
// inlining, or to a few, they are inlined behind comparisons of the target with each, most frequent
// first; what is left branches indirectly. Indirect branches of inlined code go on in the same way, as entries
// of procedure linkage tables do, which lead to functions of other libraries. A guess may
// be wrong, or become wrong: it costs a comparison then.
//
// Other indirect branches are guessed if they are switches' (region_switch.go).

const (
	// maxThunkInsts is the length of functions that are inlined although they end in an
	// indirect branch: entries of procedure linkage tables have four or five.
	maxThunkInsts = 6
	// maxTargets is how many targets of one indirect branch a region goes on at.
	maxTargets = 8
	// fewShare is how many hundredths of its noted executions they have, if there are several: more than of all, as these are those
	// that are noted most often. With 90 one of thirty runs of an interpreter with fourteen operations, of 32
	// notes in each, took three times as long.
	fewShare = 95
)

// Guessed lists what the last region expects of indirect branches. It is valid until
// the next region.
func (t *Translator) Guessed() []Guess { return t.guesses }

// targets asks the profile where the branch at site goes.
func (r *region) targets(site uint64) (list []Target, of int) {
	if !r.guesses() || r.profile.Targets == nil {
		return nil, 0
	}
	list, of = r.profile.Targets(site)
	return slices.DeleteFunc(list, func(to Target) bool { return !r.lands(site, to.PC) }), of
}

// few lists the targets that the indirect branch at site has nearly always, most often first, if they are
// few, and how often they all were noted. Where other regions expect some, that is them: since there are
// regions only what they leave to tier 1 is noted.
func (r *region) few(site uint64) (list []Target, of int) {
	if list, ok := r.expected(site); ok {
		return list, len(list)
	}
	return r.fewNoted(site)
}

// fewNoted is few as far as notes tell.
func (r *region) fewNoted(site uint64) (list []Target, of int) {
	list, of = r.targets(site)
	list = list[:min(len(list), maxTargets)]
	covered := 0
	for _, to := range list {
		covered += to.N
	}
	if 100*covered < fewShare*of {
		return nil, of
	}
	return list, of
}

// expected lists where other regions expect the indirect branch at site to go. ok is false if none has it.
func (r *region) expected(site uint64) (list []Target, ok bool) {
	if !r.guesses() || r.profile.Expected == nil {
		return nil, false
	}
	to, ok := r.profile.Expected(site)
	for _, pc := range to {
		if r.lands(site, pc) {
			list = append(list, Target{pc, 1})
		}
	}
	return list, ok
}

// guesses reports whether indirect branches are guessed at all: not those whose returns something
// checks.
func (r *region) guesses() bool { return r.profile != nil && !r.t.gcs }

// target is where the branch at site goes nearly always.
func (r *region) target(site uint64) (pc uint64, ok bool) {
	list, of := r.targets(site)
	if len(list) == 0 || 4*list[0].N < 3*of {
		return 0, false
	}
	return list[0].PC, list[0].PC&3 == 0
}

// guess fills in where the indirect branch g at p goes, if there is a guess.
func (r *region) guess(p place, g *guestInst) {
	if g.kind == flowInd && !p.inlined() {
		r.guessCases(p, g)
		return
	}
	if g.kind == flowIndCall {
		g.goes = r.callees(p)
	} else if to, ok := r.target(p.pc); ok {
		g.goes = []place{{to, p.ret}} // look was there
	}
	for _, to := range g.goes {
		r.t.guesses = append(r.t.guesses, Guess{p.pc, to.pc})
	}
}

// callees lists the functions that are inlined where the indirect call at p goes to one or a few
// nearly always, and to these in three quarters of its executions.
func (r *region) callees(p place) (goes []place) {
	if p.inlined() {
		return nil
	}
	list, of := r.few(p.pc)
	if len(list) == 0 {
		list, of = r.targets(p.pc)
		list = list[:min(len(list), 1)]
	}
	n := 0
	for _, to := range list {
		if to.PC&3 == 0 && r.inlines(to.PC, p.pc+4) {
			goes = append(goes, place{to.PC, p.pc + 4})
			n += to.N
		}
	}
	if 4*n < 3*of {
		return nil
	}
	return goes
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

// guessRight is where the guess is right. Cycles of control flow through inlined code have a
// safe point (see poll) wherever they come back, those through a switch at a LOOP's header.
func (e *emitter) guessRight(n *stmt) {
	b := &e.r.blocks[n.block]
	if n.edge.ret != 0 && n.edge.pc <= b.last() {
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
	ret := b.ret
	if b.call {
		ret = b.last() + 4
		e.SetX(30, e.I64(ret))
	}
	e.jumpOrCall(target, ret, b.kind)
}

// jumpOrCall branches to target. In inlined code that is its call if X30 still says so.
func (t *Translator) jumpOrCall(target ir.Value, ret uint64, kind cpu.BranchType) {
	if ret != 0 && t.returnsTo(ret) {
		t.CallInd(target, ret, kind)
		return
	}
	t.JumpInd(target, kind)
}

// returnsTo reports whether X30 is known to hold ret.
func (t *Translator) returnsTo(ret uint64) bool {
	c, ok := t.ConstOf(t.GetX(30))
	return ok && c.Lo == ret
}
