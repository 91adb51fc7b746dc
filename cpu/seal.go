package cpu

import "golang.org/x/sys/unix"

// Seal implements mseal(2): the guest can no longer unmap, move, replace or
// reprotect the pages. The host's mappings are not sealed, for emu itself has to
// guard code there.
func (m *Memory) Seal(addr, length uint64) unix.Errno {
	size := pageUp(length)
	end := addr + size
	switch {
	case addr%PageSize != 0, length != 0 && size == 0, end < addr:
		return unix.EINVAL
	case size == 0:
		return 0
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	at := addr
	for s := range m.owned(addr, end) {
		if s.start != at {
			break
		}
		at = s.end
	}
	if at != end {
		return unix.ENOMEM
	}
	m.anySealed = true
	for at := addr; at < end; {
		r, _ := m.find(at)
		part := r.tail(at)
		part.End = min(end, r.End)
		at = part.End
		if r.Sealed {
			continue
		}
		part.Sealed = true
		m.cut(part.Start, part.End)
		m.insert(part) // neighbours that are sealed join it, as /proc/PID/maps shows
	}
	return 0
}

// replace describes pages anew whose content and protection stay.
func (m *Memory) replace(r Region) {
	at := m.regions.first(r.Start)
	old := *m.regions.at(at)
	parts := make([]Region, 0, 3)
	if old.Start < r.Start {
		before := old
		before.End = r.Start
		parts = append(parts, before)
	}
	parts = append(parts, r)
	if old.End > r.End {
		parts = append(parts, old.tail(r.End))
	}
	m.regions.replace(at, m.regions.next(at), parts...)
}

// sealed reports whether any page of [start, end) is sealed.
func (m *Memory) sealed(start, end uint64) bool {
	if !m.anySealed {
		return false
	}
	for r := range m.regions.within(start, end) {
		if r.Sealed {
			return true
		}
	}
	return false
}

// Discardable reports whether the seals on [start, end) let the guest drop its
// content: not of anonymous memory that it cannot write (can_madvise_modify in mm/madvise.c).
func (m *Memory) Discardable(start, end uint64) bool {
	m.mu.RLock()
	defer m.mu.RUnlock()
	if !m.anySealed {
		return true
	}
	for r := range m.regions.within(start, end) {
		if r.Sealed && r.Flags&mapTypeMask == unix.MAP_PRIVATE && r.Flags&unix.MAP_ANONYMOUS != 0 && r.Prot&unix.PROT_WRITE == 0 {
			return false
		}
	}
	return true
}
