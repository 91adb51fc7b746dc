package syscalls

import (
	"emu/cpu"

	"golang.org/x/sys/unix"
)

// Exceptions of the instruction at PC. Each function reports whether it raised the signal: if not,
// other signals came before the instruction. They have to be delivered, and it is executed again.

// signalsFirst reports whether signals came before the instruction that is about to raise sig. They were
// taken in when no mask held them, in front of the next poll, and the mask of sig's handler
// may: its frame must not be below theirs. If there are none, none that this mask holds can come any more.
func (t *Task) signalsFirst(sig int) bool {
	t.p.sigMu.RLock()
	act := t.p.actions[sig]
	t.p.sigMu.RUnlock()
	if act.Handler <= sigIgn || t.blocked&bit(sig) != 0 {
		return false // the process ends
	}
	return !t.th.SetMask(t.blocked|act.masks(sig)) || t.th.Due(t.blocked)
}

// raiseTrap is raise for an exception.
func (t *Task) raiseTrap(sig int, code int32, addr uint64) bool {
	if t.signalsFirst(sig) {
		return false
	}
	t.raise(sig, code, addr)
	return true
}

// raiseFault is raiseTrap for an exception with a fault address and syndrome, which
// signal frames carry.
func (t *Task) raiseFault(sig int, code int32, addr, esr uint64) bool {
	if t.signalsFirst(sig) {
		return false
	}
	if _, mapped := t.p.Mem.Find(cpu.Untagged(addr)); sig == int(unix.SIGSEGV) && !mapped {
		code = segvMaperr // the host may have something there, the guest has not
	}
	t.fault.addr, t.fault.esr = cpu.Untagged(addr), t.syndrome(cpu.Untagged(addr), esr)
	if esr == 0 {
		t.fault.addr = 0
	}
	t.raise(sig, code, addr)
	return true
}
