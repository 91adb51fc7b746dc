package syscalls

// Where pages are guarded, generated code puts the type of an indirect branch into
// the top byte of its target; see package translate.

const (
	topByte    = 0xff << 56
	userBit    = 1 << 55 // of addresses, clear
	branchCall = 2 << 56 // PSTATE.BTYPE of BLR
)

// haveBTI reports whether the guest's CPU has branch target identification.
func (t *Task) haveBTI() bool {
	const bti = 1 << 17
	return auxval(t.p.Auxv, atHWCAP2)&bti != 0
}

// untagPC is pc as the guest sees it, between an indirect branch and its target.
func untagPC(pc uint64) uint64 {
	if pc&userBit == 0 {
		return pc &^ topByte
	}
	return pc
}

// handlerPC is where a signal handler is entered: as by BLR (setup_return in
// arch/arm64/kernel/signal.c).
func (t *Task) handlerPC(handler uint64) uint64 {
	if !t.p.Mem.HasBTI() || handler&(topByte|userBit) != 0 {
		return handler
	}
	return handler | branchCall
}
