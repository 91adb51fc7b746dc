package tests

import (
	"math/rand/v2"
	"slices"
	"testing"

	"emu/decoder"
	"emu/tests/diff"
	"emu/translate"
)

// lesserHosts are what the flag -host takes away from the host: AVX512-FP16, then all of
// AVX-512, the half precision conversions, fused multiplication, AVX. What lowering
// each leaves is of a kind of machine that there is.
var lesserHosts = []string{"avx512", "v3", "v3,-f16c", "v3,-fma", "v2"}

// TestInstructions compares the code that is generated for this host. For hosts that have
// less, which take other instructions or go through Go, every translated encoding ends in
// the same state as in the interpreter, which qemu-aarch64 judges there.
func TestInstructionsOnLesserHosts(t *testing.T) {
	cpu := diff.LikeQemu(auditedQemu)
	interp := diff.NewInterpCPU(t, cpu)
	r := rand.New(rand.NewPCG(7, 2))
	each := max(1, *vectors/5)
	var ops []decoder.Op
	for op := decoder.Op(1); op < decoder.NumOps; op++ {
		if translate.Translated(op) && diff.Random(op) {
			ops = append(ops, op)
		}
	}
	var engines []engine
	for _, host := range lesserHosts {
		engines = append(engines, engine{host, diff.NewEmulator(t, emuPath(t), "-tier=1", "-host="+host, "-cpu="+cpu)})
	}
	total := 0
	for batch := range slices.Chunk(ops, max(1, chunk/each)) {
		var cases []diff.Case
		for _, op := range batch {
			cases = append(cases, diff.Vectors(op, each, r)...)
		}
		total += len(cases)
		interp.Reach(t, cases, r)
		want := interp.Run(t, cases)
		for _, e := range engines {
			for op := range diff.Compare(t, cases, want, e.Run(t, cases)) {
				t.Errorf("%v differs on a host %s", op, e.name)
			}
		}
	}
	t.Logf("%d encodings, %d vectors on each of %d hosts", len(ops), total, len(engines))
}
