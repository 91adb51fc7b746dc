package softfp

import "testing"

// FJCVTZS sets Z only if the result equals the operand: not for -0, NaNs and
// denormals that were flushed (FPToFixedJS; QEMU 7.2 differs in the last).
func TestFJCVTZSExactness(t *testing.T) {
	tests := []struct {
		name  string
		fpcr  uint32
		x     uint64
		want  uint32
		exact bool
		fpsr  uint32
	}{
		{"0", 0, 0, 0, true, 0},
		{"-0", 0, 1 << 63, 0, false, 0},
		{"flushed denormal", FZ, 1, 0, false, IDC},
		{"denormal", 0, 1, 0, false, IXC},
		{"-2^31", 0, 0xc1e0000000000000, 0x80000000, true, 0},
		{"2^31", 0, 0x41e0000000000000, 0x80000000, false, IOC},
		{"2^32 + 5", 0, 0x41f0000000500000, 5, false, IOC},
		{"-(2^32 + 5)", 0, 0xc1f0000000500000, 0xfffffffb, false, IOC},
		{"2^83 + 2^31", 0, 0x4520000000000001, 0x80000000, false, IOC},
		{"2^84", 0, 0x4530000000000000, 0, false, IOC},
		{"largest", 0, 0x7fefffffffffffff, 0, false, IOC},
		{"infinity", 0, 0x7ff0000000000000, 0, false, IOC},
		{"1.5", 0, 0x3ff8000000000000, 1, false, IXC},
	}
	for _, test := range tests {
		e := Env{FPCR: test.fpcr}
		if got, exact := e.ToFixedJS(test.x); got != test.want || exact != test.exact || e.FPSR != test.fpsr {
			t.Errorf("%s: %#x exact %v flags %#x, want %#x %v %#x", test.name, got, exact, e.FPSR, test.want, test.exact, test.fpsr)
		}
	}
}

// A negative 16-bit result is zero-extended, unlike QEMU 7.2's FCVTZS (vector,
// fixed-point) on a half-precision scalar.
func TestNegativeResultIsZeroExtended(t *testing.T) {
	var e Env
	if got := e.ToFixed(F16, 0xbc00, 8, false, ToZero, 16); got != 0xff00 {
		t.Errorf("-1 with 8 fraction bits = %#x, want 0xff00", got)
	}
	if got := e.ToFixed(F32, 0xbf800000, 0, false, ToZero, 32); got != 0xffffffff {
		t.Errorf("-1 = %#x, want 0xffffffff", got)
	}
}
