package jit

import (
	"testing"

	"emu/cache"
)

// useCold makes blocks of b's engine run n times in tier 0 first.
func (b *testBench) useCold(t *testing.T, n uint32) {
	slots := newColdSlots()
	if slots == nil {
		t.Fatal("no memory for counters")
	}
	b.e.cold = &coldCounts{n, slots}
	t.Cleanup(func() { b.e.cold = nil })
}

// A block is compiled at the execution after those in tier 0.
func TestColdBlockIsCompiled(t *testing.T) {
	b := newTestBench(t)
	const cold = 3
	b.useCold(t, cold)
	b.put(0, addX0, branch(4))
	b.put(5, brk)
	k := cache.Key{PC: b.pc(0), Mode: b.s.CodeMode()}
	for n := uint64(1); n <= cold+2; n++ {
		b.until(t, 0)
		if b.s.X[0] != n {
			t.Fatalf("after %d executions X0 is %d", n, b.s.X[0])
		}
		if has, want := b.e.cache.Lookup(k) != nil, n > cold; has != want {
			t.Errorf("after %d executions there is a unit: %v", n, has)
		}
	}
}

// What was stored over a cold block runs the next time: nothing of it is kept.
func TestColdBlockChanges(t *testing.T) {
	b := newTestBench(t)
	b.useCold(t, MaxCold)
	const elsewhere = 2048 // in a page that gets guarded, for BRK is compiled
	b.put(elsewhere, brk)
	b.put(0, addX0, branch(elsewhere-1))
	for n := range uint32(8) {
		b.code[0] = addX0&^(0xfff<<10) | n<<10 // as a guest without cache maintenance
		b.s.X[0] = 0
		b.until(t, 0)
		if b.s.X[0] != uint64(n) {
			t.Errorf("ADD X0, X0, #%d gave %d", n, b.s.X[0])
		}
	}
}

// Counters stop at the limit, and a unit ends the counting.
func TestColdCounts(t *testing.T) {
	c := &coldCounts{limit: 2, slots: newColdSlots()}
	const pc = 0x400004
	for n, want := range [][2]bool{{true, true}, {false, true}, {false, false}, {false, false}} {
		if first, ok := c.count(pc); first != want[0] || ok != want[1] {
			t.Errorf("execution %d: first %v, ok %v", n+1, first, ok)
		}
	}
	c.warmed(pc + 4)
	if _, ok := c.count(pc + 4); ok {
		t.Error("a block with a unit is cold")
	}
	for _, neighbour := range []uint64{pc - 4, pc + 8} {
		if first, ok := c.count(neighbour); !first || !ok {
			t.Errorf("%#x: first %v, ok %v", neighbour, first, ok)
		}
	}
}
