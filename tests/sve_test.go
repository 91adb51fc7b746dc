package tests

import (
	"flag"
	"math/rand/v2"
	"strings"
	"testing"

	"emu/decoder"
	"emu/tests/diff"
	"emu/translate"
)

var svePrograms = flag.Int("sveprograms", 2_000, "programs that TestSVEPrograms runs")

// sveRecord is the file in testdata that TestSVEInstructions writes what agreed to, where
// -record names one for TestInstructions.
const sveRecord = "testdata/verified_sve.txt"

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
	compareInstructions(t, "sve", diff.SVE, sveOps(), qemu, version, engines, sveRecord)
}

// The same for hosts that have less, as TestInstructionsOnLesserHosts does it.
func TestSVEInstructionsOnLesserHosts(t *testing.T) {
	compareHosts(t, "svehosts", diff.SVE, sveOps(), (*diff.Emulator).WithSVE)
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

// Programs of several instructions end in the same state everywhere: what is known of
// predicates and flags in straight code is true, and of masks around loops.
func TestSVEPrograms(t *testing.T) {
	qemu, version := diff.NewestSVEQemu(t)
	const cpu = "-cpu=" + diff.SVE
	r := rand.New(rand.NewPCG(10, 10))
	var sve, others []decoder.Op
	for _, op := range sveOps() {
		if diff.InSVEProgram(op) {
			sve = append(sve, op)
		}
	}
	for op := decoder.Op(1); op < decoder.NumOps; op++ {
		if translate.Translated(op) && diff.InProgram(op) && diff.InQemu(op, version) {
			others = append(others, op)
		}
	}
	cases := make([]diff.Case, *svePrograms)
	for n := range cases {
		cases[n] = diff.SVEProgram(sve, others, r)
	}
	want := qemu.Run(t, cases)
	diff.Compare(t, cases, want, diff.NewInterpCPU(t, diff.SVE).Run(t, cases))
	for _, args := range [][]string{{"-tier=auto", "-cold=100"}, {"-tier=1"}, {"-tier=2"}, {"-tier=auto", "-hot=1"}} {
		t.Run(strings.Join(args, " "), func(t *testing.T) {
			diff.Compare(t, cases, want, diff.NewEmulator(t, append([]string{emuPath(t), cpu}, args...)...).WithSVE().Run(t, cases))
		})
	}
}
