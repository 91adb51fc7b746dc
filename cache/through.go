package cache

import (
	"slices"

	"emu/cpu"
)

// Through tells what ran as a part of blocks that go on behind branches, while one region is
// made: it remembers which of them each page has.
type Through struct {
	cache  *Cache
	mode   uint32
	before func(pc uint64) uint64
	pages  []throughPage
}

type throughPage struct {
	page   uint64
	blocks []*Block
}

// Through returns a Through for code of a mode. before gives executions of the block at pc
// besides, in other processes.
func (c *Cache) Through(mode uint32, before func(pc uint64) uint64) *Through {
	return &Through{cache: c, mode: mode, before: before}
}

// Ran tells how often code at pc ran inside of blocks, by their counters. Where branches out
// of such a block in front of pc lead to another one that nothing else leads to, they count
// as that one's executions; others count as never taken. kept is true if a region has the
// code because it ran when that was made.
func (t *Through) Ran(pc uint64) (n uint64, kept bool) {
	t.cache.mu.Lock()
	defer t.cache.mu.Unlock()
	for _, b := range t.on(pc &^ (cpu.PageSize - 1)) {
		switch {
		case b.dead.Load():
		case b.Region != nil:
			if slices.Contains(b.Region.Kept, pc) {
				return n, true
			}
		case b.PC != pc && b.overlaps(pc, pc+4):
			n += b.ranTo(pc, t.before)
		}
	}
	return n, false
}

// on lists the regions of a page and the blocks that go on behind branches.
func (t *Through) on(page uint64) []*Block {
	for _, p := range t.pages {
		if p.page == page {
			return p.blocks
		}
	}
	var found []*Block
	if list := t.cache.pages.lists[page]; list != nil {
		for _, b := range list.blocks {
			if b.Mode == t.mode && (b.Region != nil || b.goesOn()) {
				found = append(found, b)
			}
		}
	}
	t.pages = append(t.pages, throughPage{page, found})
	return found
}

// goesOn reports whether b goes on behind branches: then its first exit is one of them.
func (b *Block) goesOn() bool { return len(b.Exits) > 0 && b.Exits[0].Site != 0 || len(b.Also) > 0 }

// ranTo is how often b ran up to pc, inside of it.
func (b *Block) ranTo(pc uint64, before func(pc uint64) uint64) uint64 {
	n := b.executions() + before(b.PC)
	for i := range b.Exits {
		e := &b.Exits[i]
		if e.Site == 0 || b.PC+4*uint64(e.Site-1) >= pc {
			continue
		}
		if ran, only := b.ranOut(e); only {
			n -= min(n, ran+before(e.Target))
		}
	}
	return n
}

// ranOut is how often the block ran that e leads to, if it is linked and nothing else
// leads there.
func (b *Block) ranOut(e *Exit) (n uint64, only bool) {
	switch {
	case e.to != nil:
		return e.to.executions(), e.to.in == e && e.next == nil && (e.to.image == nil || len(e.to.image.edges(e.to.unit)) == 0)
	case b.image != nil:
		return b.image.ranOut(b.image.Units[b.unit].Off+e.Patch, Key{e.Target, b.Mode})
	}
	return 0, false
}
