package cpu

import (
	"math/bits"

	"golang.org/x/sys/unix"
)

// Memory whose address the guest leaves to the system is placed here, as the kernel
// would place it in an address space that is the guest's alone (vm_unmapped_area in its
// mm/vma.c): in the highest hole below the layout's base that is large enough. The host gets a fixed
// address, and says if that is not free (MAP_FIXED_NOREPLACE).

// placeTries is how often room is looked for where the host says that there is none.
const placeTries = 8

// hugePage is what the host maps with one entry of a page middle directory.
const hugePage = 2 << 20

// alignment is what a mapping's address should be: a multiple of unit, plus phase.
type alignment struct{ unit, phase uint64 }

var anyPage = alignment{unit: PageSize}

// align returns how the kernel aligns size bytes of r. What can be huge pages throughout is
// aligned to them (__get_unmapped_area, thp_get_unmapped_area), and so is what has to be
// some by flags.
func (r *Region) align(size uint64, flags int) alignment {
	const shift, mask = 26, 0x3f // MAP_HUGE_SHIFT, MAP_HUGE_MASK
	anonymous := r.Flags&unix.MAP_ANONYMOUS != 0
	switch bits := flags >> shift & mask; {
	case flags&unix.MAP_HUGETLB != 0 && bits > 12 && bits < 48:
		return alignment{unit: 1 << bits}
	case flags&unix.MAP_HUGETLB != 0, anonymous && size%hugePage == 0:
		return alignment{unit: hugePage}
	case anonymous || r.Offset+size < r.Offset:
		return anyPage
	}
	if first := (r.Offset + hugePage - 1) &^ (hugePage - 1); r.Offset+size >= first+hugePage {
		return alignment{unit: hugePage, phase: r.Offset % hugePage}
	}
	return anyPage
}

// place maps size bytes of what r describes where the guest asks for it with hint, at
// its home, or in a hole. What takes no address from outside (rings of io_uring) or only
// some (devices, huge pages of other sizes) fails with EINVAL, and the host places it. The
// lock is held.
func (m *Memory) place(r *Region, hint, size uint64, prot, flags, fd int) (uint64, unix.Errno) {
	try := func(at uint64) (uint64, unix.Errno) {
		if flags&mapTypeMask != unix.MAP_SHARED_VALIDATE {
			return hostMmap(at, size, prot, flags|unix.MAP_FIXED_NOREPLACE, fd, int64(r.Offset))
		}
		return fill(at, size, func() (uint64, unix.Errno) { // which does not take that flag
			return hostMmap(at, size, prot, flags|unix.MAP_FIXED, fd, int64(r.Offset))
		})
	}
	elsewhere := func(errno unix.Errno) bool { return errno == unix.EEXIST || errno == unix.EINVAL }
	if hint != 0 {
		if hint = max(hint, lowest); m.vacant(hint, hint+size) {
			if at, errno := try(hint); !elsewhere(errno) {
				return at, errno
			}
		}
	}
	if slot, ok := r.home(size); ok && hint == 0 {
		for i := range uint64(homeTries) {
			at := homes + (slot+i)%homeCount*homeSize
			if !m.vacant(at, at+size) {
				continue
			}
			if got, errno := try(at); !elsewhere(errno) {
				return got, errno
			}
		}
	}
	at, errno := m.inHole(size, r.align(size, flags), try)
	if elsewhere(errno) {
		return hostMmap(0, size, prot, flags, fd, int64(r.Offset))
	}
	return at, errno
}

// remap is mremap(2) without MREMAP_FIXED of a mapping that r describes: in place if that
// is possible, or to a hole. The lock is held.
func (m *Memory) remap(r *Region, old, oldSize, newSize uint64, flags int) (uint64, unix.Errno) {
	if flags&unix.MREMAP_DONTUNMAP == 0 && oldSize != 0 {
		got, errno := hostMremap(old, oldSize, newSize, 0, 0)
		if errno != unix.ENOMEM || newSize <= oldSize {
			return got, errno
		}
	}
	if flags&unix.MREMAP_MAYMOVE == 0 {
		return hostMremap(old, oldSize, newSize, flags, 0)
	}
	moved := r.tail(old)
	got, errno := m.inHole(newSize, moved.align(newSize, 0), func(at uint64) (uint64, unix.Errno) {
		return fill(at, newSize, func() (uint64, unix.Errno) {
			return hostMremap(old, oldSize, newSize, flags|unix.MREMAP_FIXED, at)
		})
	})
	if errno == unix.EEXIST || errno == unix.EINVAL {
		return hostMremap(old, oldSize, newSize, flags, 0) // an alignment that is not known here
	}
	return got, errno
}

// fill has do map size bytes at an address over memory that this maps there first, so that
// it can replace nothing else.
func fill(at, size uint64, do func() (uint64, unix.Errno)) (uint64, unix.Errno) {
	const flags = unix.MAP_PRIVATE | unix.MAP_ANONYMOUS | unix.MAP_NORESERVE | unix.MAP_FIXED_NOREPLACE
	if _, errno := hostMmap(at, size, unix.PROT_NONE, flags, -1, 0); errno != 0 {
		return 0, errno
	}
	got, errno := do()
	if errno != 0 {
		hostMunmap(at, size)
	}
	return got, errno
}

// inHole calls try, which maps size bytes, with addresses of holes until that succeeds or
// fails otherwise than with EEXIST. EEXIST if there is no hole.
func (m *Memory) inHole(size uint64, a alignment, try func(at uint64) (uint64, unix.Errno)) (uint64, unix.Errno) {
	for range placeTries {
		at, top, ok := m.hole(size, a)
		if !ok && a != anyPage {
			at, top, ok = m.hole(size, anyPage)
		}
		if !ok {
			break
		}
		got, errno := try(at)
		if errno == 0 && top.end != 0 {
			m.holes[top.class] = top.end
		}
		if errno != unix.EEXIST {
			return got, errno
		}
		if !m.findObstacles() {
			break
		}
	}
	return 0, unix.EEXIST
}

// vacant reports whether the guest has nothing in [start, end) nor a stack that grows
// right above.
func (m *Memory) vacant(start, end uint64) bool {
	r := m.regions.at(m.regions.first(start))
	return r == nil || r.guarded() >= end
}

// guarded is where r or the gap below it starts, into which a stack may grow
// (vm_start_gap).
func (r *Region) guarded() uint64 {
	if r.Flags&unix.MAP_GROWSDOWN == 0 {
		return r.Start
	}
	return r.Start - min(r.Start, stackGap)
}

// holes is what is known of the holes below the layout's base, so that a search need not
// begin there each time: those that end above holes[n] are of a lower size class than n, the
// gaps below stacks included.
type holes [exactSizes + 64]uint64

// exactSizes is how many sizes, in pages, have a class of their own. Above them there are classes
// from one power of two to the next.
const exactSizes = 16

// sizeClass is the class of size bytes, which are not 0.
func sizeClass(size uint64) int {
	pages := size / PageSize
	if pages <= exactSizes {
		return int(pages) - 1
	}
	return exactSizes + bits.Len64(pages-1) - bits.Len64(exactSizes)
}

// found is a hole for mappings of a size class: all above are smaller.
type found struct {
	class int
	end   uint64
}

// hole looks for room for size bytes. When it has been taken, top is known.
func (m *Memory) hole(size uint64, a alignment) (at uint64, top found, ok bool) {
	if m.layout.BottomUp {
		at, ok = m.lowestHole(size, a)
		return at, found{}, ok
	}
	return m.highestHole(size, a)
}

func (m *Memory) highestHole(size uint64, a alignment) (at uint64, top found, ok bool) {
	top.class = sizeClass(size)
	end := m.holes[top.class]
	for c := m.startingBelow(end); ; c = m.regions.prev(c) {
		below, above := m.regions.at(m.regions.prev(c)), m.regions.at(c)
		h := span{lowest, end}
		if below != nil {
			h.start = max(h.start, below.End)
		}
		if top.end == 0 && end > h.start && sizeClass(end-h.start) >= top.class {
			top.end = end
		}
		if above != nil {
			h.end = min(h.end, above.guarded())
		}
		if at, ok := m.highestIn(h, size, a); ok {
			return at, top, true
		}
		if below == nil {
			return 0, top, false
		}
		end = min(end, below.Start)
	}
}

// startingBelow is the place behind the regions that start below addr.
func (m *Memory) startingBelow(addr uint64) cursor {
	c := m.regions.first(addr)
	if r := m.regions.at(c); r != nil && r.Start < addr {
		return m.regions.next(c)
	}
	return c
}

// highestIn is the highest address in a hole at which size bytes fit.
func (m *Memory) highestIn(h span, size uint64, a alignment) (uint64, bool) {
	for h.end >= size+a.phase && h.end-size >= h.start {
		at := (h.end-size-a.phase)&^(a.unit-1) + a.phase
		if at < h.start {
			break
		}
		taken, ok := m.takenOf(span{at, at + size})
		if !ok {
			return at, true
		}
		h.end = taken.start
	}
	return 0, false
}

func (m *Memory) lowestHole(size uint64, a alignment) (at uint64, ok bool) {
	start := m.layout.Base
	for c := m.regions.first(start); ; c = m.regions.next(c) {
		r := m.regions.at(c)
		end := uint64(stackEnd)
		if r != nil {
			end = min(end, r.guarded())
		}
		if at, ok := m.lowestIn(span{start, end}, size, a); ok {
			return at, true
		}
		if r == nil || end == stackEnd {
			return 0, false
		}
		start = r.End
	}
}

// lowestIn is the lowest address in a hole at which size bytes fit.
func (m *Memory) lowestIn(h span, size uint64, a alignment) (uint64, bool) {
	for {
		at := (h.start-a.phase+a.unit-1)&^(a.unit-1) + a.phase
		if at+size > h.end || at+size < at {
			return 0, false
		}
		taken, ok := m.takenOf(span{at, at + size})
		if !ok {
			return at, true
		}
		h.start = taken.end
	}
}

// vacated notes that [start, end) is not the guest's any more.
func (m *Memory) vacated(start, end uint64) {
	c := m.regions.first(start)
	h := span{lowest, m.layout.Base}
	if r := m.regions.at(m.regions.prev(c)); r != nil {
		h.start = max(h.start, r.End)
	}
	if r := m.regions.at(c); r != nil {
		h.end = min(h.end, r.Start)
	}
	if h.start >= h.end {
		return
	}
	for n := range sizeClass(h.end-h.start) + 1 {
		m.holes[n] = max(m.holes[n], h.end)
	}
}
