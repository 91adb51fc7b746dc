package cpu

import (
	"slices"

	"golang.org/x/sys/unix"
)

// MappingChange is what a tracked process has done to [Start, End): unmapped it (Prot is
// Unmapped), mapped memory of its own there (New), or changed its protection.
type MappingChange struct {
	Start, End uint64
	Prot       int
	New        bool
}

// Unmapped is the Prot of what is not mapped any more.
const Unmapped = -1

// private reports whether r is memory that is nobody else's and no file's, nor a shadow
// stack.
func (r *Region) private() bool {
	return r != nil && !r.Shadow && r.Flags&mapTypeMask == unix.MAP_PRIVATE && r.Flags&unix.MAP_ANONYMOUS != 0
}

// at finds the region that has addr in a sorted list.
func at(regions []Region, addr uint64) *Region {
	i, _ := slices.BinarySearchFunc(regions, addr, func(r Region, a uint64) int {
		if r.End <= a {
			return -1
		}
		return 1
	})
	if i < len(regions) && regions[i].Start <= addr {
		return &regions[i]
	}
	return nil
}

// mappings yields every range that is the same region throughout, before Track was
// called and now; nil is none. The lock is held.
func (m *Memory) mappings(f func(start, end uint64, was, is *Region)) {
	same := func(a, b Region) bool { return a.Start == b.Start && a.End == b.End && a.Prot == b.Prot }
	before, now := m.track.regions, m.regions.list()
	if slices.EqualFunc(before, now, same) {
		return // as in most children
	}
	var edges []uint64
	for _, list := range [][]Region{before, now} {
		for i := range list {
			edges = append(edges, list[i].Start, list[i].End)
		}
	}
	slices.Sort(edges)
	edges = slices.Compact(edges)
	for i := 1; i < len(edges); i++ {
		start := edges[i-1]
		if was, is := at(before, start), at(now, start); was != nil || is != nil {
			f(start, edges[i], was, is)
		}
	}
}

// Mappings calls f with what has changed of the mappings since Track was called, files and
// shared memory that were mapped since then left out, and returns the break and whether
// that has moved.
func (m *Memory) Mappings(f func(MappingChange)) (brk uint64, moved bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.track == nil {
		return 0, false
	}
	moved = m.track.brk != m.brkEnd
	low, high := pageUp(min(m.track.brk, m.brkEnd)), pageUp(max(m.track.brk, m.brkEnd))
	m.mappings(func(start, end uint64, was, is *Region) {
		switch {
		case moved && start >= low && end <= high:
		case is == nil:
			f(MappingChange{start, end, Unmapped, false})
		case is.private() && was == nil:
			f(MappingChange{start, end, is.Prot, true})
		case was != nil && was.Prot != is.Prot && was.private() == is.private():
			f(MappingChange{start, end, is.Prot, false})
		}
	})
	return m.brkEnd, moved
}

// untracked calls f with the contents of memory that has been mapped or made writable
// since Track was called: pages that are present and not zero. The lock is held.
func (m *Memory) untracked(f func(addr uint64, now []byte)) {
	m.mappings(func(start, end uint64, was, is *Region) {
		if !is.private() || is.Prot&unix.PROT_WRITE == 0 || was != nil && was.Prot&unix.PROT_WRITE != 0 {
			return
		}
		present := make([]byte, (end-start)/PageSize)
		if hostMincore(start, end-start, present) != 0 {
			return
		}
		for i, p := range present {
			page := start + uint64(i)*PageSize
			if now := pageBytes(page); p&1 != 0 && slices.ContainsFunc(now, func(b byte) bool { return b != 0 }) {
				f(page, now)
			}
		}
	})
}
