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

// Bit patterns at which floating-point operations change their behaviour, without
// the sign: zero, denormals, the smallest and largest normal numbers, infinity,
// signalling and quiet NaNs, small integers, halves, and the limits of integers.
var (
	corners16 = []uint16{
		0, 1, 2, 0x3ff, 0x400, 0x401, 0x3c00, 0x3c01, 0x3bff, 0x3e00, 0x3800, 0x4100, 0x4248, 0x5bff, 0x6400, 0x77ff,
		0x7800, 0x7bff, 0x7c00, 0x7c01, 0x7dff, 0x7e00, 0x7e01, 0x7fff, 0x0200, 0x1000,
	}
	corners32 = []uint32{
		0, 1, 2, 0x7fffff, 0x800000, 0x800001, 0x3f800000, 0x3f800001, 0x3f7fffff, 0x3fc00000, 0x3f000000, 0x40200000,
		0x40490fdb, 0x4effffff, 0x4f000000, 0x4f7fffff, 0x4f800000, 0x5effffff, 0x5f000000, 0x5f800000, 0x7f7fffff,
		0x7f800000, 0x7f800001, 0x7fbfffff, 0x7fc00000, 0x7fc00001, 0x7fffffff, 0x00400000, 0x477fe000, 0x477ff000,
		0x33800000, 0x387fc000, 0x38800000, 0x33000000, 0x0f000000, 0x5f7fffff, 0x4b000001, 0x7f7f8000, 0x01000000,
	}
	corners64 = []uint64{
		0, 1, 2, 0x000f_ffff_ffff_ffff, 0x0010_0000_0000_0000, 0x0010_0000_0000_0001, 0x3ff0_0000_0000_0000,
		0x3ff0_0000_0000_0001, 0x3fef_ffff_ffff_ffff, 0x3ff8_0000_0000_0000, 0x3fe0_0000_0000_0000, 0x4004_0000_0000_0000,
		0x4009_21fb_5444_2d18, 0x41df_ffff_ffc0_0000, 0x41e0_0000_0000_0000, 0x41ef_ffff_ffe0_0000, 0x41f0_0000_0000_0000,
		0x43df_ffff_ffff_ffff, 0x43e0_0000_0000_0000, 0x43ef_ffff_ffff_ffff, 0x43f0_0000_0000_0000, 0x47ef_ffff_e000_0000,
		0x47ef_ffff_f000_0000, 0x7fef_ffff_ffff_ffff, 0x7ff0_0000_0000_0000, 0x7ff0_0000_0000_0001, 0x7ff7_ffff_ffff_ffff,
		0x7ff8_0000_0000_0000, 0x7ff8_0000_0000_0001, 0x7fff_ffff_ffff_ffff, 0x0008_0000_0000_0000, 0x3810_0000_0000_0000,
		0x380f_ffff_ffff_ffff, 0x36a0_0000_0000_0000, 0x3690_0000_0000_0000, 0x40ef_fc00_0000_0000, 0x40ef_fe00_0000_0000,
		0x4330_0000_0000_0001, 0x1ff0_0000_0000_0000, 0x5fef_ffff_ffff_ffff,
	}
	corners8 = []uint8{0, 1, 2, 0x7e, 0x7f, 0x80, 0x81, 0xfe, 0xff, 0x0f, 0xf0, 0x40, 0xc0}
)

// lanes fills 64 bits with lanes of 8 to 64 bits that are corners or noise.
func lanes(r *rand.Rand, esize int) uint64 {
	var x uint64
	for at := 0; at < 64; at += esize {
		x |= lane(r, esize) << at
	}
	return x
}

func lane(r *rand.Rand, esize int) uint64 {
	if r.IntN(4) == 0 {
		return r.Uint64() >> (64 - esize)
	}
	var x uint64
	switch esize {
	case 8:
		return uint64(corners8[r.IntN(len(corners8))])
	case 16:
		x = uint64(corners16[r.IntN(len(corners16))])
	case 32:
		x = uint64(corners32[r.IntN(len(corners32))])
	default:
		x = corners64[r.IntN(len(corners64))]
	}
	if r.IntN(4) == 0 { // a neighbour
		x += uint64(r.IntN(3)) - 1
	}
	return (x ^ r.Uint64()&1<<(esize-1)) << (64 - esize) >> (64 - esize)
}

// fpcrBits are those of FPCR that change results: AHP, DN, FZ, RMode, FZ16.
var fpcrBits = []uint32{1 << 26, 1 << 25, 1 << 24, 1 << 23, 1 << 22, 1 << 19}

// corner overwrites the V registers with corner values, and FPCR and FPSR with
// random ones in half of the cases each.
func corner(s *diff.State, r *rand.Rand) {
	esize := 8 << r.IntN(4)
	mixed := r.IntN(8) == 0
	for n := range s.V {
		for h := range 2 {
			if mixed {
				esize = 8 << r.IntN(4)
			}
			s.V[n][h] = lanes(r, esize)
		}
	}
	if r.IntN(2) == 0 {
		for _, bit := range fpcrBits {
			if r.IntN(3) == 0 {
				s.FPCR |= bit
			}
		}
	}
	if r.IntN(2) == 0 {
		s.FPSR = r.Uint32() & 0x0800009f // QC and the cumulative flags
	}
}

// qemuDiffers reports instructions whose results in qemu-aarch64 7.2 are not
// those of the Arm ARM.
func qemuDiffers(i decoder.Inst, in *diff.State) bool {
	switch i.Op {
	case decoder.FCVTZS_asisdshf_C: // half precision: the sign reaches into bits 31:16
		return i.Bits(22, 20) == 1
	case decoder.FJCVTZS_32D_float2int: // a denormal that is flushed counts as exact
		return in.FPCR&(1<<24) != 0
	}
	return false
}

// simdCase is a case of one instruction with corner operands.
func simdCase(op decoder.Op, r *rand.Rand) diff.Case {
	for {
		c := diff.RandomCase(op, r)
		corner(&c.In, r)
		i := decoder.Decode(c.Words[0])
		sameBase := op.Group() == "ldst_regoff" && i.Rn() == i.Rm() // cannot be pointed at the memory
		if !sameBase && !qemuDiffers(i, &c.In) {
			return c
		}
	}
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

// Every translated encoding of floating point and SIMD, with random operands on
// corner values under random FPCR, agrees with qemu-aarch64 in all registers,
// FPSR and memory.
func TestSIMDAgainstQemu(t *testing.T) {
	q, e := diff.NewQemu(t), diff.NewInterp(t)
	r := rand.New(rand.NewPCG(4, 1))
	var cases []diff.Case
	ops := simdOps()
	for _, op := range ops {
		for range simdCases() {
			cases = append(cases, simdCase(op, r))
		}
	}
	faulting := append([]diff.Case(nil), cases...)
	want := q.Run(t, faulting)
	diff.Compare(t, faulting, want, e.Run(t, faulting))
	diff.Retarget(cases, want, r)
	want = q.Run(t, cases)
	diff.Compare(t, cases, want, e.Run(t, cases))
	t.Logf("%d encodings, %d cases", len(ops), len(cases))
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
		corner(&c.In, r)
		for len(c.Words) < diff.MaxWords {
			op := ops[r.IntN(len(ops))]
			i := decoder.Decode(decoder.RandomWord(op, r.Uint32) &^ fewRegisters)
			if half := decoder.Decode(i.Word &^ (1 << 30)); half.Op == op && r.IntN(2) == 0 {
				i = half // more of the 64-bit forms
			}
			if i.Op == op && !qemuDiffers(i, &c.In) {
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
