package x64

import (
	"strings"
)

// Features is a set of CPU features beyond those every x86-64 CPU has.
type Features uint64

// The features that rows name or lowering asks about.
const (
	SSE3 Features = 1 << iota
	SSSE3
	SSE41
	SSE42
	POPCNT
	CX16
	LAHF64
	AVX
	AVX2
	BMI1
	BMI2
	LZCNT
	MOVBE
	FMA
	F16C
	AES
	PCLMUL
	SHA
	GFNI
	ADX
	RDRAND
	VAES
	VPCLMUL
	AVX512F
	AVX512VL
	AVX512BW
	AVX512DQ
	AVX512CD
	AVX512VBMI
	AVX512VBMI2
	AVX512BITALG
	AVX512VPOPCNTDQ
	AVX512IFMA
	AVX512VNNI
	AVX512FP16
	AVXVNNI
	ERMS
	FSRM
	AVX512BF16
	numFeatures = iota
)

// EVEX128 is what registers X16..X31, masks and static rounding need.
const EVEX128 = AVX | AVX2 | AVX512F | AVX512VL | AVX512BW | AVX512DQ

var featureNames = [numFeatures]string{
	"sse3", "ssse3", "sse4.1", "sse4.2", "popcnt", "cx16", "lahf64",
	"avx", "avx2", "bmi1", "bmi2", "lzcnt", "movbe", "fma", "f16c",
	"aes", "pclmul", "sha", "gfni", "adx", "rdrand", "vaes", "vpclmul",
	"avx512f", "avx512vl", "avx512bw", "avx512dq", "avx512cd", "avx512vbmi",
	"avx512vbmi2", "avx512bitalg", "avx512vpopcntdq", "avx512ifma",
	"avx512vnni", "avx512fp16", "avxvnni", "erms", "fsrm", "avx512bf16",
}

// Baseline returns x86-64-v2, the least a host must have.
func Baseline() Features {
	return SSE3 | SSSE3 | SSE41 | SSE42 | POPCNT | CX16 | LAHF64
}

// Has reports whether f contains all of g.
func (f Features) Has(g Features) bool { return f&g == g }

// String lists the features, separated by spaces.
func (f Features) String() string {
	var s []string
	for i, n := range featureNames {
		if f>>i&1 != 0 {
			s = append(s, n)
		}
	}
	return strings.Join(s, " ")
}

// cpuBit is where CPUID reports a feature.
type cpuBit struct {
	leaf, sub uint32
	reg       uint8 // 0 EAX, 1 EBX, 2 ECX, 3 EDX
	bit       uint8
	state     uint8 // XCR0 bits the kernel must have enabled
	f         Features
}

// XCR0 state components (Intel SDM volume 1, 13.1): SSE and AVX; and opmask,
// upper halves of Z0..Z15, Z16..Z31.
const (
	stateYmm = 0x06
	stateZmm = 0xe6
)

// cpuBits is the CPUID map (Intel SDM volume 2, CPUID).
var cpuBits = [...]cpuBit{
	{1, 0, 2, 0, 0, SSE3},
	{1, 0, 2, 1, 0, PCLMUL},
	{1, 0, 2, 9, 0, SSSE3},
	{1, 0, 2, 12, stateYmm, FMA},
	{1, 0, 2, 13, 0, CX16},
	{1, 0, 2, 19, 0, SSE41},
	{1, 0, 2, 20, 0, SSE42},
	{1, 0, 2, 22, 0, MOVBE},
	{1, 0, 2, 23, 0, POPCNT},
	{1, 0, 2, 25, 0, AES},
	{1, 0, 2, 28, stateYmm, AVX},
	{1, 0, 2, 29, stateYmm, F16C},
	{1, 0, 2, 30, 0, RDRAND},
	{7, 0, 1, 3, 0, BMI1},
	{7, 0, 1, 5, stateYmm, AVX2},
	{7, 0, 1, 8, 0, BMI2},
	{7, 0, 1, 9, 0, ERMS},
	{7, 0, 1, 16, stateZmm, AVX512F},
	{7, 0, 1, 17, stateZmm, AVX512DQ},
	{7, 0, 1, 19, 0, ADX},
	{7, 0, 1, 21, stateZmm, AVX512IFMA},
	{7, 0, 1, 28, stateZmm, AVX512CD},
	{7, 0, 1, 29, 0, SHA},
	{7, 0, 1, 30, stateZmm, AVX512BW},
	{7, 0, 1, 31, stateZmm, AVX512VL},
	{7, 0, 2, 1, stateZmm, AVX512VBMI},
	{7, 0, 2, 6, stateZmm, AVX512VBMI2},
	{7, 0, 2, 8, 0, GFNI},
	{7, 0, 2, 9, stateYmm, VAES},
	{7, 0, 2, 10, stateYmm, VPCLMUL},
	{7, 0, 2, 11, stateZmm, AVX512VNNI},
	{7, 0, 2, 12, stateZmm, AVX512BITALG},
	{7, 0, 2, 14, stateZmm, AVX512VPOPCNTDQ},
	{7, 0, 3, 4, 0, FSRM},
	{7, 0, 3, 23, stateZmm, AVX512FP16},
	{7, 1, 0, 4, stateYmm, AVXVNNI},
	{7, 1, 0, 5, stateZmm, AVX512BF16},
	{0x80000001, 0, 2, 0, 0, LAHF64},
	{0x80000001, 0, 2, 5, 0, LZCNT},
}

// detect reads the features through the given CPUID and XGETBV(0). In a virtual
// machine each CPUID is an exit to the hypervisor, of 1 to 6 µs: none is asked for twice. Leaf 0x80000001
// is where a CPU says that it has a 64-bit mode, so that all have it.
func detect(cpuid func(leaf, sub uint32) (a, b, c, d uint32), xgetbv func() uint32) Features {
	const osxsave = 1 << 27 // of leaf 1
	var f Features
	last, _, _, _ := cpuid(0, 0)
	last7 := uint32(0)
	var state uint8
	var r [4]uint32
	var in cpuBit // of r
	for _, e := range cpuBits {
		if e.leaf > last && e.leaf < 0x80000000 || e.leaf == 7 && e.sub > last7 {
			continue
		}
		if e.leaf != in.leaf || e.sub != in.sub {
			r[0], r[1], r[2], r[3] = cpuid(e.leaf, e.sub)
			in = e
			switch {
			case e.leaf == 1 && r[2]&osxsave != 0:
				state = uint8(xgetbv())
			case e.leaf == 7 && e.sub == 0:
				last7 = r[0]
			}
		}
		if state&e.state == e.state && r[e.reg]>>e.bit&1 != 0 {
			f |= e.f
		}
	}
	return f
}
