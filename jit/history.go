package jit

import (
	"slices"

	"emu/cache"
	"emu/cache/store"
)

// history is what counters tell of a region's guest code: in this process, in those that
// left their counts in a store, and when the region was made before.
type history struct {
	engine  *Engine
	key     cache.Key      // of the region
	made    *cache.Region  // as it was made before, nil if it was not
	store   *store.Store   // may be nil
	through *cache.Through // what ran inside of longer blocks
}

func (e *Engine) history(k cache.Key, made *cache.Region, from *store.Store) *history {
	h := &history{engine: e, key: k, made: made, store: from}
	h.through = e.cache.Through(k.Mode, h.before)
	return h
}

// before is how often the block at pc was executed in other processes.
func (h *history) before(pc uint64) uint64 {
	if h.store == nil {
		return 0
	}
	return h.store.Count(pc)
}

// block is how often the block at pc was executed in this process, and whether it is a
// region: those do not count.
func (h *history) block(pc uint64) (n uint64, region bool) {
	k := cache.Key{PC: pc, Mode: h.key.Mode}
	if b := h.engine.cache.Lookup(k); b != nil {
		return h.engine.cache.Executions(b), b.Region != nil
	}
	return h.engine.cache.ImageRan(k)
}

// runs tells whether the branch target pc runs often enough to be part of the region.
func (h *history) runs(pc uint64) bool { return h.ran(pc, rare) }

// runsCase tells the same of a switch's case.
func (h *history) runsCase(pc uint64) bool { return h.ran(pc, rareCase) }

// ran tells whether the branch target pc has at least the threshold's share-th part of executions.
func (h *history) ran(pc uint64, share uint32) bool {
	least := uint64(max(h.engine.opts.Hot/share, 1))
	n, region := h.block(pc)
	if n < least {
		n += h.before(pc)
	}
	if region || n >= least || h.made != nil && slices.Contains(h.made.Kept, pc) {
		return true
	}
	h.engine.adoptNear(h.key.Mode, pc)
	inside, kept := h.through.Ran(pc)
	return kept || n+inside >= least
}

// early tells whether a quarter of the executions of the function at entry or more did not
// get to the places in calling. Where it is a region already, that was told when it was made.
func (h *history) early(entry uint64, calling []uint64) bool {
	if entry == h.key.PC && h.made != nil {
		return h.made.Early
	}
	if b := h.engine.lookup(cache.Key{PC: entry, Mode: h.key.Mode}); b != nil && b.Region != nil {
		return b.Region.Early
	}
	of, _ := h.executions(entry)
	calls := uint64(0)
	for _, pc := range calling {
		n, region := h.executions(pc)
		if region {
			return false
		}
		calls += n
	}
	return of > 0 && 4*calls <= 3*of
}

// executions is how often code at pc was executed, as far as blocks tell, and whether a region
// begins there.
func (h *history) executions(pc uint64) (n uint64, region bool) {
	n, region = h.block(pc)
	h.engine.adoptNear(h.key.Mode, pc)
	inside, _ := h.through.Ran(pc)
	return n + h.before(pc) + inside, region
}
