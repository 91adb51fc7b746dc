package syscalls

import (
	"emu/internal/hostsig"

	"golang.org/x/sys/unix"
)

// sysPerfEventOpen implements perf_event_open(2).
func sysPerfEventOpen(t *Task, a *Args) int64 {
	const flagsAt, inherit, sigtrap = 40, 1 << 1, 1 << 37 // of struct perf_event_attr
	flags, e := load[uint64](t.p, a[0]+flagsAt)
	if e == 0 && flags&sigtrap != 0 {
		// The kernel sends SIGTRAP, with a si_code as small as a CPU's, whichever of emu's code does what
		// the guest asked for.
		hostsig.MaySend(int(unix.SIGTRAP))
	}
	r := t.host(unix.SYS_PERF_EVENT_OPEN, a)
	if r >= 0 && flags&inherit != 0 {
		t.p.changed.Store(true) // its new threads are counted, too
	}
	return r
}
