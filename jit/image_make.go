package jit

import (
	"cmp"
	"encoding/binary"
	"math/bits"
	"runtime/debug"
	"slices"
	"unsafe"

	"emu/cache"
	"emu/cache/store"
	"emu/ir"
	"emu/jit/host"
)

const (
	// imageShare is how much of what an image has is to be new before another one is made: an eighth
	// of it. So each record is laid out nine times, on the average, at a tenth of what it
	// takes to translate it; whoever opens the image looks at the head of each that is newer.
	imageShare = 8
	// imageLeast is how many bytes of records make an image worth its while.
	imageLeast = 16 << 10
	// imageProcesses is how many have used a store when it gets an image. Nobody knows at the end of a program's first run whether there will be
	// another one. The second has paid for single records what an image costs, but the third has those compiled that
	// two ran once (coldProcesses), and would make an image of the second's anew.
	imageProcesses = coldProcesses + 1
	// recordBytes is about how long a record is.
	recordBytes = 300

	recordHeadBytes = int(unsafe.Sizeof(recordHead{}))
)

// makeImage lays out the records of a file's store if there are many that its image does not have. The
// process is about to end; program says that it ran a program, and is no child of one.
func (e *Engine) makeImage(f codeFile, st *store.Store, program bool) {
	i := e.stores.images[st]
	if i == nil {
		return
	}
	end := st.End()
	reorder := i.reorder()
	if !reorder && !wantsImage(st, i.covered, end) {
		return
	}
	if i.at == nil && (!program || st.AddUse() < imageProcesses) {
		return
	}
	st.WriteImage(end, func() [][]byte {
		if covered := st.ImageEnd(); !wantsImage(st, covered, end) && !(reorder && st.ImageIsNewest()) {
			return nil // another process has just done it
		}
		c := e.pool.Get().(*compiler)
		defer e.pool.Put(c)
		c.fetch.reset()
		m := imageMaker{c: c, file: f, store: st, before: i}
		defer debug.SetGCPercent(debug.SetGCPercent(-1)) // there is nothing to be collected
		return m.make(end)
	})
}

func wantsImage(st *store.Store, covered, end int64) bool {
	return end-covered >= max(imageLeast, (covered-st.Start())/imageShare)
}

// imageMaker lays out the records of a store.
type imageMaker struct {
	imageTables
	c      *compiler
	file   codeFile
	store  *store.Store
	before *codeImage
	pcs    pcTable // units by key

	exits    []imageExit
	counters []imageCounter
	base     uint64 // what spans count from
}

// imageExit is a direct branch that leaves a unit; offsets are of the image's code.
type imageExit struct {
	target                 uint64
	from, patch, stub, end uint32
}

// imageCounter is a distance to a unit's counter.
type imageCounter struct{ unit, off, tail uint32 }

// at is a pc in words from the image's first one.
func (m *imageMaker) at(pc uint64) uint32 { return uint32((pc - m.base) / 4) }

// make returns the sections of an image of the records up to end, none if most of them are not of what the
// guest has in memory.
func (m *imageMaker) make(end int64) [][]byte {
	m.base = m.file.base
	pcs := m.layOut(end)
	if kept := len(m.tables.Units); kept == 0 || kept < pcs*3/4 {
		return nil
	}
	m.tables.Units = append(m.tables.Units, cache.ImageUnit{Off: uint32(len(m.code))})
	m.chunk()
	m.link()
	m.count()
	m.index()
	for n := range len(m.chunks) - 1 {
		m.chunks[n].Sum = m.sum(n)
	}
	return m.sections()
}

// layOut adds the newest unit of each pc and mode that has a record up to end, a region if there is one, those that most processes
// run first, and else in the order in which the pcs came first. It returns how many pcs there are.
func (m *imageMaker) layOut(end int64) (pcs int) {
	m.reserve(int(end - m.store.Start()))
	var list [ranks][]uint32 // places
	known := m.before.ranks()
	m.store.Since(m.store.Start(), func(r store.Record) bool {
		if at, _ := m.store.Place(r); int64(at) >= end>>4 {
			return false
		}
		key, ok := m.key(r)
		if !ok {
			return true
		}
		if _, ok := m.pcs.put(key, 0); ok {
			return true
		}
		if r.Outdated() {
			r = m.newest(r)
		}
		pcs++
		rank := uint8(0)
		if known != nil {
			if u, ok := m.before.at.Find(cache.Key{PC: r.PC, Mode: r.Mode &^ regionMode}); ok {
				rank = known[u]
			}
		}
		at, _ := m.store.Place(r)
		list[rank] = append(list[rank], at)
		return true
	})
	m.pcs.reset(pcs)
	for rank := ranks - 1; rank >= 0; rank-- {
		for _, at := range list[rank] {
			if r, ok := m.store.At(at); ok && m.add(r, uint32(rank)) {
				key, _ := m.key(r)
				m.pcs.put(key, uint32(len(m.tables.Units)-1))
			}
		}
	}
	return pcs
}

// key is where the unit of a record is found. ok is false if it is not to be in the image.
func (m *imageMaker) key(r store.Record) (key uint32, ok bool) {
	return cache.ImageKey(cache.Key{PC: r.PC, Mode: r.Mode &^ regionMode}, m.base)
}

// newest returns the newest record of r's pc and mode, a region if there is one.
func (m *imageMaker) newest(r store.Record) (found store.Record) {
	found = r
	first := true
	m.store.Find(r.PC, func(other store.Record) bool {
		switch mode := r.Mode &^ regionMode; {
		case other.Mode == mode|regionMode:
			found = other
			return false
		case other.Mode == mode && first:
			found, first = other, false
		}
		return true
	})
	return found
}

// reserve makes room for what records of so many bytes take, so that it need not be copied as it grows.
func (m *imageMaker) reserve(bytes int) {
	n := bytes / recordBytes
	m.pcs.reset(n)
	m.code, m.words = make([]byte, cache.ImageCode, bytes/2+cache.ImageCode), make([]byte, 0, bytes/8)
	m.exits, m.spans = make([]imageExit, 0, 3*n), make([]imageSpan, 0, 2*n)
	m.tables.Units, m.tables.ByPC = make([]cache.ImageUnit, 0, n), make([]cache.ImagePC, 0, n)
}

// add lays out the unit of a record, if that is whole and of what the guest has in memory.
func (m *imageMaker) add(r store.Record, rank uint32) bool {
	at, sum := m.store.Place(r)
	if _, ok := m.store.Lookup(at, sum); !ok {
		return false
	}
	c := m.c
	k := cache.Key{PC: r.PC, Mode: r.Mode &^ regionMode}
	u, ok := c.decode(k, r.Mode, r.Data, true)
	if !ok || c.fetch.guard || c.fetch.file != m.file {
		return false
	}
	n := uint32(len(m.tables.Units))
	for align := host.UnitAlign(u.region != nil); len(m.code)%align != 0; {
		m.code = append(m.code, 0)
	}
	if n%cache.ImageChunkUnits == 0 {
		m.chunk()
	}
	off := uint32(len(m.code))
	start := m.tables.Starts[n/cache.ImageChunkUnits]
	t := cache.ImageUnit{PC: k.PC, Mode: k.Mode, Lo: ^uint64(0), Off: off, Len: uint32(len(u.code)), Record: at, Sum: sum, Rank: rank}
	m.span(&t, ir.Span{Start: k.PC, End: k.PC + uint64(c.code.Size)})
	for _, s := range u.also {
		m.span(&t, s)
	}
	m.words = append(m.words, r.Data[recordHeadBytes+len(raw(u.also)):][:t.Guest]...)
	p := tiers[c.engine.opts.Tier].first
	switch {
	case u.region != nil:
		t.Kind = cache.ImageRegion
	case p.count && c.engine.hot != nil:
		t.Limit = c.engine.threshold(p, u.entry)
	}
	if len(u.also) > 0 && u.region == nil {
		t.Kind |= cache.ImageGoesOn
	}
	for _, x := range c.code.Exits {
		if x.Site != 0 {
			t.Kind |= cache.ImageGoesOn
		}
		m.exits = append(m.exits, imageExit{x.Target, n, off + uint32(x.Patch), off + uint32(x.Cold), off + uint32(x.End)})
	}
	m.code = append(m.code, u.code...)
	for _, l := range c.code.Relocs {
		switch l.Target {
		case host.Counter:
			m.counters = append(m.counters, imageCounter{n, off + uint32(l.Off), uint32(l.Tail)})
		case host.Targets:
			m.notes = append(m.notes, imageNote{off - start + uint32(l.Off), uint32(l.Tail), lastOf(&c.code, &u)})
		case host.Lock:
			m.locks = append(m.locks, off-start+uint32(l.Off))
		default:
			at := off + uint32(l.Off)
			binary.LittleEndian.PutUint32(m.code[at:], cache.ImageStub(l.Target)-at-uint32(l.Tail))
		}
	}
	m.tables.Units = append(m.tables.Units, t)
	return true
}

// span adds guest code of t.
func (m *imageMaker) span(t *cache.ImageUnit, s ir.Span) {
	m.spans = append(m.spans, imageSpan{m.at(s.Start), uint32((s.End - s.Start) / 4)})
	t.Lo, t.Hi, t.Guest = min(t.Lo, s.Start), max(t.Hi, s.End), t.Guest+uint32(s.End-s.Start)
}

// chunk begins a chunk, or the end.
func (m *imageMaker) chunk() {
	m.tables.Starts = append(m.tables.Starts, uint32(len(m.code)))
	m.chunks = append(m.chunks, imageChunk{Spans: uint32(len(m.spans)), Words: uint32(len(m.words)), Locks: uint32(len(m.locks)), Notes: uint32(len(m.notes))})
}

// link makes edges of the exits that lead to units, by where they lead to.
func (m *imageMaker) link() {
	units := m.tables.Units
	to := make([]int32, len(m.exits))
	for i, x := range m.exits {
		to[i] = -1
		key, ok := cache.ImageKey(cache.Key{PC: x.target, Mode: units[x.from].Mode}, m.base)
		if !ok {
			continue
		}
		if n, ok := m.pcs.get(key); ok {
			to[i] = int32(n)
			units[n+1].Edges++
		}
	}
	for t := range units[1:] {
		units[t+1].Edges += units[t].Edges
	}
	next := make([]uint32, len(units))
	for t := range units {
		next[t] = units[t].Edges
	}
	m.tables.Edges = make([]cache.ImageEdge, units[len(units)-1].Edges)
	chunk := uint32(0) // the next one whose exits begin
	m.outs = make([]cache.ImageOut, 0, len(m.exits)/2)
	for i, x := range m.exits {
		from := x.from / cache.ImageChunkUnits
		for ; chunk <= from; chunk++ {
			m.chunks[chunk].Outs = uint32(len(m.outs))
		}
		t := to[i]
		out := cache.ImageOut{To: cache.NoUnit, PC: int32(m.at(x.target)), End: x.end}
		if t < 0 {
			m.outs = append(m.outs, out)
			continue
		}
		m.tables.Edges[next[t]] = cache.ImageEdge{From: x.from, Patch: x.patch, Stub: x.stub}
		if from == uint32(t)/cache.ImageChunkUnits {
			binary.LittleEndian.PutUint32(m.code[x.patch:], units[t].Off-x.patch-4)
			if x.end != x.stub+stubCall {
				m.outs = append(m.outs, out) // see imageTarget
			}
		} else {
			out.Edge, out.To = next[t], uint32(t)
			m.outs = append(m.outs, out)
		}
		next[t]++
	}
	for ; int(chunk) < len(m.chunks); chunk++ {
		m.chunks[chunk].Outs = uint32(len(m.outs))
	}
}

// count leads units to their counters.
func (m *imageMaker) count() {
	at := cache.ImageCounters(m.tables.Units)
	for _, x := range m.counters {
		binary.LittleEndian.PutUint32(m.code[x.off:], at+4*x.unit-x.off-x.tail)
	}
}

// index makes the table by pc and lets spans count from the first of them.
func (m *imageMaker) index() {
	units := m.tables.Units[:len(m.tables.Units)-1]
	h := imageHead{Lo: m.base, Known: m.known()}
	for n := range units {
		h.Hi = max(h.Hi, units[n].Hi)
		m.tables.ByPC = append(m.tables.ByPC, cache.ImagePC{Key: m.at(units[n].PC) | units[n].Mode, Unit: uint32(n)})
	}
	slices.SortFunc(m.tables.ByPC, func(a, b cache.ImagePC) int { return cmp.Compare(a.Key, b.Key) })
	for at, n := 0, uint32(0); n <= m.at(h.Hi)/cache.ImagePage+1; n++ {
		for at < len(m.tables.ByPC) && m.tables.ByPC[at].Key < n*cache.ImagePage {
			at++
		}
		m.tables.ByPage = append(m.tables.ByPage, uint32(at))
	}
	m.head = []imageHead{h}
}

// pcTable is a hash table of numbers by pc, as cache.ImageKey has it, with linear probing: a map takes several times as long.
type pcTable struct {
	slots []pcSlot // a power of two of them
	used  int
}

// pcSlot is a pc and one more than its number, 0 in an empty slot.
type pcSlot struct{ pc, n uint32 }

// reset empties the table and makes room for about n pcs.
func (t *pcTable) reset(n int) {
	t.slots, t.used = make([]pcSlot, 1<<bits.Len(uint(n+n/2+8))), 0
}

// slot is where pc is, or would be put.
func (t *pcTable) slot(pc uint32) *pcSlot {
	const knuth = 0x9e3779b1
	for i := pc * knuth >> (32 - bits.Len(uint(len(t.slots)-1))); ; i++ {
		if s := &t.slots[i%uint32(len(t.slots))]; s.n == 0 || s.pc == pc {
			return s
		}
	}
}

func (t *pcTable) get(pc uint32) (n uint32, ok bool) {
	s := t.slot(pc)
	return s.n - 1, s.n != 0
}

// put gives pc a number if it has none. Else it returns that.
func (t *pcTable) put(pc, n uint32) (old uint32, ok bool) {
	if 4*t.used >= 3*len(t.slots) {
		t.grow()
	}
	s := t.slot(pc)
	if s.n != 0 {
		return s.n - 1, true
	}
	*s = pcSlot{pc, n + 1}
	t.used++
	return 0, false
}

func (t *pcTable) grow() {
	old := t.slots
	t.reset(len(old))
	for _, s := range old {
		if s.n != 0 {
			t.put(s.pc, s.n-1)
		}
	}
}
