package syscalls

import (
	"encoding/binary"
	"syscall"
	"time"

	"emu/internal/forkall"
	"emu/internal/hostsig"

	"golang.org/x/sys/unix"
)

// attach is PTRACE_ATTACH and PTRACE_SEIZE. For the host both are a seizure, which
// sends no signal.
func (t *Task) attach(request, tid int, addr, data uint64) int64 {
	if request == ptSeize && addr != 0 || request == ptSeize && data&^uint64(ptOptions) != 0 {
		return fail(unix.EIO)
	}
	options := uint32(0)
	if request == ptSeize {
		options = uint32(data)
	}
	if t.p.traceable(tid) {
		return fail(unix.EPERM) // the thread group of the caller
	}
	if e := hostPtrace(ptSeize, tid, 0, uint64(hostOptions(options))); e != 0 {
		return fail(e)
	}
	head := traceHead{Tracer: uint32(t.p.pid), Options: options, Want: hostsig.WantNotice}
	if request == ptSeize {
		head.Seized = 1
	} else {
		head.stop()
	}
	at, who, e := t.introduce(tid, &head)
	if e != 0 {
		hostPtraceStopAndDetach(tid)
		t.p.Log.Warn().Int("pid", tid).Msg("ptrace: the process is not one of this emu's")
		return fail(unix.EPERM)
	}
	tr := &tracee{tid: tid, tracer: t, at: at, options: options, trace: &hostsig.Trace{Seized: head.Seized}}
	t.p.addTracee(tr)
	kickTracee(who, tid)
	if t.p.sharer != nil && t.p.sharer.with.traceable(tid) {
		t.awaitStop(tr)
	}
	return 0
}

// traceHead is the part of a Trace that a tracer writes while the thread runs.
type traceHead struct {
	Tracer, Seized, Options, Want uint32
	Info                          hostsig.Info
}

// stop asks for a SIGSTOP.
func (h *traceHead) stop() {
	h.Want |= hostsig.WantStop
	h.Info = stopInfo()
}

// stopInfo is the siginfo of PTRACE_ATTACH's SIGSTOP.
func stopInfo() (info hostsig.Info) {
	le := binary.LittleEndian
	le.PutUint32(info[0:], uint32(unix.SIGSTOP))
	le.PutUint32(info[8:], siKernel)
	return info
}

// introduce tells a thread that the host has just attached to the caller who its tracer is.
// One that is about to execute a program may or may not have heard of it in time to tell that
// program (Task.inheritance): then it is told again.
func (t *Task) introduce(tid int, head *traceHead) (at uint64, who guestIDs, e unix.Errno) {
	for again := false; ; again = true {
		var held bool
		if at, who, held, e = t.awaitReady(tid); e != 0 {
			return 0, who, e
		}
		if held {
			head.stop()
		}
		var tracer uint32
		if again && !held && peekMemory(tid, at, bytesOf(&tracer)) == 0 && tracer == head.Tracer {
			return at, who, 0
		}
		if e = pokeMemory(tid, at, bytesOf(head)); e == 0 && isReady(tid) {
			return at, who, 0
		}
	}
}

// awaitReady finds the Trace of a thread that the host has attached to the caller. A
// process that has been forked or has executed a program a moment ago has none, for as
// long as it takes it to say so; whatever stops it meanwhile, since it has a tracer now,
// is undone. held: a SIGSTOP was among that.
func (t *Task) awaitReady(tid int) (at uint64, who guestIDs, held bool, e unix.Errno) {
	for {
		before := isReady(tid)
		at, who, e = findTrace(tid)
		if e != 0 && e != unix.ESRCH || before && isReady(tid) {
			return at, who, held, e
		}
		held = t.passStops(tid) || held
		t.pauseForTracee()
	}
}

// pauseForTracee lets a moment pass.
func (t *Task) pauseForTracee() {
	if forkall.Closed() {
		forkall.Wait(&t.State.Outside)
	}
	time.Sleep(200 * time.Microsecond)
}

// isReady reports whether a process that runs this emu has all guest threads in its
// table.
func isReady(tid int) bool {
	var ready uint32
	return peekMemory(tid, hostsig.ReadyAt(), bytesOf(&ready)) == 0 && ready != 0
}

// passStops lets a thread go on from all stops that the host has to report. held:
// one was for a SIGSTOP.
func (t *Task) passStops(tid int) (held bool) {
	for {
		info := onHeap(hostsig.Info{})
		_, _, e := syscall.RawSyscall6(unix.SYS_WAITID, unix.P_PID, uintptr(tid), uintptr(addrOf(info)), unix.WSTOPPED|unix.WALL|unix.WNOHANG, 0, 0)
		le := binary.LittleEndian
		if e != 0 || le.Uint32(info[siPid:]) == 0 {
			return held
		}
		code := le.Uint32(info[siStatus:])
		sig, event := int(code&0xff), code>>8
		stop := sig == int(unix.SIGSTOP)
		held = held || stop
		switch {
		case event == ptEventStop && stop:
			contGroup(tid) // else the group-stop would go on when the tracer goes
			t.goOn(tid, 0)
		case event != 0 || stop:
			t.goOn(tid, 0)
		default:
			t.goOn(tid, sig)
		}
	}
}

// awaitStop waits until a tracee has described its first stop, which the guest can still
// wait for. A thread of the process whose memory the tracer shares may hold a lock of
// this emu's until then, since the host stops it anywhere for the kick.
func (t *Task) awaitStop(tr *tracee) {
	info := onHeap(hostsig.Info{})
	for !tr.stopped {
		if r := t.th.Uninterrupted(unix.SYS_WAITID, unix.P_PID, uintptr(tr.tid), uintptr(addrOf(info)), unix.WSTOPPED|unix.WALL|unix.WNOWAIT); int64(r) < 0 {
			return
		}
		t.peekStops(tr.tid)
	}
}

// traceable reports whether tid is a thread of this process, which cannot be traced.
func (p *Process) traceable(tid int) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.tasks.get(tid) != nil
}
