package cpu

import (
	"iter"

	"golang.org/x/sys/unix"
)

// mapFlagsHost are the mmap flags that mean the same to the host and may pass.
const mapFlagsHost = unix.MAP_SHARED | unix.MAP_PRIVATE | unix.MAP_ANONYMOUS | unix.MAP_NORESERVE |
	unix.MAP_POPULATE | unix.MAP_LOCKED | unix.MAP_NONBLOCK | unix.MAP_HUGETLB | unix.MAP_SYNC | 0x3f<<26

// mapFlagsValid are those that MAP_SHARED_VALIDATE lets pass: the kernel's
// LEGACY_MAP_MASK on arm64, and MAP_SYNC, of which the host knows for which files.
const mapFlagsValid = mapTypeMask | unix.MAP_FIXED | unix.MAP_ANONYMOUS | unix.MAP_DENYWRITE | unix.MAP_EXECUTABLE | unix.MAP_GROWSDOWN |
	unix.MAP_LOCKED | unix.MAP_NORESERVE | unix.MAP_POPULATE | unix.MAP_NONBLOCK | unix.MAP_STACK | unix.MAP_HUGETLB | unix.MAP_SYNC |
	unix.MAP_HUGE_2MB | unix.MAP_HUGE_1GB

const mapTypeMask = 0xf // MAP_SHARED, MAP_PRIVATE, MAP_SHARED_VALIDATE

// regionFlags are the flags that Regions keep.
const regionFlags = mapTypeMask | unix.MAP_ANONYMOUS | unix.MAP_GROWSDOWN | unix.MAP_NORESERVE

// Map implements mmap(2) for the guest. fd is ignored for anonymous memory.
// It returns the address, or an errno as the kernel would; a MAP_FIXED request
// that would cover memory that is not the guest's own fails with ENOMEM.
func (m *Memory) Map(addr, length uint64, prot, flags, fd int, off int64) (uint64, unix.Errno) {
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
	size := pageUp(length)
	if size == 0 || size > MaxAddr {
		return 0, unix.ENOMEM
	}
	fixed := flags&(unix.MAP_FIXED|unix.MAP_FIXED_NOREPLACE) != 0
	if fixed && addr&(PageSize-1) != 0 {
		return 0, unix.EINVAL
	}
	if fixed && (addr+size < addr || addr+size > MaxAddr) {
		return 0, unix.ENOMEM
	}
	if flags&unix.MAP_GROWSDOWN != 0 && flags&mapTypeMask != unix.MAP_PRIVATE {
		return 0, unix.EINVAL
	}
	r := Region{Prot: prot & protMask, Flags: flags & regionFlags}
	if file {
		r.Offset = uint64(off)
		r.describe(fd)
		r.InMemory = m.tags && inMemory(fd)
	} else {
		fd = -1
	}
	if prot&ProtMTE != 0 && !r.Taggable() {
		return 0, unix.EINVAL
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.overLimit(size) {
		return 0, unix.ENOMEM
	}
	hostFlags := flags&mapFlagsHost | m.lockFlags()
	var reserved []span
	switch {
	case flags&unix.MAP_FIXED_NOREPLACE != 0:
		hostFlags |= unix.MAP_FIXED_NOREPLACE
	case fixed && m.sealed(addr, addr+size):
		return 0, unix.EPERM
	case fixed:
		var errno unix.Errno
		if reserved, errno = m.reserve(addr, addr+size); errno != 0 {
			return 0, errno
		}
		hostFlags |= unix.MAP_FIXED
	default:
		addr &^= PageSize - 1
		if addr+size > MaxAddr || addr+size < addr {
			addr = 0
		}
		if addr == 0 && flags&mapTypeMask == unix.MAP_PRIVATE {
			addr = m.track.claim(size) // a hint
		}
	}
	var errno unix.Errno
	if fixed {
		addr, errno = hostMmap(addr, size, hostProt(prot), hostFlags, fd, off)
	} else {
		addr, errno = m.place(&r, addr, size, hostProt(prot), hostFlags, fd)
	}
	if errno != 0 {
		release(reserved)
		return 0, errno
	}
	m.dropTags(addr, addr+size)
	m.releaseStores(addr, addr+size)
	m.dropShadow(addr, addr+size)
	if m.cut(addr, addr+size) || prot&unix.PROT_EXEC != 0 {
		m.changed(addr, addr+size)
	}
	r.Start, r.End = addr, addr+size
	m.store(&r, size)
	m.finishLock(addr, size)
	if r.Flags&unix.MAP_GROWSDOWN != 0 {
		m.grows.Store(true)
	}
	m.insert(r)
	m.addTags(&r)
	m.guardBranches(prot)
	return addr, 0
}

type span struct{ start, end uint64 }

// reserve makes sure that every part of [start, end) that the guest does not
// own is free on the host, by mapping it inaccessible. It returns what it took.
func (m *Memory) reserve(start, end uint64) ([]span, unix.Errno) {
	var taken []span
	take := func(a, b uint64) unix.Errno {
		got, errno := hostMmap(a, b-a, unix.PROT_NONE, unix.MAP_PRIVATE|unix.MAP_ANONYMOUS|unix.MAP_NORESERVE|unix.MAP_FIXED_NOREPLACE, -1, 0)
		if errno == unix.EEXIST {
			errno = unix.ENOMEM // emu itself lives there
		}
		if errno == 0 {
			taken = append(taken, span{got, got + (b - a)})
		}
		return errno
	}
	at := start
	for r := range m.regions.within(start, end) {
		if r.Start > at {
			if errno := take(at, r.Start); errno != 0 {
				release(taken)
				return nil, errno
			}
		}
		at = r.End
	}
	if at < end {
		if errno := take(at, end); errno != 0 {
			release(taken)
			return nil, errno
		}
	}
	return taken, 0
}

func release(spans []span) {
	for _, s := range spans {
		hostMunmap(s.start, s.end-s.start)
	}
}

// owned calls yield for the parts of [start, end) that the guest owns, each as long as
// it can be.
func (m *Memory) owned(start, end uint64) iter.Seq[span] {
	return func(yield func(span) bool) {
		var s span
		for r := range m.regions.within(start, end) {
			switch {
			case s.end == r.Start && s.end != 0:
				s.end = min(end, r.End)
			case s.end != 0 && !yield(s):
				return
			default:
				s = span{max(start, r.Start), min(end, r.End)}
			}
		}
		if s.end != 0 {
			yield(s)
		}
	}
}

// Unmap implements munmap(2): only the guest's own pages in the range go.
func (m *Memory) Unmap(addr, length uint64) unix.Errno {
	size := pageUp(length)
	if addr&(PageSize-1) != 0 || size == 0 || addr+size < addr || addr+size > MaxAddr {
		return unix.EINVAL
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.sealed(addr, addr+size) {
		return unix.EPERM
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

// Protect implements mprotect(2). ENOMEM if part of the range is not the
// guest's; what precedes the gap is changed, as the kernel does it. ProtMTE stays
// where it is; EINVAL where it cannot be.
func (m *Memory) Protect(addr, length uint64, prot int) unix.Errno {
	size := pageUp(length)
	if addr&(PageSize-1) != 0 || addr+size < addr {
		return unix.EINVAL
	}
	const known = unix.PROT_READ | unix.PROT_WRITE | unix.PROT_EXEC | ProtBTI | ProtMTE | unix.PROT_GROWSDOWN | unix.PROT_GROWSUP
	if prot&^known != 0 {
		return unix.EINVAL
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	at, end := addr, addr+size
	if prot&unix.PROT_GROWSDOWN != 0 && at < end {
		r, ok := m.find(at)
		switch {
		case !ok:
			return unix.ENOMEM
		case r.Flags&unix.MAP_GROWSDOWN == 0:
			return unix.EINVAL
		}
		at = r.Start // from the start of a mapping that grows
	}
	for at < end {
		r, ok := m.find(at)
		if !ok {
			return unix.ENOMEM
		}
		if r.Sealed {
			return unix.EPERM
		}
		stop := min(end, r.End)
		if prot&ProtMTE != 0 && !r.Taggable() {
			return unix.EINVAL
		}
		prot := prot // of this part
		if r.Shadow {
			var errno unix.Errno
			if prot, errno = protectShadow(at, stop, prot); errno != 0 {
				return errno
			}
		}
		if errno := hostMprotect(at, stop-at, hostProt(prot)); errno != 0 {
			return errno
		}
		m.cut(at, stop)
		part := r.tail(at)
		part.End = stop
		part.Prot = prot&protMask | r.Prot&ProtMTE
		m.insert(part)
		if r.Prot&ProtMTE == 0 {
			m.addTags(&part)
		}
		if r.Prot&unix.PROT_EXEC != 0 || prot&unix.PROT_EXEC != 0 {
			m.changed(at, stop)
		}
		at = stop
	}
	m.guardBranches(prot)
	return 0
}

// Remap implements mremap(2).
func (m *Memory) Remap(old, oldLen, newLen uint64, flags int, newAddr uint64) (uint64, unix.Errno) {
	const known = unix.MREMAP_MAYMOVE | unix.MREMAP_FIXED | unix.MREMAP_DONTUNMAP
	if old&(PageSize-1) != 0 || newLen == 0 || flags&^known != 0 {
		return 0, unix.EINVAL
	}
	oldSize, newSize := pageUp(oldLen), pageUp(newLen)
	m.mu.Lock()
	defer m.mu.Unlock()
	r, ok := m.find(old)
	switch {
	case !ok:
		return 0, unix.EFAULT
	case r.Sealed:
		return 0, unix.EPERM
	case old+oldSize > r.End || old+oldSize < old:
		return 0, unix.EFAULT
	case r.Shadow && (newSize > oldSize || flags&^unix.MREMAP_MAYMOVE != 0):
		return 0, unix.EINVAL // where it lies and its view belong together
	case flags&unix.MREMAP_FIXED != 0 && m.sealed(newAddr, newAddr+newSize):
		return 0, unix.EPERM
	}
	if newSize > oldSize && m.overLimit(newSize-oldSize) {
		return 0, unix.ENOMEM
	}
	hostFlags := flags &^ unix.MREMAP_FIXED
	var free []span
	if flags&unix.MREMAP_FIXED != 0 {
		if newAddr&(PageSize-1) != 0 || newAddr+newSize > MaxAddr || newAddr+newSize < newAddr || newAddr < old+oldSize && old < newAddr+newSize {
			return 0, unix.EINVAL
		}
		var errno unix.Errno
		if free, errno = m.reserve(newAddr, newAddr+newSize); errno != 0 {
			return 0, errno
		}
		hostFlags |= unix.MREMAP_FIXED
	}
	m.shrunk.Add(1)
	got, errno := uint64(0), unix.Errno(0)
	if flags&unix.MREMAP_FIXED != 0 {
		got, errno = hostMremap(old, oldSize, newSize, hostFlags, newAddr)
	} else {
		got, errno = m.remap(&r, old, oldSize, newSize, hostFlags)
	}
	if errno != 0 {
		release(free)
		return 0, errno
	}
	code := false
	m.remapTags(old, oldSize, got, newSize, flags&unix.MREMAP_DONTUNMAP != 0)
	if r.Shadow {
		m.dropShadow(got+newSize, old+oldSize)
	} else {
		m.dropShadow(got, got+newSize)
	}
	if flags&unix.MREMAP_DONTUNMAP == 0 && oldSize != 0 {
		code = m.cut(old, old+oldSize)
	}
	if code {
		m.changed(old, old+oldSize)
	}
	if m.cut(got, got+newSize) || r.Prot&unix.PROT_EXEC != 0 {
		m.changed(got, got+newSize)
	}
	moved := r.tail(old)
	moved.Start, moved.End = got, got+newSize
	m.insert(moved)
	m.addTags(&moved)
	return got, 0
}

// RemapFile implements remap_file_pages(2): pages of a shared mapping of a file show
// another part of it, from page on.
func (m *Memory) RemapFile(addr, length uint64, prot int, page uint64, flags int) unix.Errno {
	start := addr &^ (PageSize - 1)
	size := length &^ (PageSize - 1)
	m.mu.Lock()
	defer m.mu.Unlock()
	r, ok := m.find(start)
	switch {
	case prot != 0, size == 0, start+size < start, page+size/PageSize < page:
		return unix.EINVAL
	case !ok || r.Flags&mapTypeMask == unix.MAP_PRIVATE || start+size > r.End:
		return unix.EINVAL
	case m.sealed(start, start+size):
		return unix.EPERM
	}
	m.shrunk.Add(1)
	if _, _, errno := unix.Syscall6(unix.SYS_REMAP_FILE_PAGES, uintptr(start), uintptr(size), 0, uintptr(page), uintptr(flags), 0); errno != 0 {
		return errno
	}
	if m.cut(start, start+size) {
		m.changed(start, start+size)
	}
	part := r.tail(start)
	part.End, part.Offset = start+size, page*PageSize
	part.tagsAt = part.Offset / Granule
	m.insert(part)
	m.addTags(&part)
	return 0
}

// SetBrk places the start of the program break, page-aligned up.
func (m *Memory) SetBrk(addr uint64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.brkStart = pageUp(addr)
	m.brkEnd = m.brkStart
}

// Brk implements brk(2): it moves the break to addr if it can and returns where
// the break is then.
func (m *Memory) Brk(addr uint64) uint64 {
	m.mu.Lock()
	defer m.mu.Unlock()
	if addr < m.brkStart || m.limits.Data != 0 && addr-m.brkStart > m.limits.Data {
		return m.brkEnd
	}
	from, to := pageUp(m.brkEnd), pageUp(addr)
	switch {
	case to > from:
		if to > MaxAddr || m.overLimit(to-from) {
			return m.brkEnd
		}
		_, errno := hostMmap(from, to-from, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANONYMOUS|unix.MAP_FIXED_NOREPLACE|m.lockFlags(), -1, 0)
		if errno != 0 {
			return m.brkEnd
		}
		m.finishLock(from, to-from)
		m.insert(Region{Start: from, End: to, Prot: unix.PROT_READ | unix.PROT_WRITE, Flags: unix.MAP_PRIVATE | unix.MAP_ANONYMOUS, Path: "[heap]"})
	case to < from && m.sealed(to, from):
		return m.brkEnd
	case to < from:
		m.shrunk.Add(1)
		for s := range m.owned(to, from) {
			hostMunmap(s.start, s.end-s.start)
		}
		m.dropTags(to, from)
		m.cut(to, from)
	}
	m.brkEnd = addr
	return addr
}

// stackGap is kept inaccessible below a growing stack (the kernel's
// stack_guard_gap is 256 pages).
const stackGap = 256 * PageSize

// stackName is what /proc/self/maps calls the main stack.
const stackName = "[stack]"

// MapStack maps the main thread's stack of size bytes with an inaccessible gap
// below it and returns its lowest address. Pages appear when touched. It ends where the
// layout has it, if that is free.
func (m *Memory) MapStack(size uint64, prot int) (uint64, unix.Errno) {
	const flags = unix.MAP_PRIVATE | unix.MAP_ANONYMOUS | unix.MAP_NORESERVE
	m.mu.Lock()
	defer m.mu.Unlock()
	at, errno := hostMmap(m.layout.StackTop-min(m.layout.StackTop, size+stackGap), size+stackGap, hostProt(prot), flags, -1, 0)
	if errno != 0 {
		return 0, errno
	}
	low := at + stackGap
	if errno := hostMprotect(at, stackGap, unix.PROT_NONE); errno != 0 {
		hostMunmap(at, size+stackGap)
		return 0, errno
	}
	m.insert(Region{Start: low, End: low + size, Prot: prot & 7, Flags: unix.MAP_PRIVATE | unix.MAP_ANONYMOUS | unix.MAP_GROWSDOWN, Path: stackName})
	return low, 0
}
