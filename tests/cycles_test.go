package tests

import "testing"

// Every cycle of control flow has a safe point in it.
func TestSignalsInCycles(t *testing.T) {
	const want = "b\ncbz\nbr\nbl\nblr\nret\nret to ret\nret elsewhere\ntail\nrecursion\nrecursion by calls alone\n"
	emu, guest := emuPath(t), build(t, "guest/signals/cycles.c", arm64, "-O1", "-fno-optimize-sibling-calls")
	for _, how := range []string{"-tier=interp", "-tier=interp2", "-tier=1", "-tier=2", "-hot=1", "-hot=1000", "-cold=100"} {
		if got := run(t, "", "timeout", "20", emu, how, guest); got.stdout != want {
			t.Errorf("%s: %s%s", how, got.stdout, got.stderr)
		}
	}
}
