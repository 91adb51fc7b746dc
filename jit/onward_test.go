package jit

import (
	"slices"
	"testing"

	"emu/cache"
)

// A block goes on behind a conditional branch that was not taken in tier 0, and a region made
// of it later has what ran there, though it had no unit of its own.
func TestBlockGoesOn(t *testing.T) {
	b := newTestBench(t)
	b.useCold(t, 2)
	const n, inside, never = 50_000, 2, 20
	b.put(0, addX0, cbzX1(never-1), addX0, subX1, cbnzX1(-4), brk)
	b.put(never, brk)
	b.s.X[1] = 5
	b.until(t, 0)
	u := b.e.cache.Lookup(cache.Key{PC: b.pc(0)})
	if u == nil || u.Size != 5*4 || b.e.cache.Lookup(cache.Key{PC: b.pc(inside)}) != nil {
		t.Fatalf("the unit is %+v, want one of 5 instructions", u)
	}
	if b.s.X[0] != 10 {
		t.Errorf("x0 = %d, want 10", b.s.X[0])
	}
	for i, want := range []bool{false, true, false} { // the last one is behind the loop
		if e := u.Exits[i]; e.Entry != want {
			t.Errorf("the exit to %#x is one to an entry: %v", e.Target-b.base, e.Entry)
		}
	}
	r := b.hotRegion(t, 0, func() { b.s.X[1] = n })
	if !slices.Contains(r.Kept, b.pc(inside)) || !slices.Contains(r.LeftOut, b.pc(never)) {
		t.Errorf("the region has %x and left out %x", r.Kept, r.LeftOut)
	}
	b.s.X[0], b.s.X[1] = 0, n
	if b.until(t, 0); b.s.X[0] != 2*n {
		t.Errorf("x0 = %d, want %d", b.s.X[0], 2*n)
	}
}

// What is behind a branch and has not run stays out of the block.
func TestBlockEnds(t *testing.T) {
	b := newTestBench(t)
	b.useCold(t, 2)
	const end = 10
	b.put(0, addX0, cbzX1(end-1), addX0, brk)
	b.put(end, brk)
	for range 3 {
		b.until(t, 0)
	}
	if u := b.e.cache.Lookup(cache.Key{PC: b.pc(0)}); u == nil || u.Size != 2*4 {
		t.Errorf("the unit is %+v, want one of 2 instructions", u)
	}
}
