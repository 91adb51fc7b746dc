package jit

import (
	"testing"

	"emu/cache"
	"emu/cache/store"
	"emu/jit/host"
)

// TestImageMarks: units of which there are newer records are out of the image for who looks at those records, and for
// who finds in the image that somebody has looked at many.
func TestImageMarks(t *testing.T) {
	const (
		base  = 0x400000
		units = 40
		bytes = 16 // of a unit's code
	)
	st, err := store.Open(t.TempDir(), [store.KeySize]byte{1}, store.Code{Start: base, Size: 1 << 20})
	if err != nil {
		t.Fatal(err)
	}
	defer st.Close()
	add := func(pcs ...uint64) {
		t.Helper()
		for _, pc := range pcs {
			st.Add(pc, 0, []byte("a unit"), true)
		}
		if err := st.Flush(); err != nil {
			t.Fatal(err)
		}
	}
	pc := func(u int) uint64 { return base + 8*uint64(u) }
	var tables cache.ImageTables
	for u := range units {
		tables.Units = append(tables.Units, cache.ImageUnit{PC: pc(u), Lo: pc(u), Hi: pc(u) + 8, Off: uint32(cache.ImageCode + u*bytes), Len: bytes})
		tables.ByPC = append(tables.ByPC, cache.ImagePC{Key: uint32(2 * u), Unit: uint32(u)})
	}
	end := uint32(cache.ImageCode + units*bytes)
	tables.Units = append(tables.Units, cache.ImageUnit{Off: end})
	tables.Starts, tables.ByPage = []uint32{uint32(cache.ImageCode), end}, []uint32{0, units}
	add(pc(0))
	covered := st.End()
	made := imageTables{head: []imageHead{{Lo: base, Hi: pc(units)}}, tables: tables, chunks: make([]imageChunk, 2), code: make([]byte, end)}
	if err := st.WriteImage(covered, made.sections); err != nil {
		t.Fatal(err)
	}
	// open is what a process sees: how far somebody has looked, and which units are out of the image.
	open := func() (seen int64, out map[int]bool) {
		t.Helper()
		c, err := cache.New(1 << 20)
		if err != nil {
			t.Fatal(err)
		}
		i := &codeImage{store: st}
		sections, covered := st.Image()
		if sections == nil {
			t.Fatal("no image")
		}
		i.imageTables, i.covered, i.marks = tablesOf(sections), covered, sections[marksSection]
		if i.at = c.NewImage(i.tables, base, pc(units), new([host.NumStubs]uintptr)); i.at == nil {
			t.Fatal("no room")
		}
		seen = i.marks.seen()
		i.retire()
		if !c.LoadImage(i.at, 0, i.code[cache.ImageCode:], nil, make([]uint32, units), i.marks.of(0, units), nil, base, pc(units), c.Generation()) {
			t.Fatal("not loaded")
		}
		out = make(map[int]bool)
		for u := range units {
			if _, _, ok := c.ImageUnit(cache.Key{PC: pc(u)}); !ok {
				out[u] = true
			}
		}
		return seen, out
	}
	check := func(when string, wantSeen int64, want ...int) {
		t.Helper()
		seen, out := open()
		if seen != wantSeen {
			t.Errorf("%s: looked up to %d, want %d", when, seen, wantSeen)
		}
		if len(out) != len(want) {
			t.Errorf("%s: units %v are out, want %v", when, out, want)
		}
		for _, u := range want {
			if !out[u] {
				t.Errorf("%s: unit %d is in", when, u)
			}
		}
	}
	check("at first", 0)
	add(pc(3), pc(units)+800)
	check("few", 0, 3)
	var others []uint64
	for n := range uint64(marksSoon) {
		others = append(others, base+0x1000+4*n)
	}
	add(append(others, pc(7))...)
	check("many", 0, 3, 7)
	looked := st.End()
	check("marked", looked, 3, 7)
	add(pc(9))
	check("marked, and few", looked, 3, 7, 9)
}
