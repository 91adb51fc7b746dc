package tests

import (
	"math/rand/v2"
	"slices"
	"strings"
	"syscall"
	"testing"

	"emu/decoder"
	"emu/tests/diff"
	"emu/translate"
)

// Every encoding that accesses memory, and those of FEAT_MTE, end in the same state
// as in qemu-aarch64 where memory has tags, accesses are checked, and addresses have
// tags that mostly match.
func TestTaggedInstructions(t *testing.T) {
	qemu, version := diff.NewestQemu(t, auditedQemu)
	cpu := diff.LikeQemu(version)
	engines := []engine{
		{"tier 1", diff.NewEmulator(t, emuPath(t), "-tier=1", "-cpu="+cpu).WithTags()},
		{"tier 2", diff.NewEmulator(t, emuPath(t), "-tier=2", "-cpu="+cpu).WithTags()},
	}
	interp := diff.NewInterpTags(t, cpu)
	var ops []decoder.Op
	for op := decoder.Op(1); op < decoder.NumOps; op++ {
		if translate.Translated(op) && diff.Random(op) && strings.HasPrefix(op.String(), *only) &&
			(diff.AccessesMemory(op) || strings.Contains(op.Features(), "FEAT_MTE")) {
			ops = append(ops, op)
		}
	}
	compareTagged(t, ops, diff.Vectors, qemu.WithTags(), version, interp, engines)
}

// Loads and stores of SVE are checked likewise.
func TestTaggedSVEInstructions(t *testing.T) {
	qemu, version := diff.NewestSVEQemu(t)
	const cpu = "-cpu=" + diff.SVE
	engines := []engine{
		{"tier 1", diff.NewEmulator(t, emuPath(t), "-tier=1", cpu).WithSVE().WithTags()},
		{"tier 2", diff.NewEmulator(t, emuPath(t), "-tier=2", cpu).WithSVE().WithTags()},
	}
	ops := slices.DeleteFunc(sveOps(), func(op decoder.Op) bool { return !diff.AccessesMemory(op) })
	compareTagged(t, ops, diff.SVEVectors, qemu.WithTags(), version, diff.NewInterpTags(t, diff.SVE), engines)
}

// compareTagged runs vectors of the encodings in memory with tags.
func compareTagged(t *testing.T, ops []decoder.Op, vectorsOf func(op decoder.Op, n int, r *rand.Rand) []diff.Case, qemu *diff.Emulator, version int, interp *diff.Engine, engines []engine) {
	r := rand.New(rand.NewPCG(11, 1))
	total := 0
	for batch := range slices.Chunk(ops, max(1, chunk / *vectors)) {
		var cases []diff.Case
		for _, op := range batch {
			cases = append(cases, vectorsOf(op, *vectors, r)...)
		}
		interp.Reach(t, cases, r)
		diff.TagMemory(cases, r)
		total += len(cases)
		want, got := qemu.Run(t, cases), interp.Run(t, cases)
		for _, e := range engines {
			diff.Compare(t, cases, got, e.Run(t, cases))
		}
		known, wantKnown, gotKnown := cases[:0:0], want[:0:0], got[:0:0]
		for n := range cases {
			i := decoder.Decode(cases[n].Words[0])
			if diff.InQemu(i.Op, version) && !(diff.OfSVE(i.Op) && diff.QemuDiffers(i, &cases[n].In, version)) {
				diff.SettleTags(&cases[n], &want[n], &got[n])
				known, wantKnown, gotKnown = append(known, cases[n]), append(wantKnown, want[n]), append(gotKnown, got[n])
			}
		}
		diff.Compare(t, known, wantKnown, gotKnown)
	}
	t.Logf("%d encodings, %d vectors", len(ops), total)
}

// TestHeapTagging lets Debian's C library tag its heap, synchronously and
// asynchronously: right programs run, wrong ones get SIGSEGV.
func TestHeapTagging(t *testing.T) {
	root, emu := debian(t), emuPath(t)
	guest := build(t, "guest/isa/heap.c", arm64, "-O1", linkDynamic)
	for _, tier := range []string{"interp", "1", "2", "auto"} {
		for _, tt := range []struct{ tagging, misuse, want string }{
			{"0", "overflow", "plain\nsurvived\n"},
			{"1", "", "tagged\nsurvived\n"}, {"1", "overflow", "tagged\n"}, {"1", "use", "tagged\n"},
			{"3", "", "tagged\nsurvived\n"}, {"3", "overflow", "tagged\n"}, {"3", "use", "tagged\n"},
		} {
			got := run(t, "", emu, "-tier="+tier, "-cpu=max,mte=on", "-L", root, "-E", "GLIBC_TUNABLES=glibc.mem.tagging="+tt.tagging, guest, tt.misuse)
			died := got.signal == syscall.SIGSEGV
			if got.stdout != tt.want || died != (tt.want == "tagged\n") {
				t.Errorf("-tier=%s tagging=%s %s: %q, signal %v, want %q", tier, tt.tagging, tt.misuse, got.stdout, got.signal, tt.want)
			}
		}
	}
}
