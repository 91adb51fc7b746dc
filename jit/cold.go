package jit

import (
	"sync/atomic"

	"emu/cache"
	"emu/cache/store"
	"emu/cpu"
	"emu/jit/tier0"

	"golang.org/x/sys/unix"
)

// Cold code. The first executions of a block are tier 0's, which does not translate it:
// most blocks of a program do not come to the end of these.

const (
	// DefaultCold is the number of executions after which a block is compiled.
	DefaultCold = 2
	// MaxCold is the largest number that coldCounts can tell apart from others.
	MaxCold = 100
	// coldProcesses is how many processes that ran a block, however seldom, are as good as all of its executions in
	// tier 0: the next process will run it too, and have it compiled.
	coldProcesses = 2
)

// coldSlots is the number of counters. Blocks that share one are compiled earlier.
const coldSlots = 1 << 20

// coldCounts are the executions of blocks in tier 0, a byte each, by pc. Neighbours
// share a page. The memory is shared with forked children: code that every child of a
// process runs once counts as often as there are children.
type coldCounts struct {
	limit uint32
	slots *[coldSlots / 4]atomic.Uint32
}

// warm is the count of a block that has a unit, or had one.
const warm = 0xff

// initCold makes the engine use tier 0, where it does not have to show all units.
func (e *Engine) initCold() {
	if e.opts.Cold == 0 || e.opts.Tier != Auto || e.opts.Dump != nil || e.opts.Profile != nil {
		return
	}
	slots := newColdSlots()
	if slots == nil {
		return
	}
	e.cold = &coldCounts{min(e.opts.Cold, MaxCold), slots}
}

// slot is the word with the counter of pc, and by how much it is shifted in there.
func (c *coldCounts) slot(pc uint64) (word *atomic.Uint32, shift uint64) {
	i := pc >> 2 % coldSlots
	return &c.slots[i/4], i % 4 * 8
}

// count counts an execution of the block at pc. ok is false if it has had all of them
// or has a unit; first is true the first time.
func (c *coldCounts) count(pc uint64) (first, ok bool) {
	word, shift := c.slot(pc)
	old := word.Load()
	n := old >> shift & 0xff
	if n >= c.limit {
		return false, false
	}
	counted := word.CompareAndSwap(old, old+1<<shift) // else this execution is not
	return n == 0 && counted, true
}

// finish lets the block at pc have had all of its executions.
func (c *coldCounts) finish(pc uint64) {
	word, shift := c.slot(pc)
	for {
		old := word.Load()
		n := old >> shift & 0xff
		if n >= c.limit || word.CompareAndSwap(old, old+(c.limit-n)<<shift) {
			return
		}
	}
}

// executions is how often the block at pc was executed in tier 0, or warm.
func (c *coldCounts) executions(pc uint64) uint32 {
	word, shift := c.slot(pc)
	return word.Load() >> shift & 0xff
}

// warmed notes that there is a unit at pc.
func (c *coldCounts) warmed(pc uint64) {
	if c != nil {
		word, shift := c.slot(pc)
		word.Or(warm << shift)
	}
}

// coldDone reports whether the block at pc is not executed in tier 0 any more and has no unit.
func (c *compiler) coldDone(pc uint64) bool {
	cold := c.engine.cold
	if cold == nil {
		return false
	}
	n := cold.executions(pc)
	return n != warm && (n >= cold.limit || c.store != nil && c.store.Runs(pc) >= coldProcesses)
}

// cold executes blocks from k on, which has no unit, as long as they are cold. ran is
// false if k has to be compiled; branch is how the last block led on.
func (d *Dispatcher) cold(s *cpu.State, k cache.Key) (branch tier0.Branch, ran bool) {
	e := d.engine
	if e.cold == nil || k.PC == d.declined || k.Mode&cpu.ModesBesideFPCR != 0 {
		d.declined = 0
		return 0, false
	}
	c := d.tier0
	if c == nil {
		c = newColdRunner(d, s)
	}
	if gen := e.cache.Generation(); gen != c.gen {
		c.machine.Forget()
		c.region, c.gen = cpu.Region{}, gen
	}
	if !c.isCold(k.PC) {
		return 0, false
	}
	start := s.PC
	blocks, done := c.machine.Run(s, c.more)
	if !done {
		d.declined = s.PC
	}
	e.stats.cold.Add(uint64(blocks))
	return c.machine.Branch, done || s.PC != start
}

// coldRunner is what a thread needs for cold code.
type coldRunner struct {
	engine  *Engine
	machine *tier0.Machine
	more    func() bool

	gen    uint64       // Cache.Generation when the region was looked up
	region cpu.Region   // of code
	store  *store.Store // of the region, nil if it has none
	image  *codeImage   // of the store, nil if it has none
}

func newColdRunner(d *Dispatcher, s *cpu.State) *coldRunner {
	c := &coldRunner{engine: d.engine}
	c.machine = tier0.New(func(pc uint64) (start, end uint64, ok bool) {
		ok = c.find(pc)
		return c.region.Start, c.region.End, ok
	})
	c.machine.Targets, c.machine.FastPAC = c, d.engine.opts.Translate.CPU.FastPAC()
	c.more = func() bool { return atomic.LoadUint32(&s.Pending) == 0 && c.isCold(s.PC) }
	d.tier0 = c
	return c
}

// find looks up the region of code that pc is in.
func (c *coldRunner) find(pc uint64) bool {
	if c.region.Start <= pc && pc < c.region.End {
		return true
	}
	r, ok := c.engine.mem.Find(pc)
	if !ok || r.Prot&unix.PROT_EXEC == 0 {
		return false
	}
	c.region, c.store, c.image = r, nil, nil
	if f := fileOf(&r); c.engine.stores != nil && r.Prot&unix.PROT_WRITE == 0 && f != (codeFile{}) {
		c.store = c.engine.stores.of(f, r.Start, r.End)
		c.image = c.engine.imageOf(c.store)
	}
	return true
}

// Guarded is tier0.Targets'.
func (c *coldRunner) Guarded(pc uint64) bool { return c.engine.mem.BTI(pc) }

// Lands is tier0.Targets'. Targets with a top byte, which may be mistaken for the type, are left to units.
func (c *coldRunner) Lands(target uint64, t cpu.BranchType) bool {
	return !c.engine.mem.HasBTI() || cpu.Untagged(target) == target && c.engine.lands(target, t)
}

// isCold reports whether the block at pc is to be executed in tier 0 this time:
// unless it has been there often enough, or has a unit, or another process has
// compiled it, or several have run it. What an image has is not counted: most pages of the
// counters are never touched then.
func (c *coldRunner) isCold(pc uint64) bool {
	known := c.find(pc)
	if known && c.image != nil && c.image.has(pc) {
		return false
	}
	first, ok := c.engine.cold.count(pc)
	if !first {
		return ok
	}
	if !known || c.store == nil {
		return true
	}
	if c.store.Foreign() && c.store.Has(pc) || c.store.Runs(pc) >= coldProcesses {
		c.engine.cold.finish(pc)
		return false
	}
	c.store.AddRun(pc)
	return true
}
