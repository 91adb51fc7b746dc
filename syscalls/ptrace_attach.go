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
		if data&ptSuspendSecc != 0 {
			return fail(unix.EINVAL) // as PTRACE_SETOPTIONS (check_ptrace_options without CONFIG_CHECKPOINT_RESTORE)
		}
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
	at, who, held, e := t.introduce(tid, &head)
	switch e {
	case 0:
	case unix.ECHILD:
		t.p.addTracee(&tracee{tid: tid, tracer: t, options: options, trace: &hostsig.Trace{Seized: head.Seized}})
		return 0 // wait(2) tells that it has died
	case unix.EINTR:
		letGo(tid, held)
		return -hostsig.ENoIntr
	case unix.ESRCH:
		letGo(tid, held)
		return fail(e)
	default:
		letGo(tid, held)
		t.p.Log.Warn().Int("pid", tid).Msg("ptrace: the process is not one of this emu's guests, or its debugger is another")
		return fail(unix.EPERM)
	}
	tr := &tracee{tid: tid, tracer: t, at: at, options: options, trace: &hostsig.Trace{Seized: head.Seized}}
	t.p.addTracee(tr)
	kickTracee(who, tid)
	if t.p.sharer != nil && t.p.sharer.with.traceable(tid) {
		t.awaitStop(tr)
	} else {
		t.passKick(tid)
		if t.th != nil { // not a debugger, for which a process waits that starts
			t.awaitNotice(tr)
		}
	}
	return 0
}

// awaitNotice waits until a running tracee has heard of its tracer, if it does not take long: until then signals have their default
// actions, of which the tracer would not hear.
func (t *Task) awaitNotice(tr *tracee) {
	for pauses := 0; pauses < mostPauses && !tr.stopped; pauses++ {
		var w uint32
		if peekMemory(tr.tid, tr.at+traceWant, bytesOf(&w)) != 0 || w&hostsig.WantNotice == 0 {
			return
		}
		if _, visible := t.peekStops(tr.tid); visible {
			return
		}
		t.pauseForTracee()
	}
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
// program (Task.inheritance): then it is told again. held: a SIGSTOP has been undone. It
// fails with ESRCH if the thread is none of a guest's, ECHILD if it has died, EINTR if a
// signal for the caller waits, EPERM or ENOEXEC if it cannot be traced.
func (t *Task) introduce(tid int, head *traceHead) (at uint64, who guestIDs, held bool, e unix.Errno) {
	for again := false; ; again = true {
		var r hostsig.Readiness
		var stop bool
		if at, who, r, stop, e = t.awaitReady(tid); stop {
			held = true
			head.stop()
		}
		if e != 0 {
			return 0, who, held, e
		}
		var tracer uint32
		if again && !stop && peekMemory(tid, at, bytesOf(&tracer)) == 0 && tracer == head.Tracer {
			return at, who, held, 0
		}
		if e = pokeMemory(tid, at, bytesOf(head)); e == 0 && readiness(tid) == r {
			return at, who, held, 0
		}
	}
}

// awaitReady finds the Trace of a thread that the host has attached to the caller, and how
// ready its program is. A process that has been forked or has executed a program a moment ago
// has none, for as long as it takes it to say so; whatever stops it meanwhile, since it has a
// tracer now, is undone. held: a SIGSTOP was among that. It fails as introduce does.
func (t *Task) awaitReady(tid int) (at uint64, who guestIDs, r hostsig.Readiness, held bool, e unix.Errno) {
	for {
		r = readiness(tid)
		at, who, e = findTrace(tid)
		switch {
		case gone(tid):
			return 0, who, r, held, unix.ECHILD
		case e != 0 && e != unix.ESRCH:
			return 0, who, r, held, e
		case r == hostsig.NoGuest || r == hostsig.Promised && t.th != nil:
			return 0, who, r, held, unix.EPERM
		case (r.Stamped() || r == hostsig.Promised) && readiness(tid) == r:
			return at, who, r, held, e
		case t.signalled():
			return 0, who, r, held, unix.EINTR
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

// signalled reports whether a signal for the guest thread waits. Debuggers have none.
func (t *Task) signalled() bool { return t.th != nil && t.th.Interrupted() }

// readiness is what a process that runs this emu says of itself.
func readiness(tid int) (r hostsig.Readiness) {
	peekMemory(tid, hostsig.ReadyAt(), bytesOf(&r))
	return r
}

// gone reports whether a thread has died, or is about to: it has no memory.
func gone(tid int) bool {
	var r hostsig.Readiness
	return peekMemory(tid, hostsig.ReadyAt(), bytesOf(&r)) == unix.ESRCH
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
