package jit

import (
	"testing"

	"emu/cache"
)

// What a block leads to is compiled with it, and linked, if it has had its executions in
// tier 0: here a way besides that the block does not take then. What never ran stays. The
// block itself goes on behind its branches.
func TestFollow(t *testing.T) {
	b := newTestBench(t)
	const cold, odd, never, end = 2, 8, 16, 24
	b.useCold(t, cold)
	b.put(0, addX0, cbzX1(odd-1), cbzX1(never-2), addX0, branch(end-4))
	b.put(odd, addX0, branch(end-odd-1))
	b.put(never, addX0, branch(end-never-1))
	b.put(end, brk)
	has := func(at int) bool {
		return b.e.cache.Lookup(cache.Key{PC: b.pc(at), Mode: b.s.CodeMode()}) != nil
	}
	b.s.X[1] = 1
	for range cold {
		b.until(t, 0)
		b.until(t, odd)
	}
	for _, at := range []int{0, 2, 3, odd, never} {
		if has(at) {
			t.Fatalf("the block at word %d has a unit after %d executions", at, cold)
		}
	}
	b.until(t, 0)
	for at, want := range map[int]bool{0: true, 2: false, 3: false, odd: true, never: false} {
		if has(at) != want {
			t.Errorf("the block at word %d has a unit: %v", at, !want)
		}
	}
	links := b.e.cache.Stats().Links
	b.s.X[0], b.s.X[1] = 0, 0
	if b.until(t, 0); b.s.X[0] != 2 || b.e.cache.Stats().Links != links {
		t.Errorf("the other way: X0 is %d, %d links were made", b.s.X[0], b.e.cache.Stats().Links-links)
	}
}
