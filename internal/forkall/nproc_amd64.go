package forkall

import (
	"sync"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Where the guest lowers RLIMIT_NPROC, Go's runtime, which ends the process when it is refused a
// thread, is not to be held by that: on the host the soft limit goes up to the hard one, which stays
// as it is, and the guest's counts for what the guest makes, for the moment in which it is made, and
// for what it executes.

// nproc is the guest's limit while the host has another.
var nproc struct {
	sync.Mutex
	held  bool
	guest unix.Rlimit
	// tight is what counts while the guest makes a thread or a process, loose otherwise.
	tight, loose unix.Rlimit
}

// ProcessLimit returns RLIMIT_NPROC as the guest has it.
func ProcessLimit() (unix.Rlimit, unix.Errno) {
	nproc.Lock()
	defer nproc.Unlock()
	return processLimit()
}

func processLimit() (unix.Rlimit, unix.Errno) {
	if nproc.held {
		return nproc.guest, 0
	}
	return hostProcessLimit()
}

func hostProcessLimit() (now unix.Rlimit, e unix.Errno) {
	_, _, e = unix.RawSyscall6(unix.SYS_PRLIMIT64, 0, unix.RLIMIT_NPROC, 0, uintptr(unsafe.Pointer(&now)), 0, 0)
	return now, e
}

func setHostProcessLimit(to unix.Rlimit) unix.Errno {
	return unix.Errno(-raw(unix.SYS_PRLIMIT64, 0, unix.RLIMIT_NPROC, uintptr(unsafe.Pointer(&to)), 0, 0))
}

// SetProcessLimit sets it as setrlimit(2) does. mayRaise: the guest may raise its hard limit.
func SetProcessLimit(to unix.Rlimit, mayRaise bool) unix.Errno {
	nproc.Lock()
	defer nproc.Unlock()
	now, e := processLimit()
	host, e2 := hostProcessLimit()
	switch {
	case e != 0 || e2 != 0:
		return max(e, e2)
	case to.Cur > to.Max:
		return unix.EINVAL
	case to.Max > host.Max:
		host.Max = to.Max // if the kernel lets it
	case to.Max > now.Max && !mayRaise:
		return unix.EPERM
	}
	return holdNproc(to, host.Max)
}

// holdNproc lets the guest have a limit, and the process that of most.
func holdNproc(to unix.Rlimit, most uint64) unix.Errno {
	loose := unix.Rlimit{Cur: most, Max: most}
	if e := setHostProcessLimit(loose); e != 0 {
		return e
	}
	nproc.guest, nproc.loose, nproc.tight = to, loose, unix.Rlimit{Cur: to.Cur, Max: most}
	nproc.held = to != loose
	return 0
}

// TakeProcessLimit makes the host's limit the guest's, for a child of fork whose parent was a child with a thread of its parent (Loan).
func TakeProcessLimit() {
	nproc.Lock()
	defer nproc.Unlock()
	if now, e := hostProcessLimit(); e == 0 && nproc.held {
		holdNproc(now, now.Max)
	}
}

// PassProcessLimit gives the host the guest's limit, for a program that it executes. The result takes
// that back as far as it can: a hard limit that is lower is so for good.
func PassProcessLimit() (undo func()) {
	nproc.Lock()
	defer nproc.Unlock()
	if !nproc.held || setHostProcessLimit(nproc.guest) != 0 {
		return func() {}
	}
	return func() {
		nproc.Lock()
		defer nproc.Unlock()
		if holdNproc(nproc.guest, nproc.loose.Max) != 0 {
			holdNproc(nproc.guest, nproc.guest.Max)
		}
	}
}

// tighten makes the guest's limit count, loosen the host's again.
//
//go:nosplit
func tighten() { setNproc(&nproc.tight) }

//go:nosplit
func loosen() { setNproc(&nproc.loose) }

//go:nosplit
func setNproc(to *unix.Rlimit) {
	raw(unix.SYS_PRLIMIT64, 0, unix.RLIMIT_NPROC, uintptr(unsafe.Pointer(to)), 0, 0)
}

// guestHasRoom reports whether the guest's own limit lets it have n more threads. Preconditions: rooms
// is locked.
func guestHasRoom(n uintptr) bool {
	if !nproc.held {
		return true
	}
	tighten()
	defer loosen()
	return probe(n, patientProbes) == int(n)
}
