//go:build linux && amd64

package jit

import (
	"math/rand/v2"
	"os"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"emu/cache"
	"emu/cache/store"
	"emu/cpu"
	"emu/internal/forkall"
	"emu/translate"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// No translation mode has the bit that marks records of regions: one that had it was
// taken for a region, whose code has no counter.
func TestRegionMode(t *testing.T) {
	s, err := cpu.NewState()
	if err != nil {
		t.Fatal(err)
	}
	defer s.Free()
	s.FPCR = ^uint32(0)
	s.X[cpu.SP] = 8
	for _, faults := range []uint32{cpu.TagIgnore, cpu.TagSync} {
		for _, top := range []bool{false, true} {
			s.TagFaults, s.TopBytes = faults, top
			if m := s.CodeMode(); m&regionMode != 0 {
				t.Errorf("mode %#x has the mark of regions", m)
			}
		}
	}
}

// TestStoresHoldForksUp: a file of code is made and written under the lock that forks take.
func TestStoresHoldForksUp(t *testing.T) {
	b := newTestBench(t)
	b.e.opts.Store = t.TempDir()
	b.e.initStores()
	if b.e.stores == nil {
		t.Fatal("the engine has no stores")
	}
	made := make(chan bool)
	forkall.NoFork.Lock()
	go func() { made <- b.e.stores.of(codeFile{1, 2, 3, false}, 0x1000, 0x2000) != nil }()
	time.Sleep(20 * time.Millisecond)
	if list, _ := os.ReadDir(b.e.opts.Store); len(list) != 0 {
		t.Error("the file was made during a fork")
	}
	forkall.NoFork.Unlock()
	if !<-made {
		t.Fatal("no store")
	}
	st := b.e.stores.of(codeFile{1, 2, 3, false}, 0x1000, 0x2000)
	st.Add(0x1000, 0, []byte("a unit"), false)
	forkall.NoFork.Lock()
	go func() { made <- st.Flush() == nil }()
	time.Sleep(20 * time.Millisecond)
	if st.End() != st.Start() {
		t.Error("the file was written during a fork")
	}
	forkall.NoFork.Unlock()
	if !<-made || st.End() == st.Start() {
		t.Error("the file was not written after it")
	}
}

// What a store gives back is what was saved, of blocks and regions: a region first,
// the newest of them first, none whose guest code is another now.
func TestSaveAndRestore(t *testing.T) {
	b := newTestBench(t)
	dir := t.TempDir()
	open := func() *store.Store {
		st, err := store.Open(dir, [store.KeySize]byte{}, store.Code{})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { st.Close() })
		return st
	}
	b.e.stores = &codeStores{forks: new(atomic.Uint32)}
	c := newCompiler(b.e)
	c.store = open()
	save := func(k cache.Key, p *plan, profile *translate.Profile) unit {
		t.Helper()
		c.fetch.reset()
		f, err := c.build(k, p, profile)
		if err != nil {
			t.Fatal(err)
		}
		u := unitOf(f)
		if p.region {
			u.region = &cache.Region{LeftOut: slices.Clone(c.tr.LeftOut()), Kept: slices.Clone(c.tr.Kept()), Guesses: []translate.Guess{{Site: k.PC, Target: k.PC + 4}}, Made: 1, Early: k.PC>>12&1 == 0}
		}
		u.also = slices.Clone(u.also)
		c.save(k, u, b.e.cache.Generation())
		if err := c.store.Flush(); err != nil {
			t.Fatal(err)
		}
		return u
	}
	options := cmp.Options{cmp.AllowUnexported(unit{}), cmpopts.IgnoreFields(unit{}, "code", "pcs")}
	r := rand.New(rand.NewPCG(1, 2))
	for n := range 40 {
		at := 4096 * n
		words := make([]uint32, 200)
		for i := range words {
			// ADD (immediate), LDR (immediate) or FADD of registers below 16.
			op := []uint32{0x91000000, 0xf9400000, 0x1e602800}[r.IntN(3)]
			words[i] = op | r.Uint32N(4)<<17 | r.Uint32N(16)<<5 | r.Uint32N(16)
		}
		words[0], words[3], words[8], words[12] = addX0, cbnzX1(5), cbzX1(-8), call(30)
		words[42], words[43] = addX0, ret
		b.put(at, words...)
		k := cache.Key{PC: b.pc(at)}
		want := save(k, &countedPlan, nil)
		code := slices.Clone(c.code.Bytes)
		got, ok := c.restore(k)
		if diff := cmp.Diff(want, got, options); !ok || diff != "" || !slices.Equal(code, got.code) {
			t.Fatalf("block %d: %v %s", n, ok, diff)
		}
		save(k, &regionPlan, &translate.Profile{Runs: func(pc uint64) bool { return false }})
		want = save(k, &regionPlan, &translate.Profile{Runs: func(pc uint64) bool { return pc != b.pc(at+4) }})
		saved := c.code
		saved.Bytes, saved.Relocs, saved.Exits = slices.Clone(saved.Bytes), slices.Clone(saved.Relocs), slices.Clone(saved.Exits)
		saved.Map = saved.Map.Clone()
		own := c.store
		c.store = open()
		save(k, &countedPlan, nil) // another process's, which came later: it is there already
		c.store = own
		got, ok = c.restore(k)
		if diff := cmp.Diff(want, got, options); !ok || diff != "" {
			t.Fatalf("region %d: %v %s", n, ok, diff)
		}
		have := c.code
		have.Bytes, have.Map = got.code, got.pcs
		if diff := cmp.Diff(saved, have, cmpopts.EquateEmpty()); diff != "" {
			t.Fatalf("code of region %d: %s", n, diff)
		}
		if spans := got.also; len(spans) > 0 {
			b.put(int(spans[0].Start-b.base)/4, brk)
			c.fetch.reset()
			if got, ok := c.restore(k); ok && got.region != nil {
				t.Fatalf("region %d: restored though %v of it changed", n, spans[0])
			}
		}
		b.put(at, subX1)
		c.fetch.reset()
		if _, ok = c.restore(k); ok {
			t.Fatalf("block %d: restored though its code changed", n)
		}
	}
}

// As many units come ahead as those before were of use.
func TestAheadIsJudged(t *testing.T) {
	b := newTestBench(t)
	var a restoredAhead
	install := func(at, n int) {
		words := make([]uint32, 2*n)
		for i := range n {
			words[2*i], words[2*i+1] = addX0, branch(1)
		}
		b.put(at, append(words, brk)...)
		c := newCompiler(b.e)
		for i := range n {
			a.units = append(a.units, c.compile(nil, cache.Key{PC: b.pc(at + 2*i), Mode: b.s.CodeMode()}, false))
		}
	}
	a.judge(b.e.cache)
	for n, want := range []int{1, 2, 4, 8, 16, 32, 32} {
		if a.n != want {
			t.Errorf("after %d batches that ran: %d, want %d", n, a.n, want)
		}
		install(4096*n, a.n)
		b.until(t, 4096*n)
		a.judge(b.e.cache)
	}
	for n, want := range []int{32, 16, 8, 4, 2, 1, 1} {
		if a.n != want {
			t.Errorf("after %d batches that did not run: %d, want %d", n, a.n, want)
		}
		install(4096*n+2048, a.n)
		a.judge(b.e.cache)
	}
}
