package syscalls

import (
	"emu/internal/hostsig"

	"golang.org/x/sys/unix"
)

// Where the tracers listen to a group-stop and all other threads stand still, the host stops the process as well (groupstop.go). The
// thread that is the last raises the signal once more, with a mark; if that one is traced, its tracer's emu lets the signal stop it.
// The tracers' emu listen to the host's group-stop until SIGCONT ends it.

// listenedTo is how far a tracee that is listened to has come.
type listenedTo uint8

const (
	notHost       listenedTo = iota
	hostContinued            // SIGCONT has come before it could stop
	hostStopping             // it has raised the signal
	hostListens              // the host listens to it
	hostHolds                // the guest has interrupted it: it stands at the host's group-stop
)

func (l listenedTo) stops() bool { return l >= hostStopping }

// listening reports whether the guest listens to the tracee.
func (tr *tracee) listening() bool {
	return tr.stopped && !tr.native && tr.trace != nil && tr.trace.Command == ptListen
}

// listenTo serves a stop of a tracee in a group-stop that is the host's as well: for the signal, or an event.
func (t *Task) listenTo(tr *tracee, sig int, event uint32) (status uint32, visible bool) {
	switch {
	case event == 0 && (!tr.listening() || tr.group == hostContinued):
		t.goOn(tr.tid, 0)
	case event == 0:
		tr.group = hostStopping
		t.goOn(tr.tid, sig)
	case sig == int(unix.SIGTRAP):
		tr.group = hostContinued
		t.goOn(tr.tid, 0)
	case tr.asked:
		tr.asked, tr.group, tr.trace.Command = false, hostHolds, 0
		return tr.trace.Status, true
	case tr.group == hostHolds:
		return tr.trace.Status, true // looked at before
	default:
		tr.group = hostListens
		hostPtrace(ptListen, tr.tid, 0, 0)
	}
	return 0, false
}

// passGroupStop lets a tracee that the guest has just begun to listen to get as far as the host's group-stop, if it
// makes one: nobody might wait for it until much later.
func (t *Task) passGroupStop(tr *tracee) {
	if tr.trace.Status&0xff == uint32(unix.SIGTRAP) {
		return
	}
	for pauses := 0; tr.listening() && tr.group != hostListens && tr.group != hostContinued && pauses < mostPauses && !gone(tr.tid); pauses++ {
		if _, visible := t.peekStops(tr.tid); visible {
			return
		}
		var placed uint32
		if peekMemory(tr.tid, tr.at+tracePlaced, bytesOf(&placed)) == 0 && placed == tr.trace.Number {
			return // others do not stand yet
		}
		t.pauseForTracee()
	}
}

// interruptListening is PTRACE_INTERRUPT of a tracee that is listened to. It reports whether that is all: where the host has stopped the
// process the tracee's registers are those that it has shown, and it need not go on to be stopped again.
func (t *Task) interruptListening(tr *tracee) bool {
	if _, visible := t.peekStops(tr.tid); visible {
		return true // for another reason
	}
	tr.asked = true
	return tr.group == hostListens && hostPtrace(ptInterrupt, tr.tid, 0, 0) == 0
}

// resumeHeld lets a tracee go on that stands at the host's group-stop. All of its process go on with it then, unless it is only listened to again.
func (t *Task) resumeHeld(tr *tracee, request int) unix.Errno {
	if request == ptListen {
		tr.group = hostListens
		return hostPtrace(ptListen, tr.tid, 0, 0)
	}
	tr.group = notHost
	contGroup(tr.pid)
	return t.goOnKicked(tr, 0)
}

// undoStop takes the signals that stop away from a tracee which it was given, and has not taken yet, when the host tells of a SIGCONT: that does so
// when it is sent (prepare_signal in the kernel). The tracee may have stood at the host's stop for the signal for long before it was given that, if its tracer
// was stopped as well, as a terminal does it.
func (tr *tracee) undoStop() {
	at, _, e := findTrace(tr.tid)
	var w uint32
	if e == 0 && peekMemory(tr.tid, at+traceWant, bytesOf(&w)) == 0 {
		w = w&^hostsig.WantStop | hostsig.WantContinued
		pokeMemory(tr.tid, at+traceWant, bytesOf(&w))
	}
}
