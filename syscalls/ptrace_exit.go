package syscalls

import (
	"sync/atomic"
	"time"

	"emu/internal/forkall"

	"golang.org/x/sys/unix"
)

// A process that ends takes its other threads with it, and each of them tells its tracer first if that wants to know
// (PTRACE_O_TRACEEXIT). For those that the host ends the host tells: for SIGKILL, because another executes a program, or where they
// stand at another stop. Wherever they have been their registers are not shown.

// exitStop serves the host's PTRACE_EVENT_EXIT of a tracee. One that has told already does not tell again.
func (t *Task) exitStop(tr *tracee) (status uint32, visible bool) {
	if tr.trace != nil && tr.trace.Status>>8 == ptEventExit {
		t.goOn(tr.tid, 0)
		return 0, false
	}
	tr.stopped, tr.native, tr.ends = true, true, true
	return uint32(unix.SIGTRAP) | ptEventExit<<8, true
}

// lastWords are what the threads tell when their process ends.
type lastWords struct {
	status atomic.Uint64 // PTRACE_GETEVENTMSG
	said   atomic.Bool
}

// endTraced tells tracers that the process ends with a status, and returns when they have let its threads go on.
//
// Preconditions: the thread has claimed the end.
func (t *Task) endTraced(status uint64) {
	others := t.tellOthers(status)
	if t.option(ptEventExit) {
		t.eventStop(ptEventExit, status)
	}
	if others {
		t.awaitOthers()
	}
}

// tellOthers has the other threads end if one's tracer wants to know of it, and reports whether.
func (t *Task) tellOthers(status uint64) bool {
	p := t.p
	p.mu.Lock()
	defer p.mu.Unlock()
	for o := range p.tasks.all() {
		if o != t && o.option(ptEventExit) {
			t.told.Store(true)
			p.last.status.Store(status)
			p.last.said.Store(true)
			return true
		}
	}
	return false
}

// tellEnd tells the thread's tracer, once, that the process ends.
func (t *Task) tellEnd() {
	if !t.p.last.said.Load() || t.told.Swap(true) {
		return
	}
	if t.option(ptEventExit) {
		t.eventStop(ptEventExit, t.p.last.status.Load())
	}
	t.ended.Store(true)
}

// awaitOthers waits until the threads whose tracers want to know have told that they end. One that stands at another
// stop is not waited for: its tracer may know already that it ends.
func (t *Task) awaitOthers() {
	const longestPause = 5 * time.Millisecond
	since := time.Now()
	for pause := 20 * time.Microsecond; ; pause = min(2*pause, longestPause) {
		if forkall.Closed() {
			forkall.Wait(&t.State.Outside) // a thread that forks waits for this one
		}
		t.p.mu.Lock()
		waiting := false
		for o := range t.p.tasks.all() {
			switch {
			case o == t || o.ended.Load() || !o.traced():
			case o.told.Load():
				waiting = true
			case o.option(ptEventExit) && !o.still.Load() && time.Since(since) < standStillPatience:
				waiting = true
				o.th.Wake()
			}
		}
		t.p.mu.Unlock()
		if !waiting {
			return
		}
		time.Sleep(pause)
	}
}
