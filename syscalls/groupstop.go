package syscalls

import (
	"encoding/binary"
	"runtime"
	"strconv"
	"sync/atomic"
	"time"

	"emu/internal/forkall"
	"emu/internal/hostsig"

	"golang.org/x/sys/unix"
)

// The group-stop (ptrace(2)) of a process that has traced threads. The host's own would stop threads anywhere, and with
// them those of Go's runtime, without which a thread that its tracer lets go on cannot do. So each thread takes part where its
// registers are exact: a traced one tells its tracer, any other stands still, until SIGCONT comes. Once all
// others stand and the tracers listen to theirs (PTRACE_LISTEN), nothing of the guest runs and the host stops the process as well: its
// parent hears of that, and a process group that is orphaned gets SIGHUP and SIGCONT.

// groupStop is that of a process.
type groupStop struct {
	sig  atomic.Int32 // what it is for, 0: there is none. Process.mu is held to change it
	host bool         // the host stops the process too; Process.mu guards it

	continues atomic.Uint32 // counts SIGCONT
}

// groupPause is how often a thread that stands in a group-stop which is not the host's looks whether a SIGCONT waits that nobody
// takes: it ends the stop when it is sent, blocked or not (prepare_signal in the kernel).
const groupPause = 20 * time.Millisecond

// hasTracer reports whether one of the process's threads is traced.
func (p *Process) hasTracer() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	for t := range p.tasks.all() {
		if t.traced() {
			return true
		}
	}
	return false
}

// stopGroup stops the process as a signal that stops does by default.
func (t *Task) stopGroup(sig int) {
	p := t.p
	p.mu.Lock()
	p.group.sig.CompareAndSwap(0, int32(sig))
	for o := range p.tasks.all() {
		if o != t && !o.inPlace {
			o.trace.group.Store(int32(sig))
			o.th.Wake()
		}
	}
	p.mu.Unlock()
	t.takePart(sig)
}

// takePart has the thread take part in a group-stop for a signal: for good until the end, or until its tracer lets it go on.
func (t *Task) takePart(sig int) {
	if t.continued() {
		t.p.endGroupStop()
	}
	for t.p.group.sig.Load() != 0 {
		if !t.traced() {
			t.stand()
			continue
		}
		t.reportGroupStop(sig)
		if t.traced() {
			return
		}
	}
}

// reportGroupStop tells the tracer.
func (t *Task) reportGroupStop(sig int) {
	code := uint32(sig)
	if t.th.Trace.Seized == 0 {
		t.stop(code, 0, nil)
		return
	}
	code |= ptEventStop << 8
	t.stop(code, 0, t.siginfoOf(code))
}

// stand is what an untraced thread does in a group-stop.
func (t *Task) stand() {
	t.endsUnlessUnseen()
	t.beginStill()
	for {
		t.th.Acknowledge()
		if t.continued() {
			t.p.endGroupStop()
		}
		if t.p.group.sig.Load() == 0 || t.traced() {
			break
		}
		if !t.takePlace() {
			t.awaitGroup()
		}
	}
	t.leavePlace()
	t.endStill()
	t.th.Interrupt() // for what came meanwhile
}

// listen is what PTRACE_LISTEN leaves the thread in: stopped until SIGCONT comes, or PTRACE_INTERRUPT, or a group-stop that this
// was none of. It reports whether the tracer has given another answer to the same stop: that is what happens after
// PTRACE_INTERRUPT if the host has stopped the process.
func (t *Task) listen(status uint32) (answered bool) {
	b := &t.th.Trace
	group := status&0xff != uint32(unix.SIGTRAP)
	for {
		t.th.Acknowledge()
		t.heedCore()
		t.serveFound()
		continued := t.continued()
		if continued {
			t.p.endGroupStop()
		}
		if answered = atomic.LoadUint32(&b.Command) != ptListen; answered {
			break
		}
		on := t.p.group.sig.Load() != 0
		if group && !on || !group && (continued || on) || t.trace.group.Load() != 0 || atomic.LoadUint32(&b.Want)&hostsig.WantInterrupt != 0 {
			break
		}
		if group && t.takePlace() {
			continue
		}
		atomic.StoreUint32(&b.Placed, b.Number)
		t.awaitGroup()
	}
	t.leavePlace()
	t.th.Interrupt() // for what came meanwhile
	atomic.AndUint32(&b.Want, ^uint32(hostsig.WantInterrupt))
	return answered
}

// stopAgain is the stop that a thread is in which has been listened to: for the group-stop if that goes on, as after PTRACE_INTERRUPT,
// or a new one.
func (t *Task) stopAgain() (sig int) {
	t.trace.group.Store(0)
	code := uint32(t.p.group.sig.Load())
	if code == 0 {
		code = uint32(unix.SIGTRAP)
	}
	code |= ptEventStop << 8
	return t.stop(code, 0, t.siginfoOf(code))
}

// continued reports whether a SIGCONT has come that the thread knows of.
func (t *Task) continued() bool {
	return t.th.Caught(unix.SIGCONT) || hostsig.Pending(int(unix.SIGCONT))
}

// takePlace notes that the thread stands, or is listened to. If that is so of all, it has the host stop the process until SIGCONT
// comes, and reports that it has.
func (t *Task) takePlace() (stopped bool) {
	p := t.p
	p.mu.Lock()
	t.inPlace = true
	sig := int(p.group.sig.Load())
	stopped = sig != 0 && !p.group.host && p.sharer == nil && len(p.sharers) == 0
	for o := range p.tasks.all() {
		stopped = stopped && o.inPlace && (o == t || p.waits(o.tid)) && !o.th.Caught(unix.SIGCONT)
	}
	p.group.host = p.group.host || stopped
	p.mu.Unlock()
	if stopped {
		t.beginStill()
		t.th.StopGroup(sig)
		t.endStill()
		p.endGroupStop()
	}
	return stopped
}

// waits reports whether a thread of the process waits in the kernel, as far as can be known. One at a stop of the host's may be about to take a SIGCONT.
func (p *Process) waits(tid int) bool {
	s := p.statFields("self/task/" + strconv.Itoa(tid) + "/stat").state()
	return s == "" || s == "S"
}

func (t *Task) leavePlace() {
	t.p.mu.Lock()
	t.inPlace = false
	t.p.mu.Unlock()
}

// awaitGroup waits for something to happen to a thread that stands or is listened to. The kernel ends this call, other than most, also
// where the process has been stopped and continued (signal(7)).
func (t *Task) awaitGroup() {
	wait := onHeap(struct {
		set  uint64
		time unix.Timespec
	}{time: unix.NsecToTimespec(int64(groupPause))})
	at := uintptr(addrOf(wait))
	r := t.th.Call(unix.SYS_RT_SIGTIMEDWAIT, at, 0, at+8, sigsetSize, 0, 0)
	runtime.KeepAlive(wait)
	if forkall.Closed() {
		forkall.Wait(&t.State.Outside)
	}
	if int64(r) != fail(unix.EINTR) || t.th.Interrupted() {
		return
	}
	t.p.mu.Lock()
	host := t.p.group.host
	t.p.mu.Unlock()
	if host {
		t.p.endGroupStop()
	}
}

// sentContinue does what the kernel does when SIGCONT is sent, as soon as a thread has taken it: it ends a group-stop, and takes away
// signals that would begin one. The host has done that for those that it had not delivered yet.
func (p *Process) sentContinue() {
	if !p.hasTracer() {
		return
	}
	p.group.continues.Add(1)
	p.mu.Lock()
	for t := range p.tasks.all() {
		t.th.Drop(defaultStops)
		if b := &t.th.Trace; binary.LittleEndian.Uint32(b.StopInfo[siPid:]) != 0 { // not a tracer's
			atomic.AndUint32(&b.Want, ^uint32(hostsig.WantStop))
		}
	}
	p.mu.Unlock()
	p.endGroupStop()
}

// endGroupStop lets all threads go on that stand.
func (p *Process) endGroupStop() {
	if p.group.sig.Load() == 0 {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.group.sig.Store(0)
	p.group.host = false
	for t := range p.tasks.all() {
		t.trace.group.Store(0)
		t.inPlace = false
		t.th.Wake()
	}
}

// remindGroup has a thread that stands in a group-stop look whether all do now.
//
// Preconditions: mu is held.
func (p *Process) remindGroup() {
	if p.group.sig.Load() == 0 {
		return
	}
	for t := range p.tasks.all() {
		t.th.Wake()
	}
}
