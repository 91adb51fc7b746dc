package cache

import (
	"encoding/binary"
	"math/rand/v2"
	"slices"
	"sync/atomic"
	"testing"

	"emu/cpu"
	"emu/jit/host"
)

const (
	testImageUnits = ImageChunkUnits + 40
	testImagePC    = 0x400000
	testImageBytes = 32 // of a unit: its exit is that of install
)

// testStubs are where the stubs would be.
var testStubs [host.NumStubs]uintptr

// testImage makes an image of blocks of two guest instructions each; unit u leads to unit next(u).
func testImage(t *testing.T, c *Cache, next func(u int) int) (i *Image, code []byte, outs [2][]ImageOut) {
	t.Helper()
	var tables ImageTables
	code = make([]byte, testImageUnits*testImageBytes)
	for u := range testImageUnits {
		pc := uint64(testImagePC + 8*u)
		tables.Units = append(tables.Units, ImageUnit{PC: pc, Lo: pc, Hi: pc + 8, Off: uint32(ImageCode + u*testImageBytes), Len: testImageBytes,
			Edges: uint32(len(tables.Edges)), Limit: 1000, Guest: 8})
		tables.ByPC = append(tables.ByPC, ImagePC{Key: uint32(2 * u), Unit: uint32(u)})
		for from := range testImageUnits {
			if next(from) != u {
				continue
			}
			at := from * testImageBytes
			if from/ImageChunkUnits != u/ImageChunkUnits {
				outs[from/ImageChunkUnits] = append(outs[from/ImageChunkUnits], ImageOut{Edge: uint32(len(tables.Edges)), To: uint32(u)})
				binary.LittleEndian.PutUint32(code[at+4:], 8) // to the stub
			} else {
				binary.LittleEndian.PutUint32(code[at+4:], uint32(u*testImageBytes-at-8))
			}
			tables.Edges = append(tables.Edges, ImageEdge{From: uint32(from), Patch: uint32(ImageCode + at + 4), Stub: uint32(ImageCode + at + 16)})
		}
	}
	tables.Units = append(tables.Units, ImageUnit{Off: uint32(ImageCode + len(code)), Edges: uint32(len(tables.Edges))})
	tables.ByPage = []uint32{0, testImageUnits}
	tables.Starts = []uint32{uint32(ImageCode), uint32(ImageCode + len(code)), uint32(ImageCode + ImageChunkUnits*testImageBytes)}
	if c.NewImage(tables, testImagePC, testImagePC+8*testImageUnits, &testStubs) != nil {
		t.Error("chunks may overlap")
	}
	slices.Sort(tables.Starts)
	if i = c.NewImage(tables, testImagePC, testImagePC+8*testImageUnits, &testStubs); i == nil {
		t.Fatal("no room for an image")
	}
	return i, code, outs
}

// TestImage loads the chunks of an image, and adopts, replaces, retires and invalidates units of it: branches lead to
// what there is, or out.
func TestImage(t *testing.T) {
	c, th, _ := newTestCache(t, 1<<20)
	next := func(u int) int { return (u*7 + 3) % testImageUnits }
	before := make(map[int]int)
	for u := range testImageUnits {
		before[next(u)] = u
	}
	i, code, outs := testImage(t, c, next)
	const retired, marked = 10, ImageChunkUnits + 5
	i.Retire(retired)
	marks := make([]byte, testImageUnits)
	marks[marked] = 1
	stub := func(u int) uintptr { return i.base + uintptr(ImageCode+u*testImageBytes) + 16 }
	unit := func(u int) uintptr { return i.base + uintptr(ImageCode+u*testImageBytes) }
	wants := func(when string, want map[int]uintptr) {
		t.Helper()
		for u := range testImageUnits {
			if !i.Loaded(u) {
				continue
			}
			goes, ok := want[next(u)]
			switch {
			case ok && goes == 0:
				goes = stub(u)
			case ok:
			case i.Loaded(next(u)):
				goes = unit(next(u))
			default:
				goes = stub(u)
			}
			if at := dispAt(unit(u) + 4); at != goes {
				t.Fatalf("%s: unit %d, which branches to unit %d, leads to %#x, want %#x; units are at %#x", when, u, next(u), at, goes, i.base)
			}
		}
	}
	load := func(n int, gen uint64) bool {
		from, to := i.Chunk(n)
		set := make([]uint32, to-from)
		for k := range set {
			set[k] = 1000
		}
		return c.LoadImage(i, n, code[from*testImageBytes:to*testImageBytes], nil, set, marks[from:to], outs[n], testImagePC+8*uint64(from), testImagePC+8*uint64(to), gen)
	}
	key := func(u int) Key { return Key{PC: testImagePC + 8*uint64(u)} }
	adopt := func(u int) *Block {
		return c.Adopt(i, u, &Block{Key: key(u), Size: 8, Exits: []Exit{{Target: key(next(u)).PC, Patch: 4, Stub: 16, End: 24}}})
	}

	gen := c.Generation()
	c.Invalidate(testImagePC, testImagePC+4)
	if load(0, gen) {
		t.Error("a chunk was loaded whose guest code has changed")
	}
	want := map[int]uintptr{retired: 0, marked: 0}
	for n := range 2 {
		if _, _, ok := c.ImageUnit(key(ImageChunkUnits * n)); ok {
			t.Errorf("chunk %d has units before it is loaded", n)
		}
		if !load(n, c.Generation()) || load(n, c.Generation()) {
			t.Fatalf("chunk %d: want it loaded once", n)
		}
		wants("loaded", want)
	}

	const kept, replaced, dropped, alone = 20, 30, 40, 50
	b := adopt(kept)
	if got, u, ok := c.ImageAt(unit(kept) + 5); !ok || got != i || u != kept || c.FindAddr(unit(kept)+5) != b || c.Lookup(key(kept)) != b || adopt(kept) != b {
		t.Error("an adopted unit is not found")
	}
	if e := c.ExitAt(b.Addr + 24); e == nil || e.Target != key(next(kept)).PC {
		t.Errorf("its exit: %v", e)
	}
	if c.FindAddr(unit(kept+1)) != nil || c.Lookup(key(kept+1)) != nil {
		t.Error("there is a block of a unit that was not adopted")
	}

	old := adopt(replaced)
	newer := &Block{Key: key(replaced), Size: 8}
	if !c.Replace(newer, make([]byte, 32), nil, c.Generation()) {
		t.Fatal("not replaced")
	}
	want[replaced] = newer.Addr
	wants("replaced", want)
	if _, _, ok := c.ImageUnit(key(replaced)); ok || !old.Dead() || c.Lookup(key(replaced)) != newer {
		t.Error("the unit that was replaced is still there")
	}
	c.Invalidate(key(replaced).PC, key(replaced).PC+4)
	want[replaced] = 0
	wants("what replaced it was removed", want)

	if at, ok := c.EnterImage(th, key(alone), true, cpu.BranchNone); !ok || at != uint64(unit(alone)) || !remembers(th, key(alone).PC) {
		t.Errorf("entering a unit: %#x %v", at, ok)
	}
	adopt(dropped)
	c.Invalidate(key(dropped).PC, key(dropped).PC+8)
	c.Invalidate(key(alone).PC+4, key(alone).PC+8)
	want[dropped], want[alone] = 0, 0
	wants("invalidated", want)
	if _, ok := c.EnterImage(th, key(alone), true, cpu.BranchNone); ok || remembers(th, key(alone).PC) {
		t.Error("a unit that was invalidated is entered")
	}
	if b := adopt(alone); !b.Dead() || c.Lookup(key(alone)) != nil || c.FindAddr(unit(alone)) != b {
		t.Error("a unit that was invalidated: want a block that was removed")
	}

	e := &adopt(before[marked]).Exits[0]
	other := install(t, c, th, key(retired).PC, 0, 32)
	want[retired] = other.Addr
	wants("there is a block of what was retired", want)
	c.Link(e, install(t, c, th, key(marked).PC, 0, 32))
	want[marked] = c.Lookup(key(marked)).Addr
	wants("linked to another block", want)

	atomic.StoreUint32(word(i.counters+4*100), 400)
	atomic.StoreUint32(word(i.counters+4*kept), 300)
	var used []int
	c.ImageUses(i, func(u int) { used = append(used, u) })
	if want := []int{kept, 100}; !slices.Equal(used, want) {
		t.Errorf("units that ran: %v, want %v", used, want)
	}
	ran := make(map[uint64]uint64)
	for range 2 {
		c.TakeExecutions(10, func(pc, n uint64) { ran[pc] += n })
	}
	if ran[key(100).PC] != 600 || ran[key(kept).PC] != 700 || len(ran) != 2 {
		t.Errorf("executions: %v", ran)
	}
}

// TestImageTooLarge: there is no image where there is no room, and the next one that fits is there.
func TestImageTooLarge(t *testing.T) {
	c, _, _ := newTestCache(t, MinSize)
	tables := func(size uint32) ImageTables {
		return ImageTables{Units: []ImageUnit{{Off: uint32(ImageCode), Len: size}, {Off: uint32(ImageCode) + size}}, Starts: []uint32{uint32(ImageCode), uint32(ImageCode) + size}}
	}
	if c.NewImage(tables(MinSize), 0, 4, &testStubs) != nil {
		t.Error("an image as large as the cache")
	}
	if c.NewImage(tables(MinSize/4), 0, 4, &testStubs) == nil {
		t.Error("no image of a quarter of it")
	}
}

// Units are found by their pages, in another mode without them, and not by a damaged table.
func TestImageFind(t *testing.T) {
	i := &Image{lo: 0x400000, hi: 0x400000 + 4*10*ImagePage}
	for page := range uint32(10) {
		i.ByPage = append(i.ByPage, uint32(len(i.ByPC)))
		for k := range page % 4 {
			i.ByPC = append(i.ByPC, ImagePC{Key: page*ImagePage + 7*k, Unit: uint32(len(i.ByPC))})
		}
	}
	i.ByPage = append(i.ByPage, uint32(len(i.ByPC)))
	for k := range uint32(9) {
		i.ByPC = append(i.ByPC, ImagePC{Key: cpu.FPCRWatched | 50*k, Unit: uint32(len(i.ByPC))})
	}
	i.gone = make([]bool, len(i.ByPC))
	want := make(map[uint32]int)
	for n, e := range i.ByPC {
		want[e.Key] = n
	}
	for _, mode := range []uint32{0, cpu.FPCRWatched} {
		for word := range uint32(10 * ImagePage) {
			n, has := want[word|mode]
			if u, ok := i.Find(Key{PC: i.lo + 4*uint64(word), Mode: mode}); ok != has || u != n {
				t.Fatalf("mode %#x, word %d: unit %d, %v; want %d, %v", mode, word, u, ok, n, has)
			}
		}
	}
	r := rand.New(rand.NewPCG(1, 2))
	for range 10_000 {
		i.ByPage[r.IntN(len(i.ByPage))] = r.Uint32() >> r.IntN(32)
		if u, ok := i.Find(Key{PC: i.lo + 4*r.Uint64N(10*ImagePage)}); ok && u >= len(i.gone) {
			t.Fatalf("a damaged table leads to unit %d", u)
		}
	}
}
