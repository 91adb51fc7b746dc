package x64

import "testing"

func TestParseLimit(t *testing.T) {
	for _, tt := range []struct {
		spec       string
		has, lacks Features
	}{
		{"native", AVX512FP16 | F16C | ERMS, 0},
		{"avx512", EVEX128 | AVX512VBMI, AVX512FP16},
		{"v3", Baseline() | AVX2 | F16C | AES, AVX512F | SHA},
		{"v2", Baseline(), AVX | AES | BMI1},
		{"native,-f16c", AVX2 | AVX512FP16, F16C},
		{"v3,-fma,-bmi2", AVX2 | F16C, FMA | BMI2},
		{"native,-avx", BMI2 | AES | SHA, AVX | AVX2 | FMA | AVX512F | AVX512VNNI | VAES},
		{"native,-avx512vl", AVX2 | FMA, AVX512F | AVX512BW},
	} {
		f, err := ParseLimit(tt.spec)
		if err != nil || !f.Has(tt.has) || f&tt.lacks != 0 || !f.Has(Baseline()) {
			t.Errorf("%s: %v, %v", tt.spec, f, err)
		}
	}
	for _, spec := range []string{"", "v4", "native,f16c", "v3,-nonsense", "v3,-sse3"} {
		if f, err := ParseLimit(spec); err == nil {
			t.Errorf("%q: %v", spec, f)
		}
	}
}
