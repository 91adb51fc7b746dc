package tests

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// likeHost runs each program of a folder in tier auto, in one of the other tiers given by turns, or all
// of them with EMU_TIERS=all, and on the host: the same source has to print the same and end in
// the same way. argsOf are the argument lists that a program is run with; nil is once without any. A line
// SKIP of a program says what the host forbids or does not know.
func likeHost(t *testing.T, folder string, argsOf func(name string) [][]string, tiers ...string) {
	t.Helper()
	emu := emuPath(t)
	list, err := filepath.Glob(filepath.Join(folder, "*.c"))
	if err != nil || len(list) == 0 {
		t.Fatalf("no guests in %s (%v)", folder, err)
	}
	for i, src := range list {
		name := strings.TrimSuffix(filepath.Base(src), ".c")
		cases := [][]string{nil}
		if argsOf != nil {
			cases = argsOf(name)
		}
		turns := []string{"auto", tiers[i%len(tiers)]}
		if os.Getenv("EMU_TIERS") == "all" {
			turns = append([]string{"auto"}, tiers...)
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			guest, host := build(t, src, arm64, "-O1"), build(t, src, native, "-O1")
			for _, args := range cases {
				want := run(t, "", append([]string{host}, args...)...)
				if want.stdout == "" && want.signal == 0 { // some programs die, each in its way
					t.Fatalf("%s %s on the host: %v, want it to print something", name, strings.Join(args, " "), want)
				}
				for _, tier := range turns {
					what := fmt.Sprintf("%s %s -tier=%s", name, strings.Join(args, " "), tier)
					same(t, what, run(t, "", append([]string{emu, "-tier=" + tier, "-hot=1", guest}, args...)...), want)
				}
				for line := range strings.Lines(want.stdout) {
					if reason, ok := strings.CutPrefix(line, "SKIP "); ok {
						t.Log("not tested, this host says: " + strings.TrimSpace(reason))
					}
				}
			}
		})
	}
}
