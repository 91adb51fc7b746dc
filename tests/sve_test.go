package tests

import (
	"math/rand/v2"
	"strings"
	"testing"

	"emu/decoder"
	"emu/tests/diff"
	"emu/translate"
)

// Every translated encoding of SVE ends in the same state, with its predicates, in the
// interpreter, in code of all tiers and in the newest qemu-aarch64, as those of
// TestInstructions do.
func TestSVEInstructions(t *testing.T) {
	qemu, version := diff.NewestSVEQemu(t)
	const cpu = "-cpu=" + diff.SVE
	engines := []engine{
		{"tier 0", diff.NewEmulator(t, emuPath(t), "-tier=auto", "-cold=100", cpu).WithSVE()},
		{"tier 1", diff.NewEmulator(t, emuPath(t), "-tier=1", cpu).WithSVE()},
		{"tier 2", diff.NewEmulator(t, emuPath(t), "-tier=2", cpu).WithSVE()},
	}
	interp := diff.NewInterpCPU(t, diff.SVE)
	bulk{name: "SVE instructions", ops: sveOps(), each: *vectors, check: func(batch []decoder.Op) map[decoder.Op]bool {
		var cases []diff.Case
		for _, op := range batch {
			r := rand.New(rand.NewPCG(9, uint64(op)))
			of := diff.SVEVectors(op, *vectors, r)
			interp.Reach(t, of, r)
			cases = append(cases, of...)
		}
		return compareEngines(t, cases, interp.Run(t, cases), qemu, version, engines)
	}}.run(t)
}

// sveOps are the encodings of SVE that are translated.
func sveOps() (ops []decoder.Op) {
	for op := decoder.Op(1); op < decoder.NumOps; op++ {
		if diff.OfSVE(op) && translate.Translated(op) && strings.HasPrefix(op.String(), *only) {
			ops = append(ops, op)
		}
	}
	return ops
}
