package jit

import (
	"fmt"
	"sync"
	"sync/atomic"

	"emu/cache"
	"emu/cache/store"
	"emu/cpu"
)

// What a store has of a file of code in single records some process also lays out as an image
// (image_make.go): all units linked to each other, in chunks in the order in which they first ran.
// Others take a chunk at once. Its guest code is compared with memory as that of a record is, all of it before
// any of it can run; what is not equal is taken unit by unit from the records.

// imageModes are those of units in images.
var imageModes = [...]uint32{0, cpu.FPCRWatched}

// codeImage is an image in use.
type codeImage struct {
	imageTables
	store   *store.Store
	at      *cache.Image // nil: there is none, or no room for it
	covered int64        // records up to here are in it
	uses    imageUses
	marks   imageMarks
	sparse  bool // this process has not run nearly all units that it has loaded

	mu  sync.Mutex // held while a chunk is loaded
	bad []bool     // chunks that are of no use
}

// imageOf returns the image of a store, which may be nil, or nil.
func (e *Engine) imageOf(st *store.Store) *codeImage {
	if st == nil {
		return nil
	}
	e.stores.mu.Lock()
	defer e.stores.mu.Unlock()
	i, ok := e.stores.images[st]
	if !ok {
		i = e.openImage(st)
		e.stores.images[st] = i
	}
	if i.at == nil {
		return nil
	}
	return i
}

func (e *Engine) openImage(st *store.Store) *codeImage {
	i := &codeImage{store: st}
	var sections [][]byte
	if sections, i.covered = st.Image(); sections == nil {
		return i
	}
	i.imageTables, i.uses, i.marks = tablesOf(sections), rows[uint16](sections[usesSection]), sections[marksSection]
	n := len(i.tables.Units) - 1
	if len(i.head) != 1 || n <= 0 || len(i.chunks) != cache.ImageChunks(n)+1 || len(i.marks) < marksHead+n {
		return i
	}
	if end := i.tables.Units[n]; int(end.Off) != len(i.code) || int(end.Edges) != len(i.tables.Edges) {
		return i
	}
	if i.at = e.cache.NewImage(i.tables, i.head[0].Lo, i.head[0].Hi, &e.stubs); i.at == nil {
		return i
	}
	i.bad = make([]bool, len(i.chunks)-1)
	i.retire()
	return i
}

// has reports whether there is a unit at pc.
func (i *codeImage) has(pc uint64) bool {
	for _, mode := range imageModes {
		if _, ok := i.at.Find(cache.Key{PC: pc, Mode: mode}); ok {
			return true
		}
	}
	return false
}

// adopt returns the block for k from c.image, nil if it has none. changed tells that guest code has
// changed since generation gen.
func (c *compiler) adopt(k cache.Key, gen uint64) (b *cache.Block, changed bool) {
	i := c.image
	n, ok := i.at.Find(k)
	if !ok {
		return nil, false
	}
	if ok, changed = c.load(i, n/cache.ImageChunkUnits, gen); !ok {
		return nil, changed
	}
	if _, _, ok = c.engine.cache.ImageUnit(k); !ok {
		return nil, false
	}
	if b = c.describe(i, n, true); b == nil || b.Dead() {
		return nil, false
	}
	c.engine.cold.warmed(k.PC)
	return b, false
}

// loadFor reports whether a chunk is loaded now that has a unit for k.
func (e *Engine) loadFor(k cache.Key) bool {
	c := e.pool.Get().(*compiler)
	defer e.pool.Put(c)
	for {
		gen := e.cache.Generation()
		if c.storeFor(k) == nil || c.image == nil {
			return false
		}
		n, ok := c.image.at.Find(k)
		if !ok {
			return false
		}
		ok, changed := c.load(c.image, n/cache.ImageChunkUnits, gen)
		if !changed {
			return ok
		}
	}
}

// imageTarget returns where the exit of an image leads whose stub ends at addr. What leads to another chunk is linked
// once that is loaded, and what leads to cold code need not be, so that its unit is not described for that.
func (e *Engine) imageTarget(addr uintptr) (pc uint64, ok bool) {
	at, n, ok := e.cache.ImageAt(addr - 1)
	if !ok {
		return 0, false
	}
	i := e.imageFor(at)
	chunk := n / cache.ImageChunkUnits
	for _, o := range i.outs[i.chunks[chunk].Outs:i.chunks[chunk+1].Outs] {
		if at.Address(o.End) == addr {
			return i.head[0].Lo + uint64(4*int64(o.PC)), true
		}
	}
	from, to := i.bounds(chunk) // to one of these, which is retired
	for u := from; u < to; u++ {
		for _, e := range i.tables.Edges[i.tables.Units[u].Edges:i.tables.Units[u+1].Edges] {
			if int(e.From) == n && at.Address(e.Stub+stubCall) == addr {
				return i.tables.Units[u].PC, true
			}
		}
	}
	return 0, false
}

// stubCall is how long the stub of an exit is, mostly: a call.
const stubCall = 5

// exitOf is Cache.ExitAt that adopts, for a thread that runs no generated code.
func (e *Engine) exitOf(addr uintptr) *cache.Exit {
	x := e.cache.ExitAt(addr)
	if x == nil {
		if at, n, ok := e.cache.ImageAt(addr - 1); ok {
			e.describeUnit(at, n)
			x = e.cache.ExitAt(addr)
		}
	}
	return x
}

// imageFor returns the image that has its code at `at`.
func (e *Engine) imageFor(at *cache.Image) *codeImage {
	e.stores.mu.Lock()
	defer e.stores.mu.Unlock()
	for _, i := range e.stores.images {
		if i.at == at {
			return i
		}
	}
	return nil
}

// describe gives a unit of a loaded chunk a Block, nil if with compare its guest code has changed.
func (c *compiler) describe(i *codeImage, n int, compare bool) *cache.Block {
	t := &i.tables.Units[n]
	k := cache.Key{PC: t.PC, Mode: t.Mode}
	r, ok := i.store.Lookup(t.Record, t.Sum)
	if !ok {
		return nil
	}
	u, ok := c.decode(k, r.Mode, r.Data, compare)
	if !ok {
		return nil
	}
	b, _ := c.block(k, u)
	return c.engine.cache.Adopt(i.at, n, b)
}

// load brings a chunk into code memory. If it cannot, changed tells whether that is because guest code has
// changed since generation gen.
func (c *compiler) load(i *codeImage, n int, gen uint64) (ok, changed bool) {
	i.mu.Lock()
	defer i.mu.Unlock()
	from, to := i.bounds(n)
	if i.at.Loaded(from) || i.bad[n] {
		return !i.bad[n], false
	}
	lo, hi, same := c.compare(i, n)
	if !same {
		i.bad[n] = true
		return false, false
	}
	a, b := &i.chunks[n], &i.chunks[n+1]
	units := i.tables.Units[from : to+1]
	e := c.engine
	c.relocs = c.relocs[:0]
	for _, off := range i.locks[a.Locks:b.Locks] {
		c.relocs = append(c.relocs, cache.Reloc{Offset: off, Lock: true})
	}
	for _, r := range i.notes[a.Notes:b.Notes] {
		c.relocs = append(c.relocs, cache.Reloc{Offset: r.Off, Tail: uint8(r.Tail), To: e.cache.Notes(r.PC)})
	}
	set := make([]uint32, to-from)
	regions := 0
	for k := range set {
		if units[k].Limit != 0 {
			set[k] = e.remaining(units[k].Limit, i.store.Count(units[k].PC))
		}
		regions += int(units[k].Kind & cache.ImageRegion)
	}
	code := i.code[i.tables.Starts[n]:i.tables.Starts[n+1]]
	if !e.cache.LoadImage(i.at, n, code, c.relocs, set, i.marks.of(from, to), i.outs[a.Outs:b.Outs], lo, hi, gen) {
		return false, true
	}
	e.stats.restored.Add(uint64(to - from - regions))
	e.stats.restoredRegions.Add(uint64(regions))
	e.stats.chunks.Add(1)
	return true, false
}

// compare reports whether a chunk is whole and its guest code, which lies in lo..hi, is what memory holds.
func (c *compiler) compare(i *codeImage, n int) (lo, hi uint64, same bool) {
	if sum := i.sum(n); sum == 0 || sum != i.chunks[n].Sum {
		return 0, 0, false
	}
	if from, to := i.bounds(n); i.tables.Units[from].Off != i.tables.Starts[n] || i.tables.Units[to].Off != i.tables.Starts[n+1] {
		return 0, 0, false
	}
	lo = ^uint64(0)
	words := i.words[i.chunks[n].Words:i.chunks[n+1].Words]
	f := &c.fetch
	same = cpu.Guarded(func() bool {
		for _, s := range i.spans[i.chunks[n].Spans:i.chunks[n+1].Spans] {
			pc := i.head[0].Lo + 4*uint64(s.At)
			end := pc + 4*uint64(s.N)
			if pc < f.start || pc >= f.end {
				if _, ok := f.word(pc); !ok {
					return false
				}
			}
			if end > f.end || f.guard || f.file != c.storeOf || !holds(pc, words[:4*s.N]) {
				return false
			}
			lo, hi, words = min(lo, pc), max(hi, end), words[4*s.N:]
		}
		return true
	})
	return lo, hi, same
}

// adoptAt gives the unit of an image whose code holds a host address a Block, nil if there is none. The
// thread of s has left it, or faults in it.
func (e *Engine) adoptAt(s *cpu.State, addr uintptr) *cache.Block {
	at, n, ok := e.cache.ImageAt(addr)
	if !ok {
		return nil
	}
	// No eviction need wait, as images are not evicted, nor would it come to an end while this waits for it.
	atomic.StoreUint32(&s.InGuest, 0)
	return e.describeUnit(at, n)
}

// describeUnit is compiler.describe for what runs, or ran, already.
func (e *Engine) describeUnit(at *cache.Image, n int) *cache.Block {
	c := e.pool.Get().(*compiler)
	defer e.pool.Put(c)
	image := e.imageFor(at)
	b := c.describe(image, n, false)
	if b == nil {
		image.store.Discard()
		panic(fmt.Sprintf("jit: %s was damaged, and is removed: what ran of it cannot be told", image.store.Path()))
	}
	return b
}

// blockAt is Cache.FindAddr for a thread that has left generated code there.
func (e *Engine) blockAt(s *cpu.State, addr uintptr) *cache.Block {
	if b := e.cache.FindAddr(addr); b != nil {
		return b
	}
	return e.adoptAt(s, addr)
}

// lookup is Cache.Lookup that adopts.
func (e *Engine) lookup(k cache.Key) *cache.Block {
	b := e.cache.Lookup(k)
	if b == nil {
		if at, n, ok := e.cache.ImageUnit(k); ok {
			return e.describeUnit(at, n)
		}
	}
	return b
}

// adoptNear adopts what Through and Expected have to know of the page of a pc.
func (e *Engine) adoptNear(mode uint32, pc uint64) {
	e.cache.ImageUnitsNear(mode, pc&^(cpu.PageSize-1), func(at *cache.Image, n int) { e.describeUnit(at, n) })
}

// adoptRegionsTo adopts what Without has to know of b.
func (e *Engine) adoptRegionsTo(b *cache.Block) {
	at, list := e.cache.ImageRegionsTo(b)
	for _, n := range list {
		e.describeUnit(at, n)
	}
}
