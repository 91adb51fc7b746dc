package translate_test

import (
	"fmt"
	"testing"

	"emu/cpu"
	"emu/tests/diff"
)

// With FEAT_LSE2 an access that is to be single-copy atomic may be misaligned as
// long as it stays within 16 aligned bytes; without it only the natural alignment
// is allowed.
func TestMisalignedAtomics(t *testing.T) {
	insts := []struct {
		name  string
		word  uint32 // with size 0
		first int    // log2 of the smallest size
	}{
		{"ldadd", 0x38210040, 0},
		{"swp", 0x38218040, 0},
		{"cas", 0x08a17c40, 0},
		{"ldar", 0x08dffc40, 0},
		{"ldapr", 0x38bfc040, 0},
		{"stlr", 0x089ffc40, 0},
		{"ldxr", 0x085f7c40, 0},
		{"stlxr", 0x0803fc40, 0},
	}
	diff.NewInterp(t) // maps the memory
	s := newState(t)
	for _, spec := range []string{"max", "max,lse2=on"} {
		for _, in := range insts {
			for size := in.first; size < 4; size++ {
				for off := range uint64(16) {
					n := uint64(1) << size
					want := off%n != 0
					if spec != "max" {
						want = off+n > 16
					}
					s.X[2] = diff.MemBase + 64 + off
					exit := single(t, spec, s, 0x4000, in.word|uint32(size)<<30)
					if got := exit.Kind == cpu.ExitAlign; got != want || got && exit.Arg[0] != s.X[2] {
						t.Errorf("%s: %s of %d bytes at +%d: %v", spec, in.name, n, off, exit.Kind)
					}
				}
			}
		}
	}
}

// LDP and STP as one access move what two would.
func TestAtomicPairs(t *testing.T) {
	diff.NewInterp(t)
	s := newState(t)
	for _, wide := range []bool{false, true} {
		bit, mask := uint32(0), uint64(0xffffffff)
		if wide {
			bit, mask = 1<<31, ^uint64(0)
		}
		results := map[string]string{}
		for _, spec := range []string{"max", "max,lse2=on"} {
			s.X[0], s.X[1], s.X[2] = 0x1122334455667788&mask, 0x99aabbccddeeff00&mask, diff.MemBase+40
			single(t, spec, s, 0x4000, 0x29bf0440|bit) // stp r0, r1, [x2, #-4 or -8]!
			single(t, spec, s, 0x4000, 0x28c10c44|bit) // ldp r4, r3, [x2], #4 or 8
			if s.X[4] != s.X[0] || s.X[3] != s.X[1] {
				t.Errorf("%s, 64 bits %t: loaded %#x, %#x", spec, wide, s.X[4], s.X[3])
			}
			results[spec] = fmt.Sprintf("%#x", s.X[2])
		}
		if results["max"] != results["max,lse2=on"] || results["max"] != fmt.Sprintf("%#x", uint64(diff.MemBase+40)) {
			t.Errorf("base registers: %v", results)
		}
	}
}
