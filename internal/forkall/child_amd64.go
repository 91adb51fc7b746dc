package forkall

import (
	"sync/atomic"
	"unsafe"

	"golang.org/x/sys/unix"
)

// recreate makes the stopped threads anew in the calling process.
//
//go:nosplit
func recreate() {
	slack := uintptr(0)
	if OwnSlack != 0 {
		slack = IdleTimerSlack
	}
	for i := uintptr(0); i < uintptr(parked); i++ {
		atomic.AddUint32(&readers, 1)
		tries := spawnTries
		for isError(spawn(slots+i*slotSize, threadFlags, slack)) && tries > 0 {
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
