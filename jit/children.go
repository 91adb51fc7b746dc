package jit

import (
	"sync"
	"sync/atomic"

	"emu/cache"
	"emu/cpu"
	"emu/internal/forkall"
)

// A process that forks time and again runs the same code in each child first of
// all, code that it does not run itself. Every child would translate and link it
// anew. So children tell their parent which units they had to look for, through
// memory that they share, and before its next fork the parent translates and links
// them as well. Generated code has the same host addresses in both.

const (
	// maxWishes bounds what the children of a process tell it in all.
	maxWishes = 4096
	// earlyWishes is how often a child tells its parent: what its siblings need as
	// well comes early.
	earlyWishes = 256
	// wishesPerFork is how many a parent grants before a fork, so that none takes
	// long.
	wishesPerFork = 64
)

// wishes is the memory that a process shares with its children: nothing in it may
// be trusted to be whole but for a wish whose full is 1.
type wishes struct {
	n    atomic.Uint32
	_    uint32
	list [maxWishes]wish
}

// wish is a unit, and the host address of the branch that led to it (see
// cache.ExitAt), the cpu.BranchType of an indirect one.
type wish struct {
	pc   uint64
	from uint64
	mode uint32
	full atomic.Uint32
}

// family is what the engine knows of the process's children and parent. A forked child has its
// parent's until it needs its own: most never do, and have a page less to copy.
type family struct {
	mu         sync.Mutex
	generation atomic.Uint32 // forkall.Generation of the process that all else is about
	children   *wishes
	granted    atomic.Uint32 // wishes of children that were looked at
	parent     *wishes
	told       atomic.Int32 // wishes that the parent may still be told of
}

// own makes f that of the process, whose wishes go to its parent.
func (f *family) own() {
	if f.generation.Load() == forkall.Generation.Load() {
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.generation.Load() == forkall.Generation.Load() {
		return
	}
	f.parent, f.children = f.children, nil
	f.granted.Store(0)
	f.told.Store(0)
	if f.parent != nil {
		f.told.Store(earlyWishes)
	}
	f.generation.Store(forkall.Generation.Load())
}

// tell leaves to the parent which unit the child had to look for, and what led there, as wish has it.
func (f *family) tell(k cache.Key, from uint64) {
	if f.own(); f.told.Load() <= 0 || f.told.Add(-1) < 0 {
		return
	}
	if i := f.parent.n.Add(1) - 1; i < maxWishes {
		w := &f.parent.list[i]
		w.pc, w.from, w.mode = k.PC, from, k.Mode
		w.full.Store(1)
	}
}

// BeforeFork translates what earlier children needed.
func (d *Dispatcher) BeforeFork() {
	f := &d.engine.family
	f.own()
	if forkall.Arranges() {
		d.engine.cache.Shrink(d.thread)
	}
	if f.children != nil && f.granted.Load() == min(f.children.n.Load(), maxWishes) {
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.children == nil {
		f.children = newWishes()
		return
	}
	for range wishesPerFork {
		if f.granted.Load() == min(f.children.n.Load(), maxWishes) {
			return
		}
		w := &f.children.list[f.granted.Load()]
		if w.full.Load() == 0 {
			return // it is being written
		}
		f.granted.Add(1)
		d.grant(w)
	}
}

func (d *Dispatcher) grant(w *wish) {
	c := d.engine.cache
	k := cache.Key{PC: w.pc, Mode: w.mode}
	b, kind := c.Lookup(k), cpu.BranchNone
	indirect := w.from < uint64(cpu.NumBranchTypes)
	if indirect {
		kind = cpu.BranchType(w.from)
		if cpu.Untagged(k.PC) != k.PC || !d.engine.lands(k.PC, kind) {
			return // an exception, or the child's memory is another one
		}
	}
	if b == nil && indirect && w.mode == d.mode && (c.RememberImage(d.thread, k, kind) || d.engine.loadFor(k) && c.RememberImage(d.thread, k, kind)) {
		return
	}
	if b == nil {
		b = d.block(k, false)
	}
	switch {
	case !indirect:
		c.Link(d.engine.exitOf(uintptr(w.from)), b)
	case w.mode == d.mode:
		c.Remember(d.thread, b, kind)
	}
}
