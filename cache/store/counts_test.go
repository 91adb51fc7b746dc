package store

import (
	"sync"
	"testing"
)

// Counts of concurrent writers add up, in units of 64, up to a bound; what finds no
// place is not counted, and nothing is counted for another pc.
func TestCounts(t *testing.T) {
	dir := t.TempDir()
	const writers, rounds, pcs = 4, 50, 60
	var wg sync.WaitGroup
	for range writers {
		s := open(t, dir, testKey)
		wg.Go(func() {
			for range rounds {
				var list []Count
				for i := range uint64(pcs) {
					list = append(list, Count{0x400000 + 4*i, 64 + i})
				}
				if err := s.AddCounts(list); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	s := open(t, dir, testKey)
	for i := range uint64(pcs) {
		if n := s.Count(0x400000 + 4*i); n != writers*rounds*64 {
			t.Errorf("pc %d: %d, want %d", i, n, writers*rounds*64)
		}
	}
	if n := s.Count(0x400000 + 4*pcs); n != 0 {
		t.Errorf("%d of a pc that nobody counted", n)
	}
	s.AddCounts([]Count{{0x500000, 1 << 60}, {0x500000, 1 << 60}, {1 << 50, 1000}})
	if n := s.Count(0x500000); n != maxCount*countUnit {
		t.Errorf("the largest count is %#x", n)
	}
	var more []Count
	for i := range uint64(10 * minBuckets) {
		more = append(more, Count{0x600000 + 4*i, 128})
	}
	s.AddCounts(more)
	counted := 0
	for _, c := range more {
		switch n := s.Count(c.PC); n {
		case 128:
			counted++
		case 0:
		default:
			t.Fatalf("%#x: %d, want 128 or nothing", c.PC, n)
		}
	}
	if counted == 0 || counted > minBuckets/countsShare {
		t.Errorf("%d of %d were counted", counted, len(more))
	}
	if n := s.Count(0x400000); n != writers*rounds*64 {
		t.Errorf("a full table lost a count: %d", n)
	}
	s.Add(0x400000, 0, []byte("record"), true)
	s.Flush()
	if got := find(open(t, dir, testKey), 0x400000, 0); len(got) != 1 {
		t.Errorf("records beside the counts: %q", got)
	}
}
