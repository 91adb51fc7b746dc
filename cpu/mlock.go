package cpu

import "golang.org/x/sys/unix"

// Locking of the guest's memory (mlock(2)). The host's mlockall would lock emu's
// memory, most of which is never touched, so the guest's mappings are locked one
// by one.

// What LockFuture may be told.
const (
	LockNone    = iota
	LockNow     // MCL_FUTURE
	LockOnFault // MCL_FUTURE | MCL_ONFAULT
)

// LockFuture says how memory that is mapped from now on is locked.
func (m *Memory) LockFuture(how int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.locking = how
}

// LockAll locks all of the guest's mappings, when they are touched or at once. What
// cannot be made present is locked all the same, as mlockall does it. Another thread may
// have to supply pages (userfaultfd(2), FUSE), and map something for that: nothing is made
// present under the lock.
func (m *Memory) LockAll(onFault bool) unix.Errno {
	var spans []span
	errno := func() unix.Errno {
		m.mu.Lock()
		defer m.mu.Unlock()
		for r := range m.regions.all() {
			if errno := hostMlock(r.Start, r.End-r.Start, unix.MLOCK_ONFAULT); errno != 0 {
				return errno
			}
			spans = append(spans, span{r.Start, r.End})
		}
		return 0
	}()
	if errno != 0 || onFault {
		return errno
	}
	for _, s := range spans {
		hostMlock(s.start, s.end-s.start, 0)
	}
	return 0
}

// UnlockAll undoes LockAll and LockFuture.
func (m *Memory) UnlockAll() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.locking = LockNone
	for r := range m.regions.all() {
		unix.Syscall(unix.SYS_MUNLOCK, uintptr(r.Start), uintptr(r.End-r.Start), 0)
	}
}

// Size is how much the guest has mapped.
func (m *Memory) Size() uint64 {
	m.mu.RLock()
	defer m.mu.RUnlock()
	return m.used(anyRegion, span{})
}

// lockFlags are the flags of mmap that lock new memory as LockFuture says.
func (m *Memory) lockFlags() int {
	if m.locking == LockNow {
		return unix.MAP_LOCKED
	}
	return 0
}

// finishLock locks what lockFlags could not.
func (m *Memory) finishLock(addr, size uint64) {
	if m.locking == LockOnFault {
		hostMlock(addr, size, unix.MLOCK_ONFAULT)
	}
}

func hostMlock(addr, size uint64, flags uintptr) unix.Errno {
	_, _, errno := unix.Syscall(unix.SYS_MLOCK2, uintptr(addr), uintptr(size), flags)
	return errno
}
