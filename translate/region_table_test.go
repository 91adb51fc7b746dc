package translate

import (
	"slices"
	"testing"
)

// TestCasesFromTable: where there are more cases than comparisons are worth, and the table can be found, a region has all of them
// that run, and none if the notes say that it is not the table.
func TestCasesFromTable(t *testing.T) {
	const (
		table = testPC + 0x120
		cases = 16
		far   = 200 // instructions between what sets the registers and the switch
	)
	const hi = 0x54000008 // b.hi, whose distance is added
	for _, c := range []struct {
		name  string
		set   []uint32 // in front of the loop
		code  []uint32 // of the switch, with the comparison
		base  int      // word of code that distances are from; -1: addresses
		size  int      // of an entry
		scale uint64   // of distances
	}{
		{"bytes", []uint32{0x90000001, 0x91048021}, // adrp x1; add x1, x1, #0x120
			[]uint32{0x71003c7f, hi, 0x38634824, 0x10000065, 0x8b2488a4, 0xd61f0080}, // cmp w3, #15; ldrb w4, [x1, w3, uxtw]; adr x5; add x4, x5, w4, sxtb #2; br x4
			6, 1, 4},
		{"halves, signed", []uint32{0x90000001, 0x91048021, 0x10000005 + 3<<5}, // and adr x5
			[]uint32{0x71003c7f, hi, 0x78635824, 0x8b24a8a4, 0xd61f0080}, // ldrh w4, [x1, w3, uxtw #1]; add x4, x5, w4, sxth #2
			-far, 2, 4},
		{"halves", []uint32{0x90000009, 0x91048129}, // adrp x9; add x9, x9, #0x120
			[]uint32{0xf1003d1f, hi, 0x1000008a, 0x7868792b, 0x8b0b094a, 0xd61f0140}, // cmp x8, #15; adr x10; ldrh w11, [x9, x8, lsl #1]; add x10, x10, x11, lsl #2
			6, 2, 4},
		{"words", []uint32{0x90000009, 0x91048129},
			[]uint32{0xf1003d1f, hi, 0x1000008a, 0xb8a8792b, 0x8b0b014a, 0xd61f0140}, // ldrsw x11, [x9, x8, lsl #2]; add x10, x10, x11
			6, 4, 1},
		{"words from the table", []uint32{0x90000009, 0x91048129},
			[]uint32{0xf1003d1f, hi, 0xb8a8792b, 0x8b0b012a, 0xd61f0140}, // add x10, x9, x11
			1 << 20, 4, 1},
		{"addresses", []uint32{0x9000001b, 0x9104837b}, // adrp x27; add x27, x27, #0x120
			[]uint32{0xf1003c7f, hi, 0xf8637b7b, 0xd61f0360}, // cmp x3, #15; ldr x27, [x27, x3, lsl #3]
			-1, 8, 1},
	} {
		words := append(slices.Clone(c.set), slices.Repeat([]uint32{0xd503201f}, far)...)
		head := len(words)
		words = append(words, c.code...)
		first := len(words)
		words[head+1] += uint32(first+2*cases-head-1) << 5
		var targets []uint64
		for k := range cases {
			targets = append(targets, testPC+4*uint64(first+2*k))
			words = append(words, 0x91000442, 0x14000000|uint32(2*(cases-k)-1)) // add x2, x2, #1; b, to the end
		}
		words = append(words, 0xf10004c6, 0x54000001|uint32(head-len(words)-1)&0x7ffff<<5, 0xd65f03c0) // subs x6, x6, #1; b.ne, to the start; ret
		base := uint64(0)
		switch {
		case c.base == 1<<20:
			base = table
		case c.base == -far: // ADR x5 in front
			base = testPC + 8 + 12
		case c.base >= 0:
			base = testPC + 4*uint64(head+c.base)
		}
		load := func(addr uint64, size int) (uint64, bool) {
			k := (addr - table) / uint64(c.size)
			if addr < table || k >= cases || size != c.size {
				t.Errorf("%s: %d bytes at %#x are read", c.name, size, addr)
				return 0, false
			}
			return (targets[k] - base) / c.scale & (1<<(8*min(size, 7)) - 1), true
		}
		site := testPC + 4*uint64(first-1)
		guessed := func(notes []uint64, never uint64) (to []uint64) {
			var list []Target
			for _, pc := range notes {
				list = append(list, Target{pc, 3})
			}
			tr := New(Options{})
			tr.Region(testPC+4*uint64(head), fetchFrom(words), &Profile{
				Runs:     func(uint64) bool { return true },
				RunsCase: func(pc uint64) bool { return pc != never },
				Targets:  func(uint64) ([]Target, int) { return list, 3 * len(list) },
				Load:     load,
			})
			for _, g := range tr.Guessed() {
				if g.Site != site {
					t.Errorf("%s: a guess of the branch at %#x", c.name, g.Site)
				}
				to = append(to, g.Target)
			}
			return to
		}
		if got, want := guessed(targets[4:14], targets[1]), slices.Concat(targets[4:14], targets[:1], targets[2:4], targets[14:]); !slices.Equal(got, want) {
			t.Errorf("%s: the region expects %x, want %x", c.name, got, want)
		}
		if got := guessed(append(targets[4:14:14], targets[3]+4), 0); !slices.Equal(got, []uint64{0}) {
			t.Errorf("%s: with a target that is not in the table the region expects %x, want none", c.name, got)
		}
	}
}
