package translate

import (
	"testing"

	"emu/ir"
)

// TestTails: a region has a copy of what it branches back to if that is short, straight and
// ends in an indirect branch or a return, and everything that leaves from there but
// returns is behind a safe point: a cycle may go through it.
func TestTails(t *testing.T) {
	const (
		add  = 0x91000400                 // add x0, x0, #1
		cbz  = 0xb4000000 | 6<<5          // cbz x0, six instructions on
		br   = 0xd61f0040                 // br x2
		ret  = 0xd65f03c0                 // ret
		bl   = 0x94000000 | 100           // bl
		svc  = 0xd4000001                 // svc #0
		back = 0x14000000 | -5&0x03ffffff // b, five instructions back
	)
	for _, c := range []struct {
		name    string
		head    [4]uint32 // what is branched back to
		covered int       // instructions of the region
		polls   int
		last    ir.Op
	}{
		{"indirect", [4]uint32{add, add, add, br}, 6, 0, ir.OpJumpInd},
		{"leaves", [4]uint32{add, cbz, add, br}, 6, 1, ir.OpJumpInd},
		{"return", [4]uint32{add, add, add, ret}, 6, 0, ir.OpRet},
		{"call", [4]uint32{add, bl, add, br}, 2, 1, ir.OpJump},
		{"system call", [4]uint32{add, svc, add, br}, 2, 1, ir.OpJump},
		{"runs into the entry", [4]uint32{add, add, add, add}, 2, 1, ir.OpJump},
	} {
		words := append(c.head[:], add, back, add, add)
		tr := New(Options{})
		f := tr.Region(testPC+16, fetchFrom(words), nil)
		if err := f.Verify(); err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		polls, last := 0, ir.OpNop
		for _, i := range f.Insts {
			switch i.Op() {
			case ir.OpPoll:
				polls++
			case ir.OpJumpInd, ir.OpRet, ir.OpJump:
				last = i.Op()
			}
		}
		if tr.Covered() != c.covered || polls != c.polls || last != c.last {
			t.Errorf("%s: %d instructions, %d polls, %v at the end; want %d, %d, %v\n%v", c.name, tr.Covered(), polls, last, c.covered, c.polls, c.last, f)
		}
		if tail := (ir.Span{Start: testPC, End: testPC + 16}); c.covered == 6 && spansOf(f, tail) != 16 {
			t.Errorf("%s: Also does not tell of the tail: %v", c.name, f.Also)
		}
	}
}

// spansOf is how many bytes of s are in f.Also.
func spansOf(f *ir.Func, s ir.Span) (n uint64) {
	for _, a := range f.Also {
		if a.Start >= s.Start && a.End <= s.End {
			n += a.End - a.Start
		}
	}
	return n
}
