package hostsig

import (
	"syscall"
	"unsafe"

	"emu/internal/forkall"

	"golang.org/x/sys/unix"
)

// emptyPath is the path of calls that AT_EMPTY_PATH makes about a descriptor.
var emptyPath [1]byte

// CallOpened opens a path as openat2(2) does, with the NUL-terminated path at address
// path, makes the call nr about the open file, with its descriptor and an empty path
// as the arguments at and at+1 of a, and closes it again: three calls of the host in one
// absence from Go. opened is 0 or the error of opening, after which nothing was called;
// r is Call's result.
//
// Preconditions: called by the owning thread.
//
//go:nosplit
func (th *Thread) CallOpened(dir int, path uintptr, how *unix.OpenHow, nr uintptr, at int, a *[6]uintptr) (r uintptr, opened unix.Errno) {
	entersyscall()
	forkall.Leave(th.outside)
	fd, _, e := syscall.RawSyscall6(unix.SYS_OPENAT2, uintptr(dir), path, uintptr(unsafe.Pointer(how)), unsafe.Sizeof(*how), 0, 0)
	if e == 0 {
		a[at], a[at+1] = fd, uintptr(unsafe.Pointer(&emptyPath))
		r = stub(th, nr, a[0], a[1], a[2], a[3], a[4], a[5])
		syscall.RawSyscall(unix.SYS_CLOSE, fd, 0, 0)
	}
	forkall.Return(th.outside)
	exitsyscall()
	return r, e
}
