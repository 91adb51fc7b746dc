package cache

import (
	"slices"

	"emu/cpu"
)

// What is known of units of images that have no Block, for the decisions of tier 2.

// ranOut is how often the unit for target ran, if the branch at offset patch leads there and
// nothing else does. The cache's lock is held.
func (i *Image) ranOut(patch uint32, target Key) (n uint64, only bool) {
	u, ok := i.Find(target)
	if !ok || !i.Loaded(u) || i.gone[u] {
		return 0, false
	}
	if in := i.edges(u); len(in) != 1 || in[0].Patch != patch {
		return 0, false
	}
	if b := i.blocks[u]; b != nil {
		return b.executions(), b.in == nil
	}
	return i.executions(u), true
}

// ImageRan tells how often the unit of an image for k ran that was not adopted, and whether it is
// a region.
func (c *Cache) ImageRan(k Key) (n uint64, region bool) {
	if c.images.Load() == nil {
		return 0, false
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if i, u, ok := c.imageUnit(k); ok {
		return i.executions(u), i.Units[u].Kind&ImageRegion != 0
	}
	return 0, false
}

// ImageUses calls yield for each unit of i that ran and has a counter. It returns how many that have one are loaded.
func (c *Cache) ImageUses(i *Image, yield func(u int)) (loaded int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for k := range i.loaded {
		if !i.loaded[k].Load() {
			continue
		}
		from, to := i.Chunk(k)
		for u := from; u < to; u++ {
			if i.Units[u].Limit == 0 {
				continue
			}
			loaded++
			if b := i.blocks[u]; b != nil && b.executions() > 0 || b == nil && i.executions(u) > 0 {
				yield(u)
			}
		}
	}
	return loaded
}

// ImageUnitsNear calls yield for the units of a mode around a page of guest code that Through and Expected
// have to know and that have no Block.
func (c *Cache) ImageUnitsNear(mode uint32, page uint64, yield func(i *Image, u int)) {
	for _, i := range c.allImages() {
		for _, u := range c.near(i, mode, page) {
			yield(i, u)
		}
	}
}

func (c *Cache) near(i *Image, mode uint32, page uint64) (list []int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	lo, hi := max(page-cpu.PageSize, i.lo), min(page+2*cpu.PageSize, i.hi)
	first, ok := ImageKey(Key{lo, mode}, i.lo)
	end, okEnd := ImageKey(Key{hi, mode}, i.lo)
	if lo >= hi || !ok || !okEnd {
		return nil
	}
	at, _ := i.from(first)
	for _, e := range i.ByPC[at:] {
		if e.Key >= end {
			break
		}
		u := int(e.Unit)
		if u >= len(i.gone) || !i.Loaded(u) || i.gone[u] || i.blocks[u] != nil {
			continue
		}
		if t := &i.Units[u]; t.Kind != 0 && t.Lo < page+cpu.PageSize && t.Hi > page {
			list = append(list, u)
		}
	}
	return list
}

// ImageRegionsTo lists the regions of an image that lead to b and have no Block.
func (c *Cache) ImageRegionsTo(b *Block) (i *Image, units []int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	i, to, ok := c.standsFor(b)
	if !ok {
		return nil, nil
	}
	for _, e := range i.edges(to) {
		if u := int(e.From); i.Loaded(u) && i.Units[u].Kind&ImageRegion != 0 && !i.gone[u] && i.blocks[u] == nil {
			units = append(units, u)
		}
	}
	return i, units
}

// imageWithout is Without for the regions that lead to b inside of an image.
func (c *Cache) imageWithout(b *Block) *Block {
	i, to, ok := c.standsFor(b)
	if !ok {
		return nil
	}
	for _, e := range i.edges(to) {
		if !i.Loaded(int(e.From)) {
			continue
		}
		if r := i.blocks[int(e.From)]; r != nil && !r.dead.Load() && r.Region != nil && slices.Contains(r.Region.LeftOut, b.PC) {
			return r
		}
	}
	return nil
}
