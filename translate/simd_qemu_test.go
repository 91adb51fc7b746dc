package translate_test

import (
	"flag"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"testing"

	"emu/decoder"
	"emu/tests/diff"
	"emu/translate"
)

var only = flag.String("simd.only", "", "run only encodings that start with one of these names, comma separated")

// simdCases is how often each encoding runs; EMU_SIMD_CASES asks for more.
func simdCases() int {
	if n, err := strconv.Atoi(os.Getenv("EMU_SIMD_CASES")); err == nil {
		return n
	}
	return 40
}

// simdOps are the translated encodings of floating point and SIMD that qemu has.
func simdOps() (ops []decoder.Op) {
	for op := decoder.Op(1); op < decoder.NumOps; op++ {
		switch op.Class() {
		case decoder.ClassFloat, decoder.ClassFpsimd, decoder.ClassAdvsimd:
			if translate.Translated(op) && inQemu(op) && selected(op) {
				ops = append(ops, op)
			}
		}
	}
	return ops
}

// Sequences on few registers agree with qemu-aarch64: what one instruction leaves
// in a register as a scalar, a part or lanes of one type, the next reads as
// another.
func TestSIMDSequencesAgainstQemu(t *testing.T) {
	q, e := diff.NewQemu(t), diff.NewInterp(t)
	r := rand.New(rand.NewPCG(5, 1))
	var ops []decoder.Op
	for _, op := range simdOps() {
		if g := op.Group(); op.Class() != decoder.ClassFpsimd && !strings.HasPrefix(g, "asisdls") {
			ops = append(ops, op)
		}
	}
	cases := make([]diff.Case, 100*simdCases())
	for n := range cases {
		c := &cases[n]
		c.In = diff.RandomState(r)
		diff.SIMDCorners(&c.In, r)
		for len(c.Words) < diff.MaxWords {
			op := ops[r.IntN(len(ops))]
			i := decoder.Decode(decoder.RandomWord(op, r.Uint32) &^ fewRegisters)
			if half := decoder.Decode(i.Word &^ (1 << 30)); half.Op == op && r.IntN(2) == 0 {
				i = half // more of the 64-bit forms
			}
			if i.Op == op && !diff.QemuDiffers(i, &c.In, 7) {
				c.Words = append(c.Words, i.Word)
			}
		}
	}
	diff.Compare(t, cases, q.Run(t, cases), e.Run(t, cases))
}

// fewRegisters are the upper bits of the fields Rd, Rn and Rm.
const fewRegisters = 0b11100<<16 | 0b11100<<5 | 0b11100

func selected(op decoder.Op) bool {
	if *only == "" {
		return true
	}
	for name := range strings.SplitSeq(*only, ",") {
		if strings.HasPrefix(op.String(), name) {
			return true
		}
	}
	return false
}
