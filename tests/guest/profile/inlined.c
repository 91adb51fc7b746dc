// Spends its time in a function that is inlined in another.
#include <stdio.h>
#include <stdlib.h>

static volatile unsigned long sink;

static inline __attribute__((always_inline)) unsigned long mix(unsigned long x)
{
	x ^= x << 13;
	x ^= x >> 7;
	return x ^ x << 17;
}

__attribute__((noinline, noclone)) void work(unsigned long n)
{
	unsigned long x = n;
	for (unsigned long i = 0; i < n; i++)
		x = mix(x); // the call
	sink = x;
}

int main(int argc, char **argv)
{
	work(strtoul(argv[1], 0, 0));
	printf("%d\n", sink != 0);
	return 0;
}
