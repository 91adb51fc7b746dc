package softfp

import (
	"math"
	"math/rand/v2"
	"testing"
)

// scaleModes are FPCRs in which results differ.
var scaleModes = []uint32{0, DN, FZ | FZ16, 1 << RModeShift, 2 << RModeShift, 3<<RModeShift | FZ, AH, AH | FIZ, AH | FZ}

// TestScale compares FPScale with the product by a power of two, where there is one, and
// beyond with the product by several.
func TestScale(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, f := range []Fmt{F16, F32, F64} {
		p := &formats[f]
		most := -int(p.minExp)
		for range 20000 {
			x := r.Uint64()
			if r.IntN(4) == 0 { // denormals, infinities, NaNs and numbers near to them
				x = x&p.fracMask()>>r.IntN(int(p.fracBits)) | p.expMask()*uint64(r.IntN(2))<<p.fracBits
			}
			x &= p.signBit()<<1 - 1
			n := r.IntN(2*most+1) - most
			for _, fpcr := range scaleModes {
				have, want := Env{FPCR: fpcr}, Env{FPCR: fpcr}
				h, w := have.Scale(f, x, int64(n)), want.Mul(f, x, p.pow2(0, n))
				if h != w || have != want {
					t.Fatalf("format %d, FPCR %#x: %#x * 2^%d is %#x, FPSR %#x; the product %#x, %#x", f, fpcr, x, n, h, have.FPSR, w, want.FPSR)
				}
			}
		}
		var e Env
		greatest := p.maxNormal(0)
		for _, n := range []int64{-1 << 63, -5000} {
			if x := e.Scale(f, greatest, n); x != 0 || e.FPSR != UFC|IXC {
				t.Errorf("format %d: scaled by %d it is %#x, FPSR %#x", f, n, x, e.FPSR)
			}
		}
		e = Env{}
		for _, n := range []int64{1<<63 - 1, 5000} {
			if x := e.Scale(f, p.signBit()|1, n); x != p.inf(1) || e.FPSR != OFC|IXC {
				t.Errorf("format %d: scaled by %d it is %#x, FPSR %#x", f, n, x, e.FPSR)
			}
		}
		e = Env{}
		if x := e.Scale(f, 1, int64(most+int(p.fracBits))); x != p.pow2(0, 0) || e.FPSR != 0 {
			t.Errorf("format %d: the least denormal scaled to 1 is %#x, FPSR %#x", f, x, e.FPSR)
		}
	}
}

// Numbers scaled by far more than the range of their format overflow or underflow.
func TestScaleFar(t *testing.T) {
	tests := []struct {
		f    Fmt
		x    uint64
		n    int64
		want uint64
		fpsr uint32
	}{
		{F64, 0x3ff0000000000000, 1 << 12, 0x7ff0000000000000, OFC | IXC},
		{F64, 0x8000000000000001, 1 << 12, 0xfff0000000000000, OFC | IXC},
		{F64, 0x7fefffffffffffff, 2100, 0x7ff0000000000000, OFC | IXC},
		{F64, 0x7fefffffffffffff, math.MaxInt64, 0x7ff0000000000000, OFC | IXC},
		{F64, 0x0000000000000001, 2097, 0x7fe0000000000000, 0},
		{F64, 0x7fe0000000000000, -2097, 0x0000000000000001, 0},
		{F64, 0xffefffffffffffff, math.MinInt64, 0x8000000000000000, UFC | IXC},
		{F32, 0x3f800000, math.MaxInt32, 0x7f800000, OFC | IXC},
		{F32, 0x3f800000, math.MinInt32, 0, UFC | IXC},
		{F16, 0x3c00, math.MaxInt16, 0x7c00, OFC | IXC},
		{F16, 0x3c00, math.MinInt16, 0, UFC | IXC},
	}
	for _, test := range tests {
		e := Env{}
		if got := e.Scale(test.f, test.x, test.n); got != test.want || e.FPSR != test.fpsr {
			t.Errorf("%#x * 2^%d = %#x flags %#x, want %#x flags %#x", test.x, test.n, got, e.FPSR, test.want, test.fpsr)
		}
	}
}

func TestLogB(t *testing.T) {
	for _, c := range []struct {
		f    Fmt
		fpcr uint32
		x    uint64
		want uint64
		fpsr uint32
	}{
		{F32, 0, 0x3f800000, 0, 0},
		{F32, 0, 0xc0a00000, 2, 0},
		{F64, 0, 0x3fd0000000000000, 0xfffffffffffffffe, 0},
		{F16, 0, 0x0001, 0xffe8, 0},
		{F32, 0, 0x80000001, 0xffffff6b, 0},
		{F64, 0, 0x000fffffffffffff, 0xfffffffffffffc01, 0},
		{F32, FZ, 0x00000001, 0x80000000, IDC | IOC},
		{F16, FZ16, 0x0001, 0x8000, IOC},
		{F32, AH, 0x00000001, 0xffffff6b, IDC},
		{F16, AH, 0x0001, 0xffe8, 0},
		{F64, 0, 0, 1 << 63, IOC},
		{F32, 0, 0x7fc00000, 0x80000000, IOC},
		{F16, 0, 0x7c01, 0x8000, IOC},
		{F64, 0, 0xfff0000000000000, 1<<63 - 1, 0},
	} {
		e := Env{FPCR: c.fpcr}
		if have := e.LogB(c.f, c.x); have != c.want || e.FPSR != c.fpsr {
			t.Errorf("format %d, FPCR %#x: exponent of %#x is %#x, FPSR %#x; want %#x, %#x", c.f, c.fpcr, c.x, have, e.FPSR, c.want, c.fpsr)
		}
	}
}
