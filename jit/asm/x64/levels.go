package x64

import (
	"fmt"
	"strings"
)

// level is a set of features that hosts often have.
type level struct {
	name     string
	features Features
}

// v3 is what hosts of x86-64-v3 have in fact: the level does not ask for AES and PCLMUL.
const v3 = AVX | AVX2 | BMI1 | BMI2 | LZCNT | MOVBE | FMA | F16C | AES | PCLMUL

const every = 1<<numFeatures - 1

// levels are the hosts that ParseLimit knows, from the most.
var levels = []level{
	{"native", every},
	{"avx512", every &^ AVX512FP16},
	{"v3", Baseline() | v3},
	{"v2", Baseline()},
}

// needs are the features without which others are of no use.
var needs = []struct{ feature, without Features }{
	{AVX, AVX2 | FMA | F16C | VAES | VPCLMUL | AVXVNNI | avx512},
	{AVX2, VAES | VPCLMUL | AVXVNNI | avx512},
	{AVX512F | AVX512VL, avx512},
}

const avx512 = AVX512F | AVX512VL | AVX512BW | AVX512DQ | AVX512CD | AVX512VBMI | AVX512VBMI2 | AVX512BITALG |
	AVX512VPOPCNTDQ | AVX512IFMA | AVX512VNNI | AVX512FP16 | AVX512BF16

// ParseLimit returns the features that code may use at most on a host of a level (native,
// avx512, which is without AVX512-FP16, v3 or v2), and without some by name:
//
//	v3
//	native,-f16c
func ParseLimit(spec string) (Features, error) {
	name, without, _ := strings.Cut(spec, ",")
	f, names := Features(0), make([]string, len(levels))
	for n, l := range levels {
		names[n] = l.name
		if l.name == name {
			f = l.features
		}
	}
	if f == 0 {
		return 0, fmt.Errorf("no host %q: want one of %s", name, strings.Join(names, ", "))
	}
	for text := range strings.SplitSeq(without, ",") {
		if text == "" {
			continue
		}
		g, ok := featureNamed(strings.TrimPrefix(text, "-"))
		switch {
		case !ok || text[0] != '-':
			return 0, fmt.Errorf("%q: want -FEATURE, of %v", text, every&^Baseline())
		case Baseline().Has(g):
			return 0, fmt.Errorf("%q: every host has it", text)
		}
		f &^= g
	}
	for _, n := range needs {
		if !f.Has(n.feature) {
			f &^= n.without
		}
	}
	return f, nil
}

func featureNamed(name string) (f Features, ok bool) {
	for n := range featureNames {
		if featureNames[n] == name {
			return 1 << n, true
		}
	}
	return 0, false
}
