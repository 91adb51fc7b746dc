package cpu

import "golang.org/x/sys/unix"

// Code that the guest may overwrite is guarded: its pages lose their write
// permission on the host, and the first store to one faults. Unguard then gives
// the page back and reports it to the code-change observers, so that a guest
// which forgets its cache maintenance still runs what it wrote.

// GuardCode guards the writable pages of [start, end), from which code was
// translated.
func (m *Memory) GuardCode(start, end uint64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for page := start &^ (PageSize - 1); page < end; page += PageSize {
		r, ok := m.find(page)
		if !ok || r.Prot&unix.PROT_WRITE == 0 || m.guarded[page] {
			continue
		}
		if hostMprotect(page, PageSize, hostProt(r.Prot)&^unix.PROT_WRITE) != 0 {
			continue
		}
		if m.guarded == nil {
			m.guarded = make(map[uint64]bool)
		}
		m.guarded[page] = true
	}
}

// Unguard makes the guarded and the tracked pages (see Track) of [start, end)
// writable again and reports whether there were any: if so, a store that faulted
// there can be repeated.
func (m *Memory) Unguard(start, end uint64) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	if len(m.guarded) == 0 && m.track == nil {
		return false
	}
	any := false
	end = min(end, MaxAddr) // a faulting address may be the last of all
	for page := start &^ (PageSize - 1); page < end; page += PageSize {
		any = m.uncover(page) || any
		if !m.guarded[page] {
			continue
		}
		any = true
		delete(m.guarded, page)
		if r, ok := m.find(page); ok {
			hostMprotect(page, PageSize, hostProt(r.Prot))
		}
		m.changed(page, page+PageSize)
	}
	return any
}

// Repeat reports whether an access that faulted at addr with SIGSEGV and the si_code
// given can be repeated: what was in its way is gone. That is a guard, which this
// removes, or one that another thread has removed since the fault. The latter shows
// as a fault for lack of a permission that the guest has.
func (m *Memory) Repeat(addr, code uint64, write bool) bool {
	if m.Unguard(addr, addr+1) {
		return true
	}
	const segvAccErr = 2
	if code != segvAccErr {
		return false
	}
	need := unix.PROT_READ
	if write {
		need = unix.PROT_WRITE
	}
	r, ok := m.Find(addr)
	return ok && r.Prot&need != 0
}

// UnguardAll is Unguard for every guarded page: for system calls that failed
// with EFAULT and can be tried again.
func (m *Memory) UnguardAll() bool {
	m.mu.RLock()
	pages := make([]uint64, 0, len(m.guarded))
	for page := range m.guarded {
		pages = append(pages, page)
	}
	m.mu.RUnlock()
	any := false
	for _, page := range pages {
		any = m.Unguard(page, page+PageSize) || any
	}
	return any
}

// forgetGuards drops the marks of pages whose host protection has just been set
// anew.
func (m *Memory) forgetGuards(start, end uint64) {
	if m.track != nil {
		m.track.forget(start, end)
	}
	if (end-start)/PageSize < uint64(len(m.guarded)) {
		for page := pageUp(start); page < end; page += PageSize {
			delete(m.guarded, page)
		}
		return
	}
	for page := range m.guarded {
		if page >= start && page < end {
			delete(m.guarded, page)
		}
	}
}
