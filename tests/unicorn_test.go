package tests

import (
	"flag"
	"math/rand/v2"
	"strings"
	"testing"

	"emu/decoder"
	"emu/tests/diff"
	"emu/tests/diff/unicorn"
	"emu/translate"
)

var programs = flag.Int("programs", 20_000, "programs that TestRandomProgramsAgainstUnicorn runs")

// fewestKnown is the least number of encodings that libunicorn 2.0 has.
const fewestKnown = 1150

// unicornDiffers are the beginnings of encodings whose results in libunicorn 2.0 are
// not those of the Arm ARM; qemu-aarch64 judges them in TestInstructions.
var unicornDiffers = []struct{ prefix, why string }{
	{"LDSMAX", "compares what it read with itself"},
	{"LDSMIN", "likewise"},
	{"LDUMAX", "likewise"},
	{"LDUMIN", "likewise"},
	{"FCMLA_asimdelem_C_H", "does lanes beyond the vector too, and their exceptions"},
	{"FCVTZS_asisdshf_C", "half precision: the sign reaches into bits 31:16"},
	{"FJCVTZS", "with FPCR.FZ a flushed denormal counts as exact, as in qemu 7.2"},
	{"XPAC", "knows EL1 with other address sizes than programs have"},
}

func differsInUnicorn(op decoder.Op) bool {
	for _, d := range unicornDiffers {
		if strings.HasPrefix(op.String(), d.prefix) {
			return true
		}
	}
	return false
}

// knownToUnicorn are the encodings that can be part of random programs and that
// libunicorn does not take for undefined.
func knownToUnicorn(t *testing.T, u *unicorn.Emulator, r *rand.Rand) (ops []decoder.Op) {
	for op := decoder.Op(1); op < decoder.NumOps; op++ {
		if !translate.Translated(op) || !diff.InProgram(op) || differsInUnicorn(op) {
			continue
		}
		known := false
		for _, s := range u.Run(t, []diff.Case{diff.RandomCase(op, r), diff.RandomCase(op, r)}) {
			known = known || s.Sig != 4
		}
		if known {
			ops = append(ops, op)
		}
	}
	return ops
}

// Random programs end in the same state in libunicorn, in the interpreter, and in
// code of tiers 1 and 2: registers, vectors, flags, FPSR and memory.
func TestRandomProgramsAgainstUnicorn(t *testing.T) {
	u := unicorn.New(t)
	r := rand.New(rand.NewPCG(21, 26))
	ops := knownToUnicorn(t, u, r)
	if len(ops) < fewestKnown {
		t.Fatalf("libunicorn knows %d encodings, want %d or more", len(ops), fewestKnown)
	}
	cases := make([]diff.Case, *programs)
	for n := range cases {
		cases[n] = diff.RandomProgram(ops, r)
	}
	want := u.Run(t, cases)
	ends := map[uint32]int{}
	for n := range want {
		ends[want[n].Sig]++
	}
	t.Logf("%d programs of %d encodings: %d ran to their end", len(cases), len(ops), ends[5])
	if ends[5] < len(cases)/2 {
		t.Errorf("only %d programs ran to their end: %v by signal", ends[5], ends)
	}
	for _, e := range []struct {
		name string
		run  func(t *testing.T) []diff.State
	}{
		{"interpreter", func(t *testing.T) []diff.State { return diff.NewInterp(t).Run(t, cases) }},
		{"tier 1", func(t *testing.T) []diff.State { return diff.NewEmulator(t, emuPath(t), "-tier=1").Run(t, cases) }},
		{"tier 2", func(t *testing.T) []diff.State { return diff.NewEmulator(t, emuPath(t), "-tier=2").Run(t, cases) }},
	} {
		t.Run(e.name, func(t *testing.T) { diff.Compare(t, cases, want, e.run(t)) })
	}
}
