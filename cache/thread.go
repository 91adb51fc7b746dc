package cache

import (
	"fmt"
	"runtime"
	"sync/atomic"
	"unsafe"

	"emu/cpu"
	"emu/jit/host"

	"emu/internal/place"

	"golang.org/x/sys/unix"
)

const (
	entries        = host.JumpCacheEntries
	types          = uint32(cpu.NumBranchTypes)
	far            = uint32(host.FarJumpStart)
	allEntries     = host.FarJumpStart + host.FarJumpEntries + int(types)
	entryBytes     = 16
	entriesPerPage = cpu.PageSize / entryBytes
	jumpCachePages = (allEntries + entriesPerPage - 1) / entriesPerPage
	jumpCacheBytes = uintptr(jumpCachePages * entriesPerPage * entryBytes)
)

type jumpEntry struct {
	pc   uint64
	addr uint64
}

// Thread is what the cache keeps for one guest thread: its jump cache. The tables
// are written under the cache's lock only; the thread's generated code reads them.
type Thread struct {
	state *cpu.State
	jumps *[jumpCachePages * entriesPerPage]jumpEntry // both tables, see host.JumpCacheEntries
	dirty [jumpCachePages]bool                        // pages of jumps with something in them
	// far is how many entries of the second table are in use, a power of two, and lost how many have
	// made way for others since they were so many.
	far, lost uint32
}

// The second table grows when one in farLost of its entries has been lost to another pc. Its index is a hash: the few hundred
// targets of a short program would be all over the largest one, each in a page of which nothing else is needed, which
// is read, and so mapped, when it is looked for and once more when it is entered.
const (
	farLeast  = 4 * entriesPerPage
	farGrowth = 4
	farLost   = 8
)

// maxIdle is how many jump caches of threads that have ended are kept for new ones: to map,
// touch and unmap them takes longer than to empty them.
const maxIdle = 16

// NewThread gives s, which is of cpu.NewState, a jump cache and bounds its native stack.
func (c *Cache) NewThread(s *cpu.State) (*Thread, error) {
	t, err := c.idleThread()
	if err != nil {
		return nil, err
	}
	t.state = s
	t.setFar(farLeast)
	s.JumpCache = uint64(uintptr(unsafe.Pointer(t.jumps)))
	low, end := s.NativeStack()
	s.NativeLow = low
	// An odd multiple of 8: calls take 16 bytes each, so that 8 are left for a
	// helper's return address however many there are (host.StubHelper).
	s.NativeTop = end - host.StackSlack - 8
	s.NativeSP = s.NativeTop
	s.Evictions = uint64(uintptr(unsafe.Pointer(&c.evictions)))
	c.mu.Lock()
	c.users[t] = struct{}{}
	c.mu.Unlock()
	return t, nil
}

// idleThread returns a Thread with an empty jump cache: one that has been freed, or a
// new one.
func (c *Cache) idleThread() (*Thread, error) {
	c.mu.Lock()
	if n := len(c.idle); n > 0 {
		t := c.idle[n-1]
		c.idle = c.idle[:n-1]
		t.forgetAll()
		c.mu.Unlock()
		return t, nil
	}
	c.mu.Unlock()
	p, err := place.Small(jumpCacheBytes, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE)
	if err != nil {
		return nil, fmt.Errorf("jump cache: %w", err)
	}
	makePresent(uintptr(p), (entries+farLeast)*entryBytes)
	t := &Thread{jumps: (*[jumpCachePages * entriesPerPage]jumpEntry)(p)}
	t.emptyFirst(0)
	t.emptyFirst(far)
	return t, nil
}

// FreeThread takes back what NewThread gave. The thread runs no more guest code.
func (c *Cache) FreeThread(t *Thread) {
	c.mu.Lock()
	if _, used := c.users[t]; !used {
		panic("BUG: cache: a thread that is freed twice")
	}
	delete(c.users, t)
	if len(c.idle) < maxIdle { // it is emptied when it is used again: children of fork mostly never do
		t.state = nil
		c.idle = append(c.idle, t)
		c.mu.Unlock()
		return
	}
	c.mu.Unlock()
	if err := unix.MunmapPtr(unsafe.Pointer(t.jumps), jumpCacheBytes); err != nil {
		panic("BUG: cache: unmapping a thread's jump cache: " + err.Error())
	}
}

// places are the two entries of the jump cache in which pc may be for branches of type kind.
func (t *Thread) places(pc uint64, kind cpu.BranchType) [2]uint32 {
	return [2]uint32{uint32(pc>>2%entries) + uint32(kind), far + host.FarJump(pc, t.state.FarMask) + uint32(kind)}
}

// empty empties entry i: it gets a pc that belongs to another one, and so do its halves (cpu.JumpMiss).
// Zero, which fresh memory holds, belongs to the first entries of each table, and elsewhere does not.
func (t *Thread) empty(i uint32) {
	const elsewhere = 0x1000
	pc := uint64(0)
	if i < types || far <= i && i < far+types {
		pc = elsewhere<<32 | elsewhere
	}
	atomic.StoreUint64(&t.jumps[i].pc, pc)
}

// emptyFirst empties the entries of the table from start on in which fresh memory is no empty entry.
func (t *Thread) emptyFirst(start uint32) {
	for i := range types {
		t.empty(start + i)
	}
}

// Remember enters b into t's jump cache, for branches of type kind, unless it is gone.
func (c *Cache) Remember(t *Thread, b *Block, kind cpu.BranchType) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !b.dead.Load() {
		t.remember(b.PC, b.Addr, kind)
	}
}

// remember is for the thread itself, while it runs no generated code.
func (t *Thread) remember(pc uint64, addr uintptr, kind cpu.BranchType) {
	at := t.places(pc, kind)
	if e := &t.jumps[at[1]]; e.pc != pc && t.inFar(at[1], e) {
		if t.lost++; t.lost > t.far/farLost && t.far < host.FarJumpEntries {
			t.grow()
			at = t.places(pc, kind)
		}
	}
	for _, i := range at {
		t.put(i, jumpEntry{pc, uint64(addr)})
	}
}

func (t *Thread) put(i uint32, e jumpEntry) {
	t.jumps[i] = e
	t.dirty[i/entriesPerPage] = true
}

// grow makes more of the second table useful, and brings its entries to their new places.
func (t *Thread) grow() {
	type typed struct {
		jumpEntry
		kind cpu.BranchType
	}
	var kept []typed
	for i := range t.far + types {
		if e := &t.jumps[far+i]; t.inFar(far+i, e) {
			kept = append(kept, typed{*e, cpu.BranchType(far + i - t.places(e.pc, 0)[1])})
		}
	}
	clear(t.jumps[far:][:t.far+types])
	t.emptyFirst(far)
	t.setFar(t.far * farGrowth)
	for _, e := range kept {
		t.put(t.places(e.pc, e.kind)[1], e.jumpEntry)
	}
}

// inFar reports whether entry i of the second table is not empty.
func (t *Thread) inFar(i uint32, e *jumpEntry) bool {
	return e.addr != 0 && i-t.places(e.pc, 0)[1] < types
}

func (t *Thread) setFar(n uint32) {
	t.far, t.lost = n, 0
	t.state.FarMask = (n - 1) * entryBytes
}

// ForgetAll empties t's jump cache, for a change of translation mode.
func (c *Cache) ForgetAll(t *Thread) {
	c.mu.Lock()
	defer c.mu.Unlock()
	t.forgetAll()
}

func (t *Thread) forgetAll() {
	for p := range t.dirty {
		if t.dirty[p] {
			clear(t.jumps[p*entriesPerPage:][:entriesPerPage])
			t.dirty[p] = false
		}
	}
	t.emptyFirst(0)
	t.emptyFirst(far)
}

// Shrink empties t's jump cache and gives its memory back. A process that forks again and again runs
// little between two forks: few of the pages come back, of which each fork copies all. t does not run
// generated code.
func (c *Cache) Shrink(t *Thread) {
	c.mu.Lock()
	defer c.mu.Unlock()
	t.shrink()
}

// shrink is Shrink under the lock.
func (t *Thread) shrink() {
	if unix.Madvise(unsafe.Slice((*byte)(unsafe.Pointer(t.jumps)), jumpCacheBytes), unix.MADV_DONTNEED) == nil {
		clear(t.dirty[:])
	}
	t.forgetAll()
	t.setFar(farLeast)
}

func (t *Thread) forget(pc uint64) {
	for kind := range cpu.NumBranchTypes {
		for _, i := range t.places(pc, kind) {
			if t.jumps[i].pc == pc {
				t.empty(i)
			}
		}
	}
}

// nextRegion makes the following region current and empties it. Threads may
// still be running in it, and their native stacks may hold return addresses into
// it: each is asked to leave generated code and waited for, and all native
// stacks are reset. The lock is held.
func (c *Cache) nextRegion(self *Thread) {
	c.arena.cur = (c.arena.cur + 1) % numRegions
	r := &c.arena.regions[c.arena.cur]
	c.locks.forget(r.start, r.limit)
	if len(r.blocks) == 0 { // never used, or swept since: nobody is in there
		c.arena.evict()
		return
	}
	for _, b := range r.blocks {
		c.remove(b)
		b.forgetExits()
	}
	c.waitForThreads(self)
	c.arena.evict()
	c.stats.Evictions++
}

// interrupt waits until t is outside of generated code. It cannot come back to
// an evicted block: Enter looks at the count of evictions after announcing
// itself, interrupt at the announcement after the count was raised.
func (t *Thread) interrupt() {
	for atomic.LoadUint32(&t.state.InGuest) != 0 {
		t.state.Interrupt(cpu.PendEvict)
		runtime.Gosched()
	}
}

// Enter announces that t is about to run b. It returns false if b is gone and
// has to be looked up again. The engine's exit stub ends what Enter begins;
// it does not while Go serves a helper call from the middle of a block, or looks for the
// guest's registers after a fault.
func (c *Cache) Enter(t *Thread, b *Block) bool {
	c.announce(t)
	if b.dead.Load() {
		atomic.StoreUint32(&t.state.InGuest, 0)
		return false
	}
	return true
}

// EnterRecent is Enter for the unit at pc if t's jump cache knows it for branches of type kind; it takes no
// lock. Entries of evicted code are emptied before eviction waits for threads, so
// one that is still there after the announcement is safe to run.
func (c *Cache) EnterRecent(t *Thread, pc uint64, kind cpu.BranchType) (addr uint64, ok bool) {
	e := &t.jumps[pc>>2%entries+uint64(kind)]
	if atomic.LoadUint64(&e.pc) != pc {
		return 0, false
	}
	c.announce(t)
	if atomic.LoadUint64(&e.pc) != pc {
		atomic.StoreUint32(&t.state.InGuest, 0)
		return 0, false
	}
	return e.addr, true
}

// EnterImage is Enter for the unit of an image for k if there is one, which needs no Block for that. With
// remember it enters it into t's jump cache, for branches of type kind.
func (c *Cache) EnterImage(t *Thread, k Key, remember bool, kind cpu.BranchType) (addr uint64, ok bool) {
	at, ok := c.imageAddr(t, k, remember, kind)
	if ok {
		c.announce(t)
	}
	return uint64(at), ok
}

// RememberImage enters the unit of an image for k, if there is one, into t's jump cache for branches of type kind.
func (c *Cache) RememberImage(t *Thread, k Key, kind cpu.BranchType) (ok bool) {
	_, ok = c.imageAddr(t, k, true, kind)
	return ok
}

func (c *Cache) imageAddr(t *Thread, k Key, remember bool, kind cpu.BranchType) (at uintptr, ok bool) {
	if c.images.Load() == nil {
		return 0, false
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	i, u, ok := c.imageUnit(k)
	if !ok {
		return 0, false
	}
	at = i.base + uintptr(i.Units[u].Off)
	if remember {
		t.remember(k.PC, at, kind)
	}
	return at, true
}

// announce says that t is in generated code from now on.
func (c *Cache) announce(t *Thread) {
	atomic.StoreUint32(&t.state.InGuest, 1)
	if now := c.evictions.Load(); t.state.EvictSeen != now {
		// The native stack may hold return addresses into evicted code.
		t.state.EvictSeen, t.state.NativeSP = now, t.state.NativeTop
	}
}
