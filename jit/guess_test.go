package jit

import (
	"cmp"
	"slices"
	"testing"
	"time"

	"emu/cache"
	"emu/translate"
)

// hotRegion runs the program at word index at until the unit there is a region, which it
// returns.
func (b *testBench) hotRegion(t *testing.T, at int, prepare func()) *cache.Region {
	t.Helper()
	for end := time.Now().Add(20 * time.Second); time.Now().Before(end); { // made in the background
		prepare()
		b.until(t, at)
		if u := b.e.cache.Lookup(cache.Key{PC: b.pc(at)}); u != nil && u.Region != nil {
			return u.Region
		}
	}
	t.Fatal("no region")
	return nil
}

const (
	blrX2   = 0xd63f0040
	addX0x2 = 0x91000800 // add x0, x0, #2
)

// A function that an indirect call nearly always goes to is inlined; calls of others
// go there all the same.
func TestGuessedCall(t *testing.T) {
	b := newTestBench(t)
	const one, two, n = 100, 200, 50_000
	b.put(0, blrX2, subX1, cbnzX1(-2), brk)
	b.put(one, addX0, ret)
	b.put(two, addX0x2, ret)
	r := b.hotRegion(t, 0, func() { b.s.X[1], b.s.X[2] = n, b.pc(one) })
	if len(r.Guesses) != 1 || r.Guesses[0].Site != b.pc(0) || r.Guesses[0].Target != b.pc(one) {
		t.Errorf("guesses %x, want one of %x at %x", r.Guesses, b.pc(one), b.pc(0))
	}
	u := b.e.cache.Lookup(cache.Key{PC: b.pc(0)})
	if len(u.Also) == 0 {
		t.Error("the function is not inlined")
	}
	for k, f := range []int{one, two, one} {
		b.s.X[0], b.s.X[1], b.s.X[2] = 0, n, b.pc(f)
		b.until(t, 0)
		if want := uint64(n * f / one); b.s.X[0] != want {
			t.Errorf("run %d: x0 = %d, want %d", k, b.s.X[0], want)
		}
	}
	// A region with code of the function goes when the function changes.
	b.put(one, addX0x2)
	b.s.X[0], b.s.X[1] = 0, n
	b.until(t, 0)
	if b.s.X[0] != 2*n {
		t.Errorf("with another function: x0 = %d, want %d", b.s.X[0], 2*n)
	}
}

// A function that is called by way of a linkage table's entry is inlined with it, and a
// larger one is called from the region.
func TestLinkageTable(t *testing.T) {
	b := newTestBench(t)
	const entry, small, large, n = 100, 200, 300, 50_000
	b.put(0, call(entry), subX1, cbnzX1(-2), brk)
	b.put(entry, brX2)
	b.put(small, addX0, ret)
	for k := range 50 {
		b.put(large+k, addX0)
	}
	b.put(large+50, ret)
	b.hotRegion(t, 0, func() { b.s.X[1], b.s.X[2] = n, b.pc(small) })
	u := b.e.cache.Lookup(cache.Key{PC: b.pc(0)})
	if len(u.Also) != 2 {
		t.Errorf("inlined: %x, want the table's entry and the function", u.Also)
	}
	b.s.X[0], b.s.X[1], b.s.X[2] = 0, n, b.pc(large)
	b.until(t, 0)
	if b.s.X[0] != 50*n {
		t.Errorf("another function: x0 = %d, want %d", b.s.X[0], 50*n)
	}
}

// Functions that a call goes to in turn are all inlined, and a third one is called.
func TestGuessedCalls(t *testing.T) {
	b := newTestBench(t)
	const one, two, three, n = 100, 200, 300, 50_000
	b.put(0, blrX2, eorX2X3, subX1, cbnzX1(-3), brk)
	b.put(one, addX0, ret)
	b.put(two, addX0x2, ret)
	b.put(three, addX0, addX0x2, ret)
	inTurn := func(f, g int) func() {
		return func() { b.s.X[0], b.s.X[1], b.s.X[2], b.s.X[3] = 0, n, b.pc(f), b.pc(f)^b.pc(g) }
	}
	r := b.hotRegion(t, 0, inTurn(one, two))
	want := []translate.Guess{{Site: b.pc(0), Target: b.pc(one)}, {Site: b.pc(0), Target: b.pc(two)}}
	less := func(a, b translate.Guess) int { return cmp.Compare(a.Target, b.Target) }
	if got := slices.SortedFunc(slices.Values(r.Guesses), less); !slices.Equal(got, want) {
		t.Errorf("guesses %x, want %x", got, want)
	}
	for _, c := range []struct{ f, g, want int }{{two, one, n / 2 * 3}, {two, three, n / 2 * 5}, {three, three, n * 3}} {
		inTurn(c.f, c.g)()
		b.until(t, 0)
		if b.s.X[0] != uint64(c.want) {
			t.Errorf("x0 = %d, want %d", b.s.X[0], c.want)
		}
	}
}

// What an indirect branch did in other threads or at other times is no guess.
func TestNoGuess(t *testing.T) {
	b := newTestBench(t)
	const one, large, n = 100, 200, 50_000
	b.put(0, blrX2, eorX2X3, subX1, cbnzX1(-3), brk)
	b.put(one, addX0, ret)
	for k := range 50 {
		b.put(large+k, addX0)
	}
	b.put(large+50, ret)
	r := b.hotRegion(t, 0, func() { b.s.X[1], b.s.X[2], b.s.X[3] = n, b.pc(one), b.pc(one)^b.pc(large) })
	if len(r.Guesses) != 0 {
		t.Errorf("guesses %x of a call that goes to a function that is not inlined half of the time", r.Guesses)
	}
}
