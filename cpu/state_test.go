package cpu

import "testing"

// A thread has nothing of the one that had its State before.
func TestStateOfEndedThread(t *testing.T) {
	s, err := NewState()
	if err != nil {
		t.Fatal(err)
	}
	s.X[7], s.V[31][1], s.Pending, s.ExitArg, s.FPCR = 1, 2, 3, [4]uint64{4}, 5
	s.Free()
	again, err := NewState()
	if err != nil {
		t.Fatal(err)
	}
	defer again.Free()
	if again != s {
		t.Error("the State is not used again")
	}
	if *again != (State{}) {
		t.Errorf("the State of an ended thread is not zeroed: %+v", again)
	}
}
