package syscalls

import (
	"sync/atomic"

	"emu/cpu"
	"emu/internal/forkall"

	"golang.org/x/sys/unix"
)

// A young child has its threads made by a signal to its only one (forkall). In most calls that
// goes unseen: they complete before it comes, or start again. But it would cut short what
// moves bytes, such as a large write to a pipe, and have a call notified twice that a filter
// of seccomp(2) hands to a supervisor. Before such calls a child makes its threads itself.

// atomicSize is what a read or write moves at once if it moves anything (PIPE_BUF, pipe(7)).
const atomicSize = 4096

// wholeRandom is what getrandom(2) gives at once.
const wholeRandom = 256

// beYoung begins the child's youth.
func (t *Task) beYoung() {
	if t.young = forkall.Owing(); t.young {
		t.slowDown(slowYoung, true)
	}
}

// grow ends the task's youth if it is over, or has to be before a call.
func (t *Task) grow(row *Row) {
	if forkall.Owing() {
		if t.unseenIn(row) {
			return
		}
		forkall.NeedThreads()
	}
	t.young = false
	t.slowDown(slowYoung, false)
}

// unseenIn reports whether a signal that the guest does not get changes nothing about the call.
func (t *Task) unseenIn(row *Row) bool {
	if atomic.LoadUint32(&t.slow)&slowFiltered != 0 {
		return false
	}
	switch row.Host {
	case unix.SYS_READ, unix.SYS_WRITE:
		return t.call.args[2] <= atomicSize
	case unix.SYS_GETRANDOM:
		return t.call.args[1] <= wholeRandom
	case unix.SYS_IOCTL:
		switch t.call.args[1] {
		case unix.TCGETS, unix.TIOCGPGRP, unix.TIOCGWINSZ, unix.TIOCINQ: // as shells ask terminals, which never wait
			return true
		}
		return false
	case unix.SYS_TIMER_SETTIME, unix.SYS_TIMER_GETTIME, unix.SYS_TIMER_GETOVERRUN, unix.SYS_TIMER_DELETE:
		return false // they could name the timer that sends the signal
	}
	return row.whole || row.Class == Refuse || row.Class == Emulate || row.Class == Direct && row.flags&cpu.DirectBlocks == 0
}
