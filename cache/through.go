package cache

import (
	"slices"

	"emu/cpu"
)

// Through tells how often code at k ran as a part of blocks that go on behind conditional branches
// in front of it, by their counters; before gives executions of a block besides, in
// other processes. Where branches out of such a block lead to another one that nothing else
// leads to, they count as that one's executions; others count as never taken. kept is true
// if a region has the code because it ran when that was made.
func (c *Cache) Through(k Key, before func(pc uint64) uint64) (n uint64, kept bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	list := c.pages.lists[k.PC&^(cpu.PageSize-1)]
	if list == nil {
		return 0, false
	}
	for _, b := range list.blocks {
		switch {
		case b.Mode != k.Mode:
		case b.Region != nil:
			if slices.Contains(b.Region.Kept, k.PC) {
				return n, true
			}
		case b.PC != k.PC && b.overlaps(k.PC, k.PC+4):
			n += b.ranTo(k.PC, before)
		}
	}
	return n, false
}

// ranTo is how often b ran up to pc, inside of it.
func (b *Block) ranTo(pc uint64, before func(pc uint64) uint64) uint64 {
	n := b.executions() + before(b.PC)
	for i := range b.Exits {
		e := &b.Exits[i]
		if e.Site == 0 || b.PC+4*uint64(e.Site-1) >= pc || e.to == nil || e.to.in != e || e.next != nil {
			continue
		}
		n -= min(n, e.to.executions()+before(e.to.PC))
	}
	return n
}
