// Spends about nine tenths of its time in hot, which is called in two ways, and a
// tenth in cool. A child does the same with the shares exchanged.
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#define APART __attribute__((noinline, noclone))

static volatile unsigned long sink;

APART void hot(unsigned long n)
{
	unsigned long x = n;
	for (unsigned long i = 0; i < n; i++) {
		x ^= x << 13;
		x ^= x >> 7;
		x ^= x << 17;
	}
	sink = x;
}

APART void cool(unsigned long n)
{
	unsigned long x = n;
	for (unsigned long i = 0; i < n; i++)
		x = (x ^ i) * 3;
	sink = x;
}

APART void often(unsigned long n) { hot(n); sink++; }
APART void seldom(unsigned long n) { hot(n / 3); cool(n / 3); sink++; }
APART void other(unsigned long n) { cool(n); sink++; }

int main(int argc, char **argv)
{
	unsigned long n = argc > 1 ? strtoul(argv[1], 0, 0) : 4000000;
	pid_t child = argc > 2 ? fork() : -1;
	for (int i = 0; i < 20; i++) {
		if (child == 0) {
			other(n);
		} else {
			often(n);
			seldom(n);
		}
	}
	if (child > 0 && waitpid(child, 0, 0) != child)
		return 1;
	if (child != 0)
		printf("%lu\n", sink != 0);
	return 0;
}
