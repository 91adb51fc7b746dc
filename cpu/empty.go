package cpu

// Empty makes the address space that of a process that executes a program: nothing is mapped in it,
// and nothing of what was known of it holds. Limits stay.
//
// Preconditions: one thread runs the guest, and HasExtras is false.
func (m *Memory) Empty() {
	m.mu.Lock()
	defer m.mu.Unlock()
	for s := range m.owned(0, MaxAddr) {
		hostMunmap(s.start, s.end-s.start)
	}
	release(m.rooms)
	m.regions, m.rooms, m.obstacles = regionList{}, nil, nil
	m.brkStart, m.brkEnd = 0, 0
	m.guarded, m.track = nil, nil
	m.locking, m.anySealed = LockNone, false
	m.shrunk.Add(1)
	m.bti.Store(false)
	m.grows.Store(false)
	m.shared.Store(false)
	m.company.Store(false)
}

// HasExtras reports whether there is more than Empty removes: tags of memory, or shadow stacks.
func (m *Memory) HasExtras() bool { return m.tags || m.shadows.Load() }

// Reset makes s what a thread begins a program with, as far as the guest can tell.
func (s *State) Reset() {
	s.X, s.PC, s.NZCV = [32]uint64{}, 0, 0
	s.TPIDR, s.TPIDRRO, s.TPIDR2, s.Modes = 0, 0, 0, 0
	s.FPSR, s.QC = 0, 0
	s.ExclAddr, s.ExclVal, s.ExclSize = 0, [2]uint64{}, 0
	s.V, s.P = [32][2]uint64{}, [NumP + 1]uint64{}
	s.TagExclude, s.TagFaults, s.TagFault, s.TopBytes = NoTags, 0, 0, false
	s.GCSPR, s.GCSMode = 0, 0
	s.FPCR, s.MXCSR = 0, 0
	s.SetFPCR(0)
}
