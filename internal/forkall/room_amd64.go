//lint:file-ignore U1000 the assembly beside this file uses what looks unused

package forkall

import (
	"runtime"
	"sync"
	"sync/atomic"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Go's runtime ends the process when the kernel refuses it a thread, for a limit
// on processes (RLIMIT_NPROC, pids.max of a cgroup) or for want of memory. So
// threads for the guest, and processes, are made only where there is room, which probes
// find out.

const (
	// spareThreads is how many threads the runtime may need for itself, while guest
	// threads keep theirs busy.
	spareThreads = 4
	// amplySpare is how many these are with ManyProcessors: each may collect garbage.
	amplySpare = ManyProcessors
	// roomAhead is how many guest threads one look makes sure of.
	roomAhead = 16
	// StartThreads is how many more there are when the guest begins: the runtime's three, and
	// those that Begin makes.
	StartThreads = 3 + beginThreads
	beginThreads = 2

	probeFlags = unix.CLONE_VM | unix.CLONE_FS | unix.CLONE_FILES | unix.CLONE_SIGHAND | unix.CLONE_THREAD | unix.CLONE_SYSVSEM
)

var (
	probesGo uint32 // probes may end
	probeTID uint32 // the last one's thread id
	rooms    struct {
		sync.Mutex
		left  int  // guest threads that there is room for, as far as is known
		found int  // threads, by the last look for those
		ample bool // the runtime has ManyProcessors
	}
)

func makeProbes(n uintptr) (made uintptr)

// NearLimit reports whether RLIMIT_NPROC, which counts threads of one user, may be close: there
// are about as many of all users.
//
//go:nosplit
func NearLimit() bool {
	const close = 64
	var limit [2]uint64
	var info unix.Sysinfo_t
	if isError(raw(unix.SYS_PRLIMIT64, 0, unix.RLIMIT_NPROC, 0, uintptr(unsafe.Pointer(&limit)), 0)) || limit[0] == unix.RLIM_INFINITY {
		return false
	}
	return isError(raw(unix.SYS_SYSINFO, uintptr(unsafe.Pointer(&info)), 0, 0, 0, 0)) || uint64(info.Procs)+close >= limit[0]
}

// RoomToExec reports whether there is room for the threads with which the emu begins that the
// process is about to execute. Its own threads make room, if it has any yet.
func RoomToExec() bool {
	if atomic.LoadUint32(&debt) == paid {
		return true
	}
	rooms.Lock()
	defer rooms.Unlock()
	return guestHasRoom(StartThreads) && (!NearLimit() || probe(StartThreads, patientProbes) == StartThreads)
}

// noMore is the raw result EAGAIN.
const noMore = ^uintptr(unix.EAGAIN) + 1

// Threads that end, probes among them, count for a moment longer: who finds no room looks
// again, so many times with this pause.
const roomTries = 8

var roomPause = [2]uint64{0, 500e3} // timespec

//go:nosplit
func awaitRoom() { raw(unix.SYS_NANOSLEEP, uintptr(unsafe.Pointer(&roomPause)), 0, 0, 0, 0) }

// patientProbes is makeProbes for who needs all of them.
//
//go:nosplit
func patientProbes(n uintptr) (made uintptr) {
	for range roomTries {
		if made = makeProbes(n); made == n {
			break
		}
		awaitRoom()
	}
	return made
}

// make makes the system call of a fork. There has to be room for the threads that the child owes
// itself, too.
//
//go:nosplit
func (j *job) make() uintptr {
	tries := 0
	if NearLimit() {
		if n := uintptr(parked) + 1; patientProbes(n) < n { // with the child's main thread
			return noMore
		}
		tries = roomTries
	}
	held := nproc.held
	if held {
		tighten()
		tries = roomTries
	}
	for ; ; tries-- {
		r := raw(j.call.Nr, j.call.Args[0], j.call.Args[1], j.call.Args[2], j.call.Args[3], j.call.Args[4])
		if r != noMore || tries <= 0 {
			if held {
				loosen() // in the child, too
			}
			return r
		}
		awaitRoom()
	}
}

// Ended says that a thread of the guest ends: there is room for another one then.
func Ended() {
	rooms.Lock()
	defer rooms.Unlock()
	rooms.left = min(rooms.left+1, roomAhead)
}

// Spare reports whether the kernel lets the process have the threads now that the runtime
// may need for itself. Where that may change it has them afterwards.
func Spare() bool {
	if NearLimit() {
		return reserve(spareThreads)
	}
	rooms.Lock()
	defer rooms.Unlock()
	return rooms.left > 0 || probe(spareThreads, makeProbes) == spareThreads // those in rooms are besides
}

// reserve reports whether there is room for n threads, and has the runtime make as many.
func reserve(n int) bool {
	rooms.Lock()
	ok := probe(uintptr(n), patientProbes) == n
	rooms.left = 0
	rooms.Unlock()
	if ok {
		makeIdle(n)
	}
	return ok
}

// Begin has the runtime make the threads now that it may need for a guest with one thread, if
// there may be no room for them later. Preconditions: the start code has found room for them.
func Begin() {
	if !NearLimit() {
		return
	}
	if now, e := ProcessLimit(); e == 0 && now.Cur < now.Max {
		SetProcessLimit(now, false)
	}
	makeIdle(beginThreads)
}

// makeIdle has the runtime make as many threads as it takes for n to have nothing to do. It
// keeps them, for the guest's threads as well.
func makeIdle(n int) {
	var made sync.WaitGroup
	end := make(chan struct{})
	for range n {
		made.Add(1)
		go func() {
			runtime.LockOSThread() // nobody else's thread
			defer runtime.UnlockOSThread()
			made.Done()
			<-end
		}()
	}
	made.Wait()
	close(end)
}

// probe finds out how many more threads there may be, up to n, by probes. Preconditions: rooms
// is locked.
func probe(n uintptr, probes func(n uintptr) uintptr) (made int) {
	var mask uint64
	raw(unix.SYS_RT_SIGPROCMASK, unix.SIG_SETMASK, uintptr(unsafe.Pointer(&allMask)), uintptr(unsafe.Pointer(&mask)), 8, 0)
	defer RestoreMask(mask)
	return int(probes(n))
}

// Room reports whether the kernel lets the process have one more thread for the
// guest. Others may be faster to take the place, so each has its thread at once, and the
// runtime what it may need, where there may be few left.
func Room() bool {
	rooms.Lock()
	room, besides := guestHasRoom(1), ownThreads()
	rooms.Unlock()
	if !room {
		return false
	}
	if NearLimit() {
		return reserve(besides + 1)
	}
	rooms.Lock()
	defer rooms.Unlock()
	if rooms.left == 0 {
		rooms.found = probe(amplySpare+roomAhead, makeProbes)
		rooms.left = max(min(rooms.found-ownThreads(), roomAhead), 0)
	}
	if rooms.left == 0 {
		return false
	}
	rooms.left--
	return true
}

// ownThreads is how many threads the runtime may need besides the guest's. Preconditions: rooms is locked.
func ownThreads() int {
	if rooms.ample {
		return amplySpare
	}
	return spareThreads
}

// Ample reports whether the kernel lets the process have the threads that the runtime may need
// with ManyProcessors, as far as the last Room knows. Then it is to have them, and there is room for fewer of the guest's.
func Ample() bool {
	rooms.Lock()
	defer rooms.Unlock()
	rooms.ample = rooms.ample || rooms.found == amplySpare+roomAhead && !NearLimit()
	return rooms.ample
}
