package cpu

import (
	"math/rand/v2"
	"slices"
	"testing"
	"unsafe"
)

// TestRegionList replaces regions at random, more at first and fewer later, and compares the
// list with a single slice: what it holds, what is found, and the way back.
func TestRegionList(t *testing.T) {
	var l regionList
	var want []Region
	rng := rand.New(rand.NewPCG(3, 4))
	const pages = 20000
	for step := range 12000 {
		start := rng.Uint64N(pages) * PageSize
		end := start + (1+rng.Uint64N(3))*PageSize
		var with []Region
		switch n := rng.IntN(10); {
		case step%3000 == 2999:
			end = start + pages/3*PageSize // many chunks at once
		case n < 5 && step < 8000 || n < 2:
			with = []Region{{Start: start, End: start + PageSize, Ino: uint64(step)}}
		}
		i, j := firstIn(want, start), firstIn(want, start)
		from := l.first(start)
		to := from
		for ; j < len(want) && want[j].Start < end; j++ {
			to = l.next(to)
		}
		want = slices.Replace(want, i, j, with...)
		l.replace(from, to, with...)
		for k, chunk := range l.chunks {
			if len(chunk) == 0 || len(chunk) > maxChunk || k > 0 && len(l.chunks[k-1])+len(chunk) <= maxChunk/4 {
				t.Fatalf("step %d: chunk %d of %d has %d regions", step, k, len(l.chunks), len(chunk))
			}
		}
		addr := rng.Uint64N(pages * PageSize)
		i = firstIn(want, addr)
		if r := l.at(l.first(addr)); i == len(want) != (r == nil) || r != nil && r.Start != want[i].Start {
			t.Fatalf("step %d: first(%#x) = %v", step, addr, r)
		}
		if step%500 == 0 {
			wantList(t, &l, want)
		}
	}
	wantList(t, &l, want)
	l.replace(l.first(0), l.first(1<<40))
	wantList(t, &l, nil)
}

func firstIn(list []Region, addr uint64) int {
	return firstAfter(len(list), addr, func(i int) uint64 { return list[i].End })
}

func wantList(t *testing.T, l *regionList, want []Region) {
	t.Helper()
	if !slices.Equal(l.list(), want) {
		t.Fatalf("%d regions, want %d", len(l.list()), len(want))
	}
	var back []Region
	for c := l.prev(l.first(1 << 40)); l.at(c) != nil; c = l.prev(c) {
		back = append(back, *l.at(c))
	}
	if slices.Reverse(back); !slices.Equal(back, want) {
		t.Fatalf("backwards %d regions, want %d", len(back), len(want))
	}
	var all []Region
	for r := range l.all() {
		all = append(all, *r)
	}
	if !slices.Equal(all, want) {
		t.Fatalf("%d of all regions, want %d", len(all), len(want))
	}
	peeked.regions = *l
	if read, ok := PeekRegions(peeked.Addr(), peekHere); !ok || !slices.Equal(read, want) {
		t.Fatalf("read from outside: %v, %d regions, want %d", ok, len(read), len(want))
	}
}

// peeked is not on a stack, which may move.
var peeked Memory

// peekHere reads the test's own memory.
func peekHere(addr uint64, b []byte) bool {
	copy(b, unsafe.Slice(*(**byte)(unsafe.Pointer(&addr)), len(b)))
	return true
}
