//lint:file-ignore U1000 the assembly beside this file uses what looks unused

package forkall

import (
	"sync/atomic"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Supported says whether this package works on this host.
const Supported = true

// A thread that is stopped: what its successor in the child needs.
type slot struct {
	sp   uintptr // at the handler's frame
	fs   uintptr // TLS
	tid  uintptr
	m    uintptr // the runtime's m
	uc   uintptr // ucontext of the frame
	full uintptr // 1 when all of it is written
	exit uintptr // 1: the thread shall exit rather than go on
}

const slotSize = 56

var _ [slotSize - unsafe.Sizeof(slot{})]struct{} // the assembly multiplies

// maxThreads bounds the runtime's threads, not the guest's.
const maxThreads = 1 << 14

// Shared with park and resume in fork_amd64.s, which also run in threads that
// are about to end, so nothing of it may move or be freed.
var (
	// Active is not 0 while a fork stops the threads: Park then does.
	Active  uint32
	Stopper uint32 // the process that stops them, if that is not theirs
	gen     uint32 // changes when stopped threads may go on
	nslots  uint32 // slots taken
	parked  uint32 // slots filled
	readers uint32 // threads, stopped or made anew, that have yet to read their slot
	want    uint32 // the count of parked that wakes the forking thread
	debt    uint32 // the child's threads: one of the debt states

	owesNetpoll uint32 // 1: the child's poller is still its parent's

	slots  uintptr // *[maxThreads]slot
	skip   uintptr // *[nskip]uint32: guest threads, which are not stopped
	nskip  uintptr
	procid uintptr // offset of m.procid
)

// Whether the child still owes itself its threads (debt_amd64.go).
const (
	paid = iota
	owed
	paying
	lent // a fork makes use of what is owed: there is nobody to stop
)

// Only the forking thread uses these.
var (
	tids    uintptr // *[maxThreads]uint32: threads that were told to stop
	entries uintptr // buffer for getdents64
	status  uintptr // buffer for a thread's status file
	known   uintptr // entries of tids that the last fork in this process stopped
	procDev uint64  // st_dev of the procfs that they were found in
	epfd    int32   = -1
	eventfd int32   = -1
	evdata  uint64  // what the runtime registered eventfd with
	checked bool    // the threads' m.procid have been looked at once
)

const (
	entriesSize = 32 << 10
	statusSize  = 4 << 10
	gOffM       = 48 // g.m

	sysGetdents = unix.SYS_GETDENTS64

	threadFlags = unix.CLONE_VM | unix.CLONE_FS | unix.CLONE_FILES | unix.CLONE_SIGHAND | unix.CLONE_THREAD | unix.CLONE_SYSVSEM | unix.CLONE_SETTLS
)

// For the assembly.
const (
	offSP, offFS, offTID, offM, offUC, offFull, offExit = 0, 8, 16, 24, 32, 40, 48

	cloneParentSettid = unix.CLONE_PARENT_SETTID

	futexWait = 128 // FUTEX_WAIT|FUTEX_PRIVATE_FLAG
	futexWake = 129
)

func getg() uintptr

// spawn makes a thread that takes over what is in s.
//
//go:noescape
func spawn(s, flags, slack uintptr) (r uintptr)

//go:nosplit
func slotAt(i uintptr) *slot {
	p := slots + i*slotSize
	return *(**slot)(unsafe.Pointer(&p))
}

// job is what the nosplit part works on.
type job struct {
	call    Call
	first   First
	mask    uint64  // the caller's signal mask, to be restored
	alone   bool    // let the threads exit, make the call, make them anew
	dir     uintptr // descriptor of a procfs, or none: the threads are known
	foreign bool    // its numbers are another namespace's
	tasks   tasks   // where the runtime's threads are in it
	asks    bool    // there is none: the threads are asked for
	shared  bool    // the child shares the descriptors
	clean   clean   // to be mapped anew, unless its end is 0
	ret     uintptr // the call's result
	failed  uint32  // what went wrong instead of the call
	list    taskList
}

// tasks is a path below that of a procfs, and ends with a NUL.
type tasks [24]byte

// self is how many threads of the process that the runtime's threads are of make the call.
//
//go:nosplit
func (j *job) self() uintptr {
	if j.call.Of != 0 {
		return 0
	}
	return 1
}

// none is no descriptor.
const none = ^uintptr(0)

// Reasons in job.failed.
const (
	noTaskList = iota + 1
	overflow
	unknownRuntime
	otherThreads // than those known: the threads have to be listed
	stuckThread  // one waits for what a stopped thread holds
)

var (
	allPath   = [...]byte{'/', 'p', 'r', 'o', 'c', '/', 's', 'e', 'l', 'f', '/', 't', 'a', 's', 'k', 0}
	allMask   = ^uint64(0)
	parkLimit = [2]uint64{0, 5e6} // timespec
)

// run does the work of Fork and Alone. Nothing in it may grow the stack, allocate
// or take a lock: the threads that would have to help are stopped.
//
//go:nosplit
func run(j *job) {
	raw(unix.SYS_RT_SIGPROCMASK, unix.SIG_SETMASK, uintptr(unsafe.Pointer(&allMask)), uintptr(unsafe.Pointer(&j.mask)), 8, 0)
	owing := !j.alone && atomic.CompareAndSwapUint32(&debt, owed, lent)
	if !owing && !takeKept(j) {
		if j.alone {
			endWarden()
		}
		self := raw(unix.SYS_GETTID, 0, 0, 0, 0, 0)
		pay()
		activate()
		if j.call.Of != 0 {
			Stopper = uint32(raw(unix.SYS_GETPID, 0, 0, 0, 0, 0))
		}
		if j.dir == none && !j.asks {
			stopKnown(j, self)
		} else {
			stopThreads(j, self)
		}
		if j.failed != 0 {
			release()
			return
		}
	}
	if j.alone {
		known = 0
		for i := uintptr(0); i < uintptr(parked); i++ {
			atomic.StoreUintptr(&slotAt(i).exit, 1)
		}
		release()
		awaitAlone(j)
		j.ret = raw(j.call.Nr, j.call.Args[0], j.call.Args[1], j.call.Args[2], j.call.Args[3], j.call.Args[4])
		recreate()
		return
	}
	if j.clean.end != 0 && nskip == 0 && !j.call.SharedMemory { // nobody else runs
		renewClean(&j.clean)
	}
	if j.shared {
		payNetpoll() // under numbers that the child shares
	}
	j.ret = j.make()
	switch {
	case j.ret == 0:
	case owing:
		atomic.StoreUint32(&debt, owed)
		return
	default:
		keep(j)
		return
	}
	Generation.Add(1)
	noWarden()
	known = 0 // the child's threads have other numbers
	atomic.StoreUint32(&Active, 0)
	atomic.StoreUint32(&readers, 0)
	atomic.AddUint32(&gen, 1)
	pid := raw(unix.SYS_GETPID, 0, 0, 0, 0, 0)
	j.first.BeFirst(uint32(pid))
	g := getg() + gOffM
	*word(*(*uintptr)(unsafe.Pointer(word(g))) + procid) = uint32(pid)
	if !j.shared {
		owesNetpoll = 1
	}
	atomic.StoreUint32(&debt, owed)
	if !demandLater() {
		pay()
	}
}

// activate begins to stop threads, once those that were stopped before have left
// their slots.
//
//go:nosplit
func activate() {
	for pause := [2]uint64{0, 5e3}; atomic.LoadUint32(&readers) != 0; {
		raw(unix.SYS_NANOSLEEP, uintptr(unsafe.Pointer(&pause)), 0, 0, 0, 0)
	}
	atomic.StoreUint32(&want, ^uint32(0))
	atomic.StoreUint32(&nslots, 0)
	atomic.StoreUint32(&parked, 0)
	atomic.StoreUint32(&Active, 1)
}

// replace makes a thread of the calling one's kind, by clone with flags, take the place of thread tid:
// credentials, namespaces, processor affinity and whatever else the kernel hands
// down come from the thread that calls clone. tid itself ends.
//
//go:nosplit
func replace(tid, flags uintptr, mask *uint64) (r uintptr) {
	raw(unix.SYS_RT_SIGPROCMASK, unix.SIG_SETMASK, uintptr(unsafe.Pointer(&allMask)), uintptr(unsafe.Pointer(mask)), 8, 0)
	pay()
	unkeep()
	for i := uintptr(0); i < maxReplaceSlots; i++ {
		slotAt(i).full = 0
	}
	activate()
	raw(unix.SYS_TGKILL, raw(unix.SYS_GETPID, 0, 0, 0, 0, 0), tid, uintptr(StopSignal), 0, 0)
	var s *slot
	for s == nil {
		now := atomic.LoadUint32(&parked)
		for i := uintptr(0); i < uintptr(min(atomic.LoadUint32(&nslots), maxReplaceSlots)); i++ {
			if p := slotAt(i); atomic.LoadUintptr(&p.full) != 0 && p.tid == tid {
				s = p
			}
		}
		if s == nil {
			atomic.SwapUint32(&want, now+1)
			raw(unix.SYS_FUTEX, uintptr(unsafe.Pointer(&parked)), futexWait, uintptr(now), uintptr(unsafe.Pointer(&parkLimit)), 0)
		}
	}
	atomic.AddUint32(&readers, 1)
	if r = spawn(uintptr(unsafe.Pointer(s)), flags, 0); isError(r) {
		atomic.AddUint32(&readers, ^uint32(0))
	} else {
		atomic.StoreUintptr(&s.exit, 1)
	}
	release()
	return r
}

// maxReplaceSlots is more than the threads that run Go at a time.
const maxReplaceSlots = 1 << 10

// release lets the stopped threads go on.
//
//go:nosplit
func release() {
	atomic.StoreUint32(&Active, 0)
	atomic.AddUint32(&gen, 1)
	raw(unix.SYS_FUTEX, uintptr(unsafe.Pointer(&gen)), futexWake, 1<<31-1, 0, 0)
}
