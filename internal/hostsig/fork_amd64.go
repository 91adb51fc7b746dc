package hostsig

import (
	"sync/atomic"
	"syscall"
	"unsafe"

	"emu/internal/forkall"
)

// Fork is forkall.Fork for the process whose signals this package handles, called by the guest
// thread th. All signals but the kick are blocked when it returns, unless it fails. The parent then calls
// forkall.RestoreMask with mask, the child th.Forked.
//
// Preconditions: those of forkall.Fork; guests are the other guest threads' ids.
func (th *Thread) Fork(c forkall.Call, guests []uint32) (pid int, mask uint64, err error) {
	held := atomic.SwapUint64(&ready, 0) // in the child, until Forked
	pid, mask, err = forkall.Fork(c, guests, th)
	if pid != 0 || err != nil {
		atomic.AddUint64(&ready, held)
		return pid, mask, err
	}
	for _, tid := range guests {
		threads[tid] = nil
	}
	return pid, mask, err
}

// BeFirst makes th, the only guest thread of a forked child, known as the first thread of process
// pid, without the signals that were pending for the parent: before any comes for the child, which the
// runtime's threads could not pass on.
//
//go:nosplit
func (th *Thread) BeFirst(pid uint32) {
	atomic.StoreUint64(&th.ready, 0)
	atomic.StoreUint64(&th.claimed, 0)
	th.Acknowledge()
	const entry = unsafe.Sizeof(uintptr(0)) // without a barrier for the collector: these lie outside of its heap
	table := unsafe.Pointer(threads)
	if first := (*uintptr)(unsafe.Add(table, mainSlot*entry)); *first != uintptr(unsafe.Pointer(th)) {
		*first = uintptr(unsafe.Pointer(th))
		*(*uintptr)(unsafe.Add(table, uintptr(th.tid)*entry)) = 0
	}
	th.tid, hostPid = pid, pid
}

// Alone is forkall.Alone.
func Alone(c forkall.Call) (r int, mask uint64, err error) {
	return forkall.Alone(c)
}

// Inherit is forkall.Inherit.
func Inherit(tid int) error { return forkall.Inherit(tid) }

// NewProcess is forkall.NewProcess.
func NewProcess(tid int, flags uintptr) (pid int, err error) { return forkall.NewProcess(tid, flags) }

// Lend is forkall.Loan.Lend: child is the thread of the process that runs in place of th, as run. Until it has left,
// th is outside; it is to have the mask that it had.
//
// Preconditions: called by the owning thread.
func (th *Thread) Lend(child *Thread, flags, pidfd uintptr, mask uint64, run func()) (pid int, err error) {
	rawSetMask(^uint64(0))
	atomic.StoreUint32(th.outside, 1) // as child is not, nobody takes the goroutine for outside
	pid, err = child.loan.Lend(flags, pidfd, child.outside, run)
	atomic.StoreUint32(th.outside, 0)
	atomic.StoreUint32(&th.allBlocked, 1) // forces the mask
	th.ForceMask(mask)
	return pid, err
}

// Depart is forkall.Loan.Depart, for a thread that has been lent.
func (th *Thread) Depart(nr, a0, a1, a2, a3, a4 uintptr) (r uintptr) {
	return th.loan.Depart(nr, a0, a1, a2, a3, a4)
}

// Forget is Detach for a lent thread that has left. Its number may be another thread's by now.
func (th *Thread) Forget() {
	if slot := &threads[slotOf(th.tid)]; *slot == th {
		*slot = nil
	}
}

// Forked begins the life of th in a forked child: it can be traced from now on, and the host's mask becomes
// the guest's.
func (th *Thread) Forked(mask uint64) {
	atomic.StoreUint64(&ready, stamp)
	atomic.StoreUint32(&th.allBlocked, 1) // forces the mask
	th.ForceMask(mask)
}

// Uninterrupted makes a host system call that may block, whatever signals come
// meanwhile: the handler only queues them. It returns the raw result.
//
// Preconditions: called by the owning thread.
//
//go:nosplit
func (th *Thread) Uninterrupted(nr, a0, a1, a2, a3 uintptr) uintptr {
	entersyscall()
	forkall.Leave(th.outside)
	r, _, e := syscall.RawSyscall6(nr, a0, a1, a2, a3, 0, 0)
	forkall.Return(th.outside)
	exitsyscall()
	if e != 0 {
		return -uintptr(e)
	}
	return r
}
