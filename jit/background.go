package jit

import (
	"slices"

	"emu/cache"
	"emu/jit/host"
	"emu/translate"
)

// retries is how often a region is translated again because code was invalidated
// meanwhile. After that its block has to get hot once more.
const retries = 3

// promote makes the region at k and puts it in the place of the block or region that
// is there.
func (c *compiler) promote(k cache.Key) {
	e := c.engine
	p, from := tiers[e.opts.Tier].hot, c.storeFor(k)
	if e.opts.Profile != nil {
		p = p.counted()
	}
	for range retries {
		gen := e.cache.Generation()
		c.fetch.recheck(gen)
		old := e.cache.Lookup(k)
		if old == nil {
			return
		}
		past := e.history(k, old.Region, from)
		ran := &translate.Profile{Runs: past.runs, RunsCase: past.runsCase, Early: past.early, Targets: e.targets(old.Region), Load: c.fetch.load, Expected: func(site uint64) ([]uint64, bool) {
			e.adoptNear(k.Mode, site)
			return e.cache.Expected(k.Mode, site)
		}}
		f, err := c.build(k, p, ran)
		if err != nil {
			if old.Region == nil {
				e.cache.SetCounter(old, never)
			}
			e.stats.failed.Add(1)
			return
		}
		u := unitOf(f)
		u.region = &cache.Region{LeftOut: slices.Clone(c.tr.LeftOut()), Kept: slices.Clone(c.tr.Kept()), Guesses: slices.Clone(c.tr.Guessed()), Made: 1, Early: c.tr.Early()}
		if old.Region != nil {
			u.region.Made += old.Region.Made
		}
		b, relocs := c.block(k, u)
		if p.count {
			b.Count = e.threshold(p, true)
		}
		if e.cache.Replace(b, c.code.Bytes, relocs, gen) {
			e.cache.LinkExits(b)
			e.stats.promoted.Add(1)
			e.watch(b)
			e.stats.promotedInsts.Add(uint64(c.tr.Covered()))
			e.opts.Dump.unit(c, f, b)
			e.profiled(c, f, b, p)
			if from != nil {
				c.save(k, u, gen)
			}
			return
		}
	}
}

// noteEvery is of how many executions of an indirect branch one is noted with a threshold of
// hot, so that the notes reach back over a tenth of that. The number is odd, and prime with higher
// thresholds: what goes round in a loop would else be noted at the same point each time.
func noteEvery(hot uint32) uint32 {
	const most = 113
	return min(hot/(10*host.TargetNotes)|1, most)
}

// leastNotes is how many executions of an indirect branch tell where it goes.
const leastNotes = 8

// targets tells where indirect branches went: in this process, or what was expected when the
// region was made before, if it was.
func (e *Engine) targets(made *cache.Region) func(site uint64) ([]translate.Target, int) {
	return func(site uint64) (list []translate.Target, of int) {
		add := func(pc uint64) {
			of++
			if k := slices.IndexFunc(list, func(t translate.Target) bool { return t.PC == pc }); k >= 0 {
				list[k].N++
				return
			}
			list = append(list, translate.Target{PC: pc, N: 1})
		}
		for _, pc := range e.cache.Noted(site) {
			if pc != 0 {
				add(pc)
			}
		}
		if made != nil && of == 0 {
			for _, g := range made.Guesses {
				if g.Site == site && g.Target != 0 {
					add(g.Target)
				}
			}
			return list, of
		}
		slices.SortStableFunc(list, func(a, b translate.Target) int { return b.N - a.N })
		return list, max(of, leastNotes)
	}
}

// watch makes the branch targets that the region b left out ask early: each time
// that control goes there, it leaves the region in the middle.
func (e *Engine) watch(b *cache.Block) {
	for _, pc := range b.Region.LeftOut {
		if t := e.lookup(cache.Key{PC: pc, Mode: b.Mode}); t != nil && t.Count > e.opts.Hot {
			e.cache.SetCounter(t, e.opts.Hot)
		}
	}
}
