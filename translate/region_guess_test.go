package translate

import (
	"slices"
	"testing"
)

// An indirect call goes on in the few functions that it nearly always goes to, if those that are worth inlining
// have three quarters of its executions, and where other regions with it go on, whatever is noted
// since: what is left of its blocks in tier 1 are those that a loop is entered by.
func TestIndirectCallsOfFewFunctions(t *testing.T) {
	const functions = 11
	words := []uint32{
		0xf8408403, // ldr x3, [x0], #8
		0xd63f0060, // blr x3
		0xf10004c6, // subs x6, x6, #1
		0x54ffffa1, // b.ne, to the start
		0xd65f03c0, // ret
	}
	first := testPC + 4*uint64(len(words))
	for range functions - 1 {
		words = append(words, 0x91000442, 0xd65f03c0) // add x2, x2, #1; ret
	}
	words = append(words, 0x91000442, 0xd4000001) // add x2, x2, #1; svc #0: the last one does not return
	pc := func(function int) uint64 { return first + 8*uint64(function) }
	const site = uint64(testPC + 4)
	for _, c := range []struct {
		name     string
		notes    [functions]int // by function
		expected []int          // functions that other regions go on in
		want     []int
	}{
		{"one", [functions]int{32}, nil, []int{0}},
		{"mostly one, seldom many", [functions]int{27, 1, 1, 1, 1, 1, 1, 1, 1, 1}, nil, []int{0}},
		{"eight", [functions]int{9, 8, 4, 3, 3, 2, 2, 1}, nil, []int{0, 1, 2, 3, 4, 5, 6, 7}},
		{"eight of nine", [functions]int{9, 8, 4, 3, 3, 2, 1, 1, 1}, nil, []int{0, 1, 2, 3, 4, 5, 6, 7}},
		{"too many", [functions]int{4, 4, 4, 4, 4, 3, 3, 3, 3}, nil, nil},
		{"one that is not inlined", [functions]int{20, 6, functions - 1: 6}, nil, []int{0, 1}},
		{"one that is not inlined too often", [functions]int{17, 6, functions - 1: 9}, nil, nil},
		{"as others, but for the notes", [functions]int{3: 32}, []int{2, 1}, []int{2, 1}},
	} {
		var list []Target
		of := 0
		for k, n := range c.notes {
			if n > 0 {
				list, of = append(list, Target{pc(k), n}), of+n
			}
		}
		slices.SortStableFunc(list, func(a, b Target) int { return b.N - a.N })
		tr := New(Options{})
		tr.Region(testPC, fetchFrom(words), &Profile{
			Runs:    func(uint64) bool { return true },
			Targets: func(uint64) ([]Target, int) { return list, of },
			Expected: func(uint64) (list []uint64, ok bool) {
				for _, k := range c.expected {
					list = append(list, pc(k))
				}
				return list, len(list) > 0
			},
		})
		var want []Guess
		for _, k := range c.want {
			want = append(want, Guess{site, pc(k)})
		}
		if got := tr.Guessed(); !slices.Equal(got, want) {
			t.Errorf("%s: the region expects %x, want %x", c.name, got, want)
		}
	}
}
