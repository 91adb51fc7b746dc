package cpu

import (
	"sync"
	"sync/atomic"

	"golang.org/x/sys/unix"
)

// PageSize is the guest's page size. arm64 kernels use 4, 16 or 64 KiB; ours
// shows the host's 4 KiB.
const PageSize = 4096

// MaxAddr is the end of the address space that a guest can have: an x86-64
// process without 5-level paging owns 47 bits, an arm64 one 48 to 52.
const MaxAddr = 1<<47 - PageSize

// Region is one mapping of the guest, page-aligned, [Start, End). Prot and
// Flags are what the guest asked for (PROT_EXEC included, which the host
// mapping never has).
type Region struct {
	Start, End uint64
	Prot       int
	Flags      int    // MAP_SHARED, MAP_PRIVATE, MAP_ANONYMOUS, MAP_GROWSDOWN
	Offset     uint64 // file offset of Start
	Dev, Ino   uint64
	Path       string // file path or a name such as [heap]
	Sealed     bool   // by mseal(2)
	InMemory   bool   // the file is in memory (tmpfs, memfd)
	OnFork     OnFork
	Shadow     bool // a shadow stack, see shadow.go; without PROT_WRITE here, with it in /proc

	// Where the tags of shared memory are, and in there those of Start; nil if the tags
	// are the mapping's own. See tags_shared.go.
	tags   *tagStore
	tagsAt uint64
}

// Memory is the guest's address space: the truth about which parts of emu's own
// address space the guest owns. Guest addresses are host addresses. What the
// guest did not map does not exist for it: MAP_FIXED over anything else fails,
// and unmapping or protecting touches only guest regions.
type Memory struct {
	mu        sync.RWMutex
	regions   regionList
	brkStart  uint64
	brkEnd    uint64
	limits    Limits
	observer  []func(start, end uint64)
	guarded   map[uint64]bool // pages that GuardCode write-protected
	track     *tracker        // nil unless Track was called
	shrunk    atomic.Uint64   // see Shrunk
	bti       atomic.Bool     // there are or were executable pages with ProtBTI
	grows     atomic.Bool     // there are or were mappings with MAP_GROWSDOWN, see Grow
	locking   int             // see LockFuture
	anySealed bool
	tags      bool // EnableTags was called
	stores    map[Object]*tagStore
	shadows   atomic.Bool   // there are or were shadow stacks
	shared    atomic.Bool   // see Share
	company   atomic.Bool   // see OnCompany
	execGain  atomic.Uint32 // see RefuseExecGain
	onCompany func()

	// See place.go.
	layout    Layout
	holes     holes
	rooms     []span // see Room
	obstacles []span // see findObstacles
}

// NewMemory returns an empty address space, whose layout is that of a process with a small
// stack and without randomisation until SetLayout says otherwise.
func NewMemory() *Memory {
	m := &Memory{}
	m.SetLayout(NewLayout(0, false, 0))
	return m
}

// OnCodeChange registers f to be called, after the fact, whenever guest pages
// that were executable are unmapped, replaced, or lose or change protection.
// f runs with the address space locked and must not call back.
func (m *Memory) OnCodeChange(f func(start, end uint64)) { m.observer = append(m.observer, f) }

// hostProt is the protection that the host mapping gets: never executable, and
// readable where the guest may execute, since the translator reads it.
func hostProt(prot int) int {
	p := prot & (unix.PROT_READ | unix.PROT_WRITE)
	if prot&unix.PROT_EXEC != 0 {
		p |= unix.PROT_READ
	}
	return p
}

func pageUp(n uint64) uint64 { return (n + PageSize - 1) &^ (PageSize - 1) }

// Find returns the region that holds addr.
func (m *Memory) Find(addr uint64) (Region, bool) {
	m.mu.RLock()
	r, ok := m.find(addr)
	m.mu.RUnlock()
	return r, ok
}

func (m *Memory) find(addr uint64) (Region, bool) {
	if r := m.regions.holding(addr); r != nil {
		return *r, true
	}
	return Region{}, false
}

// EndsAfter reports whether any region ends after addr, as find_vma of the kernel does.
func (m *Memory) EndsAfter(addr uint64) bool {
	m.mu.RLock()
	defer m.mu.RUnlock()
	return m.regions.at(m.regions.first(addr)) != nil
}

// Regions returns a copy of the list of regions in address order.
func (m *Memory) Regions() []Region {
	m.mu.RLock()
	defer m.mu.RUnlock()
	return m.regions.list()
}

// Share says that from now on several threads run the guest. Until then only one changes the regions:
// that thread may look at them without the lock, which would be a page to copy for every fork.
func (m *Memory) Share() {
	m.keepCompany()
	m.shared.Store(true)
}

// OnCompany registers f to be called once, before anyone besides the guest's only thread can write to its
// memory: there is a second thread, or memory that other processes have as well. f runs with the address
// space locked and must not call back.
func (m *Memory) OnCompany(f func()) { m.onCompany = f }

func (m *Memory) keepCompany() {
	if f := m.onCompany; f != nil && m.company.CompareAndSwap(false, true) {
		f()
	}
}

// mayShare is told of memory that the guest is about to have: what it can write others may have as well.
func (m *Memory) mayShare(flags, prot int) {
	if flags&unix.MAP_SHARED != 0 && prot&unix.PROT_WRITE != 0 {
		m.keepCompany()
	}
}

// OK reports whether the guest may access all of [addr, addr+length) with prot.
// An empty range is always accessible.
//
// Preconditions: called by a thread that runs the guest.
func (m *Memory) OK(addr, length uint64, prot int) bool {
	if m.shared.Load() {
		m.mu.RLock()
		defer m.mu.RUnlock()
	}
	end := addr + length
	if end < addr {
		return false
	}
	for r := range m.regions.within(addr, end) {
		if r.Start > addr || r.Prot&prot != prot {
			break
		}
		addr = r.End
	}
	return addr >= end
}

// ExecRange returns the bounds of the executable guest memory around pc.
func (m *Memory) ExecRange(pc uint64) (start, end uint64, ok bool) {
	r, ok := m.Find(pc)
	if !ok || r.Prot&unix.PROT_EXEC == 0 {
		return 0, 0, false
	}
	return r.Start, r.End, true
}

// FetchFault returns the signal and si_code of an instruction abort at pc, which
// was not in readable executable memory. There is no signal if it is in such memory now: another
// thread has made it accessible, or its file longer. What was translated of it before says
// that it is not, and goes.
func (m *Memory) FetchFault(pc uint64) (sig unix.Signal, code int32) {
	const segvMapErr, segvAccErr, busAdrErr = 1, 2, 2
	r, ok := m.Find(pc)
	start := pc &^ (PageSize - 1)
	var page [PageSize]byte
	switch {
	case !ok:
		return unix.SIGSEGV, segvMapErr
	case r.Prot&unix.PROT_EXEC == 0:
		return unix.SIGSEGV, segvAccErr
	case copyPage(&page, start):
		m.mu.Lock()
		defer m.mu.Unlock()
		m.changed(start, start+PageSize)
		return 0, 0
	}
	return unix.SIGBUS, busAdrErr // a page behind the end of its file
}

// cut removes [start, end) from the list and returns whether any executable
// part went with it. The host mapping is not touched.
func (m *Memory) cut(start, end uint64) (code bool) {
	m.forgetGuards(start, end)
	from := m.regions.first(start)
	to := from
	var out [2]Region // what is left of the first and of the last
	n := 0
	for ; ; to = m.regions.next(to) {
		r := m.regions.at(to)
		if r == nil || r.Start >= end {
			break
		}
		code = code || r.Prot&unix.PROT_EXEC != 0
		if r.Start < start {
			out[n] = *r
			out[n].End = start
			n++
		}
		if r.End > end {
			out[n] = r.tail(end)
			n++
		}
	}
	if to != from {
		m.regions.replace(from, to, out[:n]...)
		m.vacated(start, end)
	}
	return code
}

// tail is the part of r from addr on.
func (r Region) tail(addr uint64) Region {
	if r.Flags&unix.MAP_ANONYMOUS == 0 {
		r.Offset += addr - r.Start
	}
	if r.tags != nil {
		r.tagsAt += (addr - r.Start) / Granule
	}
	r.Start = addr
	return r
}

// insert adds r, which overlaps nothing, and merges it with equal neighbours as
// the kernel merges VMAs.
func (m *Memory) insert(r Region) {
	at := m.regions.first(r.Start)
	below, above := m.regions.at(m.regions.prev(at)), m.regions.at(at)
	after := above != nil && r.joins(above)
	if after {
		r.End = above.End
	}
	before := below != nil && below.joins(&r)
	switch {
	case before:
		below.End = r.End
		if after {
			m.regions.replace(at, m.regions.next(at))
		}
	case after:
		*above = r
	default:
		m.regions.replace(at, at, r)
	}
}

// joins reports whether next continues r in every respect.
func (r *Region) joins(next *Region) bool {
	if r.End != next.Start || r.Prot != next.Prot || r.Flags != next.Flags || r.Path != next.Path || r.Sealed != next.Sealed || r.Ino != next.Ino || r.Dev != next.Dev || r.InMemory != next.InMemory ||
		r.OnFork != next.OnFork || r.Shadow != next.Shadow || r.tags != next.tags || r.tags != nil && r.tagsAt+(r.End-r.Start)/Granule != next.tagsAt {
		return false
	}
	return r.Flags&unix.MAP_ANONYMOUS != 0 || r.Offset+(r.End-r.Start) == next.Offset
}

func (m *Memory) changed(start, end uint64) {
	for _, f := range m.observer {
		f(start, end)
	}
}

// Name gives the region that holds addr a name for /proc/self/maps.
func (m *Memory) Name(addr uint64, name string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if r := m.regions.holding(addr); r != nil {
		r.Path = name
	}
}
