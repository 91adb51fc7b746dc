package jit

import "emu/cpu"

// Targets of indirect branches in guarded pages (FEAT_BTI) are checked here, where generated code has not
// found them; package translate says more.

// mark notes in PC, which the guest is about to go on at, that a branch of the given cpu.BranchType leads there.
func (e *Engine) mark(s *cpu.State, kind uint64) {
	if e.mem.HasBTI() {
		s.PC = cpu.BranchType(kind).Mark(s.PC)
	}
}

// land goes on at the target of an indirect branch whose type t is in PC. ok is false where it may
// not: PC keeps the type, and the unit of such an address has the exception.
func (e *Engine) land(s *cpu.State) (t cpu.BranchType, ok bool) {
	pc, t := cpu.Marked(s.PC)
	switch {
	case pc == s.PC || !e.mem.HasBTI(): // a top byte is the guest's own
		return cpu.BranchNone, true
	case !e.lands(pc, t):
		return t, false
	}
	s.PC = pc
	return t, true
}

// lands reports whether a branch of type t may lead to pc. Where there is no code to be read, or pc is misaligned, it may:
// that it cannot be executed comes first.
func (e *Engine) lands(pc uint64, t cpu.BranchType) bool {
	if t == cpu.BranchNone || pc%4 != 0 || !e.mem.HasBTI() {
		return true
	}
	c := e.pool.Get().(*compiler)
	defer e.pool.Put(c)
	c.fetch.reset()
	word, ok := c.fetch.word(pc)
	return !ok || !c.fetch.bti || t.Lands(word)
}
