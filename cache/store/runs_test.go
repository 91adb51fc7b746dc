package store

import (
	"sync"
	"testing"
)

// Every process that ran code adds one to its runs, up to MaxRuns, and all see that.
// Code beside it has its own, and what is not the store's has none.
func TestRuns(t *testing.T) {
	dir := t.TempDir()
	a, b := open(t, dir, testKey), open(t, dir, testKey)
	first, last := testCode.Start, testCode.Start+testCode.Size-runBytes
	for n := range MaxRuns + 2 {
		for _, pc := range []uint64{first, last} {
			if got := b.Runs(pc); got != min(n, MaxRuns) {
				t.Errorf("%d runs of %#x, want %d", got, pc, min(n, MaxRuns))
			}
			a.AddRun(pc)
			a, b = b, a
		}
	}
	for _, pc := range []uint64{first + runBytes, last - runBytes} {
		if n := a.Runs(pc); n != 0 {
			t.Errorf("%d runs of %#x, which nobody ran", n, pc)
		}
	}
	for _, pc := range []uint64{0, first - 4, last + runBytes, 1 << 63, ^uint64(3)} {
		if a.AddRun(pc); a.Runs(pc) != 0 {
			t.Errorf("%#x, which is not the store's, has runs", pc)
		}
	}
	a.Add(first+0x10, 0, []byte("a unit"), false)
	if err := a.Flush(); err != nil {
		t.Fatal(err)
	}
	if n := open(t, dir, testKey).Runs(first); n != MaxRuns {
		t.Errorf("%d runs beside a record, want %d", n, MaxRuns)
	}
}

// What many threads note at once may be lost, but not what others noted.
func TestConcurrentRuns(t *testing.T) {
	s := open(t, t.TempDir(), testKey)
	const threads, pcs = 4, 1000
	var wg sync.WaitGroup
	for n := range uint64(threads) {
		wg.Go(func() {
			for i := range uint64(pcs) {
				pc := testCode.Start + runBytes*(threads*i+n)
				for s.Runs(pc) < 2 {
					s.AddRun(pc)
				}
			}
		})
	}
	wg.Wait()
	for i := range uint64(threads * pcs) {
		if n := s.Runs(testCode.Start + runBytes*i); n != 2 {
			t.Fatalf("%d runs of number %d, want 2", n, i)
		}
	}
}

// Uses count the processes that end, over all that have the file open.
func TestUses(t *testing.T) {
	dir := t.TempDir()
	a, b := open(t, dir, testKey), open(t, dir, testKey)
	for n, s := range []*Store{a, b, open(t, dir, testKey), a} {
		if got := s.AddUse(); got != uint32(n+1) {
			t.Errorf("use %d is said to be %d", n+1, got)
		}
	}
	a.Add(testCode.Start, 0, []byte("record"), false)
	a.Flush()
	if n := open(t, dir, testKey).AddUse(); n != 5 {
		t.Errorf("use 5 is said to be %d", n)
	}
}
