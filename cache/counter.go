package cache

import (
	"sync/atomic"
	"unsafe"
)

// Execution counters lie in the code region of their blocks, in pages
// of their own: a processor that finds a store near code it has fetched throws its
// pipeline away. The first page is the region's first, near what else every process writes to, others
// are its last ones.
const (
	counterBytes = 4
	counterPage  = 4096
)

// counter returns the address of a new counter in the current region, 0 if the
// region is full.
func (a *arena) counter() uintptr {
	r := &a.regions[a.cur]
	if r.counters == r.countersEnd {
		if r.next+counterPage > r.end {
			return 0
		}
		r.end -= counterPage
		r.counters, r.countersEnd = r.end, r.end+counterPage
	}
	at := r.counters
	r.counters += counterBytes
	return at
}

// empty gives the region back all of its memory.
func (r *region) empty() {
	r.next, r.end, r.touched = r.start, r.limit, max(r.touched, r.start)
	r.counters, r.countersEnd = r.start-counterPage, r.start
	clear(r.blocks)
	r.blocks, r.starts, r.pages = r.blocks[:0], r.starts[:0], r.pages[:0]
}

// SetCounter makes b, which has a counter, leave with ExitHot after n executions.
func (c *Cache) SetCounter(b *Block, n uint32) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !b.dead.Load() {
		b.setCounter(n)
	}
}

// Executions returns how often b was entered, 0 if it has no counter.
func (c *Cache) Executions(b *Block) uint64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	return b.executions()
}

// executions is Executions under the lock.
func (b *Block) executions() uint64 {
	if b.counter == 0 || b.dead.Load() {
		return b.ran
	}
	return b.ran + uint64(b.set-b.count())
}

// TakeExecutions calls yield for the blocks that were executed least times or more
// since it was last told so, with how often. It may be called at any time.
func (c *Cache) TakeExecutions(least uint64, yield func(pc, n uint64)) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for i := range c.arena.regions {
		for _, b := range c.arena.regions[i].blocks {
			b.takeExecutions(least, yield)
		}
	}
	for _, i := range c.allImages() {
		i.takeExecutions(least, yield)
	}
}

func (b *Block) takeExecutions(least uint64, yield func(pc, n uint64)) {
	if b.counter == 0 {
		return
	}
	ran := b.executions()
	if n := ran - b.told; n >= least {
		b.told = ran
		yield(b.PC, n)
	}
}

// setCounter sets the counter, if b has one, and keeps what it counted.
func (b *Block) setCounter(n uint32) {
	if b.counter == 0 {
		return
	}
	if b.set != 0 {
		b.ran += uint64(b.set - b.count())
	}
	b.set = n
	atomic.StoreUint32(word(b.counter), n)
}

// count is the value of b's counter.
func (b *Block) count() uint32 { return atomic.LoadUint32(word(b.counter)) }

// word is the counter at an address.
func word(at uintptr) *uint32 { return (*uint32)(unsafe.Pointer(&bytes(at, counterBytes)[0])) }
