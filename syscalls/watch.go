package syscalls

import (
	"encoding/binary"
	"sync/atomic"
	"time"

	"emu/cpu"
	"emu/internal/forkall"
	"emu/internal/hostsig"

	"golang.org/x/sys/unix"
)

// watched reports whether the thread's calls are of interest to a tracer or a
// filter.
func (t *Task) watched() bool { return t.seccomp.Load() != nil || t.traced() }

// vdsoClocks are the clocks that the kernel's vDSO reads without a system call, a bit
// each (lib/vdso/gettimeofday.c).
const vdsoClocks = 1<<unix.CLOCK_REALTIME | 1<<unix.CLOCK_MONOTONIC | 1<<unix.CLOCK_MONOTONIC_RAW |
	1<<unix.CLOCK_REALTIME_COARSE | 1<<unix.CLOCK_MONOTONIC_COARSE | 1<<unix.CLOCK_BOOTTIME | 1<<unix.CLOCK_TAI

// answeredByVDSO reports whether the call is the vDSO's way to what the kernel's vDSO
// answers itself: neither a tracer nor a filter sees that (vdso(7)).
func (t *Task) answeredByVDSO() bool {
	s := t.State
	if (s.PC^t.p.SigReturn)&^(cpu.PageSize-1) != 0 {
		return false
	}
	nr := uint32(s.X[8])
	if nr >= TableSize {
		return false
	}
	switch row := t.p.table[nr]; {
	case row.flags&cpu.DirectDay != 0:
		return true
	case row.flags&cpu.DirectClock != 0:
		clock := uint32(s.X[0])
		return clock < 64 && uint64(vdsoClocks)>>clock&1 != 0
	}
	return false
}

// syscallWatched serves a system call as el0_svc_common in the kernel does: the
// tracer sees it first, then the filters, then it is made.
func (t *Task) syscallWatched(nr int32) {
	t.trace.inSyscall = true
	defer func() { t.trace.inSyscall, t.trace.entered = false, false }()
	skip := false
	if t.owesNoNewPrivs.Swap(false) {
		unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
		t.p.changed.Store(true)
	}
	if c := t.trace.command; t.traced() && (c == ptSyscall || c == ptSysemu || c == ptSysemuStep) {
		if nr == -1 {
			t.setResult(fail(unix.ENOSYS))
		}
		nr = t.syscallEntry(nr)
		t.trace.entered = true
		skip = nr == -1 || c != ptSyscall
	}
	if f := t.seccomp.Load(); !skip && f != nil {
		nr, skip = t.filterCall(f, nr, false)
	}
	if !skip && !t.done {
		t.dispatch(uint64(uint32(nr)), 0, 0)
	}
	if !t.done && t.traced() && t.trace.command == ptSyscall {
		t.syscallExit(nr)
	}
}

func (t *Task) setResult(r int64) { t.State.X[0] = uint64(r) }

// syscallCode is what wait(2) reports for a syscall-stop.
func (t *Task) syscallCode() uint32 {
	code := uint32(unix.SIGTRAP)
	if t.th.Trace.Options&ptSysgood != 0 {
		code |= 0x80
	}
	return code
}

// syscallEntry stops at a call's entry, and returns its number, which the tracer
// may have changed.
func (t *Task) syscallEntry(nr int32) int32 {
	t.describeCall(opEntry, nr)
	return t.syscallStop(0, nr)
}

// describeCall fills in what PTRACE_GET_SYSCALL_INFO says.
func (t *Task) describeCall(op uint32, nr int32) {
	b := &t.th.Trace
	b.Op, b.Nr = op, uint64(int64(nr))
	copy(b.Args[:], t.State.X[:6])
}

// syscallStop stops with X7 telling the direction, as arm64 has it.
func (t *Task) syscallStop(direction uint64, nr int32) int32 {
	s, b := t.State, &t.th.Trace
	x7 := s.X[7]
	s.X[7] = direction
	code, message := t.syscallCode(), uint64(b.Op)
	if t.th.Trace.Options&ptSysgood == 0 {
		b.Op = opNone // PTRACE_GET_SYSCALL_INFO knows a syscall-stop by its code
	}
	sig := t.stop(code, message, t.siginfoOf(code))
	s.X[7] = x7
	b.Op = opNone
	if sig != 0 {
		info := hostsig.Info{} // as the kernel's own (SEND_SIG_PRIV)
		binary.LittleEndian.PutUint32(info[0:], uint32(sig))
		binary.LittleEndian.PutUint32(info[siCode:], siKernel)
		t.sendOwn(sig, &info)
	}
	if b.Dirty&hostsig.DirtyCall != 0 {
		return b.Call
	}
	return nr
}

// restartCodes are what a tracer finds in X0 after an interrupted call: the
// kernel's ERESTARTSYS, ERESTARTNOHAND, ERESTARTNOINTR and ERESTART_RESTARTBLOCK.
var restartCodes = [...]int64{restartSys: -512, restartNoHand: -514, restartAlways: -513, restartBlock: -516, restartEntered: -516}

// syscallExit stops after a call.
func (t *Task) syscallExit(nr int32) {
	t.endsUnlessUnseen() // the tracer sees EINTR
	s, b := t.State, &t.th.Trace
	restart, shown := t.restart, int64(s.X[0])
	if restart != noRestart {
		shown = restartCodes[restart]
		t.setResult(shown)
	}
	t.restart = noRestart
	b.Op, b.Nr, b.Result = opExit, uint64(int64(nr)), shown // the number is for the server of -g: execve has cleared X8
	t.syscallStop(1, -1)
	if restart != noRestart && int64(s.X[0]) == shown {
		t.restart = restart
		t.setResult(fail(unix.EINTR))
	}
}

// completes reports whether completeEntered can make the call: it touches neither the mask of signals nor
// what has been taken in, and is not about threads and processes.
func (r *Row) completes() bool {
	return r.Class == Pass || r.Class == Direct || r.Class == Convert && !r.unhandled && r.timeout == 0 && !r.inherited
}

// completeEntered makes a call whose entry the tracer has seen, and which a signal came before: in the kernel it
// ends if it need not wait, and is interrupted if it would.
func (t *Task) completeEntered(row *Row) (r int64) {
	defer t.th.Interrupt()
	defer t.nudge()()
	for {
		t.th.Acknowledge()
		if r = t.serveOnce(row); r != -hostsig.ENoIntr {
			return r
		}
		t.heedCore()
	}
}

// nudge has the thread taken out of the call that it is about to make, if that waits, until it calls what nudge returns.
func (t *Task) nudge() (enough func()) {
	if forkall.Owing() {
		forkall.NeedThreads()
	}
	var ended atomic.Bool
	generation := forkall.Generation.Load()
	go func() {
		for {
			time.Sleep(time.Millisecond)
			if ended.Load() || forkall.Generation.Load() != generation {
				return
			}
			t.th.Wake()
		}
	}()
	return func() { ended.Store(true) }
}
