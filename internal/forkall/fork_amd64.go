//lint:file-ignore U1000 the assembly beside this file uses what looks unused

package forkall

import (
	"sync/atomic"
	"syscall"
	"time"
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
	gen     uint32 // changes when stopped threads may go on
	nslots  uint32 // slots taken
	parked  uint32 // slots filled
	readers uint32 // threads, stopped or made anew, that have yet to read their slot
	want    uint32 // the count of parked that wakes the forking thread
	debt    uint32 // the child's threads: one of the debt states
	nurse   uint32 // thread id of the one that makes them, while it lives

	owesNetpoll uint32 // 1: the child's poller is still its parent's

	slots  uintptr // *[maxThreads]slot
	skip   uintptr // *[nskip]uint32: guest threads, which are not stopped
	nskip  uintptr
	procid uintptr // offset of m.procid
)

// Whether the child still owes itself its threads. Most children execute a
// program or exit at once: to make and end five threads would take longer than
// all else that they do. So one thread, the nurse, waits for a moment before it
// makes the others. To the runtime it is as if they had not been scheduled yet.
const (
	paid = iota
	owed
	paying
	lent // a fork makes use of what is owed: there is nobody to stop
)

// nurseDelay is a timespec: a child that lives for longer gets its threads.
var nurseDelay = [2]uint64{0, 1e6}

// Only the forking thread uses these.
var (
	tids    uintptr // *[maxThreads]uint32: threads that were told to stop
	entries uintptr // buffer for getdents64
	status  uintptr // buffer for a thread's status file, or struct stat
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

	nurseFlags  = unix.CLONE_VM | unix.CLONE_FS | unix.CLONE_FILES | unix.CLONE_SIGHAND | unix.CLONE_THREAD | unix.CLONE_SYSVSEM | unix.CLONE_PARENT_SETTID | unix.CLONE_CHILD_CLEARTID
	threadFlags = unix.CLONE_VM | unix.CLONE_FS | unix.CLONE_FILES | unix.CLONE_SIGHAND | unix.CLONE_THREAD | unix.CLONE_SYSVSEM | unix.CLONE_SETTLS
)

// For the assembly.
const (
	offSP, offFS, offTID, offM, offUC, offFull, offExit = 0, 8, 16, 24, 32, 40, 48

	futexWait = 128 // FUTEX_WAIT|FUTEX_PRIVATE_FLAG
	futexWake = 129
)

func getg() uintptr

// spawn makes a thread that takes over what is in s.
//
//go:noescape
func spawn(s uintptr, flags uintptr) (r uintptr)

// startNurse makes the nurse.
func startNurse() (r uintptr)

// nurseStack is the nurse's stack.
var nurseStack [nurseStackSize]byte

const nurseStackSize = 2048

//go:linkname entersyscall runtime.entersyscall
func entersyscall()

//go:linkname entersyscallblock runtime.entersyscallblock
func entersyscallblock()

//go:linkname exitsyscall runtime.exitsyscall
func exitsyscall()

// Leave notes that the calling guest thread goes outside. It has called
// entersyscall.
//
//go:nosplit
func Leave(w *Outside) { atomic.StoreUint32(w, 1) }

// Return notes that the calling guest thread comes back to Go and is about to
// call exitsyscall; it waits for the gate to be open.
//
//go:nosplit
func Return(w *Outside) {
	// The forking thread closes the gate, then looks at w; here it is the other way
	// round, both with full barriers.
	for atomic.SwapUint32(w, 0); atomic.LoadUint32(&closed) != 0; atomic.SwapUint32(w, 0) {
		atomic.StoreUint32(w, 1)
		raw(unix.SYS_FUTEX, uintptr(unsafe.Pointer(&closed)), futexWait, 1, 0, 0)
	}
}

// Wait waits outside while the gate is closed. Its processor is free at once for a
// thread that has yet to go outside: by itself the runtime takes it after 20 us to 10 ms.
//
//go:nosplit
func Wait(w *Outside) {
	entersyscallblock()
	Leave(w)
	Return(w)
	exitsyscall()
}

func wakeGate() {
	raw(unix.SYS_FUTEX, uintptr(unsafe.Pointer(&closed)), futexWake, 1<<31-1, 0, 0)
}

func sleep(d time.Duration) {
	ts := unix.NsecToTimespec(int64(d))
	unix.Nanosleep(&ts, nil)
}

//go:nosplit
func syscall6(nr, a, b, c, d, e, f uintptr) uintptr {
	r, _, errno := syscall.RawSyscall6(nr, a, b, c, d, e, f)
	if errno != 0 {
		return -uintptr(errno)
	}
	return r
}

//go:nosplit
func raw(nr, a, b, c, d, e uintptr) uintptr {
	r, _, errno := syscall.RawSyscall6(nr, a, b, c, d, e, 0)
	if errno != 0 {
		return -uintptr(errno)
	}
	return r
}

//go:nosplit
func isError(r uintptr) bool { return r > ^uintptr(4095) }

//go:nosplit
func word(p uintptr) *uint32 { return *(**uint32)(unsafe.Pointer(&p)) }

//go:nosplit
func slotAt(i uintptr) *slot {
	p := slots + i*slotSize
	return *(**slot)(unsafe.Pointer(&p))
}

// job is what the nosplit part works on.
type job struct {
	call    Call
	onChild *uint32 // set to the child's process id before its threads run
	mask    uint64  // the caller's signal mask, to be restored
	alone   bool    // let the threads exit, make the call, make them anew
	dir     uintptr // descriptor of a procfs, or none: the threads are known
	foreign bool    // its numbers are another namespace's
	shared  bool    // the child shares the descriptors
	clean   clean   // to be mapped anew, unless its end is 0
	ret     uintptr // the call's result
	failed  uint32  // what went wrong instead of the call
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
	taskPath  = [...]byte{'s', 'e', 'l', 'f', '/', 't', 'a', 's', 'k', 0}
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
		if j.dir == none {
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
		awaitAlone(j, raw(unix.SYS_GETTID, 0, 0, 0, 0, 0))
		j.ret = raw(j.call.Nr, j.call.Args[0], j.call.Args[1], j.call.Args[2], j.call.Args[3], j.call.Args[4])
		recreate()
		return
	}
	if j.clean.end != 0 && nskip == 0 { // nobody else runs
		renewClean(&j.clean)
	}
	if j.shared {
		payNetpoll() // under numbers that the child shares
	}
	j.ret = raw(j.call.Nr, j.call.Args[0], j.call.Args[1], j.call.Args[2], j.call.Args[3], j.call.Args[4])
	switch {
	case j.ret == 0:
	case owing:
		atomic.StoreUint32(&debt, owed)
		return
	default:
		keep(j)
		return
	}
	noWarden()
	known = 0 // the child's threads have other numbers
	atomic.StoreUint32(&Active, 0)
	atomic.StoreUint32(&readers, 0)
	atomic.AddUint32(&gen, 1)
	pid := raw(unix.SYS_GETPID, 0, 0, 0, 0, 0)
	*j.onChild = uint32(pid)
	g := getg() + gOffM
	*word(*(*uintptr)(unsafe.Pointer(word(g))) + procid) = uint32(pid)
	if !j.shared {
		owesNetpoll = 1
	}
	atomic.StoreUint32(&debt, owed)
	if isError(startNurse()) {
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
	if r = spawn(uintptr(unsafe.Pointer(s)), flags); isError(r) {
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

// stopThreads stops every thread but self and those to be skipped. A thread that
// was born meanwhile is found by looking again until nothing new turns up:
// threads that are stopped beget none.
//
//go:nosplit
func stopThreads(j *job, self uintptr) {
	pid := raw(unix.SYS_GETPID, 0, 0, 0, 0, 0)
	known = 0
	n := uintptr(0) // in tids
	target := uint32(0)
	for {
		dir := openTasks(j)
		if isError(dir) {
			j.failed = noTaskList
			return
		}
		found := false
		for j.failed == 0 {
			size := raw(sysGetdents, dir, entries, entriesSize, 0, 0)
			if isError(size) || size == 0 {
				break
			}
			for at := uintptr(0); at < size; {
				tid, length := entry(at)
				at += length
				if tid != 0 && j.foreign {
					tid = translate(j, tid)
				}
				if tid == 0 || tid == self || tid == uintptr(atomic.LoadUint32(&nurse)) || tid == uintptr(atomic.LoadUint32(&warden)) || listed(tids, n, tid) || listed(skip, nskip, tid) {
					continue
				}
				if n == maxThreads {
					j.failed = overflow
					break
				}
				if isError(raw(unix.SYS_TGKILL, pid, tid, uintptr(StopSignal), 0, 0)) {
					continue // gone already
				}
				*word(tids + 4*n) = uint32(tid)
				n++
				target++
				found = true
			}
		}
		raw(unix.SYS_CLOSE, dir, 0, 0, 0, 0)
		if j.failed != 0 {
			return
		}
		target = awaitParked(j, pid, n, target)
		if j.failed != 0 {
			return
		}
		if !found {
			break
		}
	}
	if !j.foreign && uintptr(target) == n {
		known = n
		_, procDev = countThreads(j.dir, uintptr(unsafe.Pointer(&taskPath)))
	}
	if atomic.LoadUint32(&nslots) > maxThreads {
		j.failed = overflow
		return
	}
	if !checked {
		for i := uintptr(0); i < uintptr(parked); i++ {
			s := slotAt(i)
			if s.m == 0 {
				j.failed = unknownRuntime
				return
			}
			// A new thread of the runtime lets signals in before it sets its m.procid.
			if id := uintptr(*word(s.m + procid)); id != s.tid && id != 0 {
				j.failed = unknownRuntime
				return
			}
		}
		checked = true
	}
}

// stopKnown stops the threads that were there at the last fork, without looking
// for others: if these are still there, and the kernel counts no more, there are
// none. One of them may have become a guest's since, or be the caller.
//
//go:nosplit
func stopKnown(j *job, self uintptr) {
	pid := raw(unix.SYS_GETPID, 0, 0, 0, 0, 0)
	target := uint32(0)
	for i := uintptr(0); i < known; i++ {
		p := word(tids + 4*i)
		tid := uintptr(*p)
		switch {
		case tid == 0:
		case tid == self || listed(skip, nskip, tid):
			*p = 0
		case isError(raw(unix.SYS_TGKILL, pid, tid, uintptr(StopSignal), 0, 0)):
			*p = 0
			j.failed = otherThreads
		default:
			target++
		}
	}
	target = awaitParked(j, pid, known, target)
	if j.failed != 0 {
		return
	}
	if n, dev := countThreads(0, uintptr(unsafe.Pointer(&allPath))); n != uintptr(target)+1+nskip+wardens() || dev != procDev {
		j.failed = otherThreads
	}
}

// countThreads returns how many threads the process has, 0 if that is not known:
// the links of the directory that lists them, without its own two.
//
//go:nosplit
func countThreads(dir, path uintptr) (n uintptr, dev uint64) {
	if isError(raw(unix.SYS_NEWFSTATAT, dir, path, status, 0, 0)) {
		return 0, 0
	}
	st := (*struct{ dev, ino, nlink uint64 })(unsafe.Pointer(word(status)))
	return uintptr(st.nlink) - 2, st.dev
}

// awaitParked waits until as many threads as target have stopped, those that died
// before left out, and returns how many those are. The first n of tids were told
// to.
//
// A thread that begins or ends has all signals blocked. If it waits for a lock of the
// runtime's that a thread was stopped with, it is stuck until all go on.
//
//go:nosplit
func awaitParked(j *job, pid, n uintptr, target uint32) uint32 {
	const patience = 4 // times parkLimit
	for waits, before := 0, uint32(0); ; {
		// Parking threads add to parked, then look at want.
		atomic.SwapUint32(&want, target)
		now := atomic.LoadUint32(&parked)
		if now == target {
			return target
		}
		r := raw(unix.SYS_FUTEX, uintptr(unsafe.Pointer(&parked)), futexWait, uintptr(now), uintptr(unsafe.Pointer(&parkLimit)), 0)
		if r != ^uintptr(unix.ETIMEDOUT)+1 {
			continue
		}
		if dead := bury(pid, n); dead != 0 || now != before {
			target -= dead
			waits, before = 0, now
		} else if waits++; waits == patience {
			j.failed = stuckThread
			return target
		}
	}
}

// bury drops the threads from tids that died before they could stop, and returns
// how many those were.
//
//go:nosplit
func bury(pid, n uintptr) (dead uint32) {
	for i := uintptr(0); i < n; i++ {
		p := word(tids + 4*i)
		if *p == 0 || stopped(uintptr(*p)) {
			continue
		}
		if isError(raw(unix.SYS_TGKILL, pid, uintptr(*p), 0, 0, 0)) {
			*p = 0
			dead++
		}
	}
	return dead
}

//go:nosplit
func stopped(tid uintptr) bool {
	for i := uintptr(0); i < uintptr(atomic.LoadUint32(&nslots)); i++ {
		if slotAt(i).tid == tid {
			return true
		}
	}
	return false
}

//go:nosplit
func listed(list, n, tid uintptr) bool {
	for i := uintptr(0); i < n; i++ {
		if uintptr(*word(list + 4*i)) == tid {
			return true
		}
	}
	return false
}

//go:nosplit
func openTasks(j *job) uintptr {
	return raw(unix.SYS_OPENAT, j.dir, uintptr(unsafe.Pointer(&taskPath)), unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC, 0, 0)
}

// entry reads the struct linux_dirent64 at offset at of entries: the number that
// is its name, 0 for others, and its length.
//
//go:nosplit
func entry(at uintptr) (number, length uintptr) {
	const offLength, offName = 16, 19
	p := entries + at
	length = uintptr(*(*uint16)(unsafe.Pointer(word(p + offLength))))
	for name := p + offName; ; name++ {
		c := *(*byte)(unsafe.Pointer(word(name)))
		if c < '0' || c > '9' {
			return number, length
		}
		number = number*10 + uintptr(c-'0')
	}
}

// translate returns a thread's id in the process's own namespace: the last number
// of NSpid in its status file (proc_pid_status(5)), 0 if the thread is gone.
//
//go:nosplit
func translate(j *job, number uintptr) (tid uintptr) {
	path := [40]byte{'s', 'e', 'l', 'f', '/', 't', 'a', 's', 'k', '/'}
	at, digits := 10, 1
	for n := number; n >= 10; n /= 10 {
		digits++
	}
	for i := digits - 1; i >= 0; i-- {
		path[at+i] = byte('0' + number%10)
		number /= 10
	}
	at += digits
	for _, c := range [...]byte{'/', 's', 't', 'a', 't', 'u', 's'} {
		path[at] = c
		at++
	}
	fd := raw(unix.SYS_OPENAT, j.dir, uintptr(unsafe.Pointer(&path)), unix.O_RDONLY|unix.O_CLOEXEC, 0, 0)
	if isError(fd) {
		return 0
	}
	n := raw(unix.SYS_READ, fd, status, statusSize-1, 0, 0)
	raw(unix.SYS_CLOSE, fd, 0, 0, 0, 0)
	if isError(n) {
		return 0
	}
	in := false
	for p := status; p < status+n; p++ {
		c := *(*byte)(unsafe.Pointer(word(p)))
		switch {
		case !in:
			in = c == 'N' && p+6 < status+n && *(*[6]byte)(unsafe.Pointer(word(p))) == [6]byte{'N', 'S', 'p', 'i', 'd', ':'}
		case c == '\n':
			return tid
		case c == '\t':
			tid = 0
		case c >= '0' && c <= '9':
			tid = tid*10 + uintptr(c-'0')
		}
	}
	return 0
}

// awaitAlone waits until the stopped threads have ended.
//
//go:nosplit
func awaitAlone(j *job, self uintptr) {
	pause := [2]uint64{0, 20e3}
	for {
		dir := openTasks(j)
		others := false
		for {
			size := raw(sysGetdents, dir, entries, entriesSize, 0, 0)
			if isError(size) || size == 0 {
				break
			}
			for at := uintptr(0); at < size; {
				tid, length := entry(at)
				at += length
				if tid != 0 && j.foreign {
					tid = translate(j, tid)
				}
				others = others || tid != 0 && tid != self
			}
		}
		raw(unix.SYS_CLOSE, dir, 0, 0, 0, 0)
		if !others {
			return
		}
		raw(unix.SYS_NANOSLEEP, uintptr(unsafe.Pointer(&pause)), 0, 0, 0, 0)
	}
}

// recreate makes the stopped threads anew in the calling process.
//
//go:nosplit
func recreate() {
	for i := uintptr(0); i < uintptr(parked); i++ {
		atomic.AddUint32(&readers, 1)
		tries := spawnTries
		for isError(spawn(slots+i*slotSize, threadFlags)) && tries > 0 {
			raw(unix.SYS_NANOSLEEP, uintptr(unsafe.Pointer(&spawnPause)), 0, 0, 0, 0)
			tries--
		}
		if tries == 0 {
			// Without its threads the runtime would hang sooner or later. The limit on
			// processes is the usual reason.
			raw(unix.SYS_EXIT_GROUP, lostThreads, 0, 0, 0, 0)
		}
	}
}

// pay makes the threads that the process owes itself, or waits for the nurse to
// have done it.
//
//go:nosplit
func pay() {
	for {
		switch atomic.LoadUint32(&debt) {
		case paid:
			return
		case owed:
			if atomic.CompareAndSwapUint32(&debt, owed, paying) {
				payNetpoll()
				recreate()
				atomic.StoreUint32(&debt, paid)
				return
			}
		case lent:
			raw(unix.SYS_SCHED_YIELD, 0, 0, 0, 0, 0)
		case paying:
			raw(unix.SYS_FUTEX, uintptr(unsafe.Pointer(&debt)), futexWait, paying, 0, 0)
		}
	}
}

// A thread that cannot be made is tried again, so many times with this pause.
const spawnTries = 1000

var spawnPause = [2]uint64{0, 2e6} // timespec

// lostThreads is the exit status of a child that may not have its threads.
const lostThreads = 126

// renew puts what the system call nr opens in the place of the descriptor fd and
// reports whether it could: the guest may have used up all below its limit, or lowered
// that.
//
//go:nosplit
func renew(fd, nr, a, b uintptr) bool {
	got := raw(nr, a, b, 0, 0, 0)
	if isError(got) {
		return false
	}
	r := raw(unix.SYS_DUP3, got, fd, unix.O_CLOEXEC, 0, 0)
	raw(unix.SYS_CLOSE, got, 0, 0, 0, 0)
	return !isError(r)
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

// ownNetpoll gives the child an epoll instance and an eventfd of its own under
// the numbers the runtime knows: shared ones would wake the wrong process.
//
//go:nosplit
func ownNetpoll() {
	if epfd < 0 {
		return
	}
	for tries := 0; ; tries++ {
		// One wake-up in advance: the one that the parent's eventfd may have held.
		if renew(uintptr(epfd), unix.SYS_EPOLL_CREATE1, unix.EPOLL_CLOEXEC, 0) &&
			renew(uintptr(eventfd), unix.SYS_EVENTFD2, 1, unix.EFD_CLOEXEC|unix.EFD_NONBLOCK) {
			break
		}
		if tries > 0 || !raiseLimit(uintptr(max(epfd, eventfd))+1) {
			// A guest without privileges has lowered its hard limit. The two processes
			// take each other's wake-ups, which delays timers of the runtime.
			restoreLimit()
			return
		}
	}
	restoreLimit()
	event := [3]uint32{unix.EPOLLIN, uint32(evdata), uint32(evdata >> 32)}
	raw(unix.SYS_EPOLL_CTL, uintptr(epfd), unix.EPOLL_CTL_ADD, uintptr(eventfd), uintptr(unsafe.Pointer(&event)), 0)
}
