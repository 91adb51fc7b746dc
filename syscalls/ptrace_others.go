package syscalls

import (
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
)

// Any thread of a process may wait for what its threads trace, as long as it does not say
// __WNOTHREAD, but the host serves ptrace requests to the tracing thread alone. Debuggers in Go
// make all requests on one thread and wait on another. A stop that the host has reported to the
// wrong thread is handed to the right one, which looks at it where it would look at signals.
// One that was only peeked at (WNOWAIT) may be over by then, and the tracee in another: the
// tracing thread peeks again.

// foundStop is a stop of a tracee that another thread has waited for.
type foundStop struct {
	tid    int
	code   uint32
	peeked bool
	// What hostStop says of it, once served is set.
	status  uint32
	visible bool
	served  atomic.Bool
}

// foundStops are those that a thread has not looked at yet.
type foundStops struct {
	mu   sync.Mutex
	list []*foundStop
}

// handOver has the thread that traces tid look at its stop. ok is false if it is traced by
// none of this process.
func (t *Task) handOver(tid int, code uint32, peeked bool) (status uint32, visible, ok bool) {
	tracer, err := t.p.task(tracerOf(tid))
	if err != nil || tracer == t {
		return 0, false, false
	}
	stop := &foundStop{tid: tid, code: code, peeked: peeked}
	tracer.found.mu.Lock()
	tracer.found.list = append(tracer.found.list, stop)
	tracer.found.mu.Unlock()
	tracer.th.Wake()
	for !stop.served.Load() {
		t.serveFound() // that thread may be waiting for this one
		if now, err := t.p.task(tracer.tid); err != nil || now != tracer {
			return 0, false, false
		}
		t.pauseForTracee()
	}
	return stop.status, stop.visible, true
}

// serveFound looks at the stops of the thread's tracees that others have waited for.
func (t *Task) serveFound() {
	for {
		t.found.mu.Lock()
		if len(t.found.list) == 0 {
			t.found.mu.Unlock()
			return
		}
		stop := t.found.list[0]
		t.found.list = t.found.list[1:]
		t.found.mu.Unlock()
		if stop.peeked {
			stop.status, stop.visible = t.peekStops(stop.tid)
		} else {
			stop.status, stop.visible = t.hostStop(stop.tid, stop.code)
		}
		stop.served.Store(true)
	}
}

// tracerOf is the thread that traces another, 0 if none does.
func tracerOf(tid int) int {
	status, err := readHost("/proc/" + strconv.Itoa(tid) + "/status")
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(status)) {
		if value, ok := strings.CutPrefix(line, "TracerPid:"); ok {
			tracer, _ := strconv.Atoi(strings.TrimSpace(value))
			return tracer
		}
	}
	return 0
}
