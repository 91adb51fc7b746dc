package cache

import (
	"sync/atomic"
	"unsafe"
)

// Execution counters lie at the end of the code region of their blocks, in pages
// of their own: a processor that finds a store near code it has fetched throws its
// pipeline away.
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
	r.next, r.end = r.start, r.limit
	r.counters, r.countersEnd = 0, 0
	clear(r.blocks)
	r.blocks, r.pages = r.blocks[:0], r.pages[:0]
}

// SetCounter makes b, which has a counter, leave with ExitHot after n executions.
func (c *Cache) SetCounter(b *Block, n uint32) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !b.dead.Load() {
		setCounter(b.counter, n)
	}
}

func setCounter(at uintptr, n uint32) {
	atomic.StoreUint32((*uint32)(unsafe.Pointer(&bytes(at, counterBytes)[0])), n)
}
