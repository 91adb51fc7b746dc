//lint:file-ignore U1000 the assembly beside this file uses what looks unused

package forkall

import (
	"sync"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Go's runtime ends the process when the kernel refuses it a thread, for a limit
// on processes (RLIMIT_NPROC, pids.max of a cgroup) or for want of memory. So
// threads for the guest are made only where there is room, which probes find out.

const (
	// spareThreads is how many threads the runtime may need for itself, while guest
	// threads keep theirs busy.
	spareThreads = 4
	// roomAhead is how many guest threads one look makes sure of.
	roomAhead = 16

	probeFlags = unix.CLONE_VM | unix.CLONE_FS | unix.CLONE_FILES | unix.CLONE_SIGHAND | unix.CLONE_THREAD | unix.CLONE_SYSVSEM
)

var (
	probesGo uint32 // probes may end
	rooms    struct {
		sync.Mutex
		left int // guest threads that there is room for, as far as is known
	}
)

func makeProbes(n uintptr) (made uintptr)

// Ended says that a thread of the guest ends: there is room for another one then.
func Ended() {
	rooms.Lock()
	defer rooms.Unlock()
	rooms.left = min(rooms.left+1, roomAhead)
}

// Spare reports whether the kernel lets the process have the threads now that the runtime
// may need for itself.
func Spare() bool {
	rooms.Lock()
	defer rooms.Unlock()
	return rooms.left > 0 || probe(spareThreads) == spareThreads // those in rooms are besides
}

// probe finds out how many more threads there may be, up to n. Preconditions: rooms is
// locked.
func probe(n uintptr) (made int) {
	var mask uint64
	raw(unix.SYS_RT_SIGPROCMASK, unix.SIG_SETMASK, uintptr(unsafe.Pointer(&allMask)), uintptr(unsafe.Pointer(&mask)), 8, 0)
	defer RestoreMask(mask)
	return int(makeProbes(n))
}

// Room reports whether the kernel lets the process have one more thread for the
// guest. Others may be faster to take the place.
func Room() bool {
	rooms.Lock()
	defer rooms.Unlock()
	if rooms.left == 0 {
		rooms.left = max(probe(spareThreads+roomAhead)-spareThreads, 0)
	}
	if rooms.left == 0 {
		return false
	}
	rooms.left--
	return true
}
