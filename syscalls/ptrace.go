package syscalls

import (
	"sync"
	"sync/atomic"

	"emu/cpu"
	"emu/internal/hostsig"

	"golang.org/x/sys/unix"
)

// ptrace(2) between guests. The host's ptrace attaches the tracer's thread to the
// tracee's, so that stops, wait(2), SIGCHLD and the tracer's death are the
// kernel's. What a tracee reports is its own decision: at a moment when its
// registers are exact it describes the stop in hostsig.Trace and stops itself with
// a marked signal. All other stops, which the host makes for signals that emu
// itself takes in, are continued by the tracer's emu in wait (ptrace_wait.go) and
// never seen by the guest.

// Requests of ptrace(2) on arm64 (linux/ptrace.h, asm/ptrace.h).
const (
	ptTraceme     = 0
	ptPeekText    = 1
	ptPeekData    = 2
	ptPokeText    = 4
	ptPokeData    = 5
	ptCont        = 7
	ptKill        = 8
	ptStep        = 9
	ptAttach      = 16
	ptDetach      = 17
	ptSyscall     = 24
	ptSysemu      = 31
	ptSysemuStep  = 32
	ptPeekTags    = 33 // PTRACE_PEEKMTETAGS
	ptPokeTags    = 34
	ptSetOptions  = 0x4200
	ptGetEventMsg = 0x4201
	ptGetSiginfo  = 0x4202
	ptSetSiginfo  = 0x4203
	ptGetRegset   = 0x4204
	ptSetRegset   = 0x4205
	ptSeize       = 0x4206
	ptInterrupt   = 0x4207
	ptListen      = 0x4208
	ptPeekSiginfo = 0x4209
	ptGetSigmask  = 0x420a
	ptSetSigmask  = 0x420b
	ptSyscallInfo = 0x420e
)

// Events and options.
const (
	ptEventFork    = 1
	ptEventVfork   = 2
	ptEventClone   = 3
	ptEventExec    = 4
	ptEventVdone   = 5
	ptEventExit    = 6
	ptEventSeccomp = 7
	ptEventStop    = 128

	ptSysgood     = 1
	ptExitkill    = 1 << 20
	ptSuspendSecc = 1 << 21
	ptOptions     = 0xff | ptExitkill | ptSuspendSecc
)

// tracees are the threads that the process traces.
type tracees struct {
	mu   sync.Mutex
	byID map[int]*tracee
	any  atomic.Bool // there was one
}

// tracee is a thread that a thread of this process traces.
type tracee struct {
	tid     int
	pid     int // its process, 0 until it has described a stop
	tracer  *Task
	at      uint64         // address of its Trace, 0: it runs no emu (yet)
	stopped bool           // it waits for an answer to the stop in trace
	native  bool           // the stop is the host's own, without registers
	trace   *hostsig.Trace // as read at the last stop
	options uint32
	kicked  bool // a kick may be pending for it
	given   bool // a signal that stops, since it has described a stop
	group   listenedTo
	asked   bool // it is to be interrupted while it is listened to
	ends    bool // the host has ended it
}

func (p *Process) tracee(tid int) *tracee {
	p.traced.mu.Lock()
	defer p.traced.mu.Unlock()
	return p.traced.byID[tid]
}

func (p *Process) addTracee(tr *tracee) {
	p.traced.mu.Lock()
	defer p.traced.mu.Unlock()
	if p.traced.byID == nil {
		p.traced.byID = map[int]*tracee{}
	}
	p.traced.byID[tr.tid] = tr
	if !p.traced.any.Swap(true) {
		p.mu.Lock()
		defer p.mu.Unlock()
		for t := range p.tasks.all() {
			t.slowDown(slowTracer, true)
		}
	}
}

func (p *Process) dropTracee(tid int) {
	p.traced.mu.Lock()
	defer p.traced.mu.Unlock()
	delete(p.traced.byID, tid)
}

// sysPtrace implements ptrace(2).
func sysPtrace(t *Task, a *Args) int64 {
	request, tid, addr, data := int(int32(a[0])), int(int32(a[1])), a[2], a[3]
	switch request {
	case ptTraceme:
		return t.traceMe()
	case ptAttach, ptSeize:
		return t.attach(request, tid, addr, data)
	}
	tr := t.stoppedTracee(tid)
	switch {
	case tr == nil:
		return fail(unix.ESRCH)
	case request == ptInterrupt:
		if tr.trace == nil || tr.trace.Seized == 0 {
			return fail(unix.EIO)
		}
		return t.interruptTracee(tr)
	case request == ptKill:
		if tr.stopped {
			unix.Kill(tid, unix.SIGKILL)
		}
		return 0
	case !tr.stopped || tr.listening():
		return fail(unix.ESRCH)
	}
	switch request {
	case ptPeekTags, ptPokeTags:
		return t.traceeTags(tr, request == ptPokeTags, addr, data)
	case ptPeekText, ptPeekData:
		return fail(t.peekWord(tr, addr, data))
	case ptPokeText, ptPokeData:
		return fail(t.pokeWord(tr, addr, data))
	case ptCont, ptSyscall, ptStep, ptSysemu, ptSysemuStep, ptListen, ptDetach:
		return t.resume(tr, request, data)
	case ptPeekSiginfo:
		return t.host(unix.SYS_PTRACE, a)
	}
	if tr.trace == nil || tr.native {
		return t.inspectHost(tr, request, data)
	}
	return t.inspect(tr, request, addr, data)
}

// peekWord is PTRACE_PEEKDATA: the word at addr of the tracee goes to data.
func (t *Task) peekWord(tr *tracee, addr, data uint64) unix.Errno {
	if !t.p.Mem.OK(data, 8, unix.PROT_WRITE) {
		return unix.EFAULT
	}
	word := onHeap(uint64(0))
	if e := hostPtrace(ptPeekData, tr.tid, addr, addrOf(word)); e != 0 {
		return e
	}
	return save(t.p, data, *word)
}

// pokeWord is PTRACE_POKEDATA.
func (t *Task) pokeWord(tr *tracee, addr, word uint64) unix.Errno {
	e := hostPtrace(ptPokeData, tr.tid, addr, word)
	if old := onHeap(uint64(0)); e != 0 && hostPtrace(ptPeekData, tr.tid, addr, addrOf(old)) == 0 && cpu.InShadowSpace(addr) {
		e = hostPtrace(ptPokeData, tr.tid, addr|cpu.ShadowView, word) // memory that cannot be written there
	}
	if e == 0 {
		t.p.wrote(tr, addr, addr+8)
	}
	return e
}

// inspect serves the requests that look at a stop and change what the tracee goes on with.
func (t *Task) inspect(tr *tracee, request int, addr, data uint64) int64 {
	switch request {
	case ptSetOptions:
		return tr.setOptions(data)
	case ptGetEventMsg:
		return fail(save(t.p, data, tr.trace.Message))
	case ptGetSiginfo:
		if tr.trace.Group != 0 {
			return fail(unix.EINVAL)
		}
		return fail(t.p.copyOut(data, tr.trace.Info[:]))
	case ptSetSiginfo:
		if tr.trace.Group != 0 {
			return fail(unix.EINVAL)
		}
		if e := t.p.copyIn(tr.trace.Info[:], data); e != 0 {
			return fail(e)
		}
		tr.trace.Dirty |= hostsig.DirtyInfo
		return 0
	case ptGetSigmask, ptSetSigmask:
		return t.traceeMask(tr, request, addr, data)
	case ptGetRegset, ptSetRegset:
		return t.regset(tr, request == ptSetRegset, addr, data)
	case ptSyscallInfo:
		return t.syscallInfo(tr, addr, data)
	}
	return fail(unix.EIO)
}

// inspectHost is inspect for a tracee that is none of emu's, or stopped where it shows no registers.
func (t *Task) inspectHost(tr *tracee, request int, data uint64) int64 {
	switch request {
	case ptGetEventMsg:
		message := onHeap(uint64(0))
		if e := hostPtrace(request, tr.tid, 0, addrOf(message)); e != 0 {
			return fail(e)
		}
		return fail(save(t.p, data, *message))
	case ptGetSiginfo:
		var info hostsig.Info
		if e := hostSiginfo(request, tr.tid, &info); e != 0 {
			return fail(e)
		}
		return fail(t.p.copyOut(data, info[:]))
	}
	return fail(unix.EIO)
}

// stoppedTracee finds a tracee. If it is not known to be stopped, what the host
// has to report is looked at first: a stop need not have been waited for.
func (t *Task) stoppedTracee(tid int) *tracee {
	tr := t.p.tracee(tid)
	if tr == nil || !tr.stopped {
		t.serveFound()
		t.peekStops(tid)
		tr = t.p.tracee(tid)
	}
	if tr == nil || tr.tracer != t {
		return nil
	}
	return tr
}

// interruptTracee is PTRACE_INTERRUPT.
func (t *Task) interruptTracee(tr *tracee) int64 {
	if tr.stopped && !tr.native && tr.trace.Command != ptListen {
		// It traps when it goes on.
		tr.trace.Want |= hostsig.WantInterrupt
		return 0
	}
	if tr.listening() && t.interruptListening(tr) {
		return 0
	}
	if tr.stopped && tr.native && tr.group == hostListens {
		return fail(hostPtrace(ptInterrupt, tr.tid, 0, 0))
	}
	for {
		r, heard := interruptRunning(tr)
		if heard {
			return r
		}
		t.peekStops(tr.tid)
		switch {
		case tr.stopped:
			return 0
		case t.signalled():
			return -hostsig.ENoIntr
		}
		t.pauseForTracee()
	}
}

// interruptRunning asks a running tracee to stop. It has not heard of that for sure if its process is about to execute
// a program or in the middle of making another.
func interruptRunning(tr *tracee) (r int64, heard bool) {
	before := readiness(tr.tid)
	e := want(tr, hostsig.WantInterrupt)
	switch {
	case gone(tr.tid):
		return fail(unix.ESRCH), true
	case e == unix.ENOEXEC:
		return fail(unix.EIO), true // it runs no emu
	case e != 0 && e != unix.ESRCH || (before.Stamped() || before == hostsig.Promised) && readiness(tr.tid) == before:
		return fail(e), true
	}
	return 0, false
}

// want asks a running tracee for something.
func want(tr *tracee, bits uint32) unix.Errno {
	at, who, e := findTrace(tr.tid)
	if e != 0 {
		return e
	}
	var w uint32
	wantAt := at + traceWant
	if e := peekMemory(tr.tid, wantAt, bytesOf(&w)); e != 0 {
		return e
	}
	w |= bits
	if e := pokeMemory(tr.tid, wantAt, bytesOf(&w)); e != 0 {
		return e
	}
	kickTracee(who, tr.tid)
	tr.kicked = true
	return 0
}

func (tr *tracee) setOptions(data uint64) int64 {
	if data&^uint64(ptOptions) != 0 || data&ptSuspendSecc != 0 {
		return fail(unix.EINVAL)
	}
	if e := hostPtrace(ptSetOptions, tr.tid, 0, uint64(hostOptions(uint32(data)))); e != 0 {
		return fail(e)
	}
	tr.options = uint32(data)
	tr.trace.Options = uint32(data)
	return 0
}

// hostOptions are those that the host has to know: it tells about execve, so that
// the tracer's emu notices that the Trace is gone, kills, and tells of threads that it ends.
func hostOptions(options uint32) uint32 {
	const traceExec, traceExit = 1 << ptEventExec, 1 << ptEventExit
	return options&(ptExitkill|traceExit) | traceExec
}

// wrote notes that the memory of a tracee's process was written, which may be code:
// whichever of its threads goes on first drops what was translated.
func (p *Process) wrote(tr *tracee, start, end uint64) {
	tr.wrote(start, end)
	p.traced.mu.Lock()
	defer p.traced.mu.Unlock()
	for _, o := range p.traced.byID {
		if o != tr && o.pid == tr.pid && o.stopped {
			o.wrote(start, end)
		}
	}
}

func (tr *tracee) wrote(start, end uint64) {
	b := tr.trace
	if b == nil {
		return
	}
	if b.Writes < hostsig.MaxWritten {
		b.Written[b.Writes] = [2]uint64{start, end}
	}
	b.Writes++
}

// resume lets a stopped tracee go on.
func (t *Task) resume(tr *tracee, request int, data uint64) int64 {
	if data > hostsig.Signals {
		return fail(unix.EIO)
	}
	if tr.native || tr.trace == nil {
		tr.stopped, tr.group = request == ptListen, notHost // a listening tracee counts as stopped
		if request == ptListen {
			tr.group = hostListens
			return fail(hostPtrace(ptListen, tr.tid, 0, 0))
		}
		if request == ptDetach {
			t.p.dropTracee(tr.tid)
			return fail(hostPtrace(ptDetach, tr.tid, 0, data))
		}
		if at, _, e := findTrace(tr.tid); e == 0 && !tr.ends {
			command := uint32(request)
			pokeMemory(tr.tid, at+traceCommand, bytesOf(&command))
			want(tr, hostsig.WantCommand)
		}
		return fail(t.goOnKicked(tr, data))
	}
	b := tr.trace
	if request == ptListen && (b.Seized == 0 || b.Status>>8 != ptEventStop) {
		return fail(unix.EIO)
	}
	b.Answered, b.Command, b.Signal = b.Number, uint32(request), uint32(data)
	if request == ptDetach {
		b.Tracer, b.Seized, b.Options, b.Want = 0, 0, 0, 0 // here: the next tracer's must stay
	}
	if e := pokeMemory(tr.tid, tr.at, bytesOf(b)); e != 0 {
		return fail(unix.ESRCH)
	}
	if b.Status>>8 == ptEventExit {
		hostPtrace(ptSetOptions, tr.tid, 0, uint64(hostOptions(0))) // it has told that it ends; nobody may wait for more
	}
	tr.stopped = request == ptListen
	if request == ptDetach {
		t.p.dropTracee(tr.tid)
		return fail(hostPtrace(ptDetach, tr.tid, 0, 0))
	}
	if tr.group == hostHolds {
		return fail(t.resumeHeld(tr, request))
	}
	tr.group = notHost
	e := t.goOnKicked(tr, 0)
	if request == ptListen && e == 0 {
		t.passGroupStop(tr)
	}
	return fail(e)
}

// traceeMask is PTRACE_GETSIGMASK and PTRACE_SETSIGMASK.
func (t *Task) traceeMask(tr *tracee, request int, size, data uint64) int64 {
	if size != sigsetSize {
		return fail(unix.EINVAL)
	}
	if request == ptGetSigmask {
		return fail(save(t.p, data, tr.trace.Mask))
	}
	mask, e := load[uint64](t.p, data)
	if e == 0 {
		tr.trace.Mask = mask &^ unblockable
		tr.trace.Dirty |= hostsig.DirtyMask
	}
	return fail(e)
}
