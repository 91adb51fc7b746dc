//lint:file-ignore U1000 the assembly beside this file uses what looks unused

package forkall

import (
	"sync/atomic"
	"unsafe"

	"golang.org/x/sys/unix"
)

// A process that forks often, such as a shell, forks again soon after it has forked.
// To stop the runtime's threads and to let them go on each time would take a fifth of
// a fork: two context switches for each of them, and the pages that they write. So
// after the second fork threads that had nothing to do anyway stay where they are,
// until the process has not forked for a while. To the runtime it is as if they had
// not been scheduled yet. A thread of our own, the warden, lets them go on.
//
// With other guest threads there is no keeping: they may need the runtime's threads at
// any time, the one that forks hardly does.

// What kept says of the stopped threads.
const (
	notKept = iota
	threadsKept
	keepBusy // a fork makes use of it
)

// What watch tells the warden.
const (
	wardenIdles = iota // there is nothing to watch
	wardenWatches
	wardenEnds
)

// Shared with keep_amd64.s.
var (
	kept   uint32
	forks  uint32 // counts the forks after which threads were kept
	watch  uint32
	warden uint32 // thread id, while it lives
)

// keepDelays are timespecs: after one without a fork, threads go on. The longer a process forks on, the
// less often the warden looks, since it interrupts the processor that the parent or the child runs on and
// waits for the end of that interrupt: every 4 ms was 8 % of a process that does nothing but fork.
var keepDelays = [...][2]uint64{{0, 4e6}, {0, 8e6}, {0, 16e6}, {0, 32e6}}

// For the assembly.
const (
	timespecSize = 16
	lastDelay    = (len(keepDelays) - 1) * timespecSize
)

// keepsInARow bounds how long a process that does nothing but fork keeps its
// threads from work that came up meanwhile.
const keepsInARow = 32

const wardenFlags = probeFlags | unix.CLONE_PARENT_SETTID | unix.CLONE_CHILD_CLEARTID

// startWarden makes the warden, which has no stack.
func startWarden() (r uintptr)

// takeKept claims the threads that were kept for a fork. ok is false if there are
// none, or if there are others besides.
//
//go:nosplit
func takeKept(j *job) (ok bool) {
	if !atomic.CompareAndSwapUint32(&kept, threadsKept, keepBusy) {
		return false
	}
	if j.dir == none && !j.alone && nskip == 0 && !j.call.SharedMemory {
		n, dev := countThreads(0, uintptr(unsafe.Pointer(&allPath)))
		if dev == procDev && n == uintptr(parked)+1+wardens() {
			return true
		}
	}
	atomic.StoreUint32(&kept, notKept)
	release()
	return false
}

// wardens is how many threads are not the runtime's nor the guest's.
//
//go:nosplit
func wardens() uintptr {
	if atomic.LoadUint32(&warden) != 0 {
		return 1
	}
	return 0
}

// keep is release after a fork, or puts it off.
//
//go:nosplit
func keep(j *job) {
	if j.dir != none || j.asks || nskip != 0 || j.call.SharedMemory || atomic.AddUint32(&forks, 1)%keepsInARow == 0 || !idle() ||
		atomic.LoadUint32(&warden) == 0 && (NearLimit() || isError(startWarden())) { // its place may be the child's
		atomic.StoreUint32(&kept, notKept)
		release()
		return
	}
	atomic.StoreUint32(&Active, 0)
	atomic.StoreUint32(&kept, threadsKept)
	if atomic.SwapUint32(&watch, wardenWatches) == wardenIdles {
		raw(unix.SYS_FUTEX, uintptr(unsafe.Pointer(&watch)), futexWake, 1, 0, 0)
	}
}

// idle reports whether all stopped threads were in system calls: the frames of those
// show the SYSCALL instruction, before the pc or, where the call is to be made again,
// at it.
//
//go:nosplit
func idle() bool {
	const offRIP, syscallInst = 168, 0x050f
	for i := uintptr(0); i < uintptr(parked); i++ {
		pc := *(*uintptr)(unsafe.Pointer(word(slotAt(i).uc + offRIP)))
		at, before := *(*uint16)(unsafe.Pointer(word(pc))), *(*uint16)(unsafe.Pointer(word(pc - 2)))
		if at != syscallInst && before != syscallInst {
			return false
		}
	}
	return true
}

// unkeep lets threads that were kept go on.
//
//go:nosplit
func unkeep() {
	if atomic.CompareAndSwapUint32(&kept, threadsKept, notKept) {
		release()
	}
}

// endWarden makes the warden end, for a process that has to be alone.
//
//go:nosplit
func endWarden() {
	unkeep()
	for pause := [2]uint64{0, 20e3}; atomic.LoadUint32(&warden) != 0; {
		atomic.SwapUint32(&watch, wardenEnds)
		raw(unix.SYS_FUTEX, uintptr(unsafe.Pointer(&watch)), futexWake, 1, 0, 0)
		raw(unix.SYS_NANOSLEEP, uintptr(unsafe.Pointer(&pause)), 0, 0, 0, 0)
	}
	atomic.StoreUint32(&watch, wardenIdles)
}

// noWarden is the state of a child, which has no thread but its own.
//
//go:nosplit
func noWarden() {
	atomic.StoreUint32(&kept, notKept)
	atomic.StoreUint32(&watch, wardenIdles)
	atomic.StoreUint32(&warden, 0)
	atomic.StoreUint32(&forks, 0)
}
