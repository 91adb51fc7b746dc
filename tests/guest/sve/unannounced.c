// Uses SVE without asking for it, as a program does that was built for one processor, while a timer's
// handler makes its predicates others.
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/auxv.h>
#include <sys/prctl.h>
#include <sys/time.h>

static volatile int handled;

static void handler(int sig) {
	asm volatile("pfalse p0.b\n pfalse p1.b\n pfalse p2.b\n pfalse p3.b" ::: "p0", "p1", "p2", "p3");
	handled++;
}

// sum adds n values, by elements of which the last vector has fewer.
static uint64_t sum(const uint64_t *v, uint64_t n) {
	uint64_t all, i = 0;
	asm volatile("mov z0.d, #0\n whilelo p0.d, %1, %3\n"
		     "1: ld1d {z1.d}, p0/z, [%2, %1, lsl #3]\n add z0.d, p0/m, z0.d, z1.d\n"
		     "incd %1\n whilelo p0.d, %1, %3\n b.first 1b\n"
		     "ptrue p0.d\n uaddv d0, p0, z0.d\n fmov %0, d0"
		     : "=r"(all), "+r"(i) : "r"(v), "r"(n) : "p0", "z0", "z1", "cc", "memory");
	return all;
}

int main(void) {
	uint64_t v[1001], want = 0;
	for (int i = 0; i < 1001; i++)
		want += v[i] = i * 0x9e3779b97f4a7c15;
	printf("HWCAP_SVE %lu, PR_SVE_GET_VL %d\n", getauxval(AT_HWCAP) >> 22 & 1, prctl(PR_SVE_GET_VL));
	fflush(stdout);
	signal(SIGALRM, handler);
	struct itimerval often = {{0, 500}, {0, 500}};
	setitimer(ITIMER_REAL, &often, 0);
	int wrong = 0;
	for (int rounds = 0; handled < 50; rounds++)
		wrong += sum(v, 1001) != want;
	printf("%d wrong sums\n", wrong);
}
