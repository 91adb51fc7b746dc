package cache

import (
	"encoding/binary"
	"maps"
	"testing"

	"emu/cpu"
	"emu/ir"
	"emu/jit/host"
)

func newTestCache(t *testing.T, size int) (*Cache, *Thread, *cpu.State) {
	t.Helper()
	c, err := New(size)
	if err != nil {
		t.Fatal(err)
	}
	s, err := cpu.NewState()
	if err != nil {
		t.Fatal(err)
	}
	th, err := c.NewThread(s)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.FreeThread(th); s.Free() })
	return c, th, s
}

// install puts a block of n bytes at pc; its only exit is the displacement at
// offset 4, its stub from offset 16 to 24.
func install(t *testing.T, c *Cache, th *Thread, pc, target uint64, n int) *Block {
	t.Helper()
	b := c.Install(th, &Block{Key: Key{PC: pc}, Size: 8, Exits: []Exit{{Target: target, Patch: 4, Stub: 16, End: 24}}}, make([]byte, n), nil, c.Generation())
	if b == nil {
		t.Fatal("not installed")
	}
	return b
}

// leadsTo is where the branch of b's exit goes.
func leadsTo(b *Block) uintptr {
	return b.Addr + 8 + uintptr(int64(int32(binary.LittleEndian.Uint32(b.Code()[4:]))))
}

// remembers reports whether one of the tables of th's jump cache has pc.
func remembers(th *Thread, pc uint64) bool {
	for _, i := range th.places(pc, cpu.BranchNone) {
		if th.jumps[i].pc == pc {
			return true
		}
	}
	return false
}

// Targets a multiple of the first table's reach apart share its entry: virtual
// functions and PLT entries that are called in turn. The second table keeps both.
func TestJumpCacheConflict(t *testing.T) {
	c, th, _ := newTestCache(t, 0)
	const apart = 4 * entries
	pcs := []uint64{0x1000, 0x1000 + apart, 0x1000 + 16*apart, 0x1000 + 17*apart}
	for _, pc := range pcs {
		c.Remember(th, install(t, c, th, pc, 0, 64), cpu.BranchNone)
	}
	for _, pc := range pcs {
		b := c.Lookup(Key{PC: pc})
		if e := th.jumps[far+host.FarJump(pc, th.state.FarMask)]; e.pc != pc || e.addr != uint64(b.Addr) {
			t.Errorf("the second table has %#x at %#x for %#x", e.pc, e.addr, pc)
		}
	}
	c.ForgetAll(th)
	for _, pc := range append(pcs, 0, 1<<32) {
		if remembers(th, pc) {
			t.Errorf("%#x is known after all was forgotten", pc)
		}
	}
}

// The second table grows with what is lost in it, and keeps what it has.
func TestJumpCacheGrows(t *testing.T) {
	c, th, s := newTestCache(t, 0)
	sizes := map[uint32]bool{}
	var pcs []uint64
	known := func() (n int) {
		for _, pc := range pcs {
			if th.jumps[far+host.FarJump(pc, s.FarMask)].pc == pc {
				n++
			}
		}
		return n
	}
	for pc := uint64(0x1000); th.far < host.FarJumpEntries && len(pcs) < 4*host.FarJumpEntries; pc += 64 {
		before, kept := th.far, known()
		th.remember(pc, uintptr(pc), cpu.BranchNone)
		pcs = append(pcs, pc)
		sizes[th.far] = true
		if th.far == before {
			continue
		}
		if s.FarMask != (th.far-1)*16 {
			t.Errorf("%d entries with mask %#x", th.far, s.FarMask)
		}
		if now := known(); now < kept { // the new one may have taken the place of one
			t.Errorf("%d of %d entries are left when there are %d", now, kept, th.far)
		}
	}
	if want := map[uint32]bool{farLeast: true, farGrowth * farLeast: true, host.FarJumpEntries: true}; !maps.Equal(sizes, want) {
		t.Fatalf("sizes %v, want %v", sizes, want)
	}
	for _, pc := range pcs {
		th.forget(pc)
	}
	for i := range th.far {
		if e := &th.jumps[far+i]; th.inFar(far+i, e) {
			t.Errorf("entry %d holds %#x after all were forgotten", i, e.pc)
		}
	}
	for _, pc := range append(pcs, 0) {
		if remembers(th, pc) {
			t.Fatalf("%#x is known after it was forgotten", pc)
		}
	}
	th.remember(pcs[0], 1, cpu.BranchNone)
	c.Shrink(th)
	if remembers(th, pcs[0]) || th.far != farLeast || s.FarMask != (farLeast-1)*16 {
		t.Errorf("%d entries, mask %#x after Shrink", th.far, s.FarMask)
	}
}

func TestLinkAndInvalidate(t *testing.T) {
	c, th, _ := newTestCache(t, 0)
	a := install(t, c, th, 0x1000, 0x2000, 64)
	b := install(t, c, th, 0x2000, 0x1000, 64)
	c.Link(c.ExitAt(a.Addr+24), b)
	if leadsTo(a) != b.Addr {
		t.Fatalf("linked branch leads to %#x, want %#x", leadsTo(a), b.Addr)
	}
	if c.FindAddr(b.Addr+63) != b || c.FindAddr(b.Addr+64) == b {
		t.Error("FindAddr")
	}
	c.Remember(th, b, cpu.BranchNone)
	c.Invalidate(0x2004, 0x2008)
	if leadsTo(a) != a.Addr+16 {
		t.Errorf("branch to a dropped block leads to %#x, not to its stub", leadsTo(a))
	}
	if c.Lookup(b.Key) != nil || c.Lookup(a.Key) != a {
		t.Error("wrong block dropped")
	}
	if remembers(th, 0x2000) {
		t.Error("jump cache still knows the dropped block")
	}
	if c.Enter(th, b) {
		t.Error("entered a dropped block")
	}
	c.Link(c.ExitAt(a.Addr+24), b) // comes too late
	if leadsTo(a) != a.Addr+16 {
		t.Error("linked to a dropped block")
	}
}

// A thread may still be inside of a dropped block, or return to one: its branches
// must not lead to code that was dropped later.
func TestDeadBlockIsUnlinkedToo(t *testing.T) {
	c, th, _ := newTestCache(t, 0)
	a := install(t, c, th, 0x1000, 0x2000, 64)
	b := install(t, c, th, 0x2000, 0x1000, 64)
	c.Link(c.ExitAt(a.Addr+24), b)
	c.Invalidate(0x1000, 0x1004)
	c.Invalidate(0x2000, 0x2004)
	if leadsTo(a) != a.Addr+16 {
		t.Errorf("the dead block leads to %#x, not to its stub", leadsTo(a))
	}
}

// A translation that began before an invalidation may have read old bytes.
func TestStaleTranslationIsRefused(t *testing.T) {
	c, th, _ := newTestCache(t, 0)
	gen := c.Generation()
	c.Invalidate(0x1000, 0x1004)
	c.Invalidate(0x5000, 0x6000)
	if c.Install(th, &Block{Key: Key{PC: 0x0ffc}, Size: 8}, make([]byte, 32), nil, gen) != nil {
		t.Error("installed, though some of its code may have changed")
	}
	if c.Install(th, &Block{Key: Key{PC: 0x2000}, Size: 4, Also: []ir.Span{{Start: 0x5ffc, End: 0x6000}}}, make([]byte, 32), nil, gen) != nil {
		t.Error("installed, though code that is inlined may have changed")
	}
	if c.Install(th, &Block{Key: Key{PC: 0x1004}, Size: 4}, make([]byte, 32), nil, gen) == nil {
		t.Error("refused, though other code has changed")
	}
	for range recentChanges {
		c.Invalidate(0x9000, 0x9004)
	}
	if c.Install(th, &Block{Key: Key{PC: 0x3000}, Size: 4}, make([]byte, 32), nil, gen) != nil {
		t.Error("installed after more changes than are known of")
	}
}

func TestModesAreApart(t *testing.T) {
	c, th, _ := newTestCache(t, 0)
	a := install(t, c, th, 0x1000, 0x2000, 64)
	b := c.Install(th, &Block{Key: Key{PC: 0x2000, Mode: 1 << 22}, Size: 4}, make([]byte, 32), nil, c.Generation())
	c.Link(c.ExitAt(a.Addr+24), b)
	if leadsTo(a) == b.Addr {
		t.Error("linked across modes")
	}
}

// A block that is replaced passes its branches on, also the one to itself, and its
// entries in jump caches go.
func TestReplace(t *testing.T) {
	c, th, _ := newTestCache(t, 0)
	caller := install(t, c, th, 0x1000, 0x2000, 64)
	old := install(t, c, th, 0x2000, 0x2000, 64)
	c.Link(c.ExitAt(caller.Addr+24), old)
	c.Link(c.ExitAt(old.Addr+24), old)
	c.Remember(th, old, cpu.BranchNone)
	b := &Block{Key: Key{PC: 0x2000}, Size: 16}
	gen := c.Generation()
	if !c.Replace(b, make([]byte, 32), nil, gen) {
		t.Fatal("refused")
	}
	if c.Lookup(b.Key) != b {
		t.Error("the key still names the old block")
	}
	if leadsTo(caller) != b.Addr || leadsTo(old) != b.Addr {
		t.Error("branches to the old block do not lead to the new one")
	}
	if remembers(th, 0x2000) {
		t.Error("the jump cache keeps the old block")
	}
	c.Invalidate(0x2008, 0x200c)
	if leadsTo(caller) != caller.Addr+16 || leadsTo(old) != old.Addr+16 {
		t.Error("branches to the new block outlive it")
	}
	if c.Replace(&Block{Key: Key{PC: 0x2000}, Size: 16}, make([]byte, 32), nil, gen) {
		t.Error("code from before an invalidation was installed")
	}
}

// A jump cache that has been shrunk knows nothing, not even of code at 0, and learns anew.
func TestShrink(t *testing.T) {
	c, th, _ := newTestCache(t, 0)
	pcs := []uint64{0, 0x1000, 0x7000_1234}
	for _, pc := range pcs {
		b := &Block{Key: Key{PC: pc}, Size: 4}
		c.Install(th, b, make([]byte, 16), nil, c.Generation())
		c.Remember(th, b, cpu.BranchNone)
	}
	for range 2 {
		c.Shrink(th)
		for _, pc := range pcs {
			if remembers(th, pc) {
				t.Errorf("%#x is known", pc)
			}
		}
	}
	for p, dirty := range th.dirty {
		if dirty {
			t.Errorf("page %d counts as written", p)
		}
	}
	b := c.Lookup(Key{PC: 0x1000})
	c.Remember(th, b, cpu.BranchNone)
	if !remembers(th, 0x1000) {
		t.Error("nothing is remembered afterwards")
	}
}

// Counters lie in pages without code, one for each block that wants one, and come
// back with their region.
func TestCounters(t *testing.T) {
	c, th, _ := newTestCache(t, MinSize)
	seen := map[uintptr]bool{}
	for n := range 3000 {
		b := &Block{Key: Key{PC: uint64(n) * 64}, Size: 4, Count: uint32(n + 1)}
		relocs := []Reloc{{Offset: 4, Tail: 5, Counter: true}}
		c.Install(th, b, make([]byte, 100), relocs, c.Generation())
		at := b.Addr + 4 + 5 + uintptr(int64(int32(binary.LittleEndian.Uint32(b.Code()[4:]))))
		r := &c.arena.regions[c.arena.cur]
		first, behind := at >= r.start-counterPage && at+counterBytes <= r.start, at >= r.end && at+counterBytes <= r.limit
		if at != b.counter || !first && !behind || b.Addr < r.start || b.Addr+uintptr(b.Len) > r.end {
			t.Fatalf("block %d at %#x has its counter at %#x; the region's code lies from %#x to %#x", n, b.Addr, at, r.start, r.end)
		}
		if got := binary.LittleEndian.Uint32(bytes(at, counterBytes)); got != uint32(n+1) {
			t.Fatalf("the counter of block %d starts at %d", n, got)
		}
		if c.Stats().Evictions == 0 && seen[at] {
			t.Fatalf("block %d shares a counter", n)
		}
		seen[at] = true
	}
	if c.Stats().Evictions == 0 && len(seen) != 3000 {
		t.Error("counters are shared")
	}
	last := c.Lookup(Key{PC: 2999 * 64})
	c.SetCounter(last, 7)
	if got := binary.LittleEndian.Uint32(bytes(last.counter, counterBytes)); got != 7 {
		t.Errorf("the counter is %d after it was set to 7", got)
	}
}

// A block with code from several places goes with any of them.
func TestInvalidateSpans(t *testing.T) {
	c, th, _ := newTestCache(t, 0)
	for _, at := range []struct {
		start uint64
		gone  bool
	}{{0x1004, true}, {0x1008, false}, {0x3ffc, false}, {0x4000, true}, {0x4ffc, true}, {0x5004, true}, {0x5008, false}, {0x1ff8, true}} {
		b := &Block{Key: Key{PC: 0x1000}, Size: 8, Also: []ir.Span{{Start: 0x4000, End: 0x5008}, {Start: 0x1ff8, End: 0x1ffc}}}
		if c.Install(th, b, make([]byte, 32), nil, c.Generation()) != b {
			t.Fatal("not installed")
		}
		c.Invalidate(at.start, at.start+4)
		if gone := c.Lookup(b.Key) == nil; gone != at.gone {
			t.Errorf("invalidation at %#x: gone %t, want %t", at.start, gone, at.gone)
		}
		c.Invalidate(0, 1<<40)
		if len(c.pages.lists) != 0 {
			t.Errorf("pages of dropped code are kept: %v", c.pages.lists)
		}
	}
}

// Every address of every block leads to it, before and after eviction; addresses
// between blocks lead nowhere.
func TestFindAddr(t *testing.T) {
	c, th, _ := newTestCache(t, MinSize)
	check := func() {
		t.Helper()
		for i := range c.arena.regions {
			for _, b := range c.arena.regions[i].blocks {
				for _, at := range []uintptr{b.Addr, b.Addr + uintptr(b.Len)/2, b.Addr + uintptr(b.Len) - 1} {
					if got := c.FindAddr(at); got != b {
						t.Fatalf("%#x of the block at %#x leads to %v", at, b.Addr, got)
					}
				}
				if got := c.FindAddr(b.Addr + uintptr(b.Len)); got != nil {
					t.Fatalf("the gap behind the block at %#x leads to the one at %#x", b.Addr, got.Addr)
				}
			}
		}
	}
	for i := range uint64(4000) {
		b := &Block{Key: Key{PC: i * 16}, Size: 4}
		n := []int{20, 100, 500, 9000}[i*i%7%4] + int(i%5)
		c.Install(th, b, make([]byte, n|1), nil, c.Generation())
		if i%397 == 0 {
			check()
		}
	}
	check()
	if c.Stats().Evictions == 0 {
		t.Error("nothing was evicted")
	}
}

// The index finds what was added, whatever was removed before and however often
// it has grown.
func TestIndex(t *testing.T) {
	var x index
	x.grow(4)
	blocks := make([]*Block, 3000)
	for i := range blocks {
		blocks[i] = &Block{Key: Key{PC: uint64(i/2) * 4, Mode: uint32(i % 2)}}
		x.add(blocks[i])
		if i%3 == 0 {
			x.remove(blocks[i])
			x.remove(blocks[i]) // it is not there any more
		}
	}
	for i, b := range blocks {
		want := b
		if i%3 == 0 {
			want = nil
		}
		if got := x.find(b.Key); got != want {
			t.Fatalf("block %d: found %v, want %v", i, got, want)
		}
	}
	if x.n != 2000 {
		t.Errorf("%d blocks counted, want 2000", x.n)
	}
}

// Without finds a live region that leads to a block and left it out.
func TestWithout(t *testing.T) {
	c, th, _ := newTestCache(t, 0)
	b := install(t, c, th, 0x3000, 0, 64)
	for pc := uint64(0x1000); pc < 0x1003; pc++ {
		r := install(t, c, th, pc, 0x3000, 64)
		c.Link(c.ExitAt(r.Addr+24), b)
		if pc == 0x1001 {
			r.Region = &Region{LeftOut: []uint64{0x4000, 0x3000}}
		}
	}
	if r := c.Without(b); r == nil || r.PC != 0x1001 {
		t.Errorf("found %+v", r)
	}
	c.Invalidate(0x1001, 0x1002)
	if r := c.Without(b); r != nil {
		t.Errorf("found the region at %#x, which is gone or has the block", r.PC)
	}
}

// TestRegionsAreAligned: loops in regions are aligned relative to the region's start.
func TestRegionsAreAligned(t *testing.T) {
	c, th, _ := newTestCache(t, MinSize)
	install(t, c, th, 0x1000, 0x2000, 33)
	b := c.Install(th, &Block{Key: Key{PC: 0x2000}, Size: 8, Region: &Region{}}, make([]byte, 33), nil, c.Generation())
	if b.Addr%host.LoopAlign != 0 {
		t.Errorf("a region lies at %#x", b.Addr)
	}
	if next := install(t, c, th, 0x3000, 0x2000, 33); next.Addr != b.Addr+48 {
		t.Errorf("the block behind it lies at %#x, not at %#x", next.Addr, b.Addr+48)
	}
}
