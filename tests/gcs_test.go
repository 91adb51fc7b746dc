package tests

import (
	"math/rand/v2"
	"slices"
	"testing"

	"emu/tests/diff"
)

// The instructions of FEAT_GCS, calls and returns end in the same state as in
// qemu-aarch64 while there is a guarded control stack.
func TestGuardedInstructions(t *testing.T) {
	qemu, version := diff.NewestQemu(t, auditedQemu)
	cpu := diff.LikeQemu(version)
	engines := []engine{
		{"tier 1", diff.NewEmulator(t, emuPath(t), "-tier=1", "-cpu="+cpu).WithGCS()},
		{"tier 2", diff.NewEmulator(t, emuPath(t), "-tier=2", "-cpu="+cpu).WithGCS()},
	}
	const encodings, each = 13, 2000
	cases := diff.GCSCases(encodings*each, rand.New(rand.NewPCG(13, 1)))
	interp := diff.NewInterpGCS(t, cpu)
	for batch := range slices.Chunk(cases, chunk) {
		want := qemu.WithGCS().Run(t, batch)
		diff.Compare(t, batch, want, interp.Run(t, batch))
		for _, e := range engines {
			diff.Compare(t, batch, want, e.Run(t, batch))
		}
	}
	t.Logf("%d cases", len(cases))
}
