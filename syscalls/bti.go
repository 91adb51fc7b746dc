package syscalls

import "emu/cpu"

// Where pages are guarded, the type of an indirect branch is in the top byte of State.PC
// until its target is executed; see cpu.BranchType.

// PSTATE.BTYPE.
const (
	btypeShift = 10
	btypeMask  = 3
)

// haveBTI reports whether the guest's CPU has branch target identification.
func (t *Task) haveBTI() bool {
	const bti = 1 << 17
	return auxval(t.p.Auxv, atHWCAP2)&bti != 0
}

// where is pc and PSTATE as the guest sees them. Between an indirect branch and its
// target in an address space with guarded pages the type of the branch is in
// PSTATE.BTYPE.
func (t *Task) where() (pc, pstate uint64) {
	pc, kind := cpu.Marked(t.State.PC)
	pstate = uint64(t.State.PSTATE()) | t.State.Modes
	if t.p.Mem.HasBTI() {
		pstate |= uint64(kind) << btypeShift
	}
	return pc, pstate
}

// goTo sets pc and PSTATE: the opposite of where.
func (t *Task) goTo(pc, pstate uint64) {
	t.State.SetPSTATE(uint32(pstate & pstateNZCV))
	t.State.Modes = pstate & (cpu.ModeDIT | cpu.ModeSSBS | cpu.ModeTCO)
	if !t.p.Mem.HasTags() {
		t.State.Modes &^= cpu.ModeTCO
	}
	if t.p.Mem.HasBTI() {
		pc = cpu.BranchType(pstate >> btypeShift & btypeMask).Mark(pc)
	}
	t.State.PC = pc
}

// handlerPC is where a signal handler is entered: as by BLR (setup_return in
// arch/arm64/kernel/signal.c).
func (t *Task) handlerPC(handler uint64) uint64 {
	if !t.p.Mem.HasBTI() {
		return handler
	}
	return cpu.BranchCall.Mark(handler)
}
