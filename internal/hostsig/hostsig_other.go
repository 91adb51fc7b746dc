//go:build !amd64

package hostsig

import (
	"errors"
	"syscall"

	"emu/internal/forkall"

	"golang.org/x/sys/unix"
)

// Supported says whether this package works on this host.
const Supported = false

var errHost = errors.New("guest signals need an x86-64 host")

// Install fails: there is no handler for this host yet.
func Install() (Inherited, error) { return Inherited{}, errHost }

// SetAction does nothing on this host.
func SetAction(sig int, a Action, flags uint64) {}

// LeaveStack does nothing on this host.
func LeaveStack() {}

// OwnDescriptors finds none on this host.
func OwnDescriptors() ([]int, error) { return nil, nil }

// SetReady does nothing on this host.
func SetReady() {}

// SetReadiness does nothing on this host.
func SetReadiness(r Readiness) {}

// BeginExec does nothing on this host.
func BeginExec() {}

// EndExec does nothing on this host.
func EndExec() {}

// MaySend does nothing on this host.
func MaySend(sig int) {}

// ReadyAt is nowhere on this host.
func ReadyAt() uint64 { return 0 }

// Die ends the process with the status a shell shows for sig.
func Die(sig int) { unix.Exit(128 + sig) }

// BeforeExec does nothing on this host.
func BeforeExec(ignored, mask uint64) {}

// AfterFailedExec does nothing on this host.
func (th *Thread) AfterFailedExec() {}

// NewThread fails on this host.
func NewThread(pending *uint32, jumps *uint64, outside *uint32) (*Thread, error) { return nil, errHost }

// Attach does nothing on this host.
func (th *Thread) Attach(mask uint64) {}

// HoldSignals does nothing on this host.
func HoldSignals() {}

// Detach does nothing on this host.
func (th *Thread) Detach() {}

// Free does nothing on this host.
func (th *Thread) Free() {}

// Tid is the number of the thread.
func (th *Thread) Tid() int { return int(th.tid) }

// SetDirectWindow does nothing on this host.
func SetDirectWindow(enter, before, again uintptr) {}

// Addr is not needed on this host.
func (th *Thread) Addr() uintptr { return 0 }

// ScratchAddr is not available on this host.
func (th *Thread) ScratchAddr(off int) uintptr { return 0 }

// Call makes a host system call.
func (th *Thread) Call(nr, a0, a1, a2, a3, a4, a5 uintptr) uintptr {
	r, _, e := syscall.Syscall6(nr, a0, a1, a2, a3, a4, a5)
	if e != 0 {
		return -uintptr(e)
	}
	return r
}

// Quick makes a host system call that does not block.
func (th *Thread) Quick(nr, a0, a1, a2, a3, a4, a5 uintptr) uintptr {
	return th.Call(nr, a0, a1, a2, a3, a4, a5)
}

func (th *Thread) setHostMask(mask uint64) bool { return true }
func rawSetMask(mask uint64)                    {}
func (th *Thread) kick()                        {}

// Fork fails on this host.
func (th *Thread) Fork(c forkall.Call, guests []uint32) (pid int, mask uint64, err error) {
	return 0, 0, errHost
}

// Alone fails on this host.
func Alone(c forkall.Call) (r int, mask uint64, err error) { return 0, 0, errHost }

// Forked does nothing on this host.
func (th *Thread) Forked(mask uint64) {}

// Uninterrupted makes a host system call.
func (th *Thread) Uninterrupted(nr, a0, a1, a2, a3 uintptr) uintptr {
	return th.Call(nr, a0, a1, a2, a3, 0, 0)
}

// Inherit fails on this host.
func Inherit(tid int) error { return errHost }

// OwnDescriptor fails on this host.
func OwnDescriptor(fd int) int { return -1 }

// Raise returns fd.
func Raise(fd int) int { return fd }

// Expose does nothing on this host.
func Expose(sig int) {}

// NewProcess fails on this host.
func NewProcess(tid int, flags uintptr) (pid int, err error) { return 0, errHost }

// StopForTracer does nothing on this host.
func (th *Thread) StopForTracer() {}

// StopGroup does nothing on this host.
func (th *Thread) StopGroup(sig int) {}

// IsGroupStop knows none on this host.
func IsGroupStop(info *Info) bool { return false }

// Pending knows none on this host.
func Pending(sig int) bool { return false }

// StopOf knows no stops on this host.
func StopOf(info *Info) (trace uint64, ok bool) { return 0, false }

// IsKick knows none on this host.
func IsKick(info *Info) bool { return false }

// Kick is not available on this host.
func Kick(pid int) (sig int, info Info) { return kick, Info{} }

// TableAt is not available on this host.
func TableAt() (table, pid uint64) { return 0, 0 }

// EntryAt is where the table has a thread.
func EntryAt(table uint64, pid, tid int) uint64 { return table + 8*uint64(tid) }

// MemoryAt is where the table has the guest's memory.
func MemoryAt(table uint64) uint64 { return table }

// SetMemory does nothing on this host.
func SetMemory(addr uint64) {}

// TraceOff is the place of the Trace in a Thread.
const TraceOff = 0

// LoadWant takes what the tracer wants.
func (th *Thread) LoadWant() uint32 { return 0 }

// CallOpened opens a path, makes a call about it and closes it.
func (th *Thread) CallOpened(dir int, path uintptr, how *unix.OpenHow, nr uintptr, at int, a *[6]uintptr) (r uintptr, opened unix.Errno) {
	return 0, unix.ENOSYS
}

// Discard does nothing on this host.
func Discard(sig unix.Signal) {}

// Lend fails on this host.
func (th *Thread) Lend(child *Thread, flags, pidfd uintptr, mask uint64, run func()) (pid int, err error) {
	return 0, errHost
}

// Depart does nothing on this host.
func (th *Thread) Depart(nr, a0, a1, a2, a3, a4 uintptr) (r uintptr) { return 0 }

// Forget does nothing on this host.
func (th *Thread) Forget() {}
