package jit

import (
	"testing"

	"emu/cache"
)

// A function that calls on some way is inlined up to there if a quarter of its executions or
// more return before. Otherwise the region would have code that hardly runs.
func TestEarlyReturn(t *testing.T) {
	const (
		f, g, n = 100, 200, 50_000
		andX4   = 0x92400824        // and x4, x1, #7
		cbzX4   = 0xb4000004 | 2<<5 // over the next instruction
		cbnzX4  = 0xb5000004 | 2<<5
		movX5   = 0xaa1e03e5 // mov x5, x30
		movX30  = 0xaa0503fe // mov x30, x5
	)
	for name, tt := range map[string]struct {
		branch uint32
		early  bool
		calls  uint64
	}{
		"mostly": {cbzX4, true, n / 8},
		"rarely": {cbnzX4, false, n / 8 * 7},
	} {
		t.Run(name, func(t *testing.T) {
			load := func() *testBench {
				b := newTestBench(t)
				b.put(0, call(f), subX1, cbnzX1(-2), brk)
				b.put(f, andX4, tt.branch, ret, movX5, call(g-f-4), movX30, ret)
				b.put(g, addX0, ret)
				return b
			}
			b := load()
			x1 := uint64(0)
			if r := b.hotRegion(t, f, func() { x1++; b.s.X[1], b.s.X[30] = x1, b.pc(3) }); r.Early != tt.early {
				t.Errorf("the function's region says %v", r.Early)
			}
			b = load()
			b.hotRegion(t, 0, func() { b.s.X[1] = n })
			u := b.e.cache.Lookup(cache.Key{PC: b.pc(0)})
			if early := len(u.Also) > 0; early != tt.early {
				t.Errorf("inlined: %x", u.Also)
			}
			b.s.X[0], b.s.X[1] = 0, n
			b.until(t, 0)
			if b.s.X[0] != tt.calls {
				t.Errorf("%d calls, want %d", b.s.X[0], tt.calls)
			}
		})
	}
}
