package forkall

import (
	"bytes"
	"fmt"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
	"unsafe"

	"emu/internal/place"

	"golang.org/x/sys/unix"
)

// Fork makes a new process with c and returns its id, 0 in the child. There,
// first has become its first thread, all
// threads but the guest's exist again, and the gate is still closed. All signals
// but the kick in the child are blocked in both when it returns; mask is what was blocked before. If it fails, none of
// that has happened.
//
// Preconditions: the gate is closed and every guest thread, given by thread id
// in guests, is outside; the calling goroutine is locked to its thread.
func Fork(c Call, guests []uint32, first First) (pid int, mask uint64, err error) {
	NoFork.Lock()
	defer NoFork.Unlock()
	return start(&job{call: c, first: first, shared: c.SharedFiles}, guests)
}

// Alone makes the system call c while the process has no other thread, which the
// kernel demands for some. The runtime's threads end before it and are made anew
// after it. Preconditions and results are Fork's, but there must be no guest
// thread besides the caller's.
func Alone(c Call) (r int, mask uint64, err error) {
	return start(&job{call: c, alone: true}, nil)
}

func start(j *job, guests []uint32) (int, uint64, error) {
	if !j.alone && j.call.Of == 0 {
		if counted++; counted == arrangeAfter {
			defer arrange(j)()
		}
	}
	if (known != 0 || atomic.LoadUint32(&debt) == owed) && !j.alone && j.call.Of == 0 {
		j.dir = none
		attempt(j, guests)
		if j.failed == 0 {
			return result(j)
		}
		RestoreMask(j.mask)
		j.failed = 0
	}
	if !canOpen(listing) && raiseLimit(0) {
		defer restoreLimit() // in the child, too
	}
	dir, foreign, err := openProc()
	if err == nil {
		defer unix.Close(dir)
	}
	j.foreign, j.asks = foreign, err != nil
	if j.call.Of != 0 && (j.foreign || j.asks) {
		return 0, 0, fmt.Errorf("the threads of the process whose memory this one shares cannot be listed: %w", unix.ENOSYS)
	}
	of := "self"
	if j.call.Of != 0 {
		of = strconv.Itoa(j.call.Of)
	}
	copy(j.tasks[:], of+"/task\x00")
	if err := prepareOnce(dir, j.call.As); err != nil {
		return 0, 0, err
	}
	j.dir = uintptr(dir)
	for attempt(j, guests); j.failed == stuckThread; attempt(j, guests) {
		RestoreMask(j.mask)
		j.failed = 0
		sleep(time.Millisecond)
	}
	return result(j)
}

func attempt(j *job, guests []uint32) {
	if j.call.Workers != nil {
		guests = append(slices.Clip(guests), j.call.Workers()...) // those that there are now
	}
	skip, nskip = uintptr(unsafe.Pointer(unsafe.SliceData(guests))), uintptr(len(guests))
	run(j)
	nskip = 0
	if j.call.Of != 0 {
		Stopper = 0
	}
	runtime.KeepAlive(guests)
}

// result is what came of j. If that failed, the mask is what it was.
func result(j *job) (r int, mask uint64, err error) {
	switch {
	case j.failed == noTaskList:
		err = fmt.Errorf("the process's threads cannot be listed: %w", unix.ENOSYS)
	case j.failed == overflow:
		err = ErrThreads
	case j.failed == unknownRuntime:
		err = ErrUnknownRuntime
	case isError(j.ret):
		err = unix.Errno(-j.ret)
	default:
		return int(j.ret), j.mask, nil
	}
	RestoreMask(j.mask)
	return 0, 0, err
}

// Settle lets others run if the runtime has asked the calling goroutine for that, before it forks. A child would do
// so instead, and wait for the thread that goes on until all are due.
func Settle() {
	const stackHi, stackguard0 = 8, 16 // of a g: the guard is above the stack then
	if g := getg(); pointerAt(g+stackguard0) > pointerAt(g+stackHi) && !Owing() {
		runtime.Gosched()
	}
}

// NeedThreads makes the threads of a young child exist, for a caller that is about
// to need them: a guest thread can only be started by another thread.
func NeedThreads() {
	unkeep()
	if atomic.LoadUint32(&debt) == paid {
		return
	}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	var mask uint64
	raw(unix.SYS_RT_SIGPROCMASK, unix.SIG_SETMASK, uintptr(unsafe.Pointer(&allMask)), uintptr(unsafe.Pointer(&mask)), 8, 0)
	pay()
	RestoreMask(mask)
}

// RestoreMask sets the calling thread's signal mask.
func RestoreMask(mask uint64) {
	raw(unix.SYS_RT_SIGPROCMASK, unix.SIG_SETMASK, uintptr(unsafe.Pointer(&mask)), 0, 8, 0)
}

// replacing keeps two threads from calling replace at a time. Fork and Alone need
// no lock: whoever replaces is in Go, and they have waited for all to be outside.
var replacing sync.Mutex

// Inherit makes the runtime's thread tid one that the calling thread has created,
// with all that the kernel lets a new thread inherit. The thread's id changes.
//
// Preconditions: tid belongs to a goroutine that is locked to it and blocked; the
// caller is locked to its thread and inside (not Outside).
func Inherit(tid int) error {
	_, err := transplant(tid, threadFlags)
	return err
}

// NewProcess is Inherit, but what takes the place of tid is a process that shares the
// caller's memory: clone(2) with flags, among them CLONE_VM and neither CLONE_SIGHAND nor
// CLONE_THREAD. The runtime goes on using the thread as its own; only fork and signals,
// which the kernel keeps within a process, do not reach it. It returns the process's number.
//
// Preconditions: as of Inherit.
func NewProcess(tid int, flags uintptr) (pid int, err error) {
	return transplant(tid, flags|unix.CLONE_SETTLS)
}

func transplant(tid int, flags uintptr) (newTID int, err error) {
	replacing.Lock()
	defer replacing.Unlock()
	dir, _, err := openProc()
	if err == nil {
		defer unix.Close(dir)
	}
	if err := prepareOnce(dir, 0); err != nil {
		return 0, err
	}
	var mask uint64
	r := replace(uintptr(tid), flags, &mask)
	RestoreMask(mask)
	if isError(r) {
		return 0, unix.Errno(-r)
	}
	return int(r), nil
}

// prepareOnce is prepare unless that is done. proc is a descriptor of a procfs, or -1; the runtime takes the
// caller for the thread as, or for what it is if that is 0.
func prepareOnce(proc, as int) error {
	if slots != 0 {
		return nil
	}
	err := prepare(proc, as)
	if err != nil {
		slots = 0
	}
	return err
}

// prepare finds out what a fork has to know about the runtime. It runs once,
// before the first.
func prepare(proc, as int) error {
	const bytes = maxThreads*(slotSize+4+4) + entriesSize + statusSize
	mem, err := place.Small(bytes, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE)
	if err != nil {
		return err
	}
	slots = uintptr(mem)
	tids = slots + maxThreads*slotSize
	found = tids + maxThreads*4
	entries = found + maxThreads*4
	status = entries + entriesSize
	if as == 0 {
		as = unix.Gettid()
	}
	if err := findProcid(uint64(as)); err != nil {
		return err
	}
	if proc < 0 {
		return askNetpoll()
	}
	return findNetpoll(proc)
}

// findProcid looks for the thread id in the runtime's m of the calling thread:
// the word before m.gsignal, whose own m is this one. The thread id alone would
// not do, for it may be as small as 1. stopThreads checks the offset in all other
// threads.
func findProcid(tid uint64) error {
	m := *(*uintptr)(unsafe.Pointer(word(getg() + gOffM)))
	const most = 512
	for off := uintptr(0); off < most; off += 8 {
		gsignal := *(*uint64)(unsafe.Pointer(word(m + off + 8)))
		var owner uint64
		if *(*uint64)(unsafe.Pointer(word(m + off))) == tid && peek(gsignal+gOffM, &owner) && owner == uint64(m) {
			procid = off
			return nil
		}
	}
	return ErrUnknownRuntime
}

// findNetpoll looks for the epoll instance that the runtime's scheduler waits
// in. It holds an eventfd, registered with the address of the variable that holds
// the eventfd's number: an instance of the guest's could not be taken for it.
func findNetpoll(proc int) error {
	time.AfterFunc(time.Hour, func() {}).Stop() // the first timer makes the runtime open it
	fds, err := list(proc, "self/fd")
	if err != nil {
		return err
	}
	for _, number := range fds {
		var kind [64]byte
		n, err := unix.Readlinkat(proc, "self/fd/"+number, kind[:])
		if err != nil || string(kind[:n]) != "anon_inode:[eventpoll]" {
			continue
		}
		info, err := read(proc, "self/fdinfo/"+number)
		if err != nil {
			return err
		}
		for line := range bytes.Lines(info) {
			f := strings.Fields(string(line)) // tfd: 7 events: 19 data: 7e00025d80f8 ...
			if len(f) < 6 || f[0] != "tfd:" || f[4] != "data:" {
				continue
			}
			fd, err1 := strconv.Atoi(f[1])
			data, err2 := strconv.ParseUint(f[5], 16, 64)
			var held uint64
			if err1 != nil || err2 != nil || !inImage(data) || !peek(data, &held) || held != uint64(fd) {
				continue
			}
			ep, _ := strconv.Atoi(number)
			epfd, eventfd, evdata = int32(ep), int32(fd), data
			return nil
		}
	}
	return ErrUnknownRuntime
}

// list returns the names in a directory that are numbers.
func list(dir int, path string) (names []string, err error) {
	fd, err := unix.Openat(dir, path, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, err
	}
	defer unix.Close(fd)
	for {
		n := raw(unix.SYS_GETDENTS64, uintptr(fd), entries, entriesSize, 0, 0)
		if isError(n) || n == 0 {
			return names, nil
		}
		for at := uintptr(0); at < n; {
			number, length := entry(at)
			at += length
			names = append(names, strconv.Itoa(int(number))) // . and .. as 0: no harm
		}
	}
}

func read(dir int, path string) ([]byte, error) {
	fd, err := unix.Openat(dir, path, unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, err
	}
	defer unix.Close(fd)
	buf := make([]byte, 8<<10)
	n, err := unix.Read(fd, buf)
	return buf[:max(n, 0)], err
}

// inImage reports whether addr may be that of one of the program's own variables.
func inImage(addr uint64) bool {
	const image = 256 << 20
	here := uint64(uintptr(unsafe.Pointer(&Active)))
	return addr%8 == 0 && addr < here+image && addr+image > here
}

// peek reads an aligned word of this process that may not be there. rt_sigprocmask tells whether it is:
// it reads a set before it looks at what it is to do with that, as Abseil's AddressIsReadable has it.
// process_vm_readv is closed to many a service and container by a filter.
func peek(addr uint64, v *uint64) bool {
	const nothing = ^uintptr(0)
	at := uintptr(addr)
	if _, _, e := syscall.RawSyscall6(unix.SYS_RT_SIGPROCMASK, nothing, at, 0, 8, 0, 0); e != unix.EINVAL {
		return false
	}
	*v = **(**uint64)(unsafe.Pointer(&at))
	return true
}

// procDir is a descriptor of the procfs, or -1.
var procDir = -1

// UseProc says that fd is a descriptor of the procfs (O_PATH will do). The guest may
// change its root directory to one where there is none.
func UseProc(fd int) { procDir = fd }

// openProc opens the procfs, or one that is mounted nowhere for processes whose
// root directory has none. foreign: it is one of another process id namespace,
// whose numbers are not those that tgkill takes. fd is -1 if there is none.
func openProc() (fd int, foreign bool, err error) {
	var self [16]byte
	if procDir >= 0 {
		fd, err = unix.FcntlInt(uintptr(procDir), unix.F_DUPFD_CLOEXEC, 0)
	} else {
		fd, err = unix.Open("/proc", unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	}
	if err == nil {
		n, err := unix.Readlinkat(fd, "self", self[:])
		if err == nil {
			return fd, string(self[:n]) != strconv.Itoa(unix.Getpid()), nil
		}
		unix.Close(fd)
	}
	fd, err = UnmountedProc()
	return fd, false, err
}
