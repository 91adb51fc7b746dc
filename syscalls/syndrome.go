package syscalls

import (
	"strings"

	"emu/cpu"
	"emu/decoder"

	"golang.org/x/sys/unix"
)

// Syndromes of misaligned addresses (Arm ARM D24.2.40): the exception class and IL.
const (
	pcAlignment = 0x22<<26 | 1<<25
	spAlignment = 0x26<<26 | 1<<25
	misaligned  = 0x21 // the fault status of data
)

// Fields of the syndrome of an abort.
const (
	faultStatus  = 0x3f
	writeNotRead = 1 << 6
	cacheMaint   = 1 << 8
	noLevel      = 0x04 // the fault status translation, level 0
)

// userSpace is the size of the address space of user mode.
const userSpace = 1 << 48

// syndrome is ESR_EL1 of an abort as the kernel tells it: nothing of why an address of its
// own has faulted (set_thread_esr in arch/arm64/mm/fault.c). Cache maintenance counts as a
// write.
func (t *Task) syndrome(addr, esr uint64) uint64 {
	const dataAbort = 0x24
	if esr>>26 == dataAbort && t.maintainsCache(t.State.PC) {
		esr |= cacheMaint | writeNotRead
	}
	if esr != 0 && addr >= userSpace {
		esr = esr&^faultStatus | noLevel
	}
	return esr
}

// maintainsCache reports whether the instruction at pc is a DC other than DC ZVA and its
// like, which store.
func (t *Task) maintainsCache(pc uint64) bool {
	const zeroes = 4 // CRm
	word, e := load[uint32](t.p, pc)
	return e == 0 && decoder.Decode(word).Op == decoder.SYS_CR_systeminstrs && word>>8&15 != zeroes
}

// raiseAlignment raises SIGBUS for a misaligned pc, SP or address, as the kernel does
// (do_sp_pc_abort and do_alignment_fault in arch/arm64/mm/fault.c): of the first two
// the frame of the handler tells the syndrome and no address.
func (t *Task) raiseAlignment(exit cpu.Exit) bool {
	if t.signalsFirst(int(unix.SIGBUS)) {
		return false
	}
	addr, sp := exit.Arg[0], t.State.X[cpu.SP]
	t.fault.addr = 0
	switch {
	case exit.PC&3 != 0:
		t.fault.esr = pcAlignment
	case addr == sp && sp%16 != 0:
		t.fault.esr = spAlignment
	default:
		t.fault.addr = cpu.Untagged(addr)
		t.fault.esr = cpu.DataAbort(0, t.storesMisaligned(exit.PC))&^faultStatus | misaligned
	}
	t.raise(int(unix.SIGBUS), busAlign, addr)
	return true
}

// storesMisaligned reports whether the instruction at pc, which has to be aligned, stores
// without a load: that is WnR of its fault.
func (t *Task) storesMisaligned(pc uint64) bool {
	word, e := load[uint32](t.p, pc)
	if e != 0 {
		return false
	}
	i := decoder.Decode(word)
	switch group := i.Op.Group(); {
	case group == "memcms" || group == "ldsttags" || strings.HasPrefix(group, "ldstpair"): // SETG, STG, STGP
		return true
	case group == "ldapstl_unscaled" || group == "ldapstl_simd":
		return i.Bits(23, 22)&1 == 0
	case strings.HasPrefix(group, "ldstexcl"), group == "ldstord", group == "ldapstl_writeback", group == "ldiappstilp":
		return i.Bit(22) == 0
	}
	return false
}
