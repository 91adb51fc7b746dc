package cache

import (
	"testing"

	"emu/jit/host"
)

// TestLocks: prefixes are left out until Lock, and after it not any more.
func TestLocks(t *testing.T) {
	c, th, _ := newTestCache(t, MinSize)
	code := make([]byte, 64)
	code[8], code[40] = host.Locked, host.Locked
	relocs := []Reloc{{Offset: 8, Lock: true}, {Offset: 40, Lock: true}}
	install := func(pc uint64) *Block {
		t.Helper()
		b := &Block{Key: Key{PC: pc}, Size: 4}
		if c.Install(th, b, code, relocs, c.Generation()) != b {
			t.Fatal("not installed")
		}
		return b
	}
	check := func(b *Block, want byte) {
		t.Helper()
		for i, got := range b.Code() {
			if expect := code[i]; expect == host.Locked && got != want || expect != host.Locked && got != expect {
				t.Errorf("block at %#x, byte %d: %#x", b.PC, i, got)
			}
		}
	}
	before := install(0x1000)
	check(before, host.Locked)
	c.Unlock()
	unlocked := install(0x2000)
	check(before, host.Locked)
	check(unlocked, host.Unlocked)
	gone := install(0x3000)
	c.Invalidate(0x3000, 0x3004)
	c.Lock()
	check(unlocked, host.Locked)
	check(gone, host.Locked)
	check(install(0x4000), host.Locked)
}

// TestLocksOfEvictedCode: what lies in the place of code that is gone is left alone.
func TestLocksOfEvictedCode(t *testing.T) {
	c, th, _ := newTestCache(t, MinSize)
	c.Unlock()
	code := make([]byte, 1024)
	for i := range code {
		code[i] = host.Unlocked
	}
	for i := range uint64(2 * MinSize / 1024) {
		relocs := []Reloc{{Offset: 512, Lock: true}}
		if i >= MinSize/1024 {
			relocs = nil // an immediate, say
		}
		b := &Block{Key: Key{PC: 0x10000 + 4*i}, Size: 4}
		if c.Install(th, b, code, relocs, c.Generation()) != b {
			t.Fatal("not installed")
		}
	}
	if c.Stats().Evictions == 0 {
		t.Fatal("nothing was evicted")
	}
	c.Lock()
	for i := uint64(MinSize / 1024); i < 2*MinSize/1024; i++ {
		if b := c.Lookup(Key{PC: 0x10000 + 4*i}); b != nil && b.Code()[512] != host.Unlocked {
			t.Fatalf("block %d was changed", i)
		}
	}
}
