//lint:file-ignore U1000 the assembly beside this file uses what looks unused

package forkall

import (
	"sync/atomic"
	"unsafe"

	"emu/internal/place"

	"golang.org/x/sys/unix"
)

// Most children execute a program or exit at once: to make and end five threads would take
// longer than all else that they do. So a child owes itself its threads at first, and to the
// runtime it is as if they had not been scheduled yet. A timer whose signal interrupts the
// child's only thread demands them from one that lives for longer. (A thread that waits
// instead would cost the child's page faults and its end an interrupt each of the processor
// that this thread runs on.)

// dueDelay is a struct itimerspec: a child that lives for longer gets its threads. A tracer that
// does not know the child yet takes the signal for one to the program before: so it comes again.
// Where page faults are slow a child takes 2 to 4 ms to come to its execve.
var (
	dueDelay   = [4]uint64{0, 10e6, 0, 1e6}
	laterDelay = [4]uint64{0, 10e6, 0, 5e6}
)

func init() {
	if place.SlowFaults {
		dueDelay[3], laterDelay[3] = 5e6, 10e6
	}
}

var (
	dueTimer int32 // a POSIX timer's id
	kickMask = uint64(1) << (Kick - 1)
)

// Owing reports whether the process is a young child that still owes itself its threads.
func Owing() bool { return atomic.LoadUint32(&debt) == owed }

// sigevent is struct sigevent.
type sigevent struct {
	value          uint64
	signal, notify int32
	tid            uint32
	_              [44]byte
}

const sigevThreadID = 4 // SIGEV_THREAD_ID

// demandLater starts the timer of a young child, of which no timer is inherited. It reports
// whether it could: a limit on pending signals (RLIMIT_SIGPENDING) counts timers. Its signal is
// let in from now on: until all others are, the runtime may already wait for its threads.
//
//go:nosplit
func demandLater() bool {
	event := sigevent{value: KickValue, signal: Kick, notify: sigevThreadID, tid: uint32(raw(unix.SYS_GETTID, 0, 0, 0, 0, 0))}
	if isError(raw(unix.SYS_TIMER_CREATE, unix.CLOCK_MONOTONIC, uintptr(unsafe.Pointer(&event)), uintptr(unsafe.Pointer(&dueTimer)), 0, 0)) {
		return false
	}
	raw(unix.SYS_TIMER_SETTIME, uintptr(dueTimer), 0, uintptr(unsafe.Pointer(&dueDelay)), 0, 0)
	raw(unix.SYS_RT_SIGPROCMASK, unix.SIG_UNBLOCK, uintptr(unsafe.Pointer(&kickMask)), 0, 8, 0)
	return true
}

// PutOff gives a young child longer: it begins to run another program, which may be short.
func PutOff() {
	if Owing() {
		raw(unix.SYS_TIMER_SETTIME, uintptr(dueTimer), 0, uintptr(unsafe.Pointer(&laterDelay)), 0, 0)
	}
}

// Due is where the handler of the timer's signal calls, on a signal stack and with all
// signals blocked. The signal may come after all has been paid.
func Due()

//go:nosplit
func payDue() {
	if atomic.CompareAndSwapUint32(&debt, owed, paying) {
		payOwed()
	}
}

// pay makes the threads that the process owes itself, or waits until another one has made
// them.
//
//go:nosplit
func pay() {
	for {
		switch atomic.LoadUint32(&debt) {
		case paid:
			return
		case owed:
			if atomic.CompareAndSwapUint32(&debt, owed, paying) {
				payOwed()
				return
			}
		case lent:
			raw(unix.SYS_SCHED_YIELD, 0, 0, 0, 0, 0)
		case paying:
			raw(unix.SYS_FUTEX, uintptr(unsafe.Pointer(&debt)), futexWait, paying, 0, 0)
		}
	}
}

//go:nosplit
func payOwed() {
	raw(unix.SYS_TIMER_DELETE, uintptr(dueTimer), 0, 0, 0, 0)
	payNetpoll()
	recreate()
	atomic.StoreUint32(&debt, paid)
	raw(unix.SYS_FUTEX, uintptr(unsafe.Pointer(&debt)), futexWake, 1<<31-1, 0, 0)
}

// payNetpoll gives a child that owes itself its threads a poller of its own, before
// there is anyone to look at it.
//
//go:nosplit
func payNetpoll() {
	if owesNetpoll != 0 {
		owesNetpoll = 0
		ownNetpoll()
	}
}
