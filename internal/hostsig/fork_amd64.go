package hostsig

import (
	"sync/atomic"
	"syscall"

	"emu/internal/forkall"

	"golang.org/x/sys/unix"
)

// Fork is forkall.Fork for the process whose signals this package handles. All
// signals are blocked when it returns, unless it fails. The parent then calls forkall.RestoreMask
// with mask, the child th.Forked.
//
// Preconditions: those of forkall.Fork; guests are the other guest threads' ids.
func Fork(c forkall.Call, guests []uint32) (pid int, mask uint64, err error) {
	held := atomic.SwapUint64(&ready, 0) // in the child, until Forked
	pid, mask, err = forkall.Fork(c, guests, &hostPid)
	if pid != 0 || err != nil {
		atomic.AddUint64(&ready, held)
	}
	return pid, mask, err
}

// Alone is forkall.Alone.
func Alone(c forkall.Call) (r int, mask uint64, err error) {
	return forkall.Alone(c)
}

// Inherit is forkall.Inherit.
func Inherit(tid int) error { return forkall.Inherit(tid) }

// NewProcess is forkall.NewProcess.
func NewProcess(tid int, flags uintptr) (pid int, err error) { return forkall.NewProcess(tid, flags) }

// Forked makes th, the only guest thread of a forked child, known under its new
// id, without the signals that were pending for the parent. guests are the ids
// that were passed to Fork. The host's mask becomes the guest's.
func (th *Thread) Forked(guests []uint32, mask uint64) {
	for _, tid := range guests {
		threads[tid] = nil
	}
	threads[th.tid] = nil
	th.tid = uint32(unix.Gettid())
	threads[th.tid] = th
	atomic.StoreUint64(&ready, stamp)
	atomic.StoreUint64(&th.ready, 0)
	atomic.StoreUint64(&th.claimed, 0)
	th.Acknowledge()
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
