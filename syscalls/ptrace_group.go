package syscalls

import (
	"emu/internal/hostsig"

	"golang.org/x/sys/unix"
)

// A group-stop that its tracer listens to (PTRACE_LISTEN) is the host's as well, for a process with one thread: so its parent
// hears of it, and a process group that is orphaned gets SIGHUP and SIGCONT. The tracee raises the signal once more, with a
// mark; the tracer's emu lets that stop it, and listens to the host's group-stop until SIGCONT ends it.

// groupStop is how far a tracee that is listened to has come.
type groupStop uint8

const (
	noGroupStop    groupStop = iota
	groupContinued           // SIGCONT has come before it could stop
	groupStopping            // it has raised the signal
	groupStopped             // the host listens to it
)

func (g groupStop) listens() bool { return g >= groupStopping }

// listening reports whether the guest listens to the tracee.
func (tr *tracee) listening() bool {
	return tr.stopped && !tr.native && tr.trace != nil && tr.trace.Command == ptListen
}

// listenTo serves a stop of a tracee in a group-stop that is the host's as well: for the signal, or an event.
func (t *Task) listenTo(tr *tracee, sig int, event uint32) {
	switch {
	case event == 0 && (!tr.listening() || tr.group == groupContinued):
		t.goOn(tr.tid, 0)
	case event == 0:
		tr.group = groupStopping
		t.goOn(tr.tid, sig)
	case sig == int(unix.SIGTRAP):
		tr.group = groupContinued
		t.goOn(tr.tid, 0)
	default:
		tr.group = groupStopped
		hostPtrace(ptListen, tr.tid, 0, 0)
	}
}

// passGroupStop lets a tracee that the guest has just begun to listen to get as far as the host's group-stop, if it
// makes one: nobody might wait for it until much later.
func (t *Task) passGroupStop(tr *tracee) {
	if tr.trace.Group == 0 || tr.trace.Alone == 0 {
		return
	}
	for pauses := 0; tr.listening() && tr.group != groupStopped && tr.group != groupContinued && pauses < mostPauses && !gone(tr.tid); pauses++ {
		if _, visible := t.peekStops(tr.tid); visible {
			return
		}
		t.pauseForTracee()
	}
}

// stopsGroup has the host stop the process as the signal of a group-stop does, until SIGCONT ends that, and
// reports whether it did.
func (t *Task) stopsGroup(sig int) bool {
	if t.th.Trace.Alone == 0 || t.th.Caught(unix.SIGCONT) || hostsig.Pending(int(unix.SIGCONT)) {
		return false
	}
	t.beginStill()
	t.th.StopGroup(sig)
	t.endStill()
	return true
}
