// Loops that change the rounding mode and look at exceptions all the time, as interval
// arithmetic and software long double do. Nothing here is tiny: x86 tells after rounding.

#include <fenv.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>

static const int modes[] = {FE_TONEAREST, FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO};
static const int flags[] = {FE_INEXACT, FE_DIVBYZERO, FE_INVALID, FE_OVERFLOW};

static uint64_t seed = 1, sum;

static uint64_t next(void)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	return seed ^= seed << 17;
}

static void add(double x)
{
	union { double d; uint64_t u; } v = {x};
	sum = sum * 31 + (isnan(x) ? 1 : v.u);
}

// operands are numbers of moderate size, now and then a zero or an infinity.
static double operand(void)
{
	switch (next() % 64) {
	case 0: return 0;
	case 1: return INFINITY;
	case 2: return 0x1p1000;
	}
	return (double)(int64_t)next() * 0x1p-40;
}

static unsigned raised(void)
{
	unsigned set = 0;
	for (int k = 0; k < 4; k++)
		set |= !!fetestexcept(flags[k]) << k;
	return set;
}

static void arithmetic(int rounds)
{
	for (int i = 0; i < rounds; i++) {
		volatile double x = operand(), y = operand(), r;
		volatile float f = x, g;
		volatile uint64_t u = next();
		fesetround(modes[next() % 4]);
		r = x / y; add(r);
		r = x * y; add(r);
		r = x - y; add(r);
		r = sqrt(fabs(x)); add(r);
		r = fma(x, y, 1); add(r);
		g = f + 1.1f; add(g);
		g = u; add(g);
		r = u; add(r);
		r = nearbyint(x); add(r);
		if (fabs(x) < 0x1p60)
			sum += lrint(x);
		sum = sum * 31 + (fegetround() == FE_UPWARD);
	}
	fesetround(FE_TONEAREST);
}

static void exceptions(int rounds)
{
	unsigned seen[16] = {0};
	for (int i = 0; i < rounds; i++) {
		volatile double x = operand(), y = operand(), r;
		feclearexcept(FE_ALL_EXCEPT);
		r = x / y;
		seen[raised()]++;
		if (next() % 4 == 0)
			feraiseexcept(flags[next() % 3]); // Overflow alone is not to be had on arm64
		r = x * y;
		seen[raised()]++;
		fexcept_t kept;
		fegetexceptflag(&kept, FE_ALL_EXCEPT);
		feclearexcept(FE_INEXACT);
		r = 1 + 1;
		seen[raised()]++;
		fesetexceptflag(&kept, FE_ALL_EXCEPT);
		add(r);
	}
	for (int k = 0; k < 16; k++)
		printf("%u ", seen[k]);
	printf("\n");
}

// held is both at once: an environment that is put aside, and another rounding mode.
static void held(int rounds)
{
	for (int i = 0; i < rounds; i++) {
		fenv_t env;
		volatile double x = operand(), y = 3;
		feholdexcept(&env);
		fesetround(modes[i % 4]);
		x = x / y;
		add(x);
		if (i % 3 == 0)
			feupdateenv(&env);
		else
			fesetenv(&env);
		sum = sum * 31 + raised();
	}
}

int main(void)
{
	for (int k = 0; k < 3; k++) {
		arithmetic(20000);
		printf("arithmetic %016lx\n", sum);
		exceptions(20000);
		held(20000);
		printf("held %016lx\n", sum);
	}
	return 0;
}
