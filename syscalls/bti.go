package syscalls

import "emu/cpu"

// Where pages are guarded, generated code puts the type of an indirect branch into
// the top byte of its target; see package translate.

const (
	topByte    = 0xff << 56
	userBit    = 1 << 55 // of addresses, clear
	branchCall = 2 << 56 // PSTATE.BTYPE of BLR

	branchShift = 56 // of the type in a target
	btypeShift  = 10 // of PSTATE.BTYPE
	btypeMask   = 3
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
	pc, pstate = t.State.PC, uint64(t.State.PSTATE())|t.State.Modes
	if pc&userBit != 0 {
		return pc, pstate
	}
	if t.p.Mem.HasBTI() {
		pstate |= pc >> branchShift & btypeMask << btypeShift
	}
	return pc &^ topByte, pstate
}

// goTo sets pc and PSTATE: the opposite of where.
func (t *Task) goTo(pc, pstate uint64) {
	t.State.SetPSTATE(uint32(pstate & pstateNZCV))
	t.State.Modes = pstate & (cpu.ModeDIT | cpu.ModeSSBS | cpu.ModeTCO)
	if !t.p.Mem.HasTags() {
		t.State.Modes &^= cpu.ModeTCO
	}
	if kind := pstate >> btypeShift & btypeMask; t.p.Mem.HasBTI() && pc&(topByte|userBit) == 0 {
		pc |= kind << branchShift
	}
	t.State.PC = pc
}

// handlerPC is where a signal handler is entered: as by BLR (setup_return in
// arch/arm64/kernel/signal.c).
func (t *Task) handlerPC(handler uint64) uint64 {
	if !t.p.Mem.HasBTI() || handler&(topByte|userBit) != 0 {
		return handler
	}
	return handler | branchCall
}
