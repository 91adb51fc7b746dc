package jit

import (
	"slices"
	"testing"

	"emu/ir"
	"emu/jit/profile"
)

// TestListingLeavesOutGaps: a unit's listing has the instructions that it was made of, those in front of it last.
func TestListingLeavesOutGaps(t *testing.T) {
	b := ir.NewBuilder(ir.NewFunc(16))
	b.Reset(0x1010)
	for _, pc := range []uint64{0x1010, 0x1030, 0x1000, 0x1014, 0x1010} {
		b.Insn(pc)
	}
	b.Jump(0x1034)
	u := &profile.Unit{PC: 0x1010, Size: 0x24, Also: []ir.Span{{Start: 0x1000, End: 0x1004}}}
	if got, want := translated(u, b.Func), []uint64{0x1010, 0x1014, 0x1030, 0x1000}; !slices.Equal(got, want) {
		t.Errorf("%#x, want %#x", got, want)
	}
	block := &profile.Unit{PC: 0x1010, Size: 8, Also: []ir.Span{{Start: 0x2000, End: 0x2004}}} // made by templates
	if got, want := translated(block, &ir.Func{}), []uint64{0x1010, 0x1014, 0x2000}; !slices.Equal(got, want) {
		t.Errorf("%#x, want %#x", got, want)
	}
}
