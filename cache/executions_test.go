package cache

import "testing"

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
	run := func(n uint32) { *b.word() -= n }
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
