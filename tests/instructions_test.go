package tests

import (
	"math/rand/v2"
	"strings"
	"testing"

	"emu/decoder"
	"emu/tests/diff"
	"emu/translate"
)

// Every translated encoding, with random and corner operands, states and FPCR,
// ends in the same state in the interpreter, in tier 0, in code of tier 1 and of tier 2, and
// in the newest qemu-aarch64 there is. The guest runs under bin/emu and replaces
// its code as it goes, so that cache maintenance and the delivery of signals are
// exercised too.
func TestInstructions(t *testing.T) {
	qemu, version := diff.NewestQemu(t, 7)
	cpu := diff.LikeQemu(version)
	engines := []engine{
		{"tier 0", diff.NewEmulator(t, emuPath(t), "-tier=auto", "-cold=100", "-cpu="+cpu)},
		{"tier 1", diff.NewEmulator(t, emuPath(t), "-tier=1", "-cpu="+cpu)},
		{"tier 2", diff.NewEmulator(t, emuPath(t), "-tier=2", "-cpu="+cpu)},
	}
	compareInstructions(t, "instructions", cpu, randomOps(), qemu, version, engines, *record)
}

// compareInstructions compares vectors of ops on emu's processor cpu, and with -record writes
// which agreed to a file.
func compareInstructions(t *testing.T, name, cpu string, ops []decoder.Op, qemu *diff.Emulator, version int, engines []engine, path string) {
	interp := diff.NewInterpCPU(t, cpu)
	agreed := bulk{name: name, ops: ops, each: *vectors, check: func(batch []decoder.Op) map[decoder.Op]bool {
		cases := vectorsOf(t, interp, batch, *vectors, 7)
		return compareEngines(t, cases, interp.Run(t, cases), qemu, version, engines)
	}}.run(t)
	if *record != "" && *only == "" {
		if len(agreed) != len(ops) {
			t.Errorf("%d of %d encodings agreed", len(agreed), len(ops))
		}
		writeVerified(t, path, agreed, version)
	}
}

// randomOps are the encodings that are translated and can run with random operands.
func randomOps() (ops []decoder.Op) {
	for op := decoder.Op(1); op < decoder.NumOps; op++ {
		if translate.Translated(op) && diff.Random(op) && strings.HasPrefix(op.String(), *only) {
			ops = append(ops, op)
		}
	}
	return ops
}

// vectorsOf are the vectors of the encodings, pointed at memory. Those of an encoding are the
// same whatever it runs with.
func vectorsOf(t *testing.T, interp *diff.Engine, ops []decoder.Op, each int, seed uint64) (cases []diff.Case) {
	for _, op := range ops {
		r := rand.New(rand.NewPCG(seed, uint64(op)))
		generate := diff.Vectors
		if diff.OfSVE(op) {
			generate = diff.SVEVectors
		}
		of := generate(op, each, r)
		interp.Reach(t, of, r)
		cases = append(cases, of...)
	}
	return cases
}

type engine struct {
	name string
	*diff.Emulator
}

// compareEngines runs the cases everywhere and returns the encodings that differ.
func compareEngines(t *testing.T, cases []diff.Case, want []diff.State, qemu *diff.Emulator, version int, engines []engine) map[decoder.Op]bool {
	failed := map[decoder.Op]bool{}
	var known []diff.Case // those that qemu runs and executes right
	var wantKnown []diff.State
	for n := range cases {
		i := decoder.Decode(cases[n].Words[0])
		if diff.InQemu(i.Op, version) && !diff.QemuDiffers(i, &cases[n].In, version) {
			known, wantKnown = append(known, cases[n]), append(wantKnown, want[n])
		}
	}
	add := func(name string, ops map[decoder.Op]bool) {
		for op := range ops {
			failed[op] = true
			t.Errorf("%v differs in %s", op, name)
		}
	}
	// The judge's results are what is wanted, the interpreter's what is there.
	add("the interpreter", diff.Compare(t, known, qemu.Run(t, known), wantKnown))
	for _, e := range engines {
		add(e.name, diff.Compare(t, cases, want, e.Run(t, cases)))
	}
	return failed
}
