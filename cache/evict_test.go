package cache

import (
	"sync"
	"sync/atomic"
	"testing"

	"emu/cpu"
)

// Filling the cache many times over must keep every index consistent, and a
// block that is not evicted must keep its bytes.
func TestEviction(t *testing.T) {
	c, th, _ := newTestCache(t, MinSize)
	const n = 4000
	for i := range uint64(n) {
		pc := 0x10000 + i*16
		b := install(t, c, th, pc, pc-16, 1024)
		for j := range b.Code()[32:] {
			b.Code()[32+j] = byte(i)
		}
		if prev := c.Lookup(Key{PC: pc - 16}); prev != nil {
			c.Link(c.ExitAt(b.Addr+24), prev)
			if prev.Code()[40] != byte(i-1) {
				t.Fatalf("block %d was overwritten", i-1)
			}
		}
	}
	s := c.Stats()
	if s.Evictions == 0 || s.Blocks != n {
		t.Fatalf("stats %+v", s)
	}
	live := 0
	for i := range c.arena.regions {
		live += len(c.arena.regions[i].blocks)
	}
	if live != c.blocks.n {
		t.Errorf("%d blocks in regions, %d in the index", live, c.blocks.n)
	}
	listed := 0
	for _, l := range c.pages.lists {
		listed += len(l.blocks)
	}
	if listed != live {
		t.Errorf("%d blocks listed by page, %d live", listed, live)
	}
}

// Eviction waits for threads that are in generated code and resets their native
// stacks before their code goes.
func TestEvictionWaitsForThreads(t *testing.T) {
	c, th, _ := newTestCache(t, MinSize)
	s2, err := cpu.NewState()
	if err != nil {
		t.Fatal(err)
	}
	defer s2.Free()
	th2, err := c.NewThread(s2)
	if err != nil {
		t.Fatal(err)
	}
	defer c.FreeThread(th2)
	b := install(t, c, th, 0x8000, 0, 64)
	s2.NativeSP -= 64
	if !c.Enter(th2, b) {
		t.Fatal("cannot enter")
	}
	var left atomic.Bool
	var wg sync.WaitGroup
	wg.Go(func() { // the other thread: leaves when it is asked to
		for atomic.LoadUint32(&s2.Pending)&cpu.PendEvict == 0 {
		}
		// After a fault it looks for its unit first, which was gone by then, or the
		// lock was taken by who waits.
		if c.FindAddr(b.Addr+1) != b {
			t.Error("the unit that the thread is in cannot be found")
		}
		left.Store(true)
		atomic.StoreUint32(&s2.InGuest, 0)
	})
	for i := range uint64(1000) {
		install(t, c, th, 0x100000+i*16, 0, 1024)
	}
	wg.Wait()
	if !left.Load() {
		t.Error("the thread was not waited for")
	}
	b2 := install(t, c, th, 0x8000, 0, 64)
	if !c.Enter(th2, b2) || s2.NativeSP != s2.NativeTop {
		t.Errorf("native stack not reset: %#x, top %#x", s2.NativeSP, s2.NativeTop)
	}
}

// A region of which a sweep has left nothing is used again: it was taken for one that had
// not been used, and was full.
func TestSweptRegionsAreUsedAgain(t *testing.T) {
	c, th, _ := newTestCache(t, 4*sweepBytes)
	const size = 1024
	for i := range uint64(10 * sweepBytes / size) {
		pc := 0x10000 + i*16
		install(t, c, th, pc, 0, size)
		c.Invalidate(pc, pc+16)
	}
	if s := c.Stats(); s.Sweeps == 0 || s.Evictions > 1 {
		t.Errorf("%d sweeps, %d evictions", s.Sweeps, s.Evictions)
	}
}

// The code of a library that was unloaded goes back to the kernel and is found no more;
// what lies next to it stays.
func TestSweep(t *testing.T) {
	c, th, s := newTestCache(t, 64<<20)
	const n, size = 2000, 1024
	for i := range uint64(n) {
		b := install(t, c, th, 0x10000+i*16, 0, size)
		for k := range b.Code()[32:] {
			b.Code()[32+k] = byte(i) | 1
		}
	}
	kept := install(t, c, th, 0x8000, 0x8000, size)
	c.Link(c.ExitAt(kept.Addr+24), kept)
	first, last := c.Lookup(Key{PC: 0x10000}), c.Lookup(Key{PC: 0x10000 + (n-1)*16})
	mine := c.Lookup(Key{PC: 0x10000 + n/2*16})
	if !c.Enter(th, mine) {
		t.Fatal("cannot enter")
	}
	atomic.StoreUint32(&s.InGuest, 0)
	s.NativeSP -= 64
	c.Invalidate(0x10000+16, 0x10000+(n-1)*16)
	if c.FindAddr(mine.Addr+1) != mine {
		t.Error("invalidated code cannot be found before it is swept")
	}
	after := install(t, c, th, 0x9000, 0, size)
	stats := c.Stats()
	if stats.Sweeps != 1 || stats.FreedBytes < (n-10)*size || stats.FreedBytes > n*size {
		t.Errorf("stats %+v", stats)
	}
	if c.FindAddr(mine.Addr+1) != nil || mine.Code()[40] != 0 {
		t.Error("the code is still there")
	}
	for _, b := range []*Block{kept, first, last, after} {
		if c.FindAddr(b.Addr+1) != b || c.Lookup(b.Key) != b {
			t.Errorf("the block at %#x cannot be found", b.PC)
		}
	}
	if first.Code()[40] != 1 || last.Code()[40] != (n-1)&0xff|1 || leadsTo(kept) != kept.Addr {
		t.Error("code that is alive has changed")
	}
	if !c.Enter(th, kept) || s.NativeSP != s.NativeTop {
		t.Error("the native stack was not reset")
	}
}
