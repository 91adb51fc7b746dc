package translate

import (
	"slices"
	"testing"
)

// TestSwitchesOfManyTargets: that eight targets have 29 of 32 notes happens to an interpreter with fourteen
// operations, too. A region goes on behind a switch if they have hardly less than all.
func TestSwitchesOfManyTargets(t *testing.T) {
	words := []uint32{
		0x38401403, // ldrb w3, [x0], #1
		0x7100447f, // cmp w3, #17
		0x54000108, // b.hi, to the end
		0x38634824, // ldrb w4, [x1, w3, uxtw]
		0x10000065, // adr x5, behind the branch
		0x8b2488a4, // add x4, x5, w4, sxtb #2
		0xd61f0080, // br x4
	}
	const cases = 14
	site, first := testPC+4*uint64(len(words)-1), testPC+4*uint64(len(words))
	for k := range cases {
		words = append(words, 0x91000442, 0x14000000|uint32(2*(cases-k)-1)) // add x2, x2, #1; b, to the end
	}
	words = append(words, 0xf10004c6, 0x54000001|uint32(-(len(words)+1)&0x7ffff)<<5, 0xd65f03c0) // subs x6, x6, #1; b.ne, to the start; ret
	for _, c := range []struct {
		notes []int // by target
		on    int   // targets that the region goes on at
	}{
		{[]int{9, 4, 4, 3, 3, 2, 2, 2, 1, 1, 1}, 0},
		{[]int{6, 4, 4, 4, 4, 3, 3, 2, 1, 1}, 0},
		{[]int{12, 8, 6, 3, 1, 1, 1}, 7},
		{[]int{12, 7, 5, 3, 1, 1, 1, 1, 1}, 8},
	} {
		var list []Target
		of := 0
		for k, n := range c.notes {
			list, of = append(list, Target{first + 8*uint64(k), n}), of+n
		}
		tr := New(Options{})
		tr.Region(testPC, fetchFrom(words), &Profile{
			Runs:    func(uint64) bool { return true },
			Targets: func(at uint64) ([]Target, int) { return list, of },
		})
		want := []Guess{{site, 0}}
		if c.on > 0 {
			want = nil
			for _, to := range list[:c.on] {
				want = append(want, Guess{site, to.PC})
			}
		}
		if got := tr.Guessed(); !slices.Equal(got, want) {
			t.Errorf("notes %v: the region expects %x, want %x", c.notes, got, want)
		}
	}
}
