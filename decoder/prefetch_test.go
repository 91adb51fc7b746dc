package decoder

import "testing"

func TestPrefetch(t *testing.T) {
	for prfop, want := range map[uint32]int{
		0b00000: 0, 0b00001: 3, 0b00010: 1, 0b00100: 2, // PLDL1KEEP, PLDL1STRM, PLDL2KEEP, PLDL3KEEP
		0b10000: 0, 0b10011: 3, // PSTL1KEEP, PSTL2STRM
		0b00110: -1, 0b01000: -1, 0b01100: -1, 0b11000: -1, // a fourth level, PLI, no kind
	} {
		level, ok := Prefetch(prfop)
		if ok != (want >= 0) || ok && level != uint32(want) {
			t.Errorf("prfop %05b: %d, %v", prfop, level, ok)
		}
	}
}
