package jit

import (
	"slices"

	"emu/cache"
	"emu/translate"
)

// retries is how often a region is translated again because code was invalidated
// meanwhile. After that its block has to get hot once more.
const retries = 3

// promote makes the region at k and puts it in the place of the block or region that
// is there.
func (c *compiler) promote(k cache.Key) {
	e := c.engine
	often, p := e.often(k.Mode), tiers[e.opts.Tier].hot
	if e.opts.Profile != nil {
		p = p.counted()
	}
	for range retries {
		gen := e.cache.Generation()
		old := e.cache.Lookup(k)
		if old == nil {
			return
		}
		f, err := c.build(k, p, often)
		if err != nil {
			if !isRegion(old) {
				e.cache.SetCounter(old, never)
			}
			e.stats.failed.Add(1)
			return
		}
		b, relocs := c.block(k, unitOf(f))
		b.LeftOut, b.Made = slices.Clone(c.tr.LeftOut()), old.Made+1
		if p.count {
			b.Count = e.threshold(p, true)
		}
		if e.cache.Replace(b, c.code.Bytes, relocs, gen) {
			e.stats.promoted.Add(1)
			e.watch(b)
			e.stats.promotedInsts.Add(uint64(c.tr.Covered()))
			e.opts.Dump.unit(c, f, b)
			e.profiled(c, b, p)
			return
		}
	}
}

// often tells which branch targets run often enough to be part of a region.
func (e *Engine) often(mode uint32) translate.Profile {
	least := uint64(max(e.opts.Hot/rare, 1))
	return func(pc uint64) bool {
		b := e.cache.Lookup(cache.Key{PC: pc, Mode: mode})
		return b != nil && (isRegion(b) || e.cache.Executions(b) >= least)
	}
}

// isRegion reports whether b is made by tier 2. Such code has no counter, unless it
// is counted for a profile.
func isRegion(b *cache.Block) bool { return b.Count == 0 || b.Count == never }

// watch makes the branch targets that the region b left out ask early: each time
// that control goes there, it leaves the region in the middle.
func (e *Engine) watch(b *cache.Block) {
	for _, pc := range b.LeftOut {
		if t := e.cache.Lookup(cache.Key{PC: pc, Mode: b.Mode}); t != nil && t.Count > e.opts.Hot {
			e.cache.SetCounter(t, e.opts.Hot)
		}
	}
}
