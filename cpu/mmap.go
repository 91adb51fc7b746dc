package cpu

import "golang.org/x/sys/unix"

// mapFlagsHost are the mmap flags that mean the same to the host and may pass.
const mapFlagsHost = unix.MAP_SHARED | unix.MAP_PRIVATE | unix.MAP_ANONYMOUS | unix.MAP_NORESERVE |

	unix.MAP_POPULATE | unix.MAP_LOCKED | unix.MAP_NONBLOCK | unix.MAP_HUGETLB | unix.MAP_SYNC | mapDroppable | 0x3f<<26

// mapFlagsValid are those that MAP_SHARED_VALIDATE lets pass: the kernel's
// LEGACY_MAP_MASK on arm64, and MAP_SYNC, of which the host knows for which files.
const mapFlagsValid = mapTypeMask | unix.MAP_FIXED | unix.MAP_ANONYMOUS | unix.MAP_DENYWRITE | unix.MAP_EXECUTABLE | unix.MAP_GROWSDOWN |

	unix.MAP_LOCKED | unix.MAP_NORESERVE | unix.MAP_POPULATE | unix.MAP_NONBLOCK | unix.MAP_STACK | unix.MAP_HUGETLB | unix.MAP_SYNC |
	unix.MAP_HUGE_2MB | unix.MAP_HUGE_1GB

const mapTypeMask = 0xf // MAP_SHARED, MAP_PRIVATE, MAP_SHARED_VALIDATE, MAP_DROPPABLE

// mapDroppable is MAP_DROPPABLE (Linux 6.11): private memory that the kernel may take back and
// that a forked child finds zeroed.
const mapDroppable = 0x8

// regionFlags are the flags that Regions keep.
const regionFlags = mapTypeMask | unix.MAP_ANONYMOUS | unix.MAP_GROWSDOWN | unix.MAP_NORESERVE

// Map implements mmap(2) for the guest. fd is ignored for anonymous memory.
// It returns the address, or an errno as the kernel would; a MAP_FIXED request
// that would cover memory that is not the guest's own fails with ENOMEM.
func (m *Memory) Map(addr, length uint64, prot, flags, fd int, off int64) (uint64, unix.Errno) {
	size, errno := mapSize(addr, length, flags, fd, off)
	if errno != 0 {
		return 0, errno
	}
	r := Region{Prot: prot & protMask, Flags: flags & regionFlags}
	if flags&mapTypeMask == mapDroppable {
		r.Flags = r.Flags&^mapTypeMask | unix.MAP_PRIVATE
		r.OnFork = ForkWipes
	}
	if flags&unix.MAP_ANONYMOUS == 0 {
		r.Offset = uint64(off)
		r.describe(fd)
		r.InMemory = m.tags && inMemory(fd)
	} else {
		fd = -1
	}
	if prot&ProtMTE != 0 && !r.Taggable() {
		return 0, unix.EINVAL
	}
	if prot&unix.PROT_EXEC != 0 && fd >= 0 && onNoexec(fd) {
		return 0, unix.EPERM
	}
	if m.deniesExec(prot, prot) {
		if fd >= 0 && !isOpen(fd) {
			return 0, unix.EBADF
		}
		return 0, unix.EACCES
	}
	if errno = m.mapRegion(&r, addr, size, prot, flags, fd, off); errno != 0 {
		return 0, errno
	}
	if populatesLate(flags) {
		r.populate()
	}
	return r.Start, 0
}

// onNoexec reports whether a file is on a file system that is mounted so that nothing there can be executed (path_noexec in the kernel):
// the host says so if it is asked, which it is not for what is mapped for the guest. fstatfs(2) would ask a file's server (FUSE), see describe.
func onNoexec(fd int) bool {
	at, errno := hostMmap(0, PageSize, unix.PROT_EXEC, unix.MAP_PRIVATE, fd, 0)
	if errno == 0 {
		hostMunmap(at, PageSize)
	}
	return errno == unix.EPERM
}

// neverExec reports whether r, part of which is at addr, maps a file of such a file system. The lock is held.
func (m *Memory) neverExec(r *Region, addr uint64) bool {
	if r.Flags&unix.MAP_ANONYMOUS != 0 || r.Prot&unix.PROT_EXEC != 0 {
		return false
	}
	errno := hostMprotect(addr, PageSize, hostProt(r.Prot)&^unix.PROT_WRITE|unix.PROT_EXEC)
	if errno == 0 {
		hostMprotect(addr, PageSize, hostProt(r.Prot)) // no code of it was translated that it could be guarded for
	}
	return errno == unix.EACCES
}

// mapRegion is Map of r for arguments that have been checked, but does not populate.
func (m *Memory) mapRegion(r *Region, addr, size uint64, prot, flags, fd int, off int64) (errno unix.Errno) {
	m.mu.Lock()
	defer m.mu.Unlock()
	var replaced span
	if flags&unix.MAP_FIXED != 0 {
		replaced = span{addr, addr + size}
	}
	if m.overLimit(size, prot, r.Flags, replaced) || m.crowded() {
		return unix.ENOMEM
	}
	m.mayShare(r.Flags, prot)
	hostFlags := flags&mapFlagsHost | m.lockFlags()
	if populatesLate(flags) {
		hostFlags &^= unix.MAP_POPULATE
	}
	if flags&(unix.MAP_FIXED|unix.MAP_FIXED_NOREPLACE) != 0 {
		r.Start, errno = m.mapFixed(addr, size, hostProt(prot), flags, hostFlags, fd, off)
	} else {
		r.Start, errno = m.place(r, m.hint(addr, size, flags), size, hostProt(prot), hostFlags, fd)
	}
	if errno != 0 {
		return errno
	}
	r.End = r.Start + size
	m.mapped(*r)
	return 0
}

// populatesLate reports whether a mapping is one of a file that has to be present (MAP_POPULATE). Another
// thread may be the file's server (FUSE) and map something before it answers, so that this waits
// until the lock is free.
func populatesLate(flags int) bool {
	return flags&(unix.MAP_POPULATE|unix.MAP_NONBLOCK|unix.MAP_ANONYMOUS) == unix.MAP_POPULATE
}

// populate makes the pages of r present as the kernel's populate_vma_page_range does: private ones that may
// be written have their copy. What fails is left to whoever touches it, as is all where the kernel is older than 5.14.
func (r *Region) populate() {
	how := unix.MADV_POPULATE_READ
	if r.Flags&mapTypeMask == unix.MAP_PRIVATE && r.Prot&unix.PROT_WRITE != 0 {
		how = unix.MADV_POPULATE_WRITE
	}
	hostMadvise(r.Start, r.End-r.Start, how)
}

// mapSize checks what the kernel checks of mmap(2) before it looks at the address space, and
// returns length in whole pages.
func mapSize(addr, length uint64, flags, fd int, off int64) (size uint64, errno unix.Errno) {
	file := flags&unix.MAP_ANONYMOUS == 0
	switch {
	case off&(PageSize-1) != 0:
		return 0, unix.EINVAL
	case length == 0 && file && !isOpen(fd):
		return 0, unix.EBADF
	case length == 0:
		return 0, unix.EINVAL
	case file && flags&mapTypeMask == unix.MAP_SHARED_VALIDATE && flags&^mapFlagsValid != 0:
		if !isOpen(fd) {
			return 0, unix.EBADF
		}
		return 0, unix.EOPNOTSUPP
	}
	size = pageUp(length)
	fixed := flags&(unix.MAP_FIXED|unix.MAP_FIXED_NOREPLACE) != 0
	switch {
	case size == 0 || size > MaxAddr:
		return 0, unix.ENOMEM
	case fixed && addr&(PageSize-1) != 0:
		return 0, unix.EINVAL
	case fixed && (addr+size < addr || addr+size > MaxAddr):
		return 0, unix.ENOMEM
	case flags&unix.MAP_GROWSDOWN != 0 && flags&mapTypeMask != unix.MAP_PRIVATE:
		return 0, unix.EINVAL
	}
	return size, 0
}

// mapFixed has the host map size bytes at addr: over what the guest has there, or with
// MAP_FIXED_NOREPLACE where nobody has anything. The lock is held.
func (m *Memory) mapFixed(addr, size uint64, prot, flags, hostFlags, fd int, off int64) (uint64, unix.Errno) {
	if flags&unix.MAP_FIXED_NOREPLACE != 0 {
		return hostMmap(addr, size, prot, hostFlags|unix.MAP_FIXED_NOREPLACE, fd, off)
	}
	if m.sealed(addr, addr+size) {
		return 0, unix.EPERM
	}
	reserved, errno := m.reserve(addr, addr+size)
	if errno != 0 {
		return 0, errno
	}
	got, errno := hostMmap(addr, size, prot, hostFlags|unix.MAP_FIXED, fd, off)
	if errno != 0 {
		release(reserved)
	}
	return got, errno
}

// hint is where a mapping goes if there is room: where the guest proposes, or in a child of
// vfork where its parent has kept room. 0 is anywhere. The lock is held.
func (m *Memory) hint(addr, size uint64, flags int) uint64 {
	addr &^= PageSize - 1
	if addr+size > MaxAddr || addr+size < addr {
		addr = 0
	}
	if addr == 0 && flags&mapTypeMask == unix.MAP_PRIVATE {
		return m.track.claim(size)
	}
	return addr
}

// mapped enters r, which the host has just mapped, in the place of what was there. The lock
// is held.
func (m *Memory) mapped(r Region) {
	start, end := r.Start, r.End
	m.dropTags(start, end)
	m.releaseStores(start, end)
	m.dropShadow(start, end)
	if m.cut(start, end) || r.Prot&unix.PROT_EXEC != 0 {
		m.changed(start, end)
	}
	m.store(&r, end-start)
	m.finishLock(start, end-start)
	if r.Flags&unix.MAP_GROWSDOWN != 0 {
		m.grows.Store(true)
	}
	m.insert(r)
	m.addTags(&r)
	m.guardBranches(r.Prot)
}

// Unmap implements munmap(2): only the guest's own pages in the range go.
func (m *Memory) Unmap(addr, length uint64) unix.Errno {
	size := pageUp(length)
	if addr&(PageSize-1) != 0 || size == 0 || addr+size < addr || addr+size > MaxAddr {
		return unix.EINVAL
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.unmap(addr, size)
}

// unmap is Unmap for whole pages. The lock is held.
func (m *Memory) unmap(addr, size uint64) unix.Errno {
	if m.sealed(addr, addr+size) {
		return unix.EPERM
	}
	if m.splitsTooMuch(addr, addr+size) {
		return unix.ENOMEM
	}
	m.shrunk.Add(1)
	for s := range m.owned(addr, addr+size) {
		if errno := hostMunmap(s.start, s.end-s.start); errno != 0 {
			return errno
		}
	}
	m.dropTags(addr, addr+size)
	m.releaseStores(addr, addr+size)
	m.dropShadow(addr, addr+size)
	if m.cut(addr, addr+size) {
		m.changed(addr, addr+size)
	}
	return 0
}
