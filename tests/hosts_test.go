package tests

import (
	"testing"

	"emu/decoder"
	"emu/tests/diff"
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
	as := func(e *diff.Emulator) *diff.Emulator { return e }
	compareHosts(t, "hosts", cpu, randomOps(), as)
}

// compareHosts compares the code for lesser hosts with the interpreter, on vectors of ops. as
// makes an emulator one for their cases.
func compareHosts(t *testing.T, name, cpu string, ops []decoder.Op, as func(*diff.Emulator) *diff.Emulator) {
	interp := diff.NewInterpCPU(t, cpu)
	each := max(1, *vectors/5)
	var engines []engine
	for _, host := range lesserHosts {
		engines = append(engines, engine{host, as(diff.NewEmulator(t, emuPath(t), "-tier=1", "-host="+host, "-cpu="+cpu))})
	}
	bulk{name: name, ops: ops, each: each, check: func(batch []decoder.Op) map[decoder.Op]bool {
		cases := vectorsOf(t, interp, batch, each, 8)
		want := interp.Run(t, cases)
		differ := map[decoder.Op]bool{}
		for _, e := range engines {
			for op := range diff.Compare(t, cases, want, e.Run(t, cases)) {
				t.Errorf("%v differs on a host %s", op, e.name)
				differ[op] = true
			}
		}
		return differ
	}}.run(t)
}
