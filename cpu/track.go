package cpu

import (
	"slices"

	"golang.org/x/sys/unix"
)

// A child of vfork shares its parent's memory until it executes a program or
// exits. One that is the host's child of fork (syscalls/vfork_unsafe.go) has a copy, so what it changes is tracked, to be told to the parent:
// its private writable pages lose their write permission on the host, and the
// first store to one, which faults, keeps a copy of what was there.

// tracker is the memory that is tracked: spans still to be looked at, and pages
// as they were before they were first written.
type tracker struct {
	spans  []span
	tags   []span // of tags of memory
	before map[uint64]*[PageSize]byte

	// The mappings and the break when tracking began.
	regions []Region
	brk     uint64

	reserved, room span // what is free in the parent too, and what is left of it
}

// Track begins to track the private memory that the guest may write. [room, room+size) is
// what Room has reserved in the parent, whose mappings stay out of it, and
// so private memory that the guest maps from now on, wherever it may be, goes there.
func (m *Memory) Track(room, size uint64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	hostMunmap(room, size)
	reserved := span{room, room + size}
	m.track = &tracker{before: make(map[uint64]*[PageSize]byte), regions: m.regions.list(), brk: m.brkEnd, reserved: reserved, room: reserved}
	for r := range m.regions.all() {
		if r.Prot&unix.PROT_WRITE == 0 || r.Flags&mapTypeMask != unix.MAP_PRIVATE {
			continue
		}
		if hostMprotect(r.Start, r.End-r.Start, hostProt(r.Prot)&^unix.PROT_WRITE) == 0 {
			m.track.spans = append(m.track.spans, span{r.Start, r.End})
		}
		if tags := tagPages(r.Start, r.End); r.Prot&ProtMTE != 0 && hostMprotect(tags.start, tags.end-tags.start, unix.PROT_READ) == 0 {
			m.track.tags = append(m.track.tags, tags)
		}
	}
}

// Untrack ends that.
func (m *Memory) Untrack() {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.track == nil {
		return
	}
	for _, s := range m.track.spans {
		for at := s.start; at < s.end; {
			r, ok := m.find(at)
			if !ok {
				break
			}
			stop := min(s.end, r.End)
			hostMprotect(at, stop-at, hostProt(r.Prot))
			at = stop
		}
	}
	for _, s := range m.track.tags {
		hostMprotect(s.start, s.end-s.start, unix.PROT_READ|unix.PROT_WRITE)
	}
	m.forgetRoom(m.track.reserved)
	m.track = nil
	for page := range m.guarded {
		if r, ok := m.find(page); ok {
			hostMprotect(page, PageSize, hostProt(r.Prot)&^unix.PROT_WRITE)
		}
	}
}

// uncover lets the page be written if it is tracked, after copying it; nobody can write
// one that cannot be read. The lock is held.
func (m *Memory) uncover(page uint64) bool {
	if m.track == nil || m.track.before[page] != nil {
		return false
	}
	tracked, prot := m.track.tags, unix.PROT_READ|unix.PROT_WRITE
	ofTags := m.holdsTags(page)
	if !ofTags {
		tracked = m.track.spans
	}
	if !slices.ContainsFunc(tracked, func(s span) bool { return page >= s.start && page < s.end }) {
		return false
	}
	if !ofTags {
		r, ok := m.find(page)
		if !ok {
			return false
		}
		prot = hostProt(r.Prot)
	}
	before := new([PageSize]byte)
	if !copyPage(before, page) {
		return false
	}
	m.track.before[page] = before
	hostMprotect(page, PageSize, prot)
	return true
}

// claim takes size bytes of the room, from its end, as mmap(2) would; 0 if there are none
// left.
func (t *tracker) claim(size uint64) (addr uint64) {
	if t == nil || size > t.room.end-t.room.start {
		return 0
	}
	t.room.end -= size
	return t.room.end
}

// forget stops tracking [start, end), which has been mapped or protected anew.
func (t *tracker) forget(start, end uint64) {
	var left []span
	for _, s := range t.spans {
		if s.start < min(s.end, start) {
			left = append(left, span{s.start, min(s.end, start)})
		}
		if max(s.start, end) < s.end {
			left = append(left, span{max(s.start, end), s.end})
		}
	}
	t.spans = left
	for page := range t.before {
		if page >= start && page < end {
			delete(t.before, page)
		}
	}
}

// Changes calls f with every run of bytes that differs from what it was when
// Track was called, and with what is in memory that the guest could not write then.
func (m *Memory) Changes(f func(addr uint64, now []byte)) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.track == nil {
		return
	}
	var now [PageSize]byte
	for page, old := range m.track.before {
		if !copyPage(&now, page) {
			continue
		}
		for i := 0; i < PageSize; i++ {
			start := i
			for i < PageSize && now[i] != old[i] {
				i++
			}
			if i > start {
				f(page+uint64(start), now[start:i])
			}
		}
	}
	m.untracked(f)
}
