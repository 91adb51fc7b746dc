package cpu

import "golang.org/x/sys/unix"

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
	if addr < m.brkStart || addr > MaxAddr || m.limits.Break != 0 && addr-m.brkStart > m.limits.Break {
		return m.brkEnd
	}
	from, to := pageUp(m.brkEnd), pageUp(addr)
	switch {
	case to > from:
		if m.overLimit(to-from, unix.PROT_WRITE, unix.MAP_PRIVATE, span{}) {
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
