package jit

import (
	"time"

	"emu/cache"
)

// retries is how often a region is translated again because code was invalidated
// meanwhile. After that its block has to get hot once more.
const retries = 3

// promote makes the region at k and puts it in the place of its block.
func (c *compiler) promote(k cache.Key) {
	e := c.engine
	start := time.Now()
	defer func() { e.stats.background.Add(uint64(time.Since(start))) }()
	executed := func(pc uint64) bool { return e.cache.Lookup(cache.Key{PC: pc, Mode: k.Mode}) != nil }
	for range retries {
		gen := e.cache.Generation()
		old := e.cache.Lookup(k)
		if old == nil || old.Count == 0 {
			return
		}
		f, err := c.build(k, tiers[e.opts.Tier].hot, executed)
		if err != nil {
			e.cache.SetCounter(old, never)
			e.stats.failed.Add(1)
			return
		}
		b, relocs := c.block(k, f)
		if e.cache.Replace(b, c.code.Bytes, relocs, gen) {
			e.stats.promoted.Add(1)
			e.opts.Dump.unit(c, f, b)
			return
		}
	}
}
