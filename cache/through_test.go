package cache

import "testing"

// Code inside of a block that goes on behind a conditional branch ran as often as the block
// was entered, less what another block tells that only this branch leads to.
func TestThrough(t *testing.T) {
	c, th, _ := newTestCache(t, 0)
	const inside = 0x1018
	long := &Block{Key: Key{PC: 0x1000}, Size: 40, Count: 1000, Exits: []Exit{
		{Target: 0x3000, Patch: 4, Site: 4}, // the branch is at 0x100c
		{Target: 0x4000, Patch: 8, Site: 9}, // at 0x1020, behind what is asked for
		{Target: 0x1028, Patch: 12},
	}}
	put := func(b *Block) *Block {
		if c.Install(th, b, make([]byte, 32), nil, c.Generation()) != b {
			t.Fatal("not installed")
		}
		return b
	}
	put(long)
	side, later := put(&Block{Key: Key{PC: 0x3000}, Size: 8, Count: 1000}), put(&Block{Key: Key{PC: 0x4000}, Size: 8, Count: 1000})
	*word(long.counter) -= 100
	*word(side.counter) -= 30
	*word(later.counter) -= 60
	elsewhere := map[uint64]uint64{}
	want := func(what string, pc, n uint64, kept bool) {
		t.Helper()
		got, k := c.Through(0, func(pc uint64) uint64 { return elsewhere[pc] }).Ran(pc)
		if got != n || k != kept {
			t.Errorf("%s: %d executions, kept %v, want %d, %v", what, got, k, n, kept)
		}
	}
	want("nothing linked", inside, 100, false)
	c.LinkExits(long)
	want("a branch out", inside, 70, false)
	want("its target", 0x3000, 0, false)
	want("the block's start", 0x1000, 0, false)
	want("behind the block", 0x1028, 0, false)
	want("another page", 0x9000, 0, false)
	elsewhere[0x1000], elsewhere[0x3000] = 1000, 500
	want("with other processes", inside, 570, false)
	clear(elsewhere)
	another := put(&Block{Key: Key{PC: 0x5000}, Size: 8, Exits: []Exit{{Target: 0x3000, Patch: 4}}})
	c.LinkExits(another)
	want("a target with other ways to it", inside, 100, false)
	put(&Block{Key: Key{PC: 0x1100}, Size: 8, Region: &Region{Kept: []uint64{0x1020}}})
	want("not in the region", inside, 100, false)
	none := func(uint64) uint64 { return 0 }
	if _, kept := c.Through(0, none).Ran(0x1020); !kept {
		t.Error("a region that kept the code is not found")
	}
	if n, kept := c.Through(1, none).Ran(inside); n != 0 || kept {
		t.Error("blocks of another mode count")
	}
	through := c.Through(0, none)
	if n, _ := through.Ran(inside); n != 100 {
		t.Errorf("%d executions, want 100", n)
	}
	c.Invalidate(0x1000, 0x1004)
	if n, _ := through.Ran(inside); n != 0 {
		t.Errorf("%d executions of a block that is gone", n)
	}
}
