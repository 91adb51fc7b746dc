package syscalls

import (
	"encoding/binary"

	"emu/internal/hostsig"

	"golang.org/x/sys/unix"
)

// sigaction is arm64's struct sigaction as the kernel takes it.
type sigaction struct {
	Handler  uint64
	Flags    uint64
	Restorer uint64
	Mask     uint64
}

// altstack is stack_t.
type altstack struct {
	SP    uint64
	Flags int32
	_     int32
	Size  uint64
}

// Signal constants (asm-generic/signal-defs.h, arm64's signal.h).
const (
	sigDfl = 0
	sigIgn = 1

	saNocldstop = 0x1
	saNocldwait = 0x2
	saSiginfo   = 0x4
	saExposeTag = 0x800 // SA_EXPOSE_TAGBITS
	saRestorer  = 0x04000000
	saOnstack   = 0x08000000
	saRestart   = 0x10000000
	saNodefer   = 0x40000000
	saResethand = 0x80000000

	ssOnstack    = 1
	ssDisable    = 2
	ssAutodisarm = -1 << 31

	minSigstksz = 5120 // arm64's MINSIGSTKSZ

	illOpcode        = 1 // ILL_ILLOPC
	illOperand       = 2 // ILL_ILLOPN
	segvMaperr       = 1 // SEGV_MAPERR
	segvAccerr       = 2 // SEGV_ACCERR
	trapBreakpoint   = 1 // TRAP_BRKPT
	trapHwBreakpoint = 4 // TRAP_HWBKPT
	busAlign         = 1 // BUS_ADRALN
	siKernel         = 0x80
	siTkill          = -6
	siUser           = 0
)

// unblockable signals are in no mask.
const unblockable = 1<<(unix.SIGKILL-1) | 1<<(unix.SIGSTOP-1)

func bit(sig int) uint64 { return 1 << (sig - 1) }

// Default actions other than to terminate (signal(7)).
const (
	defaultIgnored = 1<<(unix.SIGCHLD-1) | 1<<(unix.SIGURG-1) | 1<<(unix.SIGWINCH-1) | 1<<(unix.SIGCONT-1)
	defaultStops   = 1<<(unix.SIGSTOP-1) | 1<<(unix.SIGTSTP-1) | 1<<(unix.SIGTTIN-1) | 1<<(unix.SIGTTOU-1)
)

// terminates reports whether sig ends a process by default.
func terminates(sig int) bool {
	return (unblockable|defaultIgnored|defaultStops)&bit(sig) == 0
}

// deliverPending delivers the signals that the handler has taken in: it builds
// frames for those with handlers and settles what becomes of an interrupted
// call. It clears State.Pending.
func (t *Task) deliverPending() {
	for {
		t.th.Acknowledge()
		t.heedCore()
		t.serveTracer()
		t.serveFound()
		for !t.done {
			sig, info, ok := t.th.Take()
			if !ok {
				break
			}
			if sig == int(unix.SIGCONT) {
				if info == contInfo() {
					continue // see contGroup
				}
				t.p.sentContinue()
			}
			if t.traced() || !t.p.spared(sig) {
				t.deliver(sig, &info)
			}
			t.th.SetSoftMask(t.blocked)
		}
		if t.done {
			return
		}
		if t.restoreMask {
			t.restoreMask = false
			t.blocked = t.saved
		}
		if t.th.SetMask(t.blocked) && !t.th.Interrupted() {
			t.settleRestart(false, 0)
			return
		}
	}
}

// spared reports whether a signal that was sent has no effect: the first process of a
// namespace has no default actions (SIGNAL_UNKILLABLE in the kernel), but a tracer sees all. The host sees to the
// signals that emu leaves to it.
func (p *Process) spared(sig int) bool {
	if p.pid != 1 {
		return false
	}
	p.sigMu.RLock()
	defer p.sigMu.RUnlock()
	return p.actions[sig].Handler == sigDfl && unblockable&bit(sig) == 0
}

// action returns what the guest does with sig; a handler with SA_RESETHAND is
// reset by that.
func (p *Process) action(sig int) sigaction {
	p.sigMu.Lock()
	defer p.sigMu.Unlock()
	act := p.actions[sig]
	if act.Handler > sigIgn && act.Flags&saResethand != 0 {
		p.actions[sig].Handler = sigDfl
		p.setHostAction(sig)
	}
	return act
}

// catches reports whether a handler of the guest gets sig if the thread raises it now.
func (t *Task) catches(sig unix.Signal) bool {
	t.p.sigMu.Lock()
	defer t.p.sigMu.Unlock()
	return t.p.actions[sig].Handler > sigIgn && t.blocked&bit(int(sig)) == 0
}

// deliver does for one signal what the kernel's get_signal and handle_signal do.
func (t *Task) deliver(sig int, info *hostsig.Info) {
	continues := t.p.group.continues.Load()
	if t.traced() {
		if sig, info = t.signalStop(sig, info); sig == 0 || t.done {
			return
		}
	}
	act := t.p.action(sig)
	if tr := t.p.Strace; tr != nil {
		tr.signal(t, sig, info)
	}
	switch {
	case act.Handler == sigIgn:
	case act.Handler != sigDfl:
		t.settleRestart(true, act.Flags)
		if t.pushFrame(sig, info, &act) {
			t.blocked |= act.masks(sig)
			t.restoreMask = false
			if t.stepping() {
				t.eventStop(0, 0) // at the handler's first instruction
			}
			return
		}
		// No room for the frame: SIGSEGV, fatal when that was the signal.
		if sig == int(unix.SIGSEGV) {
			t.setDefault(sig)
		}
		t.raise(int(unix.SIGSEGV), siKernel, 0)
	case defaultIgnored&bit(sig) != 0:
	case defaultStops&bit(sig) != 0 && t.p.hasTracer():
		if t.p.group.continues.Load() == continues { // else SIGCONT has come since (JOBCTL_STOP_DEQUEUED in the kernel)
			t.stopGroup(sig)
		}
	case defaultStops&bit(sig) != 0:
		t.endsUnlessUnseen()
		unix.Kill(t.p.pid, unix.SIGSTOP)
	default:
		t.die(sig, info)
	}
}

// masks is what the handler of sig adds to the thread's mask.
func (a *sigaction) masks(sig int) uint64 {
	mask := a.Mask
	if a.Flags&saNodefer == 0 {
		mask |= bit(sig)
	}
	return mask &^ unblockable
}

func (t *Task) setDefault(sig int) {
	t.p.sigMu.Lock()
	t.p.actions[sig].Handler = sigDfl
	t.p.sigMu.Unlock()
}

// die ends the process because of sig.
func (t *Task) die(sig int, info *hostsig.Info) {
	t.claimEnd()
	core, status := "", uint64(sig)
	if dumpsCore&bit(sig) != 0 {
		core = t.dumpCore(sig, info)
	}
	if core != "" {
		status |= dumpedCore
	}
	t.endTraced(status)
	if tr := t.p.Strace; tr != nil {
		tr.killed(t, sig, core != "")
	}
	t.done = true
	t.p.die(sig, core)
}

// raise sends the thread a signal that it cannot escape from: if it blocks or
// ignores it, the process ends (force_sig_info_to_task in the kernel).
func (t *Task) raise(sig int, code int32, addr uint64) {
	var info hostsig.Info
	le := binary.LittleEndian
	le.PutUint32(info[0:], uint32(sig))
	le.PutUint32(info[8:], uint32(code))
	le.PutUint64(info[16:], addr) // si_addr; si_pid and si_uid 0 for SI_KERNEL
	t.raiseInfo(&info)
}

// raiseInfo is raise with the whole siginfo.
func (t *Task) raiseInfo(info *hostsig.Info) {
	sig := int(binary.LittleEndian.Uint32(info[0:]))
	t.p.sigMu.Lock()
	if act := &t.p.actions[sig]; act.Handler == sigIgn || t.blocked&bit(sig) != 0 {
		act.Handler = sigDfl
		t.blocked &^= bit(sig)
	}
	t.p.sigMu.Unlock()
	t.deliver(sig, info)
	t.th.SetSoftMask(t.blocked)
	if !t.done && !t.th.SetMask(t.blocked) {
		t.th.Interrupt()
	}
}
