package x64

import (
	"math/bits"
	"os"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// kernelNames are the names in /proc/cpuinfo that differ from ours.
var kernelNames = map[string]string{
	"sse3": "pni", "sse4.1": "sse4_1", "sse4.2": "sse4_2", "lahf64": "lahf_lm", "lzcnt": "abm", "pclmul": "pclmulqdq", "sha": "sha_ni",
	"vpclmul": "vpclmulqdq", "avx512vbmi2": "avx512_vbmi2", "avx512bitalg": "avx512_bitalg", "avx512vpopcntdq": "avx512_vpopcntdq",
	"avx512vnni": "avx512_vnni", "avx512fp16": "avx512_fp16", "avxvnni": "avx_vnni", "avx512bf16": "avx512_bf16",
}

// TestDetect compares with the kernel's own reading of CPUID.
func TestDetect(t *testing.T) {
	text, err := os.ReadFile("/proc/cpuinfo")
	_, flags, ok := strings.Cut(string(text), "\nflags")
	if err != nil || !ok || runtime.GOARCH != "amd64" {
		t.Skip("no x86 flags in /proc/cpuinfo")
	}
	flags, _, _ = strings.Cut(flags, "\n")
	have := make(map[string]bool)
	for _, f := range strings.Fields(flags) {
		have[f] = true
	}
	got := Detect()
	for i, name := range featureNames {
		k := name
		if n, ok := kernelNames[name]; ok {
			k = n
		}
		switch has := got>>i&1 != 0; {
		case has == have[k]:
		case has && !savedByKernel(1<<i):
			t.Logf("%s: CPUID says so, the kernel does not", name)
		default:
			t.Errorf("%s: detected %v, kernel says %v", name, has, have[k])
		}
	}
	if got := got.String(); !strings.Contains(got, "sse4.2 popcnt") {
		t.Error(got)
	}
}

// savedByKernel reports whether a feature is about registers that the kernel has to save. Of
// others it can keep quiet, as it does of LZCNT in some virtual machines, and programs use
// them all the same.
func savedByKernel(f Features) bool {
	return slices.ContainsFunc(cpuBits[:], func(e cpuBit) bool { return e.f == f && e.state != 0 })
}

func TestCPUBits(t *testing.T) {
	var all Features
	for _, e := range cpuBits {
		if all&e.f != 0 || bits.OnesCount64(uint64(e.f)) != 1 {
			t.Errorf("%s is listed twice", e.f)
		}
		all |= e.f
	}
	if all != 1<<numFeatures-1 {
		t.Errorf("no CPUID bit for %s", (1<<numFeatures-1)&^all)
	}
}

// TestDetectSimulated has CPUs that this host is not.
func TestDetectSimulated(t *testing.T) {
	cpu := func(max0, max7, leaf1c uint32) func(leaf, sub uint32) (a, b, c, d uint32) {
		return func(leaf, sub uint32) (a, b, c, d uint32) {
			switch leaf {
			case 0:
				return max0, 0, 0, 0
			case 1:
				return 0, 0, leaf1c, 0
			case 7:
				if sub == 0 {
					return max7, ^uint32(0), ^uint32(0), ^uint32(0)
				}
			}
			return ^uint32(0), ^uint32(0), ^uint32(0), ^uint32(0)
		}
	}
	xcr0 := func(v uint32) func() uint32 { return func() uint32 { return v } }
	if f := detect(cpu(1, 0, ^uint32(0)), xcr0(7)); f.Has(AVX2) || !f.Has(AVX) {
		t.Error("leaf 7 read although CPUID ends at leaf 1")
	}
	if f := detect(cpu(7, 0, ^uint32(0)), xcr0(7)); f.Has(AVX512F) || !f.Has(AVX2) || f.Has(AVXVNNI) {
		t.Error("AVX-512 without ZMM state, or leaf 7.1 read: ", f)
	}
	if f := detect(cpu(7, 1, ^uint32(0)), xcr0(0xe7)); f|Baseline() != 1<<numFeatures-1 {
		t.Error("missing ", f)
	}
	if f := detect(cpu(7, 1, ^uint32(1<<27)), xcr0(0xe7)); f.Has(AVX) || f.Has(AVX512F) || !f.Has(Baseline()) {
		t.Error("AVX without OSXSAVE: ", f)
	}
}
