package jit

import (
	"sync"
	"sync/atomic"

	"emu/cache"
)

// A process that forks time and again runs the same code in each child first of
// all, code that it does not run itself and so has not translated. Every child
// would translate it anew. So children tell their parent what they had to
// translate, through memory that they share, and before its next fork the parent
// translates that as well.

const (
	// maxWishes bounds what the children of a process tell it in all.
	maxWishes = 4096
	// earlyUnits is how many units a child tells of: what its siblings need as well
	// comes early.
	earlyUnits = 256
	// unitsPerFork is how many units a parent translates before a fork, so that none
	// takes long.
	unitsPerFork = 64
)

// wishes is the memory that a process shares with its children: nothing in it may
// be trusted to be whole but for a wish whose full is 1.
type wishes struct {
	n    atomic.Uint32
	_    uint32
	list [maxWishes]wish
}

type wish struct {
	pc   uint64
	mode uint32
	full atomic.Uint32
}

// family is what the engine knows of the process's children and parent.
type family struct {
	mu       sync.Mutex
	children *wishes
	granted  uint32 // wishes of children that were looked at
	parent   *wishes
	told     atomic.Int32 // units that the parent may still be told of
}

// tell leaves the key of a unit that had to be translated to the parent.
func (f *family) tell(k cache.Key) {
	if f.told.Load() <= 0 || f.told.Add(-1) < 0 {
		return
	}
	if i := f.parent.n.Add(1) - 1; i < maxWishes {
		w := &f.parent.list[i]
		w.pc, w.mode = k.PC, k.Mode
		w.full.Store(1)
	}
}

// BeforeFork translates what earlier children needed.
func (d *Dispatcher) BeforeFork() {
	f := &d.engine.family
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.children == nil {
		f.children = newWishes()
		return
	}
	if d.thread == nil {
		return
	}
	for range unitsPerFork {
		if f.granted == min(f.children.n.Load(), maxWishes) {
			return
		}
		w := &f.children.list[f.granted]
		if w.full.Load() == 0 {
			return // it is being written
		}
		f.granted++
		d.block(cache.Key{PC: w.pc, Mode: w.mode}, false)
	}
}

// AfterFork makes the child's wishes go to its parent.
func (d *Dispatcher) AfterFork() {
	f := &d.engine.family
	f.parent, f.children, f.granted = f.children, nil, 0
	f.told.Store(0)
	if f.parent != nil {
		f.told.Store(earlyUnits)
	}
}
