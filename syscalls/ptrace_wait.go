package syscalls

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"fmt"
	"runtime"
	"strconv"
	"sync"
	"syscall"

	"emu/cpu"
	"emu/internal/hostsig"

	"golang.org/x/sys/unix"
)

// Places in the siginfo of waitid(2) and in siginfo of signals.
const (
	siCode   = 8
	siPid    = 16
	siAddr   = 16
	siStatus = 24

	cldStopped = 5
	cldTrapped = 4
)

// scratchWait is where the host reports to.
const scratchWait = scratchSmall

// sysWait4 implements wait4(2).
func sysWait4(t *Task, a *Args) int64 {
	want := a[1]
	for {
		*a = Args{a[0], uint64(t.th.ScratchAddr(scratchWait)), a[2], a[3]}
		r := t.host(unix.SYS_WAIT4, a)
		if r <= 0 {
			return r
		}
		status := binary.LittleEndian.Uint32(t.th.Scratch[scratchWait:])
		if unix.WaitStatus(status).Stopped() {
			code, visible := t.waitedStop(int(r), status>>8, false)
			if !visible {
				continue
			}
			t.p.noteWaited(int(r))
			status = code<<8 | 0x7f
		} else if !unix.WaitStatus(status).Continued() {
			t.p.dropTracee(int(r))
			if unix.WaitStatus(status).CoreDump() {
				t.p.forgetDump(int(r))
			}
		}
		if want != 0 {
			if e := save(t.p, want, status); e != 0 {
				return fail(e)
			}
		}
		return r
	}
}

// sysWaitid implements waitid(2).
func sysWaitid(t *Task, a *Args) int64 {
	want := t.call.args[2]
	for {
		info := t.th.Scratch[scratchWait : scratchWait+len(hostsig.Info{})]
		clear(info)
		a[2] = uint64(t.th.ScratchAddr(scratchWait))
		r := t.host(unix.SYS_WAITID, a)
		if r == -hostsig.ERestart || r == -hostsig.ENoIntr {
			return r
		}
		le := binary.LittleEndian
		pid, code := int(le.Uint32(info[siPid:])), le.Uint32(info[siCode:])
		switch {
		case pid == 0:
		case code == cldStopped || code == cldTrapped:
			status, visible := t.waitedStop(pid, le.Uint32(info[siStatus:]), a[3]&unix.WNOWAIT != 0)
			if !visible {
				continue
			}
			if a[3]&unix.WNOWAIT == 0 {
				t.p.noteWaited(pid)
			}
			le.PutUint32(info[siStatus:], status)
		case a[3]&unix.WNOWAIT == 0 && code < cldTrapped:
			t.p.dropTracee(pid)
			if code == cldDumped {
				t.p.forgetDump(pid)
			}
		}
		if want == 0 {
			return r
		}
		// The kernel writes these fields one by one, whether it has found a child or not.
		if t.p.copyOut(want, info[:siCode+4]) != 0 || t.p.copyOut(want+siPid, info[siPid:siStatus+4]) != 0 {
			return fail(unix.EFAULT)
		}
		return r
	}
}

// noteWaited tells a tracee that its stop has been waited for: if its tracer dies then, a signal that it had stopped
// for is lost, as in the kernel (wait_task_stopped takes it for delivered).
func (p *Process) noteWaited(tid int) {
	tr := p.tracee(tid)
	if tr == nil || !tr.stopped || tr.native || !signalled(tr.trace.Status, tr.trace.Group) {
		return
	}
	tr.trace.Waited = tr.trace.Number
	pokeMemory(tid, tr.at+traceWaited, bytesOf(&tr.trace.Waited))
}

// signalled reports whether a stop with that status is for a signal that is delivered then.
func signalled(status, group uint32) bool { return group == 0 && status>>8 == 0 && status&0x80 == 0 }

// peekStops serves what the host has to report about a tracee without waiting; a
// stop that the guest sees stays to be waited for, and one that has been continued
// is no longer there. It returns that stop.
func (t *Task) peekStops(tid int) (status uint32, visible bool) {
	for {
		info := onHeap(hostsig.Info{})
		_, _, e := syscall.RawSyscall6(unix.SYS_WAITID, unix.P_PID, uintptr(tid), uintptr(addrOf(info)), unix.WSTOPPED|unix.WALL|unix.WNOHANG|unix.WNOWAIT, 0, 0)
		le := binary.LittleEndian
		if e != 0 || le.Uint32(info[siPid:]) == 0 {
			return 0, false
		}
		if status, visible = t.hostStop(tid, le.Uint32(info[siStatus:])); visible {
			return status, true
		}
	}
}

// waitedStop is hostStop for a child or tracee of any thread of the process, which was
// only peeked at or waited for.
func (t *Task) waitedStop(tid int, code uint32, peeked bool) (status uint32, visible bool) {
	var info hostsig.Info
	if hostSiginfo(ptGetSiginfo, tid, &info) == unix.ESRCH {
		if status, visible, ok := t.handOver(tid, code, peeked); ok {
			return status, visible
		}
	}
	return t.hostStop(tid, code)
}

// hostStop looks at a stop of a child or tracee that the host reports. It returns
// what the guest sees in place of code, or goes on with a stop that does not
// concern it.
func (t *Task) hostStop(tid int, code uint32) (status uint32, visible bool) {
	sig, event := int(code&0xff), code>>8&0xff
	var info hostsig.Info
	e := hostSiginfo(ptGetSiginfo, tid, &info)
	if e == unix.ESRCH {
		// A child stopped by job control, or traced by another process. Of a tracee another thread has waited for
		// the stop since, or it has been killed.
		return code, event == 0 && sig != 0 && defaultStops>>(sig-1)&1 != 0
	}
	tr := t.p.tracee(tid)
	if tr == nil {
		// TRACEME, or inherited from a tracee that forked.
		tr = &tracee{tid: tid, tracer: t}
		t.p.addTracee(tr)
		hostPtrace(ptSetOptions, tid, 0, uint64(hostOptions(0)))
	}
	le := binary.LittleEndian
	switch at, ours := hostsig.StopOf(&info); {
	case event == ptEventExec:
		if tr.at, tr.pid, tr.ends = 0, 0, false; tr.trace != nil {
			tr.trace = &hostsig.Trace{Seized: tr.trace.Seized}
		}
		t.goOn(tid, 0)
		return 0, false
	case event == ptEventExit:
		return t.exitStop(tr)
	case event == 0 && hostsig.IsGroupStop(&info), event == ptEventStop && !tr.native && (tr.group.stops() || tr.listening() && sig != int(unix.SIGTRAP)):
		return t.listenTo(tr, sig, event)
	case event == ptEventStop && sig == int(unix.SIGTRAP) && tr.native && tr.stopped:
		return code, true // the end of a group-stop that the tracer listens to
	case event == ptEventStop && sig == int(unix.SIGTRAP) && tr.listening():
		tr.group = hostContinued
		t.goOn(tid, 0)
		return 0, false
	case event == ptEventStop && sig == int(unix.SIGTRAP):
		if tr.given {
			tr.undoStop()
		}
		t.goOn(tid, 0) // a SIGCONT, a new thread that inherits its tracer, or an attachment
		return 0, false
	case (e != 0 || event != 0) && (tr.pid != 0 || tr.trace == nil) && t.undoGroupStop(tr, sig):
		return 0, false
	case e != 0 || event != 0:
		tr.stopped, tr.native, tr.group = true, true, notHost // a group-stop that a thread of emu's own set off
		return code, true
	case ours:
		return t.guestStop(tr, at)
	case sig == int(unix.SIGCONT) && info == contInfo():
		t.goOn(tid, 0) // the end of what undoGroupStop found
		return 0, false
	case sig == int(unix.SIGSTOP) && le.Uint32(info[siCode:]) == 0 && le.Uint32(info[siPid:]) == 0:
		t.goOn(tid, 0) // a new process that inherits its tracer: it reports itself
		return 0, false
	}
	at, who, e := findTrace(tid)
	tr.given = tr.given || defaultStops&bit(sig) != 0
	switch {
	case e != 0 && sig == int(unix.SIGTRAP):
		t.goOn(tid, 0) // execve of a thread that was not seized: emu reports it when the program is loaded
	case e != 0 && hostsig.IsKick(&info):
		t.goOn(tid, 0) // it was for the program before, and would end this one
	case e == 0 && sig == int(unix.SIGSTOP):
		// It cannot be caught: a kick brings it.
		kickSig, kick := hostsig.Kick(who.own)
		var w uint32
		peekMemory(tid, at+traceWant, bytesOf(&w))
		w |= hostsig.WantStop
		if pokeMemory(tid, at+traceStopInfo, info[:]) == 0 && pokeMemory(tid, at+traceWant, bytesOf(&w)) == 0 && hostSiginfo(ptSetSiginfo, tid, &kick) == 0 {
			sig = kickSig
		}
		t.goOn(tid, sig)
	default:
		t.goOn(tid, sig)
	}
	return 0, false
}

// undoGroupStop turns a group-stop that a thread of the tracee's runtime has set
// off, by taking a SIGSTOP that was sent to the process, into the tracee's taking
// it.
func (t *Task) undoGroupStop(tr *tracee, sig int) bool {
	at, who, e := findTrace(tr.tid)
	if e != 0 || sig != int(unix.SIGSTOP) {
		return false
	}
	var stop hostsig.Info
	binary.LittleEndian.PutUint32(stop[0:], uint32(unix.SIGSTOP))
	if pokeMemory(tr.tid, at+traceStopInfo, stop[:]) != 0 || want(tr, hostsig.WantStop) != 0 {
		return false
	}
	contGroup(who.pid)
	t.goOn(tr.tid, 0)
	return true
}

// contGroup ends a process's group-stop unseen by the guest.
func contGroup(pid int) {
	cont := onHeap(contInfo())
	syscall.RawSyscall(unix.SYS_RT_SIGQUEUEINFO, uintptr(pid), uintptr(unix.SIGCONT), uintptr(addrOf(cont)))
	runtime.KeepAlive(cont)
}

// contInfo is the siginfo of a SIGCONT that no guest is to see.
func contInfo() (info hostsig.Info) {
	_, info = hostsig.Kick(0)
	binary.LittleEndian.PutUint32(info[0:], uint32(unix.SIGCONT))
	return info
}

func (t *Task) goOn(tid, sig int) { hostPtrace(ptCont, tid, 0, uint64(sig)) }

// guestStop reads the stop that a tracee has described.
func (t *Task) guestStop(tr *tracee, at uint64) (status uint32, visible bool) {
	b := &hostsig.Trace{}
	if e := peekMemory(tr.tid, at, bytesOf(b)); e != 0 {
		t.goOn(tr.tid, 0)
		return 0, false
	}
	again := tr.stopped && tr.trace != nil && tr.trace.Number == b.Number && tr.at == at && tr.trace.Command != ptListen
	if again {
		return tr.trace.Status, true // looked at before: keep what the tracer has changed since
	}
	if b.Tracer == 0 || b.Answered == b.Number {
		t.goOn(tr.tid, 0) // it has been detached, or goes on already
		return 0, false
	}
	pid, own := namespaceIDs(tr.tid)
	tr.pid = pid
	if own != tr.tid {
		switch b.Status >> 8 {
		case ptEventFork, ptEventVfork, ptEventClone, ptEventVdone:
			b.Message = uint64(outsideID(tr, int(b.Message)))
		}
	}
	b.Dirty, b.Writes = 0, 0
	tr.at, tr.trace, tr.stopped, tr.native, tr.options = at, b, true, false, b.Options
	tr.group, tr.asked, tr.given = notHost, false, false
	hostPtrace(ptSetOptions, tr.tid, 0, uint64(hostOptions(b.Options)))
	if b.Status>>8 == ptEventClone && sameProcess(tr.tid, int(b.Message)) {
		t.adopt(tr, int(b.Message))
	}
	return b.Status, true
}

// adopt attaches to a thread that a tracee has made. It waits for that.
func (t *Task) adopt(from *tracee, tid int) {
	if e := hostPtrace(ptSeize, tid, 0, uint64(hostOptions(from.options))); e != 0 {
		return
	}
	at, _, e := findTrace(tid)
	if e != 0 {
		return
	}
	head := struct{ Tracer, Seized, Options, Want uint32 }{uint32(t.p.pid), from.trace.Seized, from.options, hostsig.WantStop}
	if head.Seized != 0 {
		head.Want = hostsig.WantInterrupt
	}
	t.p.addTracee(&tracee{tid: tid, tracer: t, at: at, options: from.options, trace: &hostsig.Trace{Seized: head.Seized}})
	pokeMemory(tid, at, bytesOf(&head))
}

// guestIDs are the numbers of another process: in this one's process id namespace,
// and what it calls itself.
type guestIDs struct{ pid, own int }

// findTrace finds the Trace of a guest thread of another process, and that
// process's numbers.
func findTrace(tid int) (at uint64, who guestIDs, e unix.Errno) {
	if !sameProgram(tid) && !sameImage(tid) {
		return 0, who, unix.ENOEXEC
	}
	tableAt, pidAt := hostsig.TableAt()
	var table, thread uint64
	var number uint32
	if e := peekMemory(tid, tableAt, bytesOf(&table)); e != 0 || table == 0 {
		return 0, who, unix.ESRCH
	}
	pid, own := namespaceIDs(tid)
	if e := peekMemory(tid, pidAt, bytesOf(&number)); e != 0 {
		return 0, who, unix.ESRCH // it executes a program since
	}
	if e := peekMemory(tid, hostsig.EntryAt(table, int(number), own), bytesOf(&thread)); e != 0 || thread == 0 {
		return 0, who, unix.ESRCH
	}
	return thread + hostsig.TraceOff, guestIDs{pid, int(number)}, 0
}

// sameProgram reports whether a process runs this emu.
func sameProgram(tid int) bool {
	var own, other unix.Stat_t
	return unix.Stat("/proc/self/exe", &own) == nil && unix.Stat("/proc/"+strconv.Itoa(tid)+"/exe", &other) == nil && own.Dev == other.Dev && own.Ino == other.Ino
}

// ownImage is the page with this program's ELF header and build id, and where it is mapped.
var ownImage = sync.OnceValues(func() (page []byte, addr uint64) {
	f, err := elf.Open("/proc/self/exe")
	if err != nil {
		return nil, 0
	}
	defer f.Close()
	for _, s := range f.Progs {
		if s.Type == elf.PT_LOAD && s.Off == 0 {
			page = make([]byte, min(s.Filesz, cpu.PageSize))
			if _, err := s.ReadAt(page, 0); err == nil {
				return page, s.Vaddr
			}
		}
	}
	return nil, 0
})

// sameImage is sameProgram for a process whose link in /proc may not be looked at: that takes the caller's effective capabilities, tracing
// the permitted ones, as reading the memory does (__ptrace_may_access in the kernel).
func sameImage(tid int) bool {
	own, addr := ownImage()
	other := make([]byte, len(own))
	return len(own) != 0 && peekMemory(tid, addr, other) == 0 && bytes.Equal(own, other)
}

func sameProcess(a, b int) bool {
	var st unix.Stat_t
	return unix.Stat(fmt.Sprintf("/proc/%d/task/%d", a, b), &st) == nil
}

// kickTracee makes a thread look at what its tracer wants.
func kickTracee(who guestIDs, tid int) {
	sig, kick := hostsig.Kick(who.own)
	info := onHeap(kick)
	syscall.RawSyscall6(unix.SYS_RT_TGSIGQUEUEINFO, uintptr(who.pid), uintptr(tid), uintptr(sig), uintptr(addrOf(info)), 0, 0)
	runtime.KeepAlive(info)
}
