// FPSR cleared behind a comparison that raised its flag: reading NZCV afterwards raises nothing again.

#include <stdint.h>
#include <stdio.h>

static const uint64_t number = 0x3ff0000000000000, signalling = 0x7ff0000000000001, quiet = 0x7ff8000000000001;

static uint64_t condition(double a, double b)
{
	uint64_t flags, eq;
	asm volatile("fcmp %d2, %d3\n\tmsr fpsr, xzr\n\tcset %1, eq\n\tmrs %0, fpsr" : "=r"(flags), "=r"(eq) : "w"(a), "w"(b) : "cc");
	return flags | eq << 32;
}

static uint64_t branch(double a, double b)
{
	uint64_t flags;
	asm volatile("fcmpe %d1, %d2\n\tmsr fpsr, xzr\n\tb.mi 1f\n\tmrs %0, fpsr\n\tb 2f\n1:\tmov %0, 77\n2:" : "=r"(flags) : "w"(a), "w"(b) : "cc");
	return flags;
}

static uint64_t call(float a, float b) // NZCV leaves the unit
{
	uint64_t flags;
	asm volatile("mov x9, x30\n\tfcmp %s1, %s2\n\tmsr fpsr, xzr\n\tbl 1f\n\tb 2f\n1:\tret\n2:\tmov x30, x9\n\tmrs %0, fpsr"
		     : "=r"(flags) : "w"(a), "w"(b) : "cc", "x9", "x30");
	return flags;
}

static uint64_t ccmp(double a, double b)
{
	uint64_t flags, ge;
	asm volatile("fcmp %d2, %d3\n\tmsr fpsr, xzr\n\tccmp %4, #5, #4, vs\n\tcset %1, ge\n\tmrs %0, fpsr"
		     : "=r"(flags), "=r"(ge) : "w"(a), "w"(b), "r"(5l) : "cc");
	return flags | (ge ^ 1) << 32;
}

static uint64_t loop(double a, double b) // cleared on each round, and read behind the loop
{
	uint64_t flags, vs;
	asm volatile("mov x9, 5\n\tfcmp %d2, %d3\n1:\tmsr fpsr, xzr\n\tsub x9, x9, 1\n\tcbnz x9, 1b\n\tcset %1, vc\n\tmrs %0, fpsr"
		     : "=r"(flags), "=r"(vs) : "w"(a), "w"(b) : "cc", "x9");
	return flags | vs << 32;
}

int main(void)
{
	double one, snan, qnan;
	__builtin_memcpy(&one, &number, 8);
	__builtin_memcpy(&snan, &signalling, 8);
	__builtin_memcpy(&qnan, &quiet, 8);
	union { uint32_t bits; float f; } single = {0x7f800001};
	for (int i = 0; i < 300; i++) {
		uint64_t r[] = {condition(snan, one), branch(one, qnan), call(single.f, 1), ccmp(one, snan), loop(snan, one)};
		for (int n = 0; n < 5; n++)
			if (r[n]) {
				printf("round %d, case %d: %lx\n", i, n, r[n]);
				return 1;
			}
	}
	puts("ok");
	return 0;
}
