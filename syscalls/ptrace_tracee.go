package syscalls

import (
	"encoding/binary"
	"runtime"
	"sync/atomic"
	"syscall"
	"time"

	"emu/cpu"
	"emu/internal/forkall"
	"emu/internal/hostsig"

	"golang.org/x/sys/unix"
)

// traceState is a task's own side of being traced. What the tracer sees and
// writes is in hostsig.Trace.
type traceState struct {
	command   uint32       // how the tracer let it go on: ptCont, ptSyscall, ptStep...
	group     atomic.Int32 // the signal of a group-stop to take part in
	inSyscall bool         // a system call is being made
	entered   bool         // the tracer has seen its entry
	deferred  bool         // TRACEME waits for execve
	from      *Task        // of a new thread: its maker, whose tracer is to attach
	watch     *cpu.Watch   // the debug registers that are enabled, nil: none
}

// traced reports whether the thread has a tracer.
func (t *Task) traced() bool { return atomic.LoadUint32(&t.th.Trace.Tracer) != 0 }

// traceMe is PTRACE_TRACEME.
func (t *Task) traceMe() int64 {
	if t.traced() {
		return fail(unix.EPERM)
	}
	if t.p.vfork != nil {
		// The parent is waiting for execve and could not serve stops before.
		t.trace.deferred = true
		return 0
	}
	return fail(t.beginTraced())
}

// beginTraced makes the parent the tracer.
func (t *Task) beginTraced() unix.Errno {
	if e := hostPtrace(ptTraceme, 0, 0, 0); e != 0 {
		return e
	}
	t.trace.deferred = false
	t.th.Trace.Seized, t.th.Trace.Options, t.th.Trace.Want = 0, 0, 0
	atomic.StoreUint32(&t.th.Trace.Tracer, uint32(max(unix.Getppid(), 1)))
	t.watchSignals()
	return 0
}

// beginDeferred does what PTRACE_TRACEME has put off: execve is about to end the
// parent's wait.
func (t *Task) beginDeferred() {
	if !t.trace.deferred {
		return
	}
	if e := t.beginTraced(); e != 0 {
		t.p.Log.Warn().Err(e).Msg("ptrace: the parent cannot trace")
	}
}

// watchSignals has emu take in all signals, those with default actions and ignored
// ones included, since the tracer sees them first.
func (t *Task) watchSignals() {
	t.slowDown(slowTraced, true)
	t.p.takeInAll()
}

// takeInAll has the host tell emu of all signals.
func (p *Process) takeInAll() {
	p.sigMu.Lock()
	defer p.sigMu.Unlock()
	if p.catchAll {
		return
	}
	p.catchAll = true
	p.setHostActions()
}

// setHostActions calls setHostAction for all signals.
//
// Preconditions: sigMu is held, or no guest code runs yet.
func (p *Process) setHostActions() {
	for sig := 1; sig <= hostsig.Signals; sig++ {
		p.setHostAction(sig)
	}
}

// catchDumps has emu take in the signals that dump core by default.
//
// Preconditions: no guest code runs yet.
func (p *Process) catchDumps() {
	for sig := 1; sig <= hostsig.Signals; sig++ {
		if dumpsCore&^hostsig.Soft&bit(sig) != 0 {
			p.setHostAction(sig)
		}
	}
}

// setHostAction makes the host's action for a signal what the guest's needs.
//
// Preconditions: sigMu is held.
func (p *Process) setHostAction(sig int) {
	if unblockable&bit(sig) != 0 {
		return
	}
	act := p.actions[sig]
	how, flags := hostsig.Catch, act.Flags&(saNocldstop|saNocldwait)
	if act.Handler == sigIgn || act.Handler == sigDfl && dumpsCore&bit(sig) == 0 && !(p.seesDeath() && terminates(sig)) {
		how = hostsig.Action(act.Handler)
	}
	if p.catchAll {
		if sig == int(unix.SIGCHLD) && act.Handler == sigIgn {
			flags |= saNocldwait // children leave no zombies
		}
		how = hostsig.Catch
	}
	hostsig.SetAction(sig, how, flags)
}

// ignoreAgain gives ignored signals back to the host before execve.
func (p *Process) ignoreAgain() {
	p.ownHandlers()
	p.sigMu.Lock()
	defer p.sigMu.Unlock()
	if !p.catchAll {
		return
	}
	p.catchAll = false
	p.setHostActions()
}

// orphaned ends being traced by a tracer that has died, unless there is another already.
func (t *Task) orphaned(tracer uint32) {
	b := &t.th.Trace
	if atomic.LoadUint32(&b.Tracer) == tracer {
		b.Options, b.Seized, b.Want = 0, 0, 0
		atomic.CompareAndSwapUint32(&b.Tracer, tracer, 0)
	}
	t.untraced()
}

// untraced is what is left to do when a tracer has gone. A new one may be there, and ask
// for a stop.
func (t *Task) untraced() {
	t.trace.command = ptCont
	t.slowDown(slowTraced, t.traced())
}

// option reports whether the tracer wants to hear of an event.
func (t *Task) option(event uint32) bool { return t.traced() && t.th.Trace.Options>>event&1 != 0 }

// siginfoOf is the siginfo of stops that are no signal (ptrace_do_notify in the kernel).
func (t *Task) siginfoOf(code uint32) *hostsig.Info {
	info := t.sentInfo(int(code&0x7f), int32(code))
	binary.LittleEndian.PutUint32(info[siPid:], uint32(t.tid))
	return &info
}

// eventStop reports an event. The kernel does not look at the signal that the tracer goes on with.
func (t *Task) eventStop(event uint32, message uint64) {
	code := uint32(unix.SIGTRAP) | event<<8
	t.stop(code, message, t.siginfoOf(code))
}

// sendOwn sends the thread a signal that its tracer wants. It is traced, so nothing is ignored.
func (t *Task) sendOwn(sig int, info *hostsig.Info) {
	if isSoft(sig) {
		t.th.Queue(sig, info)
		return
	}
	binary.LittleEndian.PutUint32(info[0:], uint32(sig))
	sent := onHeap(*info)
	_, _, e := syscall.RawSyscall6(unix.SYS_RT_TGSIGQUEUEINFO, uintptr(t.p.pid), uintptr(t.tid), uintptr(sig), uintptr(addrOf(sent)), 0, 0)
	runtime.KeepAlive(sent)
	if e == unix.EAGAIN { // at the limit of pending signals a real-time one comes without siginfo
		unix.Tgkill(t.p.pid, t.tid, unix.Signal(sig))
	}
}

// stop stops for the tracer and returns the signal that it wants delivered.
func (t *Task) stop(status uint32, message uint64, info *hostsig.Info) (sig int) {
	t.endsUnlessUnseen()
	s, b := t.State, &t.th.Trace
	b.Status, b.Message, b.Group, b.Dirty, b.Writes, b.Command = status, message, 0, 0, 0, ptCont
	if info == nil {
		b.Group, b.Info = 1, hostsig.Info{}
	} else {
		b.Info = *info
	}
	b.Mask = t.blocked
	if t.restoreMask {
		b.Mask = t.saved
	}
	b.Call = -1
	if t.trace.inSyscall {
		b.Call = int32(s.X[8])
	}
	// An interrupted call is shown about to be made again, as arm64's do_signal has it.
	restarting := t.restart != noRestart
	after, result := s.PC, s.X[0]
	if restarting {
		s.PC -= svcSize
		s.X[0] = t.call.args[0]
	}
	shown := s.PC
	t.showRegisters(b)
	number := b.Number + 1
	tracer := atomic.LoadUint32(&b.Tracer)
	atomic.StoreUint32(&b.Number, number)
	t.beginStill()
	t.th.StopForTracer()
	t.endStill()
	if b.Answered != number {
		t.orphaned(tracer)
		b.Dirty, b.Writes, b.Command = 0, 0, ptCont
		b.Signal = 0
		if signalled(status, b.Group) && b.Waited != number {
			b.Signal = status & 0x7f
		}
	}
	over := b.Command == ptListen && !t.listen(status)
	t.takeRegisters(b)
	if restarting {
		switch {
		case s.PC == shown:
			t.call.args[0], s.PC, s.X[0] = s.X[0], after, result
		default:
			t.restart = noRestart
		}
	}
	if b.Dirty&hostsig.DirtyMask != 0 {
		if t.restoreMask {
			t.saved = b.Mask
		} else {
			t.blocked = b.Mask
		}
		t.th.SetSoftMask(t.blocked)
	}
	if b.Dirty&hostsig.DirtyInfo != 0 && info != nil {
		*info = b.Info
	}
	t.takeWrites(b)
	t.trace.command = b.Command
	switch {
	case over:
		return t.stopAgain()
	case b.Command == ptDetach:
		t.untraced()
	}
	t.heedTracer()
	return int(b.Signal)
}

// takeWrites drops what was translated from memory that the tracer wrote.
func (t *Task) takeWrites(b *hostsig.Trace) {
	if b.Writes != 0 {
		t.State.NativeSP = t.State.NativeTop // returns must not go to what was translated before
	}
	if b.Writes > hostsig.MaxWritten {
		t.p.Mem.CodeChanged(0, cpu.MaxAddr)
		return
	}
	for _, w := range b.Written[:b.Writes] {
		t.p.Mem.CodeChanged(w[0], w[1])
	}
}

// serveTracer does what the tracer has asked for while the thread ran.
func (t *Task) serveTracer() {
	if atomic.LoadUint32(&t.th.Trace.Want) != 0 && t.traced() {
		t.watchSignals() // before the tracer sees that its notice has been taken
	}
	want := t.th.LoadWant()
	if want != 0 && t.traced() {
		if want&hostsig.WantContinued != 0 {
			t.th.Drop(defaultStops)
		}
		if want&hostsig.WantCommand != 0 {
			t.trace.command = t.th.Trace.Command
		}
		if want&hostsig.WantStop != 0 {
			info := t.th.Trace.StopInfo
			t.deliver(int(unix.SIGSTOP), &info)
		}
		if want&hostsig.WantInterrupt != 0 && !t.done {
			t.eventStop(ptEventStop, 0)
		}
	}
	if sig := t.trace.group.Swap(0); sig != 0 {
		t.takePart(int(sig))
	}
}

// signalStop shows the tracer a signal before it is delivered, and returns what is
// to be delivered in its place.
func (t *Task) signalStop(sig int, info *hostsig.Info) (int, *hostsig.Info) {
	sent := *info
	got := t.stop(uint32(sig), 0, &sent)
	switch {
	case got == 0:
		return 0, nil
	case got != sig:
		// A signal of the tracer's (ptrace_signal in the kernel).
		sent = t.sentInfo(got, siUser)
		binary.LittleEndian.PutUint32(sent[siPid:], t.th.Trace.Tracer)
	}
	if t.blocked&bit(got)&^unblockable != 0 {
		t.sendOwn(got, &sent)
		return 0, nil
	}
	return got, &sent
}

// forkEvent is the event that the making of a thread or process is for the tracer,
// 0 if it does not want to hear of it and the new one is not traced.
func (t *Task) forkEvent(c *cloneArgs) uint32 {
	event := uint32(ptEventFork)
	switch {
	case c.Flags&unix.CLONE_UNTRACED != 0 || !t.traced():
		return 0
	case c.Flags&unix.CLONE_VFORK != 0:
		event = ptEventVfork
	case c.ExitSignal != uint64(unix.SIGCHLD):
		event = ptEventClone
	}
	if !t.option(event) {
		return 0
	}
	return event
}

// inheritTrace begins the life of a forked child, which is traced as its parent is
// if the host was told so.
func (t *Task) inheritTrace(traced bool) {
	b := &t.th.Trace
	t.trace = traceState{command: ptCont}
	if !traced {
		// Every page that a child writes is copied: not what is zero already.
		if *b != (hostsig.Trace{}) {
			*b = hostsig.Trace{}
		}
		t.slowDown(slowTraced, false)
		return
	}
	b.Want, b.StopInfo, b.Debug = hostsig.WantStop, hostsig.Info{}, hostsig.DebugSlots{}
	binary.LittleEndian.PutUint32(b.StopInfo[0:], uint32(unix.SIGSTOP))
	if b.Seized != 0 {
		b.Want = hostsig.WantInterrupt
	}
}

// heedTracer makes the thread look at what a tracer wants of it.
func (t *Task) heedTracer() {
	if atomic.LoadUint32(&t.th.Trace.Want) != 0 {
		t.th.Interrupt()
	}
}

// awaitTracer keeps a new thread waiting until its maker's tracer has attached to
// it.
func (t *Task) awaitTracer() {
	maker := t.trace.from
	t.trace.from = nil
	for maker != nil && !t.traced() && maker.traced() {
		ts := onHeap(unix.Timespec{Nsec: int64(100 * time.Microsecond)})
		t.th.Uninterrupted(unix.SYS_NANOSLEEP, uintptr(addrOf(ts)), 0, 0, 0)
		runtime.KeepAlive(ts)
		t.heedCore()
		if forkall.Closed() {
			forkall.Wait(&t.State.Outside)
		}
	}
	if t.traced() {
		t.slowDown(slowTraced, true)
		binary.LittleEndian.PutUint32(t.th.Trace.StopInfo[0:], uint32(unix.SIGSTOP))
		t.th.Interrupt()
	}
}

// stepped reports a single step that ended without another stop.
func (t *Task) stepped() {
	t.raise(int(unix.SIGTRAP), trapTrace, t.State.PC)
}

// trapTrace is TRAP_TRACE.
const trapTrace = 2

func (t *Task) stepping() bool {
	return t.trace.command == ptStep || t.trace.command == ptSysemuStep
}

// run executes guest code: one instruction if the tracer steps.
func (t *Task) run() cpu.Exit {
	if t.trace.watch != nil {
		if w, ok := t.runner.(cpu.Watcher); ok {
			return w.RunWatched(t.State, t.trace.watch, t.stepping())
		}
	}
	if !t.stepping() {
		return t.runner.Run(t.State)
	}
	st, ok := t.runner.(cpu.Stepper)
	if !ok {
		return t.runner.Run(t.State)
	}
	return st.Step(t.State)
}
