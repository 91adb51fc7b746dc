package syscalls

import (
	"encoding/binary"

	"emu/cpu"
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

	illOpcode      = 1 // ILL_ILLOPC
	illOperand     = 2 // ILL_ILLOPN
	segvMaperr     = 1 // SEGV_MAPERR
	segvAccerr     = 2 // SEGV_ACCERR
	trapBreakpoint = 1 // TRAP_BRKPT
	busAlign       = 1 // BUS_ADRALN
	siKernel       = 0x80
	siTkill        = -6
	siUser         = 0
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
		t.serveTracer()
		for !t.done {
			sig, info, ok := t.th.Take()
			if !ok {
				break
			}
			if t.traced() || !t.p.spared(sig) {
				t.deliver(sig, &info)
			}
			t.th.SetSoftMask(t.blocked)
		}
		if t.done {
			return
		}
		t.settleRestart(false, 0)
		if t.restoreMask {
			t.restoreMask = false
			t.blocked = t.saved
		}
		if t.th.SetMask(t.blocked) && !t.th.Interrupted() {
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
			t.blocked |= act.Mask
			if act.Flags&saNodefer == 0 {
				t.blocked |= bit(sig)
			}
			t.blocked &^= unblockable
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
	case defaultStops&bit(sig) != 0 && t.traced():
		t.stopGroup(sig)
	case defaultStops&bit(sig) != 0:
		unix.Kill(t.p.pid, unix.SIGSTOP)
	default:
		t.die(sig)
	}
}

func (t *Task) setDefault(sig int) {
	t.p.sigMu.Lock()
	t.p.actions[sig].Handler = sigDfl
	t.p.sigMu.Unlock()
}

// die ends the process because of sig.
func (t *Task) die(sig int) {
	if t.option(ptEventExit) {
		t.eventStop(ptEventExit, uint64(sig))
	}
	if tr := t.p.Strace; tr != nil {
		tr.killed(t, sig)
	}
	t.done = true
	t.p.die(sig)
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

// raiseFault is raise for an exception with a fault address and syndrome, which
// signal frames carry.
func (t *Task) raiseFault(sig int, code int32, addr, esr uint64) {
	if _, mapped := t.p.Mem.Find(withoutTag(addr)); sig == int(unix.SIGSEGV) && !mapped {
		code = segvMaperr // the host may have something there, the guest has not
	}
	t.fault.addr, t.fault.esr = withoutTag(addr), t.syndrome(withoutTag(addr), esr)
	if esr == 0 {
		t.fault.addr = 0
	}
	t.raise(sig, code, addr)
}

// sysRtSigaction implements rt_sigaction(2).
func sysRtSigaction(t *Task, a *Args) int64 {
	sig := int(int32(a[0]))
	if a[3] != sigsetSize || sig < 1 || sig > hostsig.Signals {
		return fail(unix.EINVAL)
	}
	var act sigaction
	if a[1] != 0 {
		var e unix.Errno
		if act, e = load[sigaction](t.p, a[1]); e != 0 {
			return fail(e)
		}
		if unblockable&bit(sig) != 0 {
			return fail(unix.EINVAL)
		}
		act.Mask &^= unblockable
	}
	t.p.sigMu.Lock()
	old := t.p.actions[sig]
	if a[1] != 0 {
		t.p.actions[sig] = act
		t.p.setHostAction(sig)
	}
	t.p.sigMu.Unlock()
	if a[2] != 0 {
		return fail(save(t.p, a[2], old))
	}
	return 0
}

// sysRtSigprocmask implements rt_sigprocmask(2). A signal that comes first is
// delivered first: the call starts again after it.
func sysRtSigprocmask(t *Task, a *Args) int64 {
	if a[3] != sigsetSize {
		return fail(unix.EINVAL)
	}
	old := t.blocked
	if a[1] != 0 {
		set, e := load[uint64](t.p, a[1])
		if e != 0 {
			return fail(e)
		}
		mask := old
		switch int32(a[0]) {
		case unix.SIG_BLOCK:
			mask |= set
		case unix.SIG_UNBLOCK:
			mask &^= set
		case unix.SIG_SETMASK:
			mask = set
		default:
			return fail(unix.EINVAL)
		}
		mask &^= unblockable
		if !t.th.SetMask(mask) {
			return -hostsig.ENoIntr
		}
		t.blocked = mask
	}
	if a[2] != 0 {
		return fail(save(t.p, a[2], old))
	}
	return 0
}

// sysRtSigpending implements rt_sigpending(2).
func sysRtSigpending(t *Task, a *Args) int64 {
	if a[1] > sigsetSize {
		return fail(unix.EINVAL)
	}
	if r := t.host(unix.SYS_RT_SIGPENDING, &Args{uint64(t.th.ScratchAddr(scratchSmall)), sigsetSize}); r < 0 {
		return r
	}
	set := binary.LittleEndian.Uint64(t.th.Scratch[scratchSmall:]) | t.th.SoftPending()&t.blocked
	var out [8]byte
	binary.LittleEndian.PutUint64(out[:], set)
	return fail(t.p.copyOut(a[0], out[:a[1]]))
}

// sysRtSigsuspend implements rt_sigsuspend(2).
func sysRtSigsuspend(t *Task, a *Args) int64 {
	if a[0] == 0 {
		return fail(unix.EFAULT)
	}
	return t.withMask(a[0], a[1], func(mask uint64) int64 {
		return t.host(unix.SYS_RT_SIGSUSPEND, &Args{mask, sigsetSize})
	})
}

// sysRtSigtimedwait implements rt_sigtimedwait(2). The kernel waits for all
// signals but the soft ones; those end the wait through the blocking stub.
func sysRtSigtimedwait(t *Task, a *Args) int64 {
	if a[3] != sigsetSize {
		return fail(unix.EINVAL)
	}
	set, e := load[uint64](t.p, a[0])
	if e != 0 {
		return fail(e)
	}
	set &^= unblockable
	soft := set & hostsig.Soft
	t.th.WaitFor(soft)
	defer t.th.WaitFor(0)
	if sig, info, ok := t.th.TakeOf(soft); ok {
		return t.waited(sig, &info, a[1])
	}
	binary.LittleEndian.PutUint64(t.th.Scratch[scratchSmall:], set&^soft)
	info := a[1]
	if info != 0 {
		info = uint64(t.th.ScratchAddr(scratchSmall + 16))
	}
	r := t.host(unix.SYS_RT_SIGTIMEDWAIT, &Args{uint64(t.th.ScratchAddr(scratchSmall)), info, a[2], sigsetSize})
	if r == fail(unix.EINTR) || r == -hostsig.ERestart || r == -hostsig.ENoIntr {
		if sig, info, ok := t.th.TakeOf(soft); ok {
			return t.waited(sig, &info, a[1])
		}
		return r
	}
	if r > 0 && info != 0 {
		if e := t.p.copyOut(a[1], t.th.Scratch[scratchSmall+16:scratchSmall+16+len(hostsig.Info{})]); e != 0 {
			return fail(e)
		}
	}
	return r
}

func (t *Task) waited(sig int, info *hostsig.Info, addr uint64) int64 {
	if addr != 0 {
		if e := t.p.copyOut(addr, info[:]); e != 0 {
			return fail(e)
		}
	}
	return int64(sig)
}

// sysRestartSyscall answers restart_syscall(2), which only the kernel itself
// would arrange for.
func sysRestartSyscall(t *Task, a *Args) int64 { return fail(unix.EINTR) }

// onAltstack reports whether sp lies on the alternate stack.
func (s *altstack) onAltstack(sp uint64) bool {
	return s.Flags&ssAutodisarm == 0 && sp > s.SP && sp-s.SP <= s.Size
}

// state is the SS_ flag that describes where sp is (sas_ss_flags).
func (s *altstack) state(sp uint64) int32 {
	switch {
	case s.Size == 0:
		return ssDisable
	case s.onAltstack(sp):
		return ssOnstack
	}
	return 0
}

// sysSigaltstack implements sigaltstack(2).
func sysSigaltstack(t *Task, a *Args) int64 {
	sp := t.State.X[cpu.SP]
	old := t.alt
	old.Flags = t.alt.state(sp) | t.alt.Flags&ssAutodisarm
	if a[0] != 0 {
		ss, e := load[altstack](t.p, a[0])
		if e != 0 {
			return fail(e)
		}
		if e := t.setAltstack(ss, sp); e != 0 {
			return fail(e)
		}
	}
	if a[1] != 0 {
		return fail(save(t.p, a[1], old))
	}
	return 0
}

func (t *Task) setAltstack(ss altstack, sp uint64) unix.Errno {
	if t.alt.onAltstack(sp) {
		return unix.EPERM
	}
	switch mode := ss.Flags &^ ssAutodisarm; {
	case mode == ssDisable:
		ss.SP, ss.Size = 0, 0
	case mode != 0 && mode != ssOnstack:
		return unix.EINVAL
	case ss.Size < minSigstksz:
		return unix.ENOMEM
	}
	t.alt = ss
	return 0
}
