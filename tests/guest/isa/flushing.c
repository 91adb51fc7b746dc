// Floating point with FPCR.FZ once FPSR was written: results and flags of operations on denormals, on what
// becomes one, and on everything else, in loops that get hot; flags from before FZ was set stay.

#include <stdint.h>
#include <stdio.h>
#include <string.h>

asm(".arch armv8.5-a");

#define FZ (1ul << 24)
#define COUNT(a) (sizeof(a) / sizeof *(a))

static void set_fpcr(uint64_t v) { asm volatile("msr fpcr, %0" : : "r"(v)); }
static void set_fpsr(uint64_t v) { asm volatile("msr fpsr, %0" : : "r"(v)); }
static uint64_t fpsr(void)
{
	uint64_t v;
	asm volatile("mrs %0, fpsr" : "=r"(v));
	return v;
}

static uint64_t hash, seen[8];

static void note(uint64_t result)
{
	uint64_t f = fpsr();
	hash = (hash ^ result) * 0x100000001b3;
	hash = (hash ^ f) * 0x100000001b3;
	for (int i = 0; i < 8; i++)
		seen[i] += f >> i & 1;
}

static void show(const char *what)
{
	printf("%-12s %016lx:", what, hash);
	for (int i = 0; i < 8; i++)
		printf(" %lu", seen[i]);
	puts("");
	hash = 0;
	memset(seen, 0, sizeof seen);
}

static const uint64_t doubles[] = {
	0, 1ul << 63, 1, 1ul << 63 | 12345, 0xfffffffffffff, 0x10000000000000, 0x8010000000000000, 0x18000000000001, 0x3ff0000000000000,
	0xbff8000000000000, 0x3fefffffffffffff, 0x3fb999999999999a, 0x1ff0000000000000, 0x2000000000000001, 0x20000000deadbeef, 0x9ff3333333333333, 0x3810000000000000, 0x36a0000000000001,
	0x380fffffffffffff, 0x7fe1ccf385ebc8a0, 0x5fe1ccf385ebc8a0, 0x7ff0000000000000, 0xfff0000000000000, 0x7ff8000000000001, 0x7ff0000000000001,
};

static const uint32_t floats[] = {
	0, 1u << 31, 1, 1u << 31 | 123, 0x7fffff, 0x800000, 0x80800000, 0xc00001, 0x3f800000, 0xbfc00000, 0x3f7fffff, 0x3dcccccd, 0x1f800000,
	0x20000001, 0xa0345678, 0x7f7fffff, 0x5f7fffff, 0x7f800000, 0xff800000, 0x7fc00001, 0x7f800001,
};

#define TWO(name, insn, type, reg, list) \
	static void name(void) \
	{ \
		for (unsigned i = 0; i < COUNT(list); i++) \
			for (unsigned j = 0; j < COUNT(list); j++) { \
				type a = list[i], b = list[j]; \
				set_fpsr(0); \
				asm volatile("fmov " reg "1, %" WIDTH_##type "1\n\tfmov " reg "2, %" WIDTH_##type "2\n\t" insn "\n\tfmov %" WIDTH_##type "0, " reg "0" \
					     : "=r"(a) : "r"(a), "r"(b) : "v0", "v1", "v2", "v3"); \
				note(a); \
			} \
		show(#name); \
	}
#define WIDTH_uint64_t ""
#define WIDTH_uint32_t "w"

TWO(fadd_d, "fadd d0, d1, d2", uint64_t, "d", doubles)
TWO(fsub_d, "fsub d0, d1, d2", uint64_t, "d", doubles)
TWO(fmul_d, "fmul d0, d1, d2", uint64_t, "d", doubles)
TWO(fdiv_d, "fdiv d0, d1, d2", uint64_t, "d", doubles)
TWO(fsqrt_d, "fsqrt d0, d1", uint64_t, "d", doubles)
TWO(fmadd_d, "fmadd d0, d1, d2, d1", uint64_t, "d", doubles)
TWO(fnmsub_d, "fnmsub d0, d1, d2, d2", uint64_t, "d", doubles)
TWO(fmax_d, "fmax d0, d1, d2", uint64_t, "d", doubles)
TWO(fcvt_s_d, "fcvt s0, d1", uint64_t, "d", doubles)
TWO(fcvtzs_d, "fcvtzs x3, d1\n\tfmov d0, x3", uint64_t, "d", doubles)
TWO(frintx_d, "frintx d0, d1", uint64_t, "d", doubles)
TWO(fmul_2d, "dup v1.2d, v1.d[0]\n\tmov v2.d[1], v1.d[0]\n\tfmul v0.2d, v1.2d, v2.2d\n\tfadd v3.2d, v0.2d, v1.2d\n\teor v0.16b, v0.16b, v3.16b", uint64_t, "d", doubles)
TWO(fmin_d, "fmin d0, d1, d2", uint64_t, "d", doubles)
TWO(fminnm_d, "fminnm d0, d1, d2", uint64_t, "d", doubles)
TWO(frinta_d, "frinta d0, d1", uint64_t, "d", doubles)
TWO(fcvtas_d, "fcvtas w3, d1\n\tfmov d0, x3", uint64_t, "d", doubles)
TWO(fcvtpu_d, "fcvtpu x3, d1\n\tfmov d0, x3", uint64_t, "d", doubles)
TWO(fcvtzs_f, "fcvtzs x3, d1, #7\n\tfmov d0, x3", uint64_t, "d", doubles)
TWO(frint32x_d, "frint32x d0, d1", uint64_t, "d", doubles)
TWO(fcvtms_2d, "dup v1.2d, v1.d[0]\n\tmov v1.d[1], v2.d[0]\n\tfcvtms v0.2d, v1.2d\n\text v3.16b, v0.16b, v0.16b, #8\n\tadd v0.2d, v0.2d, v3.2d", uint64_t, "d", doubles)
TWO(fcmge_2d, "dup v1.2d, v1.d[0]\n\tdup v2.2d, v2.d[0]\n\tmov v1.d[1], v2.d[0]\n\tfcmge v0.2d, v1.2d, v2.2d\n\tfcmeq v3.2d, v1.2d, v2.2d\n\tadd v0.2d, v0.2d, v3.2d", uint64_t, "d", doubles)
TWO(fmulx_d, "fmulx d0, d1, d2", uint64_t, "d", doubles)
TWO(frecps_d, "frecps d0, d1, d2", uint64_t, "d", doubles)
TWO(frecpx_d, "frecpx d0, d1", uint64_t, "d", doubles)
TWO(frecpe_d, "frecpe d0, d1", uint64_t, "d", doubles)
TWO(frsqrte_2d, "dup v1.2d, v1.d[0]\n\tmov v1.d[1], v2.d[0]\n\tfrsqrte v0.2d, v1.2d\n\text v3.16b, v0.16b, v0.16b, #8\n\teor v0.16b, v0.16b, v3.16b", uint64_t, "d", doubles)
TWO(frecpe_4s, "dup v1.4s, v1.s[0]\n\tmov v1.s[2], v2.s[0]\n\tfrecpe v0.4s, v1.4s\n\text v3.16b, v0.16b, v0.16b, #8\n\teor v0.16b, v0.16b, v3.16b", uint32_t, "s", floats)
TWO(frsqrte_s, "frsqrte s0, s1", uint32_t, "s", floats)
TWO(fcvtxn_d, "fcvtxn s0, d1", uint64_t, "d", doubles)
TWO(fmulx_s, "fmulx s0, s1, s2", uint32_t, "s", floats)
TWO(frsqrts_4s, "dup v1.4s, v1.s[0]\n\tmov v1.s[2], v2.s[0]\n\tfrsqrts v0.4s, v1.4s, v2.4s\n\text v3.16b, v0.16b, v0.16b, #8\n\teor v0.16b, v0.16b, v3.16b", uint32_t, "s", floats)
TWO(fmaxnm_s, "fmaxnm s0, s1, s2", uint32_t, "s", floats)
TWO(fmin_4s, "dup v1.4s, v1.s[0]\n\tdup v2.4s, v2.s[0]\n\tmov v1.s[1], v2.s[0]\n\tfmin v0.4s, v1.4s, v2.4s\n\text v3.16b, v0.16b, v0.16b, #4\n\teor v0.16b, v0.16b, v3.16b", uint32_t, "s", floats)
TWO(fmaxnm_4s, "dup v1.4s, v1.s[0]\n\tdup v2.4s, v2.s[0]\n\tmov v1.s[1], v2.s[0]\n\tfmaxnm v0.4s, v1.4s, v2.4s\n\text v3.16b, v0.16b, v0.16b, #4\n\teor v0.16b, v0.16b, v3.16b", uint32_t, "s", floats)
TWO(frinti_s, "frinti s0, s1", uint32_t, "s", floats)
TWO(frintz_4s, "dup v1.4s, v1.s[0]\n\tmov v1.s[2], v2.s[0]\n\tfrintz v0.4s, v1.4s\n\text v3.16b, v0.16b, v0.16b, #8\n\teor v0.16b, v0.16b, v3.16b", uint32_t, "s", floats)
TWO(fcvtzu_s, "fcvtzu w3, s1\n\tfmov s0, w3", uint32_t, "s", floats)
TWO(fcvtns_s, "fcvtns x3, s1\n\tfmov s0, w3", uint32_t, "s", floats)
TWO(fcvtzu_4s, "dup v1.4s, v1.s[0]\n\tmov v1.s[2], v2.s[0]\n\tfcvtzu v0.4s, v1.4s, #3\n\text v3.16b, v0.16b, v0.16b, #8\n\tadd v0.4s, v0.4s, v3.4s", uint32_t, "s", floats)
TWO(fcmgt_4s, "dup v1.4s, v1.s[0]\n\tdup v2.4s, v2.s[0]\n\tmov v1.s[1], v2.s[0]\n\tfcmgt v0.4s, v1.4s, v2.4s\n\tfaddp v3.2s, v1.2s, v2.2s\n\teor v0.16b, v0.16b, v3.16b", uint32_t, "s", floats)
TWO(fadd_s, "fadd s0, s1, s2", uint32_t, "s", floats)
TWO(fmul_s, "fmul s0, s1, s2", uint32_t, "s", floats)
TWO(fdiv_s, "fdiv s0, s1, s2", uint32_t, "s", floats)
TWO(fmsub_s, "fmsub s0, s1, s2, s2", uint32_t, "s", floats)
TWO(fdiv_4s, "dup v1.4s, v1.s[0]\n\tmov v2.s[1], v1.s[0]\n\tfdiv v0.4s, v1.4s, v2.4s\n\text v3.16b, v0.16b, v0.16b, #4\n\teor v0.16b, v0.16b, v3.16b", uint32_t, "s", floats)
TWO(fcvt_d_s, "fcvt d0, s1\n\tmov v3.s[0], v0.s[1]\n\teor v0.8b, v0.8b, v3.8b", uint32_t, "s", floats)
TWO(scvtf_s, "scvtf s0, s1, #31", uint32_t, "s", floats)

#define COMPARE(name, insn, type, reg, list) \
	static void name(void) \
	{ \
		for (unsigned i = 0; i < COUNT(list); i++) \
			for (unsigned j = 0; j < COUNT(list); j++) { \
				type a = list[i], b = list[j]; \
				uint64_t flags; \
				set_fpsr(0); \
				asm volatile("fmov " reg "1, %" WIDTH_##type "1\n\tfmov " reg "2, %" WIDTH_##type "2\n\t" insn "\n\tcset %0, gt\n\tcinc %0, %0, mi\n\tcinc %0, %0, vs\n\tmrs x3, nzcv\n\tadd %0, %0, x3" \
					     : "=&r"(flags) : "r"(a), "r"(b) : "v1", "v2", "x3", "cc"); \
				note(flags); \
			} \
		show(#name); \
	}
COMPARE(fcmp_d, "fcmp d1, d2", uint64_t, "d", doubles)
COMPARE(fcmpe_d, "fcmpe d1, d2", uint64_t, "d", doubles)
COMPARE(fcmp_d0, "fcmp d1, #0.0", uint64_t, "d", doubles)
COMPARE(fcmpe_s, "fcmpe s1, s2", uint32_t, "s", floats)

static void all(void)
{
	fadd_d(); fsub_d(); fmul_d(); fdiv_d(); fsqrt_d(); fmadd_d(); fnmsub_d(); fmax_d(); fcvt_s_d(); fcvtzs_d(); frintx_d(); fmul_2d();
	fmin_d(); fminnm_d(); frinta_d(); fcvtas_d(); fcvtpu_d(); fcvtzs_f(); frint32x_d(); fcvtms_2d(); fcmge_2d();
	fmulx_d(); frecps_d(); frecpx_d(); frecpe_d(); frsqrte_2d(); frecpe_4s(); frsqrte_s(); fcvtxn_d(); fmulx_s(); frsqrts_4s();
	fmaxnm_s(); fmin_4s(); fmaxnm_4s(); frinti_s(); frintz_4s(); fcvtzu_s(); fcvtns_s(); fcvtzu_4s(); fcmgt_4s();
	fadd_s(); fmul_s(); fdiv_s(); fmsub_s(); fdiv_4s(); fcvt_d_s(); scvtf_s();
	fcmp_d(); fcmpe_d(); fcmp_d0(); fcmpe_s();
}

// decay multiplies until nothing is left, again and again.
static double decay(double x, double by, int n)
{
	double sum = 0, y = x;
	for (int i = 0; i < n; i++) {
		y = y > 0 ? y * by : x;
		sum += y;
	}
	return sum;
}

int main(void)
{
	static const uint64_t modes[] = {FZ, FZ | 1 << 22, FZ | 2 << 22, FZ | 3 << 22, FZ | 1 << 25};
	volatile double least = 0x1p-1022, half = 0.5, big = 0x1p1000;

	set_fpsr(0);
	half = least / 3; // Underflow and Inexact without FZ
	set_fpcr(FZ);
	half = big * 2;
	printf("before, and after: %lx", fpsr());
	set_fpsr(0);
	half = big * 3;
	printf(" %lx", fpsr());
	half = least * 0.5;
	printf(" %lx", fpsr());
	set_fpcr(0);
	half = least / 3;
	printf(" %lx", fpsr());
	set_fpcr(FZ);
	half = least + 0x1p-1074;
	printf(" %lx\n", fpsr());

	for (unsigned m = 0; m < COUNT(modes); m++) {
		set_fpcr(modes[m]);
		printf("FPCR %lx\n", modes[m]);
		all();
		set_fpsr(0);
		volatile double sum = decay(1, 0x1.8p-100, 100000);
		printf("decay %a %lx\n", sum, fpsr());
	}
	return 0;
}
