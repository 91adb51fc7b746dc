package jit

import (
	"sync"
	"time"

	"emu/cache"
	"emu/cache/store"
	"emu/internal/forkall"
	"emu/internal/hostsig"

	"golang.org/x/sys/unix"
)

// Hotness. Tier 1 code counts down from a threshold and leaves with ExitHot at
// zero. The unit's key goes to a queue; a goroutine makes the region there and
// installs it in the place of the block, whose loop jumps into it with its next
// iteration: the guest never waits. A full queue drops requests, and the block
// asks again when its counter has run out once more.

const (
	// DefaultHot is the number of executions after which a loop or a function is
	// compiled by tier 2. A region takes some 0.3 ms to compile and saves about half
	// of its blocks' 5 to 10 ns: this many executions have to come again to pay, and
	// those who have come this far mostly do. Of 3,000 to 160,000 this is where nine
	// programs of 0.2 to 1 s took least, and where longer ones were within 1 % of it.
	DefaultHot = 40000
	// rare is how many times fewer executions than the threshold make a branch target
	// one that regions leave out.
	rare = 8
	// rareCase is the same of the cases of switches: each has only a part of the executions, and they
	// are one jump by a table however many they are.
	rareCase = 200
	// maxMade is how often one region is made again, as something that it left out
	// got hot.
	maxMade = 3
	// innerFactor is how much later other blocks ask: most of them are part of
	// the region of a loop around them by then, and never run again.
	innerFactor = 4
	// seldom is how many times fewer executions in a process than the threshold are
	// not worth adding to those of others, nor worth a region that those have asked for. With a 64th of
	// it short processes come to have regions of all that they run: these take more code than their blocks, from
	// more places, and python3 -c pass takes 1.3 times as long as with an eighth, perl, lua and cc1 1.05 to 1.15 times.
	seldom = 8
	// askAgain is the least number of executions between two requests, and askLater that when there was no
	// processor time for the first one: to ask takes 3 µs.
	askAgain = 1000
	askLater = 10 * askAgain
	// never is the counter of code that tier 2 has given up on.
	never = 1 << 31
	// queueLength bounds the requests that wait.
	queueLength = 64
	// share bounds the background compiler's processor time to a share'th of the
	// process's, after firstShare: a program that spends its time all over the place
	// does not run any of it often enough to pay for more. What is hottest comes
	// first, and asks again. In 2 s of processor time both are 9.8 %. With 12 ms
	// first, programs of 0.3 s take a tenth less in their first run and more than that in the
	// next ones, which do not find their regions.
	share      = 12
	firstShare = 30 * time.Millisecond
	// earlyShare stands for firstShare where a unit has been hot in many processes
	// together only, which may be as short as this one.
	earlyShare = 2 * time.Millisecond
)

// hotQueue passes hot units to the background compiler.
type hotQueue struct {
	engine *Engine
	start  sync.Once
	work   chan hotUnit

	bounded bool // by share

	mu     sync.Mutex
	busy   map[cache.Key]bool // queued or being compiled
	served int                // requests
	less   sync.Cond          // busy has become smaller
}

// hotUnit is a block or region to make a region of.
type hotUnit struct {
	cache.Key
	early bool // its threshold was lowered by what other processes counted
}

// newHotQueue makes the queue of e; all requests are served if bounded is false.
func newHotQueue(e *Engine, bounded bool) *hotQueue {
	h := &hotQueue{engine: e, work: make(chan hotUnit, queueLength), bounded: bounded, busy: make(map[cache.Key]bool)}
	h.less.L = &h.mu
	return h
}

// threshold is the counter of a new unit made by p; entry tells that it is a loop
// header, a function or where a call returns to. Units that count for a profile only
// never get hot.
func (e *Engine) threshold(p *plan, entry bool) uint32 {
	if e.hot == nil || p.region {
		return never
	}
	n := e.opts.Hot
	if !entry {
		n *= innerFactor
	}
	return min(n, never)
}

// seldom is the number of executions in a process up to which code is none that others count.
func (e *Engine) seldom() uint32 { return max(e.opts.Hot/seldom, 1) }

// remaining is what is left of a threshold for a unit that was counted in other processes. However often
// that was, this process has to run it as well.
func (e *Engine) remaining(threshold uint32, counted uint64) uint32 {
	return uint32(max(int64(threshold)-int64(counted), int64(min(threshold, e.seldom()))))
}

// leftOf is remaining for the unit at k with what a store, if there is one, has counted.
func (c *compiler) leftOf(threshold uint32, k cache.Key, from *store.Store) uint32 {
	if from == nil || threshold == never || !from.Foreign() {
		return threshold
	}
	return c.engine.remaining(threshold, from.Count(k.PC))
}

// request asks for the region at k, whose block's counter ran out, or for one that
// leads there again.
func (h *hotQueue) request(k cache.Key) {
	c := h.engine.cache
	b := c.Lookup(k)
	if b == nil || b.Count == 0 {
		return // replaced or dropped meanwhile
	}
	unit, again := hotUnit{k, b.Count < h.engine.opts.Hot}, uint32(askAgain)
	afford := b.Region != nil || h.affordable(unit.early)
	if !afford {
		h.engine.stats.dropped.Add(1)
		again = askLater
	}
	c.SetCounter(b, max(b.Count, again))
	if b.Region != nil || !afford {
		return
	}
	h.engine.adoptRegionsTo(b)
	if r := c.Without(b); r != nil && r.Region.Made < maxMade {
		unit.Key = r.Key
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.busy[unit.Key] {
		return
	}
	select {
	case h.work <- unit:
		h.busy[unit.Key] = true
		h.start.Do(func() {
			forkall.NeedThreads() // of a young child that became a program
			hostsig.UseProcessors()
			go h.compile()
		})
	default:
		h.engine.stats.dropped.Add(1)
	}
}

func (h *hotQueue) done(k cache.Key) {
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.busy, k)
	h.served++
	h.less.Broadcast()
}

// finish waits for the request that is being served, or comes next, if there is one. What a
// process leaves unfinished the next one begins anew, and if all are short none ever comes to its
// end: 190 page faults in each of a shell's /bin/true, of 600.
func (h *hotQueue) finish() {
	h.mu.Lock()
	defer h.mu.Unlock()
	for before := h.served; h.served == before && len(h.busy) > 0; {
		h.less.Wait()
	}
}

// compile is the background compiler's goroutine.
func (h *hotQueue) compile() {
	c := newCompiler(h.engine)
	for unit := range h.work {
		if h.affordable(unit.early) {
			start := processorTime(unix.CLOCK_THREAD_CPUTIME_ID)
			c.promote(unit.Key)
			// Less than nothing if the goroutine was moved to another thread.
			h.engine.stats.background.Add(uint64(max(processorTime(unix.CLOCK_THREAD_CPUTIME_ID)-start, 0)))
		} else {
			h.engine.stats.dropped.Add(1)
		}
		h.done(unit.Key)
	}
}

// affordable reports whether the compiler has not used up its share.
func (h *hotQueue) affordable(early bool) bool {
	spent, first := time.Duration(h.engine.stats.background.Load()), firstShare
	if early {
		first = earlyShare
	}
	return !h.bounded || spent < first+processorTime(unix.CLOCK_PROCESS_CPUTIME_ID)/share
}

// processorTime reads a clock of processor time. Unlike what getrusage says it is
// exact between two ticks.
func processorTime(clock int32) time.Duration {
	var t unix.Timespec
	if unix.ClockGettime(clock, &t) != nil {
		return 0
	}
	return time.Duration(t.Nano())
}
