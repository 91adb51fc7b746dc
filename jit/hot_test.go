//go:build linux && amd64

package jit

import (
	"testing"
	"time"

	"emu/cache"
)

// What others counted lowers a threshold, but not below what a process has to run to be counted.
func TestRemainingOfThreshold(t *testing.T) {
	for _, c := range []struct {
		hot, threshold uint32
		counted        uint64
		want           uint32
	}{
		{40000, 40000, 0, 40000},
		{40000, 160000, 64, 159936},
		{40000, 40000, 39999, 5000},
		{40000, 40000, 1 << 40, 5000},
		{64, 64, 1 << 40, 8},
		{1, 1, 1 << 40, 1},
		{1, 4, 2, 2},
	} {
		e := &Engine{opts: Options{Hot: c.hot}}
		if got := e.remaining(c.threshold, c.counted); got != c.want {
			t.Errorf("-hot %d: of %d less %d remain %d, want %d", c.hot, c.threshold, c.counted, got, c.want)
		}
	}
}

// TestUnaffordableRequests: a unit that gets hot when the compiler has used up its share wakes nobody,
// and asks again after many more executions.
func TestUnaffordableRequests(t *testing.T) {
	b := newTestBench(t)
	b.put(0, addX0, branch(4))
	b.put(5, brk)
	b.until(t, 0)
	b.e.hot.settle()
	k := cache.Key{PC: b.pc(0), Mode: b.s.CodeMode()}
	unit := b.e.cache.Lookup(k)
	if unit == nil {
		t.Fatal("no unit")
	}
	h := newHotQueue(b.e, true)
	spent := &b.e.stats.background
	before, dropped := spent.Load(), b.e.stats.dropped.Load()
	defer spent.Store(before)
	for _, c := range []struct {
		spent time.Duration
		sent  int
	}{{time.Hour, 0}, {0, 1}} {
		spent.Store(uint64(c.spent))
		h.start.Do(func() {}) // nobody serves
		h.request(k)
		if len(h.work) != c.sent {
			t.Errorf("after %v of compiling %d requests wait, want %d", c.spent, len(h.work), c.sent)
		}
		for range 2 * askAgain {
			b.until(t, 0)
		}
		b.e.hot.settle() // which has no such bound
		if made := b.e.cache.Lookup(k).Region != nil; made != (c.sent == 1) {
			t.Errorf("after %v of compiling and %d executions: asked again: %v", c.spent, 2*askAgain, made)
		}
	}
	if n := b.e.stats.dropped.Load() - dropped; n != 1 {
		t.Errorf("%d requests dropped, want 1", n)
	}
}
