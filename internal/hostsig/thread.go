package hostsig

import (
	"math/bits"
	"sync/atomic"
	"unsafe"

	"emu/internal/forkall"

	"golang.org/x/sys/unix"
)

// Thread is what the signal handler knows about one guest thread. It lives
// outside of the Go heap; only the assembly and this package look inside.
type Thread struct {
	pending    *uint32 // State.Pending, set when a signal is ready, and jumps with it
	jumps      *uint64 // State.JumpCache, which gets the bit JumpMiss
	outside    *uint32 // State.Outside, 1 in blocking calls
	interrupt  uint32  // keeps the blocking stub from entering the kernel
	blocked    uint32  // from before a stub's check until the kernel has returned: which stub's
	allBlocked uint32  // 1 after the handler has blocked all signals on the host
	tid        uint32
	kicked     uint32                      // 1: the next StopSignal is a kick
	softCame   uint32                      // not 0: a soft signal came during a stub's call, see Disturbed
	mask       uint64                      // guest's mask, counts for soft signals
	waiting    uint64                      // soft signals that sigtimedwait waits for
	claimed    uint64                      // slots being written or full
	ready      uint64                      // slots that can be taken
	hostMask   uint64                      // what SetMask set last
	Scratch    [smallScratch + 2*4096]byte // for the owner: structures and paths on the way to the kernel
	info       [Signals + 1]Info
	Trace      Trace        // for ptrace(2)
	loan       forkall.Loan // of a child of vfork, while it has its parent's thread
}

// JumpMiss is cpu.JumpMiss, which this package is below.
const JumpMiss = 4

// PathScratch is where the part of Scratch for paths begins.
const PathScratch = smallScratch

// smallScratch is the part of Scratch for structures, beside what every call writes
// anyway. Its end is this package's.
const smallScratch = 1024

// Values of Thread.blocked.
const (
	BlockedCall   = 1 // Call and Quick
	BlockedDirect = 2 // generated code: see SetDirectWindow
)

// Offsets in a Thread, for generated code that makes blocking system calls itself.
const (
	OffInterrupt = unsafe.Offsetof(Thread{}.interrupt)
	OffBlocked   = unsafe.Offsetof(Thread{}.blocked)
)

// SetMask makes mask the thread's signal mask, on the host and for soft
// signals, and reports whether a signal came first: then nothing was changed
// on the host, and the caller must deliver what Take returns and set the mask
// afterwards.
//
// Preconditions: called by the owning thread.
func (th *Thread) SetMask(mask uint64) (ok bool) {
	ok = true
	if host := mask & hardMask; host != th.hostMask || atomic.LoadUint32(&th.allBlocked) != 0 {
		if ok = th.setHostMask(host); ok {
			th.hostMask = host
		}
	}
	if ok {
		th.SetSoftMask(mask)
	}
	return ok
}

// ForceMask is SetMask for moments at which signals already taken in do not
// matter for order: while one is being delivered.
func (th *Thread) ForceMask(mask uint64) {
	if host := mask & hardMask; host != th.hostMask || atomic.LoadUint32(&th.allBlocked) != 0 {
		atomic.StoreUint32(&th.allBlocked, 0)
		rawSetMask(host)
		th.hostMask = host
	}
	th.SetSoftMask(mask)
}

// SetSoftMask changes the mask for soft signals only: for calls that take a
// temporary mask, which the kernel applies to all others.
func (th *Thread) SetSoftMask(mask uint64) {
	atomic.StoreUint64(&th.mask, mask)
	if atomic.LoadUint64(&th.ready)&^(mask&Soft) != 0 {
		th.Interrupt()
	}
}

// Interrupt makes the thread leave generated code and keeps it from blocking,
// without a signal. Safe from any thread.
func (th *Thread) Interrupt() {
	atomic.StoreUint32(&th.interrupt, 1)
	atomic.StoreUint32(th.pending, 1)
	atomic.OrUint64(th.jumps, JumpMiss)
}

// Wake is Interrupt, and also takes the thread out of a blocking call.
func (th *Thread) Wake() {
	th.Interrupt()
	if atomic.LoadUint32(&th.blocked) != 0 {
		th.kick()
	}
}

// Interrupted reports whether a signal or Interrupt waits to be looked at.
func (th *Thread) Interrupted() bool { return atomic.LoadUint32(&th.interrupt) != 0 }

// Disturbed reports whether the handler may have run during a call that has ended with EINTR:
// for a signal or a kick, or for a soft signal that stays pending. If not, nothing of emu's has ended the call.
func (th *Thread) Disturbed() bool {
	return atomic.SwapUint32(&th.softCame, 0) != 0 || th.Interrupted()
}

// Acknowledge clears the flags that Interrupted and State.Pending show. The
// caller then looks at everything that could have raised them.
//
//go:nosplit
func (th *Thread) Acknowledge() {
	atomic.StoreUint32(&th.interrupt, 0)
	atomic.StoreUint32(th.pending, 0)
}

// synchronous signals are delivered before all others (kernel/signal.c).
const synchronous = faults | 1<<(31-1)

// Take removes and returns the next signal to deliver: synchronous ones first,
// then by number, as the kernel chooses. Those the handler took in while the
// host mask let them through are due whatever the mask is now.
func (th *Thread) Take() (sig int, info Info, ok bool) {
	due := atomic.LoadUint64(&th.ready) &^ (atomic.LoadUint64(&th.mask) & Soft)
	return th.take(due)
}

// TakeOf removes a pending soft signal that is in set, blocked or not: for
// sigtimedwait.
func (th *Thread) TakeOf(set uint64) (sig int, info Info, ok bool) {
	return th.take(atomic.LoadUint64(&th.ready) & set)
}

func (th *Thread) take(due uint64) (sig int, info Info, ok bool) {
	if due == 0 {
		return 0, info, false
	}
	if first := due & synchronous; first != 0 {
		due = first
	}
	sig = bits.TrailingZeros64(due) + 1
	bit := uint64(1) << (sig - 1)
	info = th.info[sig]
	atomic.AndUint64(&th.ready, ^bit)
	atomic.AndUint64(&th.claimed, ^bit)
	return sig, info, true
}

// Drop takes signals in set away. Safe from any thread.
func (th *Thread) Drop(set uint64) {
	gone := atomic.AndUint64(&th.ready, ^set) & set
	atomic.AndUint64(&th.claimed, ^gone)
}

// Due reports whether Take would return something under another mask.
func (th *Thread) Due(mask uint64) bool {
	return atomic.LoadUint64(&th.ready)&^(mask&Soft) != 0
}

// Caught reports whether the handler has taken in sig.
func (th *Thread) Caught(sig unix.Signal) bool { return atomic.LoadUint64(&th.ready)>>(sig-1)&1 != 0 }

// SoftPending returns the soft signals that are pending because the guest's
// mask blocks them.
func (th *Thread) SoftPending() uint64 { return atomic.LoadUint64(&th.ready) & Soft }

// Queue makes sig pending for the thread, without the host's help: for soft
// signals that guest threads of this process send each other. A signal that is
// already pending stays as it is, as standard signals do.
func (th *Thread) Queue(sig int, info *Info) {
	bit := uint64(1) << (sig - 1)
	if atomic.OrUint64(&th.claimed, bit)&bit != 0 {
		return
	}
	th.info[sig] = *info
	atomic.OrUint64(&th.ready, bit)
	if atomic.LoadUint64(&th.mask)&^atomic.LoadUint64(&th.waiting)&bit == 0 {
		th.Wake()
	}
}

// WaitFor makes the soft signals in set end a blocking call although they are
// blocked, until it is called with 0.
func (th *Thread) WaitFor(set uint64) { atomic.StoreUint64(&th.waiting, set&Soft) }

// Blocks reports whether the thread's mask holds the soft signal sig.
func (th *Thread) Blocks(sig int) bool { return atomic.LoadUint64(&th.mask)>>(sig-1)&1 != 0 }
