package forkall

import (
	"sync/atomic"
	"unsafe"

	"golang.org/x/sys/unix"
)

// stopThreads stops every thread but self and those to be skipped. A thread that
// was born meanwhile is found by looking again until nothing new turns up:
// threads that are stopped beget none. One that a list has left out, as another ended
// when it was to be shown, the number of threads tells of.
//
//go:nosplit
func stopThreads(j *job, self uintptr) {
	const mostLooks = 1000 // should the number be of something else
	pid := uintptr(j.call.Of)
	if pid == 0 {
		pid = raw(unix.SYS_GETPID, 0, 0, 0, 0, 0)
	}
	known = 0
	n := uintptr(0) // in tids
	target := uint32(0)
	for looks := 0; ; looks++ {
		list := &j.list
		*list = taskList{}
		if !list.open(j) {
			j.failed = noTaskList
			return
		}
		more := false
		for tid := list.next(j); tid != 0; tid = list.next(j) {
			if tid == self || tid == uintptr(atomic.LoadUint32(&warden)) || listed(tids, n, tid) || listed(skip, nskip, tid) {
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
			more = true
		}
		list.close(j)
		if j.failed != 0 {
			return
		}
		target = awaitParked(j, pid, n, target)
		if j.failed != 0 {
			return
		}
		if more {
			continue
		}
		if j.asks {
			break
		}
		count, dev := countThreads(j.dir, uintptr(unsafe.Pointer(&j.tasks)))
		if count > uintptr(target)+j.self()+nskip+wardens() && looks < mostLooks {
			continue
		}
		if !j.foreign && j.call.Of == 0 && uintptr(target) == n {
			known, procDev = n, dev
		}
		break
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
	var st struct { // on the stack, of which a fork copies pages anyway
		dev, ino, nlink uint64
		_               [15]uint64
	}
	if isError(raw(unix.SYS_NEWFSTATAT, dir, path, uintptr(unsafe.Pointer(&st)), 0, 0)) {
		return 0, 0
	}
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

// taskList is a walk over the process's threads by the directory that lists them, which is
// read into entries, or without that.
type taskList struct {
	dir, at, size uintptr
	asking        asking
}

//go:nosplit
func (l *taskList) open(j *job) bool {
	if j.asks {
		return l.asking.begin()
	}
	l.dir = raw(unix.SYS_OPENAT, j.dir, uintptr(unsafe.Pointer(&j.tasks)), unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC, 0, 0)
	return !isError(l.dir)
}

//go:nosplit
func (l *taskList) close(j *job) {
	if !j.asks {
		raw(unix.SYS_CLOSE, l.dir, 0, 0, 0, 0)
	}
}

// next returns a thread's id in the process's own namespace, 0 at the end of the list.
//
//go:nosplit
func (l *taskList) next(j *job) (tid uintptr) {
	if j.asks {
		return l.asking.next(j)
	}
	for {
		if l.at == l.size {
			l.at, l.size = 0, raw(sysGetdents, l.dir, entries, entriesSize, 0, 0)
			if isError(l.size) || l.size == 0 {
				l.size = 0
				return 0
			}
		}
		tid, length := entry(l.at)
		l.at += length
		if tid != 0 && j.foreign {
			tid = translate(j, tid)
		}
		if tid != 0 {
			return tid
		}
	}
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
	// The name is put together where the file's contents go.
	write(write(writeNumber(write(status, "self/task/"), number), "/status"), "\x00")
	fd := raw(unix.SYS_OPENAT, j.dir, status, unix.O_RDONLY|unix.O_CLOEXEC, 0, 0)
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

// write puts text at p, and returns where it ends.
//
//go:nosplit
func write(p uintptr, text string) uintptr {
	for i := range len(text) {
		*(*byte)(unsafe.Pointer(word(p))) = text[i]
		p++
	}
	return p
}

// writeNumber is write of a number's decimal digits.
//
//go:nosplit
func writeNumber(p, n uintptr) uintptr {
	unit := uintptr(1)
	for n/unit >= 10 {
		unit *= 10
	}
	for ; unit != 0; unit /= 10 {
		*(*byte)(unsafe.Pointer(word(p))) = byte('0' + n/unit%10)
		p++
	}
	return p
}

// awaitAlone waits until the stopped threads have ended and only the kernel's own are left, for which it will refuse the call. It asks for their number: the directory's
// list ends early if the thread that is about to be shown ends (next_tid in Linux' fs/proc/base.c).
//
//go:nosplit
func awaitAlone(j *job) {
	if j.asks {
		aloneByUnshare()
		return
	}
	for pause := [2]uint64{0, 20e3}; ; raw(unix.SYS_NANOSLEEP, uintptr(unsafe.Pointer(&pause)), 0, 0, 0, 0) {
		if n, _ := countThreads(j.dir, uintptr(unsafe.Pointer(&j.tasks))); n <= 1+nskip {
			return
		}
	}
}
