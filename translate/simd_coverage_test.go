package translate

import (
	"math/rand/v2"
	"testing"

	"emu/decoder"
)

// notTranslated lists the encodings of floating point and SIMD that are left
// out, each with the reason.
var notTranslated = map[decoder.Op]string{}

func isSIMD(op decoder.Op) bool {
	c := op.Class()
	return c == decoder.ClassFloat || c == decoder.ClassFpsimd || c == decoder.ClassAdvsimd
}

// Every encoding of the float, fpsimd and advsimd classes has a translation, or a
// reason for having none.
func TestSIMDCoverage(t *testing.T) {
	for op := decoder.Op(1); op < decoder.NumOps; op++ {
		if !isSIMD(op) {
			continue
		}
		if _, out := notTranslated[op]; out == Translated(op) {
			t.Errorf("%v: translated %t, listed as left out %t", op, Translated(op), out)
		}
	}
}

// No encoding has two rules.
func TestSIMDRulesUnique(t *testing.T) {
	seen := map[decoder.Op]bool{}
	for _, rules := range simdRules() {
		for _, r := range rules {
			if seen[r.op] {
				t.Errorf("%v has two rules", r.op)
			}
			seen[r.op] = true
		}
	}
}

// What translation emits, for any operands, is IR by the verifier's law.
func TestSIMDVerifies(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	tr := New(Options{MaxInsts: 1})
	for op := decoder.Op(1); op < decoder.NumOps; op++ {
		if !isSIMD(op) || !Translated(op) {
			continue
		}
		for range 50 {
			w := decoder.RandomWord(op, r.Uint32)
			f := tr.Block(0x1000, func(uint64) (uint32, bool) { return w, true })
			if err := f.Verify(); err != nil {
				t.Errorf("%v %08x: %v\n%v", op, w, err, f)
				break
			}
		}
	}
}
