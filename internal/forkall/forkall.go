// Package forkall forks a process that runs Go's scheduler on many threads, so
// that the child can go on running Go.
//
// fork(2) gives the child only the calling thread: the runtime's other threads
// are gone, with the locks they held and the work they had begun. Here they are
// first stopped in a signal handler, then the process forks, and the child makes
// each of them anew: the handler's frame on the thread's signal stack holds all
// its registers, so a new thread that takes over that stack and returns from the
// handler continues where the old one stood. (Solaris calls a fork that keeps all
// threads forkall.)
//
// Threads of the guest are not made anew, as fork demands. That is safe while
// they are outside of Go, in generated code or in a blocking system call, where
// they hold no lock; the Gate keeps them there.
//
// The kernel's view of a process is one and signal handlers read this package's
// state, so it is process-wide.
package forkall

import (
	"errors"
	"math"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"
)

// Call is the host system call that makes the new process, such as clone(2)
// without CLONE_VM, CLONE_THREAD and a new stack.
type Call struct {
	Nr   uintptr
	Args [6]uintptr
	// SharedFiles: the child shares the descriptors (CLONE_FILES).
	SharedFiles bool
	// SharedMemory: guest threads of other processes run in the caller's memory (CLONE_VM).
	SharedMemory bool
	// Of is the process whose threads the runtime's are, and As the thread that the runtime takes the caller for, if that is a
	// child that has the thread of its parent (Loan). Else they are 0.
	Of, As int
	// Workers lists threads of the kernel's that the process has besides, as io_uring makes: they take no signals, and are not in the child.
	// More of them may come at any time. It may be nil.
	Workers func() []uint32
}

// StopSignal stops threads. Go's runtime leaves it unblocked in all of its own and
// never sends it; the kernel raises it nowhere; and unlike a real-time signal it does
// not count against RLIMIT_SIGPENDING. Threads of the runtime that get it from this
// process go to Park.
const StopSignal = unix.SIGSTKFLT

// ManyProcessors is how many processors Go has at least for a guest with threads (hostsig.ManyProcessors). With half as many
// 32 threads that sleep and wake take a third longer, with twice as many java a twelfth.
const ManyProcessors = 16

// Kick is the signal, and KickValue what its siginfo holds, by which a young child learns that
// its threads are due. Other kicks use them too: whatever makes a guest thread look around. The
// signal is one that C libraries keep for themselves (SIGSETXID, SIGCANCEL), so that no program
// expects of it, as of other real-time signals, that all that are sent while it is blocked come in order.
const (
	Kick      = 33
	KickValue = 0x656d752d6b69636b
)

// ErrUnknownRuntime says that Go's runtime is not built the way this package
// expects it.
var ErrUnknownRuntime = errors.New("forkall does not know this version of Go's runtime")

// ErrThreads says that there are more threads than the tables hold.
var ErrThreads = errors.New("too many threads to fork")

// Signal handlers and the nosplit code of fork_amd64.go use these.
var (
	closed uint32 // the gate
)

// First is a guest thread that becomes the first one of a forked child.
type First interface {
	// BeFirst is told the child's process id before any signal comes and any other thread runs. It may
	// not grow the stack, allocate or take a lock: nor may what it calls, all the way.
	BeFirst(pid uint32)
}

// Generation is how many forks of emu led to this process. A child notices by it that what it has
// is its parent's, and need not be told: each thing told would be a page to copy.
var Generation atomic.Uint32

// NoFork is held by whoever does what no fork may find half done, as a child goes on with what its
// parent's goroutines have begun: both would write to the same place of a file. It is for what
// takes a few milliseconds at most, and waits neither for the gate nor for a guest thread.
var NoFork sync.Mutex

// Outside is a guest thread's word for the gate: 1 while it runs no Go code.
type Outside = uint32

// Close closes the gate: from now on no guest thread comes back to Go. One
// thread at a time can have it closed; others wait outside meanwhile. self is the
// caller's own word.
func Close(self *Outside) {
	for !atomic.CompareAndSwapUint32(&closed, 0, 1) {
		Wait(self)
	}
}

// Open opens the gate.
func Open() {
	atomic.StoreUint32(&closed, 0)
	wakeGate()
}

// Closed reports whether a guest thread that runs Go code should Wait: one that
// otherwise would not leave Go for long.
func Closed() bool { return atomic.LoadUint32(&closed) != 0 }

// patience is for how long a closed gate waits for another thread to go outside before
// it opens again, lest they wait for one that is already out. On a busy machine
// they may be waiting for a processor: so it grows from one try to the next.
const (
	patience     = 50 * time.Millisecond
	mostPatience = 2 * time.Second
)

// Gather closes the gate and waits until all others are outside. others calls
// its argument with every other guest thread's word and a function that makes the
// thread leave long computations; it returns with whatever lock held that keeps
// the set of threads as it is, and unlock releases it. On return the gate is
// closed and the lock is held.
func Gather(self *Outside, lock, unlock func(), others func(yield func(w *Outside, nudge func()) bool)) {
	const longestPause = 500 * time.Microsecond
	for wait := patience; ; wait = min(2*wait, mostPatience) {
		Close(self)
		least, since := math.MaxInt, time.Now()
		for pause := time.Duration(0); time.Since(since) < wait; pause = min(pause+5*time.Microsecond, longestPause) {
			lock()
			inside := 0
			others(func(w *Outside, nudge func()) bool {
				if atomic.LoadUint32(w) == 0 {
					inside++
					if pause > 0 {
						nudge()
					}
				}
				return true
			})
			if inside == 0 {
				return
			}
			unlock()
			if inside < least {
				least, since = inside, time.Now()
			}
			sleep(pause)
		}
		Open()
		sleep(100 * time.Microsecond)
	}
}

// UnmountedProc makes a procfs that is mounted nowhere, for a process whose root
// directory has none: one that the kernel started by binfmt_misc (flag F) in a chroot
// before anybody has mounted /proc there. It needs CAP_SYS_ADMIN.
func UnmountedProc() (fd int, err error) {
	fs, err := unix.Fsopen("proc", unix.FSOPEN_CLOEXEC)
	if err != nil {
		return -1, err
	}
	defer unix.Close(fs)
	if err := unix.FsconfigCreate(fs); err != nil {
		return -1, err
	}
	return unix.Fsmount(fs, unix.FSMOUNT_CLOEXEC, 0)
}
