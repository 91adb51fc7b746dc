package cpu

import (
	"cmp"

	"golang.org/x/sys/unix"
)

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
	fixed := flags&unix.MREMAP_FIXED != 0
	shrinks := newSize < oldSize && flags&unix.MREMAP_DONTUNMAP == 0
	switch {
	case !ok:
		return 0, unix.EFAULT
	case r.Sealed:
		return 0, unix.EPERM
	case old+oldSize < old || old+oldSize > MaxAddr || !shrinks && old+oldSize > r.End:
		return 0, unix.EFAULT
	case r.Shadow && (newSize > oldSize || flags&^unix.MREMAP_MAYMOVE != 0):
		return 0, unix.EINVAL // where it lies and its view belong together
	case fixed && m.sealed(newAddr, newAddr+newSize):
		return 0, unix.EPERM
	}
	if newSize > oldSize && (m.overLimit(newSize-oldSize, r.Prot, r.Flags, span{}) || m.crowded()) {
		return 0, unix.ENOMEM
	}
	hostFlags := flags &^ unix.MREMAP_FIXED
	var free []span
	if fixed {
		if newAddr&(PageSize-1) != 0 || newAddr+newSize > MaxAddr || newAddr+newSize < newAddr || newAddr < old+oldSize && old < newAddr+newSize {
			return 0, unix.EINVAL
		}
		var errno unix.Errno
		if shrinks {
			errno = m.unmap(old+newSize, oldSize-newSize)
			oldSize = newSize
		}
		if errno != 0 || old+oldSize > r.End {
			return 0, cmp.Or(errno, unix.EFAULT)
		}
		if free, errno = m.reserve(newAddr, newAddr+newSize); errno != 0 {
			return 0, errno
		}
		hostFlags |= unix.MREMAP_FIXED
	} else if shrinks {
		return old, m.unmap(old+newSize, oldSize-newSize) // which may be several mappings, or none
	}
	m.shrunk.Add(1)
	got, errno := uint64(0), unix.Errno(0)
	if fixed {
		got, errno = hostMremap(old, oldSize, newSize, hostFlags, newAddr)
	} else {
		got, errno = m.remap(&r, old, oldSize, newSize, hostFlags)
	}
	if errno != 0 {
		release(free)
		return 0, errno
	}
	m.remapped(r, span{old, old + oldSize}, span{got, got + newSize}, flags&unix.MREMAP_DONTUNMAP != 0)
	return got, 0
}

// remapped enters what the host has moved or resized: pages of r, which stay as empty ones
// with keep. The lock is held.
func (m *Memory) remapped(r Region, old, now span, keep bool) {
	m.remapTags(old.start, old.end-old.start, now.start, now.end-now.start, keep)
	if r.Shadow {
		m.dropShadow(now.end, old.end)
	} else {
		m.dropShadow(now.start, now.end)
	}
	if !keep && old.start != old.end && m.cut(old.start, old.end) {
		m.changed(old.start, old.end)
	}
	if m.cut(now.start, now.end) || r.Prot&unix.PROT_EXEC != 0 {
		m.changed(now.start, now.end)
	}
	moved := r.tail(old.start)
	moved.Start, moved.End = now.start, now.end
	m.insert(moved)
	m.addTags(&moved)
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
