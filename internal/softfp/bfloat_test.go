package softfp

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"
)

func float32Of(x uint64) float64 { return float64(math.Float32frombits(uint32(x))) }

func finiteOperand(r *rand.Rand, f Fmt) uint64 {
	p := &formats[f]
	for {
		if x := operand(r, f, corners(f)); x&p.inf(0) != p.inf(0) {
			return x
		}
	}
}

// exact is a sum of products of finite numbers, unrounded.
func exact(terms ...[2]float64) *big.Float {
	s := new(big.Float).SetPrec(1000)
	for _, t := range terms {
		p := new(big.Float).SetPrec(1000).SetFloat64(t[0])
		s.Add(s, p.Mul(p, new(big.Float).SetFloat64(t[1])))
	}
	return s
}

// With FPCR.EBF a dot product has two roundings in the mode of FPCR: of the
// sum of the products and of the sum with the addend. Judge: math/big.
func TestExtendedDotProduct(t *testing.T) {
	modes := map[Rounding]big.RoundingMode{
		TieEven: big.ToNearestEven, PosInf: big.ToPositiveInf, NegInf: big.ToNegativeInf, ToZero: big.ToZero,
	}
	single := func(x *big.Float, m big.RoundingMode) *big.Float { return new(big.Float).SetPrec(24).SetMode(m).Set(x) }
	r := rand.New(rand.NewPCG(19, 20))
	checked := 0
	for range 40_000 {
		mode := Rounding(r.IntN(4))
		e := Env{FPCR: EBF | uint32(mode)<<RModeShift}
		var op [4]uint64
		var v [4]float64
		for i := range op {
			op[i] = finiteOperand(r, BF16)
			v[i] = float32Of(op[i] << 16)
		}
		addend := finiteOperand(r, F32)
		got := float32Of(e.DotAddBF(addend, op[0], op[1], op[2], op[3]))
		products := single(exact([2]float64{v[0], v[2]}, [2]float64{v[1], v[3]}), modes[mode])
		want := single(new(big.Float).SetPrec(1000).Add(products, exact([2]float64{float32Of(addend), 1})), modes[mode])
		if e.FPSR != 0 {
			t.Fatalf("flags %#x raised", e.FPSR)
		}
		// Only results and sums of products in the normal range, where 24 bits are the whole story.
		inRange := func(x *big.Float) bool {
			return x.Sign() != 0 && x.MantExp(nil) > -125 && x.MantExp(nil) <= 127
		}
		if !inRange(products) || !inRange(want) {
			continue
		}
		checked++
		if w, _ := want.Float64(); w != got {
			t.Fatalf("mode %d %#x + %#x = %g, want %g", mode, addend, op, got, w)
		}
	}
	if checked < 10_000 {
		t.Errorf("only %d dot products checked", checked)
	}
}

func TestExtendedDotProductSpecials(t *testing.T) {
	const (
		one, two, negOne = 0x3f80, 0x4000, 0xbf80
		infBF, snanBF    = 0x7f80, 0x7f81
		tinyBF           = 0x0001
		inf32, nan32     = 0x7f800000, 0x7fc00000
	)
	tests := []struct {
		name                   string
		fpcr                   uint32
		addend, a0, a1, b0, b1 uint64
		want                   uint64
	}{
		{"NaN operand", EBF, 0, snanBF, one, one, one, nan32},
		{"NaN addend is not kept", EBF, 0x7fc00001, one, one, one, one, nan32},
		{"default NaN is negative with AH", EBF | AH, 0, snanBF, one, one, one, 0xffc00000},
		{"opposite infinities", EBF, 0, infBF, infBF, one, negOne, nan32},
		{"infinity times zero", EBF, 0, infBF, one, 0, one, nan32},
		{"infinity", EBF, 0, infBF, one, one, one, inf32},
		{"cancelled", EBF, 0, one, one, one, negOne, 0},
		{"cancelled rounding down", EBF | uint32(NegInf)<<RModeShift, 0x80000000, one, one, one, negOne, 0x80000000},
		{"negative zeros", EBF, 0x80000000, 0x8000, 0x8000, one, one, 0x80000000},
		{"denormal operand counts", EBF, 0, tinyBF, 0, two, 0, 0x00020000},
		{"denormal operand flushed", EBF | FZ, 0, tinyBF, 0, two, 0, 0},
		{"denormal is zero without EBF", 0, 0, tinyBF, 0, two, 0, 0},
		{"rounds to odd without EBF", 0, 0x3f800000, 0x2000, 0, one, 0, 0x3f800001},
	}
	for _, test := range tests {
		e := Env{FPCR: test.fpcr}
		if got := e.DotAddBF(test.addend, test.a0, test.a1, test.b0, test.b1); got != test.want || e.FPSR != 0 {
			t.Errorf("%s: %#x flags %#x, want %#x without flags", test.name, got, e.FPSR, test.want)
		}
	}
}

// FPCR.AH silences the estimates, the steps and the BFloat16 operations, makes
// them flush and lets them round to nearest whatever FPCR.RMode says.
func TestAlternateHandlingOfEstimates(t *testing.T) {
	const up = uint32(PosInf) << RModeShift
	tests := []struct {
		name string
		fpcr uint32
		op   func(e *Env) uint64
		want uint64
		fpsr uint32
	}{
		{"bfcvt up", up, func(e *Env) uint64 { return e.ConvertBF(0x3f800001) }, 0x3f81, IXC},
		{"bfcvt", up | AH, func(e *Env) uint64 { return e.ConvertBF(0x3f800001) }, 0x3f80, 0},
		{"bfcvt denormal", AH, func(e *Env) uint64 { return e.ConvertBF(0x00700000) }, 0, 0},
		{"bfcvt signalling NaN", AH, func(e *Env) uint64 { return e.ConvertBF(0x7f810000) }, 0x7fc1, 0},
		{"bfmlal denormal product", AH, func(e *Env) uint64 { return e.MulAddBF(0, 0x0080, 0x3f00) }, 0, 0},
		{"bfmlal up", up | AH, func(e *Env) uint64 { return e.MulAddBF(0x3f800000, 0x2000, 0x3f80) }, 0x3f800000, 0},
		{"frecpe of zero", 0, func(e *Env) uint64 { return e.RecipEstimate(F32, 0) }, 0x7f800000, DZC},
		{"frecpe of zero", AH, func(e *Env) uint64 { return e.RecipEstimate(F32, 0) }, 0x7f800000, 0},
		{"frecpe of a denormal", AH, func(e *Env) uint64 { return e.RecipEstimate(F32, 0x00700000) }, 0x7f800000, 0},
		{"frecpe with a denormal result", AH, func(e *Env) uint64 { return e.RecipEstimate(F32, 0x7e800000) }, 0, 0},
		{"frsqrte of -1", AH, func(e *Env) uint64 { return e.RSqrtEstimate(F32, 0xbf800000) }, 0xffc00000, 0},
		{"frsqrte of -1", 0, func(e *Env) uint64 { return e.RSqrtEstimate(F32, 0xbf800000) }, 0x7fc00000, IOC},
		{"frecps keeps a NaN's sign", AH, func(e *Env) uint64 { return e.RecipStep(F32, 0x7fc00001, 0x3f800000) }, 0x7fc00001, 0},
		{"frecps negates a NaN", 0, func(e *Env) uint64 { return e.RecipStep(F32, 0x7fc00001, 0x3f800000) }, 0xffc00001, 0},
		{"frecpx signalling NaN", AH, func(e *Env) uint64 { return e.RecpX(F32, 0x7f800001) }, 0x7fc00001, 0},
		{"FZ16 still flushes", AH | FZ16, func(e *Env) uint64 { return e.RecipEstimate(F16, 1) }, 0x7c00, 0},
	}
	for _, test := range tests {
		e := Env{FPCR: test.fpcr}
		if got := test.op(&e); got != test.want || e.FPSR != test.fpsr {
			t.Errorf("%s, FPCR %#x: %#x flags %#x, want %#x flags %#x", test.name, test.fpcr, got, e.FPSR, test.want, test.fpsr)
		}
	}
}

// FIZ flushes operands without IDC, and only single and double precision; FZ
// with AH flushes results only; without AH it does both and raises IDC.
func TestFlushBits(t *testing.T) {
	const tiny, normal = 0x00000001, 0x3f800000
	tests := []struct {
		fpcr, fpsr uint32
		want       uint64
	}{
		{0, 0, tiny},
		{FZ, IDC, 0},
		{FIZ, 0, 0},
		{FZ | FIZ, IDC, 0},
		{FIZ | AH, 0, 0},
		{AH, IDC, tiny},
		{FZ | AH, IDC | UFC | IXC, 0},
	}
	for _, test := range tests {
		e := Env{FPCR: test.fpcr}
		if got := e.Mul(F32, tiny, normal); got != test.want || e.FPSR != test.fpsr {
			t.Errorf("FPCR %#x: %#x flags %#x, want %#x flags %#x", test.fpcr, got, e.FPSR, test.want, test.fpsr)
		}
	}
	e := Env{FPCR: FIZ | FZ}
	if got := e.Mul(F16, 1, 0x3c00); got != 1 || e.FPSR != 0 {
		t.Errorf("half precision: %#x flags %#x, want it untouched", got, e.FPSR)
	}
}
