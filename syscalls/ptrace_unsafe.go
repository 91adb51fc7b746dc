package syscalls

import (
	"encoding/binary"
	"syscall"
	"unsafe"

	"emu/internal/hostsig"

	"golang.org/x/sys/unix"
)

// hostPtrace makes the host's ptrace call, raw: PEEKDATA stores through data.
func hostPtrace(request, tid int, addr, data uint64) unix.Errno {
	_, _, e := syscall.RawSyscall6(unix.SYS_PTRACE, uintptr(request), uintptr(tid), uintptr(addr), uintptr(data), 0, 0)
	return e
}

// hostSiginfo is PTRACE_GETSIGINFO or PTRACE_SETSIGINFO of the host.
func hostSiginfo(request, tid int, info *hostsig.Info) unix.Errno {
	h := onHeap(*info)
	e := hostPtrace(request, tid, 0, addrOf(h))
	*info = *h
	return e
}

// letGo undoes a seizure. held: a SIGSTOP that came meanwhile has been undone. What there
// is to wait for of a thread that has died stays so.
func letGo(tid int, held bool) {
	if hostPtrace(ptInterrupt, tid, 0, 0) != 0 {
		return
	}
	info := onHeap(hostsig.Info{})
	for {
		_, _, e := syscall.RawSyscall6(unix.SYS_WAITID, unix.P_PID, uintptr(tid), uintptr(addrOf(info)), unix.WSTOPPED|unix.WEXITED|unix.WALL|unix.WNOWAIT, 0, 0)
		if e == 0 {
			break
		}
		if e != unix.EINTR {
			return
		}
	}
	sig := uint64(binary.LittleEndian.Uint32(info[siStatus:]))
	if sig>>8 != 0 {
		sig = 0 // an event, not a signal
	}
	if hostPtrace(ptDetach, tid, 0, sig) == 0 && held {
		unix.Kill(tid, unix.SIGSTOP)
	}
}

// onHeap returns a copy of v that does not move, as variables on stacks do.
//
//go:noinline
func onHeap[T any](v T) *T { return &v }

// addrOf is the address of what onHeap returned, for a system call that returns at
// once; the caller keeps it alive.
func addrOf[T any](v *T) uint64 { return uint64(uintptr(unsafe.Pointer(v))) }

// Places in a Trace.
const (
	traceWant     = uint64(unsafe.Offsetof(hostsig.Trace{}.Want))
	traceStopInfo = uint64(unsafe.Offsetof(hostsig.Trace{}.StopInfo))
	traceWaited   = uint64(unsafe.Offsetof(hostsig.Trace{}.Waited))
	traceCommand  = uint64(unsafe.Offsetof(hostsig.Trace{}.Command))
	tracePlaced   = uint64(unsafe.Offsetof(hostsig.Trace{}.Placed))
)

// peekMemory and pokeMemory copy from and to the memory of another emu.
func peekMemory(tid int, addr uint64, b []byte) unix.Errno {
	local := []unix.Iovec{{Base: &b[0], Len: uint64(len(b))}}
	n, err := unix.ProcessVMReadv(tid, local, []unix.RemoteIovec{{Base: uintptr(addr), Len: len(b)}}, 0)
	return copied(n, len(b), err)
}

func pokeMemory(tid int, addr uint64, b []byte) unix.Errno {
	local := []unix.Iovec{{Base: &b[0], Len: uint64(len(b))}}
	n, err := unix.ProcessVMWritev(tid, local, []unix.RemoteIovec{{Base: uintptr(addr), Len: len(b)}}, 0)
	return copied(n, len(b), err)
}

func copied(n, want int, err error) unix.Errno {
	switch {
	case err != nil:
		return err.(unix.Errno)
	case n != want:
		return unix.EFAULT
	}
	return 0
}
