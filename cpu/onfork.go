package cpu

import "golang.org/x/sys/unix"

// OnFork is what a child of fork(2) gets of a mapping, by madvise(2).
type OnFork uint8

// Values of OnFork.
const (
	ForkCopies OnFork = iota // or shares, if the mapping is shared
	ForkWipes                // MADV_WIPEONFORK: zeroes
	ForkDrops                // MADV_DONTFORK: nothing
)

// SetOnFork notes what the host has been advised to do with [start, end).
func (m *Memory) SetOnFork(start, end uint64, what OnFork) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for at := start; at < end; {
		r := m.regions.at(m.regions.first(at))
		if r == nil || r.Start >= end {
			return
		}
		part := r.tail(max(at, r.Start))
		part.End = min(end, part.End)
		at = part.End
		if part.OnFork != what {
			part.OnFork = what
			m.replace(part)
		}
	}
}

// Forked makes the map that of a forked child, which has no other thread yet: what it
// was not given is not there, what was wiped has no tags, and nothing is to be locked. The
// shadow stacks are those copied by CopyShadow; without copies they remain the parent's.
func (m *Memory) Forked(copies []ShadowCopy) {
	m.adoptShadow(copies)
	if m.locking != LockNone { // a page that is not written is not copied
		m.locking = LockNone
	}
	var gone []span
	for r := range m.regions.all() {
		switch {
		case r.OnFork == ForkDrops:
			gone = append(gone, span{r.Start, r.End})
		case r.OnFork == ForkWipes && r.Prot&ProtMTE != 0 && m.tags:
			m.clearTags(r.Start, r.End)
		}
	}
	for _, s := range gone {
		m.dropTags(s.start, s.end)
		m.dropShadow(s.start, s.end)
		if m.cut(s.start, s.end) {
			m.changed(s.start, s.end)
		}
	}
}

// onForkOf is what advice says about forks.
func onForkOf(advice uint64) (what OnFork, ok bool) {
	switch advice {
	case unix.MADV_DOFORK, unix.MADV_KEEPONFORK:
		return ForkCopies, true
	case unix.MADV_WIPEONFORK:
		return ForkWipes, true
	case unix.MADV_DONTFORK:
		return ForkDrops, true
	}
	return 0, false
}

// Advised notes what advice that the host took for [start, end) means for the map and
// for tags, which go with the contents.
func (m *Memory) Advised(start, end, advice uint64) {
	switch what, ok := onForkOf(advice); {
	case ok:
		m.SetOnFork(start, end, what)
	case advice == unix.MADV_DONTNEED:
		m.ZeroTags(start, end)
		m.ZeroShadow(start, end)
	case advice == unix.MADV_REMOVE && m.tags:
		m.mu.Lock()
		m.clearShared(start, end)
		m.mu.Unlock()
	}
}
