package cache

import (
	"testing"

	"emu/cpu"
	"emu/ir"
)

// What a thread knew and the cache had is gone after Clear, and what is made after it lies where it would in a new cache;
// translations from before are refused.
func TestClear(t *testing.T) {
	c, th, s := newTestCache(t, 1<<20)
	stub := c.AddStub(func(uintptr) []byte { return []byte{1, 2, 3} })
	old := install(t, c, th, 0x1000, 0x2000, 64)
	c.Link(&old.Exits[0], install(t, c, th, 0x2000, 0, 64))
	c.Remember(th, old, cpu.BranchNone)
	first, code, outs := testImage(t, c, func(u int) int { return u })
	if !c.LoadImage(first, 0, code[:ImageChunkUnits*testImageBytes], nil, make([]uint32, ImageChunkUnits), nil, outs[0], 0, 0, c.Generation()) {
		t.Fatal("a chunk is not loaded")
	}
	gen, evictions := c.Generation(), c.evictions.Load()

	c.Clear(th)
	if c.Lookup(old.Key) != nil || remembers(th, 0x1000) || c.FindAddr(old.Addr) != nil {
		t.Error("a block is still there")
	}
	if _, _, ok := c.ImageUnit(Key{PC: testImagePC}); ok {
		t.Error("an image is still there")
	}
	if c.Install(th, &Block{Key: Key{PC: 0x3000}, Size: 4}, make([]byte, 16), nil, gen) != nil || !c.changedSince(gen, func(ir.Span) bool { return false }) {
		t.Error("a translation from before is taken")
	}
	if got := bytes(stub, 3); got[0] != 1 || got[2] != 3 {
		t.Error("the stubs are gone")
	}
	if c.evictions.Load() == evictions {
		t.Error("native stacks are still good")
	}
	b := install(t, c, th, 0x1000, 0x2000, 64)
	if b.Addr != old.Addr || b.Code()[20] != 0 || leadsTo(b) != b.Addr+8 {
		t.Errorf("a new block is at %#x and leads to %#x, want %#x and nowhere", b.Addr, leadsTo(b), old.Addr)
	}
	if i, _, _ := testImage(t, c, func(u int) int { return u }); i.base != first.base {
		t.Errorf("a new image is at %#x, want %#x", i.base, first.base)
	}
	if !c.Enter(th, b) {
		t.Error("a new block cannot be entered")
	}
	s.InGuest = 0
}
