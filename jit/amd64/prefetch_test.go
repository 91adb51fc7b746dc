//go:build linux && amd64

package amd64_test

import (
	"strings"
	"testing"

	"emu/cpu"
	"emu/jit/amd64"
	"emu/jit/host"
)

// A prefetch is the host's of its level, with the address folded, and faults nowhere.
func TestPrefetch(t *testing.T) {
	n := newBench(t)
	f := parse(t, `func 0x1000 size 4
		insn #0x1000
		v1:i64 = getx #4
		prefetch v1, 64, #0
		v3:i64 = getx #5
		v4:i64 = shl v3, 3
		v5:i64 = add v1, v4
		prefetch v5, 0, #1
		prefetch v3, 0, #2
		prefetch v3, -8, #3
		jump #0x2000`)
	n.load(t, f, host.Options{})
	listing := strings.Join(n.b.Disasm(n.code.Bytes, 0), "\n")
	for _, want := range []string{"prefetcht0", "prefetcht1", "prefetcht2", "prefetchnta"} {
		if !strings.Contains(listing, want) {
			t.Errorf("no %s in\n%s", want, listing)
		}
	}
	for _, x := range []uint64{0, 1, 1 << 63, ^uint64(0), 0x7fff_ffff_f000, uint64(n.m.Entry())} {
		n.m.State.X[4], n.m.State.X[5], n.m.State.Enter = x, ^x, n.m.Entry()
		if k := n.m.Run(amd64.ServeHelper); k != cpu.ExitBranch || n.m.State.PC != 0x2000 {
			t.Errorf("x4 = %#x: %v at %#x", x, k, n.m.State.PC)
		}
	}
}
