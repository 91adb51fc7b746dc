// Copies and sets of FEAT_MOPS at all distances, whose pages fault on the way: a handler
// makes one page accessible at a time. What is moved is what memmove and memset move.
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { page = 4096, pages = 24, size = pages * page };
static unsigned char *mem, model[size];
static volatile long faults;

static void fault(int sig, siginfo_t *si, void *uc) {
	(void)sig, (void)uc;
	unsigned char *p = (unsigned char *)((unsigned long)si->si_addr & -page);
	if (p < mem || p >= mem + size) _Exit(3);
	mprotect(p, page, PROT_READ | PROT_WRITE);
	faults++;
}

static void copy(unsigned char *d, const unsigned char *s, unsigned long n) {
	register unsigned char *x0 asm("x0") = d;
	register const unsigned char *x1 asm("x1") = s;
	register unsigned long x2 asm("x2") = n;
	asm volatile(".inst 0x1d010440; .inst 0x1d410440; .inst 0x1d810440" // cpyp, cpym, cpye [x0]!, [x1]!, x2!
		: "+r"(x0), "+r"(x1), "+r"(x2) : : "cc", "memory");
	if (x2) _Exit(4);
}

static void set(unsigned char *d, unsigned long n, unsigned long byte) {
	register unsigned char *x0 asm("x0") = d;
	register unsigned long x1 asm("x1") = byte, x2 asm("x2") = n;
	asm volatile(".inst 0x19c10440; .inst 0x19c14440; .inst 0x19c18440" // setp, setm, sete [x0]!, x2!, x1
		: "+r"(x0), "+r"(x2) : "r"(x1) : "cc", "memory");
	if (x2 || x0 != d + n) _Exit(5);
}

static unsigned long below(unsigned long n) { return (unsigned long)random() % n; }

int main(int argc, char **argv) {
	struct sigaction sa = {.sa_sigaction = fault, .sa_flags = SA_SIGINFO};
	sigaction(SIGSEGV, &sa, 0);
	mem = mmap(0, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	for (int i = 0; i < size; i++) mem[i] = model[i] = (unsigned char)random();
	for (long round = argc > 1 ? atol(argv[1]) : 2500; round > 0; round--) {
		unsigned long n = below(below(4) ? 300 : 2 * page), s = 400 + below(3 * page), d = s;
		long distance = (long)below(below(2) ? 200 : 600) - (long)below(300);
		if (!below(4)) { // what is long and far away is copied in other ways
			n = below(7 * page), distance = 10 * page + (long)below(4 * page);
			if (below(2)) s += distance, distance = -distance;
			d = s;
		}
		d += distance;
		for (int p = 0; p < pages; p++)
			if (below(2)) mprotect(mem + p * page, page, below(2) ? PROT_NONE : PROT_READ);
		if (below(8)) {
			copy(mem + d, mem + s, n);
			memmove(model + d, model + s, n);
		} else {
			set(mem + d, n, 0x5500 + (round & 255));
			memset(model + d, (int)round & 255, n);
		}
		mprotect(mem, size, PROT_READ | PROT_WRITE);
		if (memcmp(mem, model, size)) {
			printf("n %lu distance %ld: differs\n", n, distance);
			return 1;
		}
	}
	puts(faults > 1000 ? "ok" : "too few faults");
}
