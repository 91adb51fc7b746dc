package cache

import (
	"encoding/binary"
	"fmt"
	"sync"
	"sync/atomic"
	"unsafe"

	"emu/cpu"
	"emu/ir"
	"emu/jit/host"
	"emu/translate"
)

// Key names a unit of generated code: the guest pc it starts at and the
// translation mode (cpu.State.CodeMode), which hardly ever changes.
type Key struct {
	PC   uint64
	Mode uint32
}

// Block is one installed unit.
type Block struct {
	Key
	Also  []ir.Span // guest code besides
	Addr  uintptr
	Exits []Exit
	Map   host.PCMap // what the backend needs to recover guest state at a fault
	Size  uint32     // bytes of guest code, from PC
	Len   uint32     // bytes of host code
	Count uint32     // executions until it leaves with ExitHot, for code with a counter

	set    uint32 // what the counter was last set to
	dead   atomic.Bool
	Region *Region // nil for a basic block

	counter uintptr
	ran     uint64                // executions before the counter was last set
	told    uint64                // executions that TakeExecutions has told
	in      *Exit                 // the first of the exits that lead here
	chain   atomic.Pointer[Block] // the next block of the same bucket

	image *Image // whose code it is, nil for a block with code of its own
	unit  int    // its unit there
}

// Region is what is known of a unit that tier 2 made: how its profile decided.
type Region struct {
	Guesses []translate.Guess // where its indirect branches are expected to go
	LeftOut []uint64          // branch targets that it has not, for they hardly ever ran
	Kept    []uint64          // branch targets that it has, for they ran
	Made    uint32            // how often it was made already by this process, or before
	Early   bool              // it is a function's that often returned without a call
}

// Reloc is a 32-bit displacement in new code to an absolute address; Tail is the
// number of bytes from the displacement to the end of its instruction.
type Reloc struct {
	Offset  uint32
	Tail    uint8
	To      uintptr
	Counter bool // To is the block's counter
	Lock    bool // a byte instead: see host.Lock
}

// Cache finds code by guest pc, links and invalidates it.
//
// Generated code runs while the cache changes: displacements are aligned and
// written whole, and code that was unlinked keeps its bytes until every thread
// has left generated code once (see evict).
type Cache struct {
	mu        sync.Mutex
	arena     *arena
	blocks    index
	pages     pageIndex
	gen       atomic.Uint64          // counts invalidations
	changes   [recentChanges]ir.Span // the last of these, by their count
	evictions atomic.Uint64
	dropped   atomic.Bool // a block was removed
	deadBytes int         // code that was invalidated since the last sweep
	users     map[*Thread]struct{}
	idle      []*Thread // emptied, see NewThread
	images    atomic.Pointer[[]*Image]
	locks     locks
	stats     Stats
}

// Stats count what happened to the cache.
type Stats struct {
	Blocks, Links, Invalidated, Replaced, Evictions, Sweeps uint64
	GuestBytes, HostBytes                                   uint64 // of all blocks that were installed
	MetaBytes                                               uint64 // what is kept of them in Go's memory
	FreedBytes                                              uint64 // pages of code that sweeps have given back
}

// New reserves a cache of about size bytes of code.
func New(size int) (*Cache, error) {
	a, err := newArena(size)
	if err != nil {
		return nil, err
	}
	c := &Cache{arena: a, pages: newPageIndex(), users: make(map[*Thread]struct{})}
	c.blocks.grow(minBuckets)
	return c, nil
}

// Bounds returns the range of addresses that generated code can have.
func (c *Cache) Bounds() (lo, hi uintptr) { return c.arena.base, c.arena.imageEnd }

// AddStub places code that is never evicted, before any block is installed.
func (c *Cache) AddStub(build func(addr uintptr) []byte) uintptr {
	at := (c.arena.stubEnd + host.CodeAlign - 1) &^ (host.CodeAlign - 1)
	code := build(at)
	if at+uintptr(len(code)) > c.arena.base+stubBytes {
		panic("BUG: cache: engine stubs do not fit")
	}
	copy(bytes(at, len(code)), code)
	c.arena.stubEnd = at + uintptr(len(code))
	return at
}

// Generation changes whenever code was invalidated. A translation that began at
// an older generation may have read bytes that are gone; Install then refuses it.
func (c *Cache) Generation() uint64 { return c.gen.Load() }

// Dropped reports whether blocks have been removed that may be wanted again.
func (c *Cache) Dropped() bool { return c.dropped.Load() }

// Lookup returns the block for k, nil if there is none. It takes no lock: while
// the index grows it may miss a block, which Install then finds.
func (c *Cache) Lookup(k Key) *Block { return c.blocks.find(k) }

// FindAddr returns the block whose code holds the host address, nil if there is none, or a unit
// of an image that was not adopted. A thread may call it
// that counts as being in generated code, for which an eviction waits.
func (c *Cache) FindAddr(addr uintptr) *Block {
	if b := c.arena.find(addr); b != nil {
		return b
	}
	return c.adopted(addr)
}

// Install copies code into the cache under b.Key and resolves its relocations;
// b.Addr and b.Len are set. It returns the block to run: b, or the one that
// another thread installed first, or nil if code was invalidated since
// generation gen and the translation has to be repeated. self is the calling
// thread, which is outside of generated code.
func (c *Cache) Install(self *Thread, b *Block, code []byte, relocs []Reloc, gen uint64) *Block {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.changed(b, gen) {
		return nil
	}
	if old := c.blocks.find(b.Key); old != nil {
		return old
	}
	c.place(self, b, nil, code, relocs)
	return b
}

// Replace installs b in the place of the block that has its key: all branches to
// that one lead to b, and it is gone. Like Install it refuses a translation that
// is older than an invalidation of what it was made of. The caller runs no guest code.
func (c *Cache) Replace(b *Block, code []byte, relocs []Reloc, gen uint64) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.changed(b, gen) {
		return false
	}
	c.place(nil, b, c.blocks.find(b.Key), code, relocs)
	return true
}

// place copies code into the arena and enters b everywhere, in the place of old if that is
// not nil. The lock is held.
func (c *Cache) place(self *Thread, b, old *Block, code []byte, relocs []Reloc) {
	if c.deadBytes >= sweepBytes {
		c.sweep(self)
	}
	at, ok := c.room(b, len(code))
	if !ok {
		c.nextRegion(self)
		if at, ok = c.room(b, len(code)); !ok {
			panic(fmt.Sprintf("BUG: cache: a unit of %d bytes exceeds a region", len(code)))
		}
	}
	b.Addr, b.Len = at, uint32(len(code))
	dst := bytes(at, len(code))
	copy(dst, code)
	c.relocate(at, dst, relocs, b.counter)
	for i := range b.Exits {
		b.Exits[i].from = b
	}
	c.arena.add(b)
	if old != nil && !old.dead.Load() { // room may have evicted it
		c.takeOver(old, b)
	}
	c.blocks.add(b)
	c.inherit(b)
	for p := range b.pages {
		c.pages.add(p, b)
	}
	c.stats.Blocks++
	c.stats.GuestBytes += uint64(b.Size)
	c.stats.HostBytes += uint64(b.Len)
	c.stats.MetaBytes += b.metadata()
}

// relocate resolves the relocations of code at an address. The lock is held.
func (c *Cache) relocate(at uintptr, code []byte, relocs []Reloc, counter uintptr) {
	for _, r := range relocs {
		to := r.To
		switch {
		case r.Lock:
			c.locks.add(at + uintptr(r.Offset))
			continue
		case r.Counter:
			to = counter
		}
		disp := int64(to) - int64(at) - int64(r.Offset) - int64(r.Tail)
		binary.LittleEndian.PutUint32(code[r.Offset:], uint32(int32(disp)))
	}
}

// metadata is the size of what is kept of b besides its code, without the indexes.
func (b *Block) metadata() uint64 {
	n := unsafe.Sizeof(*b) + uintptr(len(b.Exits))*unsafe.Sizeof(Exit{}) + uintptr(len(b.Also))*unsafe.Sizeof(ir.Span{})
	if r := b.Region; r != nil {
		n += unsafe.Sizeof(*r) + uintptr(len(r.Guesses))*unsafe.Sizeof(translate.Guess{}) + uintptr(len(r.LeftOut)+len(r.Kept))*8
	}
	return uint64(n) + uint64(b.Map.Bytes())
}

// room finds memory for n bytes of code and b's counter, if it has one.
func (c *Cache) room(b *Block, n int) (at uintptr, ok bool) {
	if b.Count != 0 {
		if b.counter = c.arena.counter(); b.counter == 0 {
			return 0, false
		}
		b.set = 0
		b.setCounter(b.Count)
	}
	at = c.arena.alloc(n, uintptr(host.UnitAlign(b.Region != nil)))
	return at, at != 0
}

// remove drops b because its guest code, or its memory, is needed otherwise.
func (c *Cache) remove(b *Block) {
	if !b.dead.Load() {
		c.drop(b)
		c.dropped.Store(true)
		c.stats.Invalidated++
		if b.image == nil {
			c.deadBytes += int(b.Len)
		}
	}
}

// drop takes b out of every index and unlinks all that leads to it. Its code
// bytes stay until the region is reused.
func (c *Cache) drop(b *Block) {
	b.setCounter(b.Count)
	b.dead.Store(true)
	b.unlink()
	if b.image != nil {
		c.retire(b.image, b.unit)
	}
	c.blocks.remove(b)
	c.disinherit(b)
	for p := range b.pages {
		c.pages.remove(p, b)
	}
	for t := range c.users {
		t.forget(b.PC)
	}
}

// recentChanges is how many invalidations may come while a unit is translated without
// it being refused for that. Programs that make code themselves have many.
const recentChanges = 256

// changed reports whether guest code of b may have changed since generation gen.
func (c *Cache) changed(b *Block, gen uint64) bool {
	return c.changedSince(gen, func(s ir.Span) bool { return b.overlaps(s.Start, s.End) })
}

// changedSince reports whether one of the invalidations since generation gen concerns
// somebody.
func (c *Cache) changedSince(gen uint64, concerns func(ir.Span) bool) bool {
	now := c.gen.Load()
	if now-gen >= recentChanges {
		return true
	}
	for g := gen + 1; g <= now; g++ {
		if concerns(c.changes[g%recentChanges]) {
			return true
		}
	}
	return false
}

// Invalidate drops all blocks with guest code in [start, end). Threads that are
// inside of one run it to its end, as a processor may that has not synchronised
// its instruction stream.
func (c *Cache) Invalidate(start, end uint64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.changes[c.gen.Add(1)%recentChanges] = ir.Span{Start: start, End: end}
	c.invalidateImages(start, end)
	if end-start > uint64(len(c.pages.lists))*cpu.PageSize {
		for p, list := range c.pages.lists {
			if p+cpu.PageSize > start && p < end {
				c.removeOverlap(list.blocks, start, end)
			}
		}
		return
	}
	for p := start &^ (cpu.PageSize - 1); p < end; p += cpu.PageSize {
		if list := c.pages.lists[p]; list != nil {
			c.removeOverlap(list.blocks, start, end)
		}
	}
}

func (c *Cache) removeOverlap(list []*Block, start, end uint64) {
	for _, b := range append([]*Block(nil), list...) {
		if b.overlaps(start, end) {
			c.remove(b)
		}
	}
}

// spans calls yield for each range of guest code that b is made from.
func (b *Block) spans(yield func(ir.Span) bool) {
	if !yield(ir.Span{Start: b.PC, End: b.PC + uint64(b.Size)}) {
		return
	}
	for _, s := range b.Also {
		if !yield(s) {
			return
		}
	}
}

// pages calls yield for the guest pages of b's code, perhaps more than once.
func (b *Block) pages(yield func(uint64) bool) {
	for s := range b.spans {
		for p := s.Start &^ (cpu.PageSize - 1); p < s.End; p += cpu.PageSize {
			if !yield(p) {
				return
			}
		}
	}
}

// Dead reports whether b was removed.
func (b *Block) Dead() bool { return b.dead.Load() }

func (b *Block) overlaps(start, end uint64) bool {
	for s := range b.spans {
		if s.Start < end && s.End > start {
			return true
		}
	}
	return false
}

// Stats returns the counters.
func (c *Cache) Stats() Stats {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.stats
}

// Clear drops all blocks and images, and what is noted of them: the guest executes another program.
//
// Preconditions: t is the only thread, it is outside of generated code, and nobody else looks for blocks.
func (c *Cache) Clear(t *Thread) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.gen.Add(recentChanges) // whatever is older is refused
	c.arena.clear()
	c.blocks, c.pages = index{}, newPageIndex()
	c.blocks.grow(minBuckets)
	c.images.Store(nil)
	c.locks = locks{}
	c.deadBytes = 0
	c.dropped.Store(false)
	c.evictions.Add(1)
	t.shrink()
}
