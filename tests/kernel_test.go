package tests

import (
	"path/filepath"
	"strings"
	"testing"
)

const kernelGuests = "guest/kernel"

// TestKernelInterfaces runs each program of tests/guest/kernel, one an area of the
// kernel, under emu and on the host: the same source has to print the same. A
// program says on a line of its own what the host forbids or does not know.
func TestKernelInterfaces(t *testing.T) {
	emu := emuPath(t)
	list, err := filepath.Glob(filepath.Join(kernelGuests, "*.c"))
	if err != nil || len(list) == 0 {
		t.Fatalf("no guests in %s (%v)", kernelGuests, err)
	}
	for _, src := range list {
		name := strings.TrimSuffix(filepath.Base(src), ".c")
		t.Run(name, func(t *testing.T) {
			guest, host := build(t, src, arm64, "-O1"), build(t, src, native, "-O1")
			want := run(t, "", host)
			for _, tier := range []string{"interp", "1", "auto"} {
				same(t, name+" -tier="+tier, run(t, "", emu, "-tier="+tier, "-hot=1", guest), want)
			}
			for line := range strings.Lines(want.stdout) {
				if reason, ok := strings.CutPrefix(line, "SKIP "); ok {
					t.Log("not tested, this host says: " + strings.TrimSpace(reason))
				}
			}
		})
	}
}
