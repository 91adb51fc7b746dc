package jit

import "emu/cache"

// Code that another process has made is in the store in the order in which it first
// ran there, and mostly runs in that order again. So with a unit come those that
// follow it, linked to each other: to leave generated code for each one and each link
// costs more than to restore it. How many come depends on how many of the last ones
// have run.

// maxAhead bounds how many units come with one.
const maxAhead = 32

// restoredAhead is what a compiler has restored ahead the last time.
type restoredAhead struct {
	n     int            // how many units come with the next one
	units []*cache.Block // the last ones, without regions: these do not count
	batch []*cache.Block // room for those that are restored now
}

// judge sets how many units come with the next one: none where nothing counts.
func (a *restoredAhead) judge(c *cache.Cache) {
	ran := 0
	for _, b := range a.units {
		if c.Executions(b) > 0 {
			ran++
		}
	}
	switch n := len(a.units); {
	case n == 0:
		a.n = max(a.n, 1)
	case 4*ran >= 3*n:
		a.n = min(2*a.n, maxAhead)
	case 2*ran < n:
		a.n = max(a.n/2, 1)
	}
	a.units = a.units[:0]
}

// restoreAhead installs units that follow the record that was restored last, as first,
// and links them and first to each other.
func (c *compiler) restoreAhead(t *cache.Thread, first *cache.Block, gen uint64) {
	e, a := c.engine, &c.ahead
	a.judge(e.cache)
	a.batch = append(a.batch[:0], first)
	r, p, n := c.restored, tiers[e.opts.Tier].first, a.n
	if !p.count {
		n = 0
	}
	for range n {
		var ok bool
		if r, ok = c.store.After(r); !ok {
			break
		}
		k := cache.Key{PC: r.PC, Mode: r.Mode &^ regionMode}
		if k.Mode != first.Mode || e.cache.Lookup(k) != nil {
			continue
		}
		if _, _, ok := e.cache.ImageUnit(k); ok {
			continue
		}
		if _, ok := c.fetch.word(k.PC); !ok || c.fetch.guard || c.fetch.file != c.storeOf {
			continue // as for storeFor
		}
		var u unit
		if c.store.First(r) {
			u, ok = c.decode(k, r.Mode, r.Data, true)
		} else {
			u, ok = c.restore(k)
		}
		if !ok {
			continue
		}
		b, relocs := c.block(k, u)
		if b.Region == nil {
			b.Count = c.leftOf(e.threshold(p, u.entry), k, c.store)
		}
		if e.cache.Install(t, b, u.code, relocs, gen) != b {
			break
		}
		e.cold.warmed(k.PC)
		e.stats.took(u)
		a.batch = append(a.batch, b)
		if b.Region == nil {
			a.units = append(a.units, b)
		}
	}
	e.cache.LinkExits(a.batch...)
	clear(a.batch)
}
