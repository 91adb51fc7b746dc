package cpu

import "golang.org/x/sys/unix"

// Protection bits that arm64 adds to mprotect(2). Regions keep them.
const (
	ProtBTI  = 0x10
	ProtMTE  = 0x20
	protMask = unix.PROT_READ | unix.PROT_WRITE | unix.PROT_EXEC | ProtBTI | ProtMTE
)

// guardBranches notes that memory has got protection prot. With the first guarded
// executable page all code changes: its indirect branches are checked from then
// on. The lock is held.
func (m *Memory) guardBranches(prot int) {
	const guarded = unix.PROT_EXEC | ProtBTI
	if prot&guarded == guarded && !m.bti.Swap(true) {
		m.changed(0, MaxAddr)
	}
}

// HasBTI reports whether the guest has, or had, executable pages with ProtBTI.
func (m *Memory) HasBTI() bool { return m.bti.Load() }

// BTI reports whether addr is in a page with ProtBTI.
func (m *Memory) BTI(addr uint64) bool {
	r, ok := m.Find(addr)
	return ok && r.Prot&ProtBTI != 0
}
