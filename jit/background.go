package jit

import (
	"slices"
	"time"

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
	start := time.Now()
	defer func() { e.stats.background.Add(uint64(time.Since(start))) }()
	executed := e.profile(k.Mode)
	for range retries {
		gen := e.cache.Generation()
		old := e.cache.Lookup(k)
		if old == nil {
			return
		}
		f, err := c.build(k, tiers[e.opts.Tier].hot, executed)
		if err != nil {
			if old.Count != 0 {
				e.cache.SetCounter(old, never)
			}
			e.stats.failed.Add(1)
			return
		}
		b, relocs := c.block(k, f)
		b.LeftOut, b.Made = slices.Clone(c.tr.LeftOut()), old.Made+1
		if e.cache.Replace(b, c.code.Bytes, relocs, gen) {
			e.stats.promoted.Add(1)
			e.watch(b)
			e.stats.promotedInsts.Add(uint64(c.tr.Covered()))
			e.opts.Dump.unit(c, f, b)
			return
		}
	}
}

// profile tells which branch targets run often enough to be part of a region.
func (e *Engine) profile(mode uint32) translate.Profile {
	least := uint64(max(e.opts.Hot/rare, 1))
	return func(pc uint64) bool {
		b := e.cache.Lookup(cache.Key{PC: pc, Mode: mode})
		return b != nil && (b.Count == 0 || e.cache.Executions(b) >= least)
	}
}

// watch makes the branch targets that the region b left out ask early: each time
// that control goes there, it leaves the region in the middle.
func (e *Engine) watch(b *cache.Block) {
	for _, pc := range b.LeftOut {
		if t := e.cache.Lookup(cache.Key{PC: pc, Mode: b.Mode}); t != nil && t.Count > e.opts.Hot {
			e.cache.SetCounter(t, e.opts.Hot)
		}
	}
}
