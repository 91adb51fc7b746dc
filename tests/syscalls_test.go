package tests

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
)

const syscallGuests = "guest/syscalls"

// TestSyscalls runs each program of tests/guest/syscalls under emu and on the
// host: the same source has to print the same and end in the same way.
func TestSyscalls(t *testing.T) {
	emu := emuPath(t)
	list, err := filepath.Glob(filepath.Join(syscallGuests, "*.c"))
	if err != nil || len(list) == 0 {
		t.Fatalf("no guests in %s (%v)", syscallGuests, err)
	}
	for _, src := range list {
		name := strings.TrimSuffix(filepath.Base(src), ".c")
		t.Run(name, func(t *testing.T) {
			guest, host := build(t, src, arm64, "-O1"), build(t, src, native, "-O1")
			for _, args := range casesOf(name) {
				want := run(t, "", append([]string{host}, args...)...)
				for _, tier := range []string{"interp", "1", "2", "auto"} {
					what := fmt.Sprintf("%s %s -tier=%s", name, strings.Join(args, " "), tier)
					same(t, what, run(t, "", append([]string{emu, "-tier=" + tier, "-hot=1", guest}, args...)...), want)
				}
			}
		})
	}
}

// casesOf are the argument lists that a guest is run with.
func casesOf(name string) [][]string {
	if name != "deaths" {
		return [][]string{nil}
	}
	var cases [][]string
	for i := range 20 {
		cases = append(cases, []string{fmt.Sprint(i)})
	}
	return cases
}
