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
// child's only thread looks whether that waits for one of the others: then they are due, and
// after some ticks they are anyway. (A thread that waits
// instead would cost the child's page faults and its end an interrupt each of the processor
// that this thread runs on.)

// youth is how many ticks a child owes itself its threads at most, tick a struct itimerspec. Where page faults are slow
// a child takes 2 to 10 ms to come to its execve.
var (
	youth    = uint32(5)
	tick     = [4]uint64{0, 1e6, 0, 1e6}
	lived    uint32 // ticks
	dueTimer int32  // a POSIX timer's id
	kickMask = uint64(1) << (Kick - 1)
)

func init() {
	if place.SlowFaults {
		youth, tick = 10, [4]uint64{0, 2e6, 0, 2e6}
	}
}

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

// demandLater starts the timer of a young child; it inherits none. It reports
// whether it could: a limit on pending signals (RLIMIT_SIGPENDING) counts timers. Its signal is
// let in from now on: until all others are, the runtime may already wait for its threads.
//
//go:nosplit
func demandLater() bool {
	event := sigevent{value: KickValue, signal: Kick, notify: sigevThreadID, tid: uint32(raw(unix.SYS_GETTID, 0, 0, 0, 0, 0))}
	if isError(raw(unix.SYS_TIMER_CREATE, unix.CLOCK_MONOTONIC, uintptr(unsafe.Pointer(&event)), uintptr(unsafe.Pointer(&dueTimer)), 0, 0)) {
		return false
	}
	raw(unix.SYS_TIMER_SETTIME, uintptr(dueTimer), 0, uintptr(unsafe.Pointer(&tick)), 0, 0)
	lived = 0
	raw(unix.SYS_RT_SIGPROCMASK, unix.SIG_UNBLOCK, uintptr(unsafe.Pointer(&kickMask)), 0, 8, 0)
	return true
}

// PutOff lets the youth of a child begin anew: it begins to run another program, which may be short.
func PutOff() { atomic.StoreUint32(&lived, 0) }

// Due is where the handler of the timer's signal calls, on a signal stack and with all
// signals blocked: AX is where the thread was interrupted. The signal may come after all has been paid.
func Due()

// runtimeFutex is the address of the runtime's system call futex(2), which is all of the function.
func runtimeFutex() uintptr

//go:nosplit
func payDue(pc uintptr) {
	if isDue(pc) && atomic.CompareAndSwapUint32(&debt, owed, paying) {
		payOwed()
	}
}

// isDue reports whether what is owed is due at a tick that has interrupted the thread at pc.
//
//go:nosplit
func isDue(pc uintptr) bool {
	const size = 64 // of the runtime's function with what lies between it and the next
	return pc-runtimeFutex() < size || atomic.AddUint32(&lived, 1) >= youth
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
