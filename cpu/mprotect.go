package cpu

import "golang.org/x/sys/unix"

// Protect implements mprotect(2). ENOMEM if part of the range is not the
// guest's; what precedes the gap is changed, as the kernel does it. ProtMTE stays
// where it is; EINVAL where it cannot be.
func (m *Memory) Protect(addr, length uint64, prot int) unix.Errno {
	size := pageUp(length)
	switch {
	case addr&(PageSize-1) != 0:
		return unix.EINVAL
	case length != 0 && addr+size <= addr:
		return unix.ENOMEM
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
		if m.deniesExec(r.Prot, prot) || prot&unix.PROT_EXEC != 0 && m.neverExec(&r, at) {
			return unix.EACCES
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
		if (r.Start < at || stop < r.End) && prot&protMask != r.Prot && m.crowded() {
			return unix.ENOMEM
		}
		if !isData(r.Prot, r.Flags) && m.overData(stop-at, prot, r.Flags, span{}) {
			return unix.ENOMEM
		}
		m.mayShare(r.Flags, prot)
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
