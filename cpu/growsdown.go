package cpu

import (
	"math"

	"golang.org/x/sys/unix"
)

// stackGap is kept inaccessible below a growing stack (the kernel's
// stack_guard_gap is 256 pages).
const stackGap = 256 * PageSize

// stackName is what /proc/self/maps calls the main stack.
const stackName = "[stack]"

// Grow extends a mapping made with MAP_GROWSDOWN down to the page of addr, if addr
// lies in the hole below it and the kernel would let the mapping grow so far
// (expand_downwards in mm/mmap.c): within the limit for stacks, and with a gap to
// what lies below, unless that grows too or is inaccessible. The host's mapping
// does not grow itself, so that Memory knows of every page.
func (m *Memory) Grow(addr uint64) bool {
	if !m.grows.Load() {
		return false
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	at := m.regions.first(addr)
	above := m.regions.at(at)
	if above == nil || above.Start <= addr {
		return false
	}
	r := *above
	if !r.growsDown() {
		return false
	}
	start := addr &^ (PageSize - 1)
	if r.End-start > stackLimit() || m.overLimit(r.Start-start, r.Prot, r.Flags, span{}) {
		return false
	}
	if below := m.regions.at(m.regions.prev(at)); below != nil {
		accessible := below.Prot&(unix.PROT_READ|unix.PROT_WRITE|unix.PROT_EXEC) != 0
		if accessible && below.Flags&unix.MAP_GROWSDOWN == 0 && start-below.End < stackGap {
			return false
		}
	}
	flags := unix.MAP_PRIVATE | unix.MAP_ANONYMOUS | unix.MAP_FIXED_NOREPLACE | r.Flags&unix.MAP_NORESERVE | m.lockFlags()
	if _, errno := hostMmap(start, r.Start-start, hostProt(r.Prot), flags, -1, 0); errno != 0 {
		return false // emu itself is in the way
	}
	m.finishLock(start, r.Start-start)
	r.Start, r.End = start, r.Start
	m.insert(r)
	m.addTags(&r)
	return true
}

// growsDown reports whether r grows when memory just below it is touched. The main
// stack has its full size from the start.
func (r *Region) growsDown() bool {
	return r.Flags&unix.MAP_GROWSDOWN != 0 && r.Flags&unix.MAP_ANONYMOUS != 0 && r.Path != stackName
}

// stackLimit is RLIMIT_STACK.
func stackLimit() uint64 {
	var l unix.Rlimit
	if unix.Getrlimit(unix.RLIMIT_STACK, &l) != nil {
		return math.MaxUint64
	}
	return l.Cur
}

// Reach is OK for an access that the kernel makes, which lets a mapping with
// MAP_GROWSDOWN grow as the guest's own would.
func (m *Memory) Reach(addr, length uint64, prot int) bool {
	if m.OK(addr, length, prot) {
		return true
	}
	return addr+length > addr && m.Grow(addr) && m.OK(addr, length, prot)
}

// MapStack maps the main thread's stack of size bytes with an inaccessible gap
// below it and returns its lowest address. Pages appear when touched. It ends where the
// layout has it, if that is free.
func (m *Memory) MapStack(size uint64, prot int) (uint64, unix.Errno) {
	const flags = unix.MAP_PRIVATE | unix.MAP_ANONYMOUS | unix.MAP_NORESERVE
	m.mu.Lock()
	defer m.mu.Unlock()
	at, errno := hostMmap(m.layout.StackTop-min(m.layout.StackTop, size+stackGap), size+stackGap, hostProt(prot), flags, -1, 0)
	if errno != 0 {
		return 0, errno
	}
	low := at + stackGap
	if errno := hostMprotect(at, stackGap, unix.PROT_NONE); errno != 0 {
		hostMunmap(at, size+stackGap)
		return 0, errno
	}
	m.insert(Region{Start: low, End: low + size, Prot: prot & 7, Flags: unix.MAP_PRIVATE | unix.MAP_ANONYMOUS | unix.MAP_GROWSDOWN, Path: stackName})
	return low, 0
}
