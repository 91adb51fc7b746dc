package hostsig

import (
	"encoding/binary"
	"fmt"
	"os"
	"strconv"
	"sync/atomic"
	"syscall"
	"unsafe"

	"emu/internal/forkall"
	"emu/internal/program"

	"emu/internal/place"

	"golang.org/x/sys/unix"
)

// State that the handlers in handler_amd64.s read.
var (
	threads    *[maxTID]*Thread     // by slot, see slotOf
	oldHandler [Signals + 1]uintptr // handlers found at Install: Go's or the engine's
	hostPid    uint32               // this process
	ready      uint64               // see ReadyAt
	stamp      uint64               // what ready is while nothing speaks against it
	sentFaults uint32               // 1: the handler looks at CR2, see MaySend
	direct     struct {             // see SetDirectWindow
		enter, before, again uintptr
	}
	inherited struct { // written by start_amd64.s
		ignored, blocked, seen uint64
		nofile                 unix.Rlimit
	}
)

// Supported says whether this package works on this host.
const Supported = true

// sigaction is the kernel's struct sigaction on x86-64.
type sigaction struct {
	handler  uintptr
	flags    uint64
	restorer uintptr
	mask     uint64
}

const (
	saSiginfo  = 0x4
	saRestorer = 0x04000000
	saOnstack  = 0x08000000
	saRestart  = 0x10000000
)

func handlerAddr() uintptr
func restorerAddr() uintptr

//go:linkname entersyscall runtime.entersyscall
func entersyscall()

//go:linkname exitsyscall runtime.exitsyscall
func exitsyscall()

// stub makes system call nr unless the thread is interrupted.
//
//go:noescape
func stub(th *Thread, nr, a0, a1, a2, a3, a4, a5 uintptr) (r uintptr)

// Call makes a host system call that may block and returns its raw result,
// -ENoIntr when a signal for the guest came first, or -ERestart when one ended a
// call that the kernel would restart. There is no moment at which a signal can
// come without being noticed.
//
// Preconditions: called by the owning thread.
//
//go:nosplit
func (th *Thread) Call(nr, a0, a1, a2, a3, a4, a5 uintptr) uintptr {
	entersyscall()
	forkall.Leave(th.outside)
	r := stub(th, nr, a0, a1, a2, a3, a4, a5)
	forkall.Return(th.outside)
	exitsyscall()
	return r
}

// Quick is Call for calls that do not block, or where the runtime has been told that
// the thread is away: it keeps the processor.
//
//go:nosplit
func (th *Thread) Quick(nr, a0, a1, a2, a3, a4, a5 uintptr) uintptr {
	return stub(th, nr, a0, a1, a2, a3, a4, a5)
}

// SetDirectWindow tells the handler about a second stub like Call's, in another
// package: with BlockedDirect in Thread.blocked, enter is the address of its
// SYSCALL, and before and again are where the thread goes on if a signal came
// before it or ended it.
func SetDirectWindow(enter, before, again uintptr) {
	direct.enter, direct.before, direct.again = enter, before, again
}

// Addr is the thread's address: what generated code knows it by.
func (th *Thread) Addr() uintptr { return uintptr(unsafe.Pointer(th)) }

func (th *Thread) setHostMask(mask uint64) bool {
	set := (*uint64)(unsafe.Pointer(&th.Scratch[smallScratch-8]))
	*set = mask
	all := atomic.SwapUint32(&th.allBlocked, 0) // before: what the call unblocks may come at once
	r := stub(th, unix.SYS_RT_SIGPROCMASK, unix.SIG_SETMASK, uintptr(unsafe.Pointer(set)), 0, 8, 0, 0)
	if r != 0 && all != 0 {
		atomic.StoreUint32(&th.allBlocked, 1)
	}
	return r == 0
}

func rawSetMask(mask uint64) {
	syscall.RawSyscall6(unix.SYS_RT_SIGPROCMASK, unix.SIG_SETMASK, uintptr(unsafe.Pointer(&mask)), 0, 8, 0, 0)
}

func rawGetMask() (mask uint64) {
	syscall.RawSyscall6(unix.SYS_RT_SIGPROCMASK, unix.SIG_BLOCK, 0, uintptr(unsafe.Pointer(&mask)), 8, 0, 0)
	return mask
}

// rawPending is the set of signals that wait for the thread or process, blocked.
func rawPending() (set uint64) {
	syscall.RawSyscall(unix.SYS_RT_SIGPENDING, uintptr(unsafe.Pointer(&set)), 8, 0)
	return set
}

func rawSigaction(sig int, act, old *sigaction) unix.Errno {
	_, _, e := syscall.RawSyscall6(unix.SYS_RT_SIGACTION, uintptr(sig), uintptr(unsafe.Pointer(act)), uintptr(unsafe.Pointer(old)), 8, 0, 0)
	return e
}

// Discard takes sig off the signals that wait for the process, blocked: one that emu itself
// has caused before Install.
func Discard(sig unix.Signal) {
	set, now := uint64(1)<<(sig-1), unix.Timespec{}
	syscall.RawSyscall6(unix.SYS_RT_SIGTIMEDWAIT, uintptr(unsafe.Pointer(&set)), 0, uintptr(unsafe.Pointer(&now)), 8, 0, 0)
}

// Install takes over the process's signals: from now on each one the guest does
// not catch has its default (or inherited) disposition on the host, and the
// soft ones go through the handler. Call it once, on the main thread, after the
// engine has installed its own fault handlers.
func Install() (Inherited, error) {
	if threads != nil {
		panic("BUG: hostsig.Install called twice")
	}
	table, err := place.Map(place.Threads, maxTID*8, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_NORESERVE)
	if err != nil {
		return Inherited{}, fmt.Errorf("thread table: %w", err)
	}
	in := Inherited{Ignored: inherited.ignored, Blocked: inherited.blocked, NoFile: inherited.nofile, Data: memoryLimits[0].inherited, AS: memoryLimits[1].inherited, Exact: inherited.seen != 0}
	if !in.Exact {
		in.Blocked = rawGetMask()
	}
	hostPid = uint32(os.Getpid())
	for sig := 1; sig <= Signals; sig++ {
		if untouched && Soft>>(sig-1)&1 == 0 {
			continue
		}
		var old sigaction
		if e := rawSigaction(sig, nil, &old); e != 0 {
			continue // 32 and 33 behind some seccomp filters; SIGKILL and SIGSTOP can be read
		}
		oldHandler[sig] = old.handler
		if !in.Exact && old.handler == 1 {
			in.Ignored |= 1 << (sig - 1)
		}
	}
	threads = (*[maxTID]*Thread)(table)
	pending := rawPending()
	for sig := 1; sig <= Signals; sig++ {
		switch {
		case sig == int(unix.SIGKILL) || sig == int(unix.SIGSTOP):
		case Soft>>(sig-1)&1 != 0:
			SetAction(sig, Catch, 0)
		case untouched && pending>>(sig-1)&1 == 0:
		case in.Ignored>>(sig-1)&1 != 0:
			SetAction(sig, Ignore, 0)
		case pending>>(sig-1)&1 != 0:
			SetAction(sig, Catch, 0) // a default of ignoring would discard it, as execve does not
		default:
			SetAction(sig, Default, 0)
		}
	}
	if !in.Exact { // else the start code has seen to both
		keepBlocked(findSigTab(program.Own()))
		blockRuntimeThreads()
	}
	return in, nil
}

// blockRuntimeThreads makes the threads that Go has started so far block the
// guest's signals: the kick's handler does that in threads it does not know.
// What cannot be listed is not blocked; the handler passes on what such a thread
// receives.
func blockRuntimeThreads() {
	// Package os would leave the runtime's poller open, with descriptors that the
	// guest would see.
	fd, err := unix.Open("/proc/self/task", unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return
	}
	defer unix.Close(fd)
	self := unix.Gettid()
	buf := make([]byte, 8192)
	for {
		n, err := unix.Getdents(fd, buf)
		if err != nil || n == 0 {
			return
		}
		_, _, names := unix.ParseDirent(buf[:n], -1, nil)
		for _, name := range names {
			if tid, err := strconv.Atoi(name); err == nil && tid != self {
				sendKick(uint32(tid))
			}
		}
	}
}

// MaySend says that the kernel may send sig with a siginfo of its own from now on: when a
// child dies (clone(2)). If that is a signal that CPUs raise, the handler has to look closer:
// si_code is positive in both cases.
func MaySend(sig int) {
	if sig > 0 && sig <= Signals && faults>>(sig-1)&1 != 0 {
		atomic.StoreUint32(&sentFaults, 1)
	}
}

// SetAction sets what the host does with a signal. flags are SA_NOCLDSTOP and
// SA_NOCLDWAIT, which the kernel itself looks at. Soft signals are always
// caught.
func SetAction(sig int, a Action, flags uint64) {
	act := sigaction{flags: flags | saRestorer, restorer: restorerAddr()}
	switch {
	case a == Catch || Soft>>(sig-1)&1 != 0:
		act.handler = handlerAddr()
		act.flags |= saSiginfo | saOnstack | saRestart
		act.mask = ^uint64(0)
	case a == Ignore:
		act.handler = 1
	}
	rawSigaction(sig, &act, nil)
}

// Die ends the process with signal sig, as if nobody had caught it. code tells
// whether the kernel may write a core file: the limits decide.
func Die(sig int) {
	Expose(sig)
	syscall.RawSyscall(unix.SYS_TGKILL, uintptr(os.Getpid()), uintptr(unix.Gettid()), uintptr(sig))
	// At the limit of pending signals the kernel refuses real-time ones but from kill(2).
	syscall.RawSyscall(unix.SYS_KILL, uintptr(os.Getpid()), uintptr(sig), 0)
	// Only a signal that does not end processes by default gets here.
	unix.Exit(128 + sig)
}

// Expose gives sig its default action and lets it, and no other, reach the calling thread.
func Expose(sig int) {
	var act sigaction
	rawSigaction(sig, &act, nil)
	rawSetMask(^uint64(1 << (sig - 1)))
}

// BeforeExec makes the calling thread's signals what execve has to pass on: the
// soft signals among ignored are ignored, and mask is the signal mask. Others that
// are caught keep their handlers, lest a fault elsewhere end the process before
// execve does; it resets them.
func BeforeExec(ignored, mask uint64) {
	for sig := 1; sig <= Signals; sig++ {
		if Soft&ignored>>(sig-1)&1 != 0 {
			rawSigaction(sig, &sigaction{handler: 1}, nil)
		}
	}
	rawSetMask(mask)
}

// AfterFailedExec undoes BeforeExec.
func (th *Thread) AfterFailedExec() {
	mask := th.hostMask
	if atomic.LoadUint32(&th.allBlocked) != 0 {
		mask = hardMask
	}
	rawSetMask(mask)
	for sig := 1; sig <= Signals; sig++ {
		if Soft>>(sig-1)&1 != 0 {
			SetAction(sig, Catch, 0)
		}
	}
}

// freeThreads are those that have been given back.
var freeThreads place.Pool

// NewThread returns a Thread whose words are at pending and jumps (see cpu.State.Interrupt) and whose
// word for forkall's gate is at outside.
func NewThread(pending *uint32, jumps *uint64, outside *uint32) (*Thread, error) {
	th := (*Thread)(freeThreads.Get())
	if th != nil {
		*th = Thread{}
	} else {
		mem, err := place.Small(unsafe.Sizeof(*th), unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE)
		if err != nil {
			return nil, err
		}
		th = (*Thread)(mem)
	}
	th.pending, th.jumps, th.outside = pending, jumps, outside
	th.hostMask = ^uint64(0)
	return th, nil
}

// Attach makes the calling OS thread the guest thread th with the given mask.
// The goroutine must be locked to its thread.
func (th *Thread) Attach(mask uint64) {
	th.tid = uint32(unix.Gettid())
	threads[slotOf(th.tid)] = th
	th.ForceMask(mask)
}

// slotOf is the place of a thread in the table: its host thread id, but for the process's first thread
// mainSlot. So a child that a first thread forks need not write to the table.
func slotOf(tid uint32) uint32 {
	if tid == hostPid {
		return mainSlot
	}
	return tid
}

// HoldSignals blocks all signals for the calling OS thread that the host can hold back, until it is
// attached.
func HoldSignals() { rawSetMask(hardMask) }

// Detach ends that: signals for the thread that come later are passed on to the
// process. All signals are blocked.
func (th *Thread) Detach() {
	rawSetMask(hardMask)
	threads[slotOf(th.tid)] = nil
}

// Free returns the memory of a detached thread.
func (th *Thread) Free() {
	if freeThreads.Put(unsafe.Pointer(th)) {
		return
	}
	syscall.RawSyscall(unix.SYS_MUNMAP, uintptr(unsafe.Pointer(th)), unsafe.Sizeof(*th), 0)
}

// Tid is the host's (and guest's) number of the thread.
func (th *Thread) Tid() int { return int(th.tid) }

// ScratchAddr is the address of Scratch[off], for system calls.
//
//go:nosplit
func (th *Thread) ScratchAddr(off int) uintptr { return uintptr(unsafe.Pointer(&th.Scratch[off])) }

func sendKick(tid uint32) unix.Errno {
	info := kickInfo(hostPid)
	_, _, e := syscall.RawSyscall6(unix.SYS_RT_TGSIGQUEUEINFO, uintptr(hostPid), uintptr(tid), kick, uintptr(unsafe.Pointer(&info)), 0, 0)
	return e
}

// kick makes the thread leave a blocking call. At the limit of pending signals
// (RLIMIT_SIGPENDING) the kernel queues no real-time ones; standard signals arrive without
// their siginfo.
func (th *Thread) kick() {
	tid := atomic.LoadUint32(&th.tid)
	if sendKick(tid) == unix.EAGAIN {
		atomic.StoreUint32(&th.kicked, 1)
		syscall.RawSyscall(unix.SYS_TGKILL, uintptr(hostPid), uintptr(tid), uintptr(forkall.StopSignal))
	}
}

// kickInfo is the siginfo by which the handler in process pid knows a kick.
func kickInfo(pid uint32) (info Info) {
	le := binary.LittleEndian
	le.PutUint32(info[0:], kick)
	code := int32(-1) // SI_QUEUE
	le.PutUint32(info[8:], uint32(code))
	le.PutUint32(info[16:], pid)
	le.PutUint64(info[24:], kickMagic)
	return info
}
