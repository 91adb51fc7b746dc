package translate_test

import (
	"math/rand/v2"
	"testing"

	"emu/decoder"
	"emu/tests/diff"
)

// Where qemu-aarch64 7.2 is wrong (see diff.QemuDiffers) the values are worked out
// from the Arm ARM.

// FCVTZS H0, H1, #1 of -1.0 is -2 in 16 bits; the rest of the register is zero.
func TestFCVTZSHalfClearsTheRest(t *testing.T) {
	in := diff.RandomState(rand.New(rand.NewPCG(10, 1)))
	in.V[1][0] = 0xbc00
	word := enc(decoder.FCVTZS_asisdshf_C, 0, 1, 0) | (32-1)<<16
	got := diff.NewInterp(t).Run(t, []diff.Case{{Words: []uint32{word}, In: in}})[0]
	if got.V[0] != [2]uint64{0xfffe, 0} || got.Sig != 5 {
		t.Errorf("v0 = %#x, signal %d", got.V[0], got.Sig)
	}
}

// FJCVTZS W0, D1 of a denormal under FPCR.FZ is 0 and not exact: FPToFixedJS clears
// Z when a value that is not zero was flushed.
func TestFJCVTZSOfFlushedDenormal(t *testing.T) {
	in := diff.RandomState(rand.New(rand.NewPCG(11, 1)))
	in.V[1][0], in.FPCR, in.NZCV = 1, 1<<24, 0xf000_0000
	got := diff.NewInterp(t).Run(t, []diff.Case{{Words: []uint32{enc(decoder.FJCVTZS_32D_float2int, 0, 1, 0)}, In: in}})[0]
	if got.X[0] != 0 || got.NZCV != 0 || got.FPSR != 0x80 {
		t.Errorf("x0 = %#x, nzcv %#x, fpsr %#x", got.X[0], got.NZCV, got.FPSR)
	}
}
