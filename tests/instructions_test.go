package tests

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"emu/decoder"
	"emu/tests/diff"
	"emu/translate"
)

var (
	vectors = flag.Int("vectors", 50, "vectors an encoding in TestInstructions; make nightly takes 2000")
	only    = flag.String("only", "", "run TestInstructions on encodings that start with this only")
	record  = flag.String("record", "", "file for TestInstructions to write the verified encodings to")
)

// chunk is how many cases run in one guest process.
const chunk = 20_000

// Every translated encoding, with random and corner operands, states and FPCR,
// ends in the same state in the interpreter, in code of tier 1 and of tier 2, and
// in the newest qemu-aarch64 there is. The guest runs under bin/emu and replaces
// its code as it goes, so that cache maintenance and the delivery of signals are
// exercised too.
func TestInstructions(t *testing.T) {
	qemu, version := diff.NewestQemu(t)
	cpu := diff.LikeQemu(version)
	engines := []engine{
		{"tier 1", diff.NewEmulator(t, emuPath(t), "-tier=1", "-cpu="+cpu)},
		{"tier 2", diff.NewEmulator(t, emuPath(t), "-tier=2", "-cpu="+cpu)},
	}
	interp := diff.NewInterpCPU(t, cpu)
	r := rand.New(rand.NewPCG(7, 1))
	var ops []decoder.Op
	for op := decoder.Op(1); op < decoder.NumOps; op++ {
		if translate.Translated(op) && diff.Random(op) && strings.HasPrefix(op.String(), *only) {
			ops = append(ops, op)
		}
	}
	var good []decoder.Op
	total, judged := 0, 0
	for batch := range slices.Chunk(ops, max(1, chunk / *vectors)) {
		var cases []diff.Case
		for _, op := range batch {
			cases = append(cases, diff.Vectors(op, *vectors, r)...)
		}
		interp.Reach(t, cases, r)
		failed := compareEngines(t, cases, interp.Run(t, cases), qemu, version, engines)
		for _, op := range batch {
			total += *vectors
			if diff.InQemu(op, version) {
				judged += *vectors
			}
			if !failed[op] && diff.InQemu(op, version) {
				good = append(good, op)
			}
		}
	}
	t.Logf("%d encodings, %d vectors in the interpreter and tiers 1 and 2, %d of them in qemu-aarch64 %d", len(ops), total, judged, version)
	if *record != "" {
		writeVerified(t, *record, good, version)
	}
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

// writeVerified writes what docs/a64-coverage.md counts as verified.
func writeVerified(t *testing.T, path string, ops []decoder.Op, version int) {
	var b strings.Builder
	fmt.Fprintf(&b, "# Encodings that ran %d vectors each without a difference in the interpreter, tiers 1 and 2\n", *vectors)
	fmt.Fprintf(&b, "# and qemu-aarch64 %d: written by make nightly.\n", version)
	for _, op := range ops {
		fmt.Fprintln(&b, op)
	}
	if err := os.WriteFile(path, []byte(b.String()), 0o644); err != nil {
		t.Fatal(err)
	}
}
