package cpu

import "testing"

// TestWatchedMode: with FPCR.FZ, where exact flags cost much, reads of FPSR alone do not
// ask for them. Software's long double reads FPSR and does not look at it.
func TestWatchedMode(t *testing.T) {
	for _, tt := range []struct {
		fpcr uint32
		want bool
	}{
		{0, false},
		{FPCRWatched, true},
		{FPCRWatched | FPCRWritten, true},
		{fpcrFZ, false},
		{fpcrFZ | FPCRWatched, false},
		{fpcrFZ | FPCRWatched | FPCRWritten, true},
	} {
		s := &State{FPCR: tt.fpcr}
		if got := s.CodeMode()&FPCRWatched != 0; got != tt.want {
			t.Errorf("FPCR %#x: watched %v, want %v", tt.fpcr, got, tt.want)
		}
		if s.SetFPCR(fpcrFZ); s.FPMode() != fpcrFZ {
			t.Errorf("FPCR %#x: the guest sees %#x", tt.fpcr, s.FPMode())
		}
	}
}

// TestRoundingIsNoMode: one unit serves all rounding modes.
func TestRoundingIsNoMode(t *testing.T) {
	s := &State{}
	want := s.CodeMode()
	for mode := range uint32(4) {
		s.SetFPCR(mode << 22)
		if got := s.CodeMode(); got != want {
			t.Errorf("RMode %d: mode %#x, want %#x", mode, got, want)
		}
	}
}
