package profile

import (
	"testing"

	"emu/cpu"
	"emu/ir"
)

// guestOf is the listing of a unit of the instructions at pcs.
func guestOf(pcs ...uint64) (lines []Line) {
	for _, pc := range pcs {
		lines = append(lines, Line{PC: pc})
	}
	return lines
}

// TestUnitOfGapsInRegions: what runs in a gap of a region is another unit's, and so is what a region has that nobody
// entered. The report gave the time of all of an interpreter to one of its regions.
func TestUnitOfGapsInRegions(t *testing.T) {
	entered := func(n uint64) func() uint64 { return func() uint64 { return n } }
	p := New(cpu.NewMemory(), "")
	region := &Unit{PC: 0x1010, Size: 0x40, Tier: "2", Guest: guestOf(0x1010, 0x1014, 0x1040, 0x1000), Executions: entered(9)}
	block := &Unit{PC: 0x1018, Size: 8, Tier: "1", Guest: guestOf(0x1018, 0x101c), Executions: entered(5)}
	later := &Unit{PC: 0x1040, Size: 8, Tier: "2", Guest: guestOf(0x1040, 0x1044), Executions: entered(0)}
	region.Also = append(region.Also, ir.Span{Start: 0x1000, End: 0x1004})
	for _, u := range []*Unit{region, block, later} {
		p.Add(u)
	}
	for pc, want := range map[uint64]*Unit{
		0x1000: region, 0x1010: region, 0x1014: region, 0x1018: block, 0x101c: block,
		0x1020: nil, 0x1040: region, 0x1044: later, 0x1048: nil,
	} {
		if got := p.unitOf(pc); got != want {
			t.Errorf("%#x belongs to %+v, want %+v", pc, got, want)
		}
	}
}
