package tests

import (
	"fmt"
	"strings"
	"testing"
)

// TestLitmus runs litmus tests of the memory model, counters and 128-bit accesses
// across threads: what a real Arm processor must never show is not to be seen in
// either tier. How often the outcome of store buffering that is allowed was seen
// says how much the threads met. TestLitmusSeesMutants has the changes to emu with which
// it fails.
func TestLitmus(t *testing.T) {
	emu, guest := emuPath(t), litmusGuest(t)
	for _, tier := range []string{"-tier=1", "-tier=2"} {
		for _, args := range []string{"", "lse2"} {
			if seen := litmus(t, emu, guest, tier, args); len(seen) > 0 {
				t.Errorf("%s %s: seen: %q", tier, args, seen)
			}
		}
	}
}

func litmusGuest(t *testing.T) string {
	t.Helper()
	return build(t, "guest/litmus/litmus.c", arm64, "-march=armv8.3-a")
}

// litmus returns what must not be seen and was: the lines of the guest that do not end
// in 0, and one that begins with "hangs" if it did not end by itself.
func litmus(t *testing.T, emu, guest, tier, args string) (seen []string) {
	t.Helper()
	rounds := "25"
	if testing.Short() {
		rounds = "5"
	}
	argv := []string{emu, tier, guest, rounds}
	if args == "lse2" { // pairs are single-copy atomic
		argv = []string{emu, tier, "-cpu=max,lse2=on", guest, rounds, args}
	}
	got := run(t, "", argv...)
	for line := range strings.Lines(got.stdout) {
		if !strings.HasSuffix(line, " 0\n") {
			seen = append(seen, strings.TrimSpace(line))
		}
	}
	if got.status != 0 || len(got.stdout) == 0 {
		seen = append(seen, fmt.Sprintf("hangs (status %d) %s", got.status, got.stderr))
	}
	t.Logf("%s %s: %s", tier, args, got.stderr)
	return seen
}
