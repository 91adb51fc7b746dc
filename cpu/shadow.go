package cpu

import (
	"golang.org/x/sys/unix"
)

// Shadow stacks (FEAT_GCS, the guarded control stack; Arm ARM D11, Linux
// Documentation/arch/arm64/gcs.rst). Ordinary instructions may read such memory, and
// only calls and the instructions made for it may write it.
//
// So the host maps it twice: without write permission where the guest has it, and with
// write permission at a fixed distance (ShadowView), which generated code knows. All
// shadow stacks lie in a part of the address space of their own, of which the view is
// reserved as a whole when the first is mapped: a store to the view of what is none
// faults, and the fault is that of the address itself (ShadowFault).
//
// Both mappings show memory that a forked child would share, so the parent
// copies it first (CopyShadow). A child of vfork that shares its parent's memory has
// the parent's stacks.
const (
	ShadowBase = 0x5800_0000_0000 // of all shadow stacks
	ShadowBits = 42               // the size of that part
	ShadowView = 1 << ShadowBits  // the bit that an address of the view has set
	ShadowSize = uint64(1) << ShadowBits

	// EsrGCS is the bit of ESR_EL1 of an abort of a GCS access (ISS2.GCS).
	EsrGCS = 1 << 40
)

// Bits of State.GCSMode, as prctl(PR_SET_SHADOW_STACK_STATUS) has them.
const (
	GCSEnable = 1 << iota // calls and returns use the stack (GCSCRE0_EL1.PCRSEL, RVCHKEN)
	GCSWrite              // GCSSTR and GCSSTTR may be used (STREn)
	GCSPush               // GCSPUSHM may be used (PUSHMEn)
	GCSModes  = GCSEnable | GCSWrite | GCSPush
)

// Caps are entries of shadow stacks that are not in use: the address of the entry with
// a token in bits 11:0.
const (
	gcsCapAddr  = ^uint64(0xfff)
	gcsCapValid = 1
)

// GCSCap is the cap that a shadow stack that may be switched to has at addr.
func GCSCap(addr uint64) uint64 { return addr&gcsCapAddr | gcsCapValid }

// GCSSignalCap is the cap at addr under the frame of a signal handler.
func GCSSignalCap(addr uint64) uint64 { return addr & gcsCapAddr }

// inShadowSpace reports whether all of [start, end) may be shadow stacks.
func inShadowSpace(start, end uint64) bool {
	return start >= ShadowBase && start <= end && end <= ShadowBase+ShadowSize
}

// MapShadow maps a shadow stack of size bytes, a multiple of the page size: at addr, or
// where there is room if that is 0. EEXIST if addr is taken, or outside of the part of
// the address space where shadow stacks lie.
func (m *Memory) MapShadow(addr, size uint64) (uint64, unix.Errno) {
	if size == 0 {
		return 0, unix.EINVAL
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	switch {
	case size > ShadowSize || m.overLimit(size, unix.PROT_WRITE, unix.MAP_PRIVATE, span{}):
		return 0, unix.ENOMEM
	case addr != 0 && !inShadowSpace(addr, addr+size):
		return 0, unix.EEXIST
	}
	if errno := m.reserveView(); errno != 0 {
		return 0, errno
	}
	at, errno := m.claimShadow(addr, size)
	if errno != 0 {
		return 0, errno
	}
	if errno := newShadow(at|ShadowView, size); errno != 0 {
		hostMunmap(at, size)
		return 0, errno
	}
	if errno := showShadow(at, size); errno != 0 {
		closeView(at, at+size)
		hostMunmap(at, size)
		return 0, errno
	}
	r := Region{Start: at, End: at + size, Prot: unix.PROT_READ, Flags: unix.MAP_PRIVATE | unix.MAP_ANONYMOUS, Shadow: true}
	m.cut(r.Start, r.End)
	m.insert(r)
	return at, 0
}

// reserveView takes the addresses of the view, once.
func (m *Memory) reserveView() unix.Errno {
	if m.shadows.Load() {
		return 0
	}
	const flags = unix.MAP_PRIVATE | unix.MAP_ANONYMOUS | unix.MAP_NORESERVE | unix.MAP_FIXED_NOREPLACE
	if _, errno := hostMmap(ShadowBase|ShadowView, ShadowSize, unix.PROT_NONE, flags, -1, 0); errno != 0 {
		return unix.ENOMEM // the guest has memory there
	}
	hostMadvise(ShadowBase|ShadowView, ShadowSize, unix.MADV_DONTDUMP)
	m.shadows.Store(true)
	return 0
}

// claimShadow finds room for a shadow stack, with a page that is nobody's on both sides,
// and makes it inaccessible memory.
func (m *Memory) claimShadow(addr, size uint64) (uint64, unix.Errno) {
	const flags = unix.MAP_PRIVATE | unix.MAP_ANONYMOUS | unix.MAP_NORESERVE | unix.MAP_FIXED_NOREPLACE
	if addr != 0 {
		return hostMmap(addr, size, unix.PROT_NONE, flags, -1, 0)
	}
	at := uint64(ShadowBase + PageSize)
	for c := m.regions.first(at); ; c = m.regions.next(c) {
		r := m.regions.at(c)
		end := uint64(ShadowBase) + ShadowSize
		if r != nil {
			end = min(end, r.Start)
		}
		for at+size+PageSize <= end {
			got, errno := hostMmap(at, size, unix.PROT_NONE, flags, -1, 0)
			if errno != unix.EEXIST {
				return got, errno
			}
			at += size // emu itself lives there
		}
		if end == ShadowBase+ShadowSize || r == nil {
			return 0, unix.ENOMEM
		}
		at = max(at, r.End+PageSize)
	}
}

// newShadow maps memory at an address of the view.
func newShadow(view, size uint64) unix.Errno {
	const flags = unix.MAP_SHARED | unix.MAP_ANONYMOUS | unix.MAP_NORESERVE | unix.MAP_FIXED
	_, errno := hostMmap(view, size, unix.PROT_READ|unix.PROT_WRITE, flags, -1, 0)
	return errno
}

// showShadow makes [at, at+size) show what its view does, to be read. A length of 0 asks
// mremap(2) for a second mapping of shared memory.
func showShadow(at, size uint64) unix.Errno {
	if _, errno := hostMremap(at|ShadowView, 0, size, unix.MREMAP_MAYMOVE|unix.MREMAP_FIXED, at); errno != 0 {
		return errno
	}
	return hostMprotect(at, size, unix.PROT_READ)
}

// closeView makes the view of [start, end) inaccessible.
func closeView(start, end uint64) {
	const flags = unix.MAP_PRIVATE | unix.MAP_ANONYMOUS | unix.MAP_NORESERVE | unix.MAP_FIXED
	hostMmap(start|ShadowView, end-start, unix.PROT_NONE, flags, -1, 0)
}

// shadowParts calls f for the parts of [start, end) that are shadow stacks. The lock is
// held.
func (m *Memory) shadowParts(start, end uint64, f func(start, end uint64)) {
	if !m.shadows.Load() || start >= end || end <= ShadowBase || start >= ShadowBase+ShadowSize {
		return
	}
	for r := range m.regions.within(start, end) {
		if r.Shadow {
			f(max(start, r.Start), min(end, r.End))
		}
	}
}

// dropShadow ends what of [start, end) is shadow stacks, while the regions there are
// still those. The lock is held.
func (m *Memory) dropShadow(start, end uint64) { m.shadowParts(start, end, closeView) }

// protectShadow is mprotect(2) of a part of a shadow stack, which cannot be executable
// (arch_validate_flags in the kernel) and is either inaccessible or what it was. It
// returns the protection that its region then has.
func protectShadow(start, end uint64, prot int) (int, unix.Errno) {
	if prot&unix.PROT_EXEC != 0 {
		return 0, unix.EINVAL
	}
	if prot&(unix.PROT_READ|unix.PROT_WRITE) == 0 {
		return unix.PROT_NONE, protectView(start, end, unix.PROT_NONE)
	}
	return unix.PROT_READ, protectView(start, end, unix.PROT_READ|unix.PROT_WRITE)
}

func protectView(start, end uint64, prot int) unix.Errno {
	return hostMprotect(start|ShadowView, end-start, prot)
}

// ZeroShadow empties what of [start, end) is shadow stacks and has lost its contents.
func (m *Memory) ZeroShadow(start, end uint64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.shadowParts(start, end, func(start, end uint64) {
		hostMadvise(start|ShadowView, end-start, unix.MADV_REMOVE)
	})
}

// StoreShadow stores an entry of a shadow stack, as the kernel does for signals. It
// reports whether there is one at addr.
func (m *Memory) StoreShadow(addr, v uint64) bool {
	m.mu.RLock()
	defer m.mu.RUnlock()
	r, ok := m.find(addr)
	if !ok || !r.Shadow || r.Prot == unix.PROT_NONE || addr%8 != 0 {
		return false
	}
	putWord(addr|ShadowView, v)
	return true
}

// InShadowSpace reports whether addr is one that shadow stacks may have.
func InShadowSpace(addr uint64) bool { return addr>>ShadowBits == ShadowBase>>ShadowBits }

// InShadowView reports whether addr is one of the view of shadow stacks, if there is one.
func InShadowView(addr uint64) bool { return addr>>ShadowBits == (ShadowBase|ShadowView)>>ShadowBits }

// InShadowView reports whether addr is one of the view of shadow stacks: until there are some
// the guest may have memory of its own there.
func (m *Memory) InShadowView(addr uint64) bool { return m.shadows.Load() && InShadowView(addr) }

// ShadowFault tells of the fault of a GCS access to addr, or to the view of it: the
// address that the guest knows, and the si_code. Memory that is no shadow stack, or has
// no access, lacks the permission.
func (m *Memory) ShadowFault(addr uint64) (at, code uint64) {
	const segvMapErr, segvAccErr = 1, 2
	if InShadowView(addr) {
		addr &^= ShadowView
	}
	if _, ok := m.Find(addr); !ok {
		return addr, segvMapErr
	}
	return addr, segvAccErr
}

// ShadowCopy is a shadow stack for a child of fork.
type ShadowCopy struct{ start, end, copied uint64 }

// CopyShadow copies the shadow stacks for a child that is about to be forked. The child
// gives the copies to Forked, the parent to DropCopies. ok is false if there is no room.
// Precondition: no other thread changes the address space until the fork.
func (m *Memory) CopyShadow() (copies []ShadowCopy, ok bool) {
	if !m.shadows.Load() {
		return nil, true
	}
	for r := range m.regions.all() {
		if !r.Shadow || r.OnFork == ForkDrops {
			continue
		}
		const flags = unix.MAP_SHARED | unix.MAP_ANONYMOUS | unix.MAP_NORESERVE
		size := r.End - r.Start
		to, errno := hostMmap(0, size, unix.PROT_READ|unix.PROT_WRITE, flags, -1, 0)
		if errno != 0 {
			m.DropCopies(copies)
			return nil, false
		}
		copies = append(copies, ShadowCopy{r.Start, r.End, to})
		if r.Prot != unix.PROT_NONE {
			copyPresent(to, r.Start, size)
			continue
		}
		protectView(r.Start, r.End, unix.PROT_READ)
		copyPresent(to, r.Start|ShadowView, size)
		protectView(r.Start, r.End, unix.PROT_NONE)
	}
	return copies, true
}

// copyPresent copies the pages of shared memory that have been written.
func copyPresent(to, from, size uint64) {
	present := make([]byte, size/PageSize)
	if swapInUse() || hostMincore(from, size, present) != 0 {
		for i := range present { // a page that is swapped out is not present
			present[i] = 1
		}
	}
	for i, p := range present {
		if p&1 == 0 {
			continue
		}
		if page := pageBytes(from + uint64(i)*PageSize); !allZero(page) {
			copy(pageBytes(to+uint64(i)*PageSize), page)
		}
	}
}

// swapInUse reports whether any page of the machine is swapped out, or that it is not
// known.
func swapInUse() bool {
	var info unix.Sysinfo_t
	return unix.Sysinfo(&info) != nil || info.Totalswap != info.Freeswap
}

// DropCopies frees the copies in the parent.
func (m *Memory) DropCopies(copies []ShadowCopy) {
	for _, c := range copies {
		hostMunmap(c.copied, c.end-c.start)
	}
}

// adoptShadow replaces the shadow stacks of a forked child, which its parent has, by the
// copies.
func (m *Memory) adoptShadow(copies []ShadowCopy) {
	for _, c := range copies {
		size := c.end - c.start
		_, errno := hostMremap(c.copied, size, size, unix.MREMAP_MAYMOVE|unix.MREMAP_FIXED, c.start|ShadowView)
		if errno == 0 {
			errno = showShadow(c.start, size)
		}
		if errno != 0 {
			panic("BUG: cpu: a forked child does not get its shadow stack: " + errno.Error())
		}
		if r, ok := m.find(c.start); ok && r.Prot == unix.PROT_NONE {
			hostMprotect(c.start, size, unix.PROT_NONE)
			protectView(c.start, c.end, unix.PROT_NONE)
		}
	}
}
