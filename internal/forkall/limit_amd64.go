package forkall

import (
	"unsafe"

	"golang.org/x/sys/unix"
)

// A fork takes descriptors for a while: to list the process's threads, and for the
// child's epoll instance. The guest may have used up all below its limit, so that one
// is raised then. All guest threads are outside meanwhile.

// listing is how many are open at a time to list threads: the procfs, a directory and
// a file. spare is room for those and for what the runtime opens.
const (
	listing = 3
	spare   = 16
)

// oldLimit is RLIMIT_NOFILE as it was before it was raised, or zeros.
var oldLimit [2]uint64

// raiseLimit makes room for descriptors up to least, and for spare more than there may
// be now. It reports whether it could: above the hard limit that takes privileges.
//
//go:nosplit
func raiseLimit(least uintptr) bool {
	var now [2]uint64
	if isError(raw(unix.SYS_PRLIMIT64, 0, unix.RLIMIT_NOFILE, 0, uintptr(unsafe.Pointer(&now)), 0)) {
		return false
	}
	more := [2]uint64{max(now[0], uint64(least)) + spare, 0}
	more[1] = max(now[1], more[0])
	if isError(raw(unix.SYS_PRLIMIT64, 0, unix.RLIMIT_NOFILE, uintptr(unsafe.Pointer(&more)), 0, 0)) {
		return false
	}
	if oldLimit == [2]uint64{} {
		oldLimit = now
	}
	return true
}

// restoreLimit undoes raiseLimit.
//
//go:nosplit
func restoreLimit() {
	if oldLimit != [2]uint64{} {
		raw(unix.SYS_PRLIMIT64, 0, unix.RLIMIT_NOFILE, uintptr(unsafe.Pointer(&oldLimit)), 0, 0)
		oldLimit = [2]uint64{}
	}
}

// canOpen reports whether n more descriptors are to be had.
func canOpen(n int) bool {
	if n == 0 {
		return true
	}
	fd, err := unix.EpollCreate1(unix.EPOLL_CLOEXEC)
	if err != nil {
		return false
	}
	defer unix.Close(fd)
	return canOpen(n - 1)
}
