package tests

import (
	"strings"
	"testing"
)

// TestLitmus runs litmus tests of the memory model, counters and 128-bit accesses
// across threads: what a real Arm processor must never show is not to be seen in
// either tier. How often the outcome of store buffering that is allowed was seen
// says how much the threads met.
func TestLitmus(t *testing.T) {
	emu, guest := emuPath(t), build(t, "guest/litmus/litmus.c", arm64, "-march=armv8.3-a")
	rounds := "25"
	if testing.Short() {
		rounds = "5"
	}
	for _, argv := range [][]string{
		{"-tier=1", guest, rounds},
		{"-tier=2", guest, rounds},
		{"-tier=1", "-cpu=max,lse2=on", guest, rounds, "lse2"},
		{"-tier=2", "-cpu=max,lse2=on", guest, rounds, "lse2"},
	} {
		got := run(t, "", append([]string{emu}, argv...)...)
		if got.status != 0 || len(got.stdout) == 0 {
			t.Errorf("%v: status %d\n%s%s", argv, got.status, got.stdout, got.stderr)
		}
		for line := range strings.Lines(got.stdout) {
			if !strings.HasSuffix(line, " 0\n") {
				t.Errorf("%v: seen: %s", argv, line)
			}
		}
		t.Logf("%v: %s", argv, got.stderr)
	}
}
