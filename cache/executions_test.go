package cache

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// A block's executions are counted over changes of its counter and beyond its end.
func TestExecutions(t *testing.T) {
	c, err := New(1 << 20)
	if err != nil {
		t.Fatal(err)
	}
	b := &Block{Key: Key{PC: 0x1000}, Size: 4, Count: 100}
	if c.Install(nil, b, make([]byte, 16), nil, c.Generation()) != b {
		t.Fatal("not installed")
	}
	run := func(n uint32) { *word(b.counter) -= n }
	want := func(n uint64) {
		t.Helper()
		if got := c.Executions(b); got != n {
			t.Errorf("%d executions, want %d", got, n)
		}
	}
	want(0)
	run(7)
	want(7)
	c.SetCounter(b, 1000)
	want(7)
	run(1000)
	want(1007)
	c.Invalidate(0x1000, 0x1004)
	want(1007)
	plain := &Block{Key: Key{PC: 0x2000}, Size: 4}
	c.Install(nil, plain, make([]byte, 16), nil, c.Generation())
	if n := c.Executions(plain); n != 0 {
		t.Errorf("%d executions of a block without a counter", n)
	}
}

// Executions are told once, those of a block that is gone too.
func TestTakeExecutions(t *testing.T) {
	c, err := New(1 << 20)
	if err != nil {
		t.Fatal(err)
	}
	var blocks [3]*Block
	for i := range blocks {
		blocks[i] = &Block{Key: Key{PC: 0x1000 * uint64(i+1)}, Size: 4, Count: 1000}
		c.Install(nil, blocks[i], make([]byte, 16), nil, c.Generation())
	}
	take := func() map[uint64]uint64 {
		told := make(map[uint64]uint64)
		c.TakeExecutions(10, func(pc, n uint64) { told[pc] += n })
		return told
	}
	*word(blocks[0].counter) -= 9
	*word(blocks[1].counter) -= 10
	*word(blocks[2].counter) -= 500
	c.SetCounter(blocks[2], 100)
	*word(blocks[2].counter) -= 1
	if diff := cmp.Diff(map[uint64]uint64{0x2000: 10, 0x3000: 501}, take()); diff != "" {
		t.Errorf("want -, have +: %s", diff)
	}
	*word(blocks[0].counter) -= 1
	*word(blocks[2].counter) -= 20
	c.Invalidate(0x3000, 0x3004)
	if diff := cmp.Diff(map[uint64]uint64{0x1000: 10, 0x3000: 20}, take()); diff != "" {
		t.Errorf("want -, have +: %s", diff)
	}
	if told := take(); len(told) != 0 {
		t.Errorf("told again: %v", told)
	}
}
