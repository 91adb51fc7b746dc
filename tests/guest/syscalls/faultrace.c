// Two threads store to a page that cannot be written, and the handler of whichever faults first
// makes it writable: the other one's fault is one of protection too, or none.
#include "check.h"

enum { ROUNDS = 2000 };

static char *page;
static volatile int buses, faults;
static pthread_barrier_t begin, end;

static void fault(int sig, siginfo_t *si, void *u) {
	if (sig == SIGBUS) __sync_fetch_and_add(&buses, 1);
	__sync_fetch_and_add(&faults, 1);
	mprotect(page, 4096, PROT_READ | PROT_WRITE);
}

static void *stores(void *a) {
	for (int i = 0; i < ROUNDS; i++) {
		pthread_barrier_wait(&begin);
		for (volatile int k = i * (a ? 13 : 7) % 64; k > 0; k--);
		page[a ? 8 : 0] = i;
		pthread_barrier_wait(&end);
	}
	return 0;
}

int main(void) {
	struct sigaction sa = {.sa_sigaction = fault, .sa_flags = SA_SIGINFO};
	sigaction(SIGSEGV, &sa, 0);
	sigaction(SIGBUS, &sa, 0);
	page = mmap(0, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	pthread_barrier_init(&begin, 0, 3);
	pthread_barrier_init(&end, 0, 3);
	pthread_t t[2];
	for (long i = 0; i < 2; i++) pthread_create(&t[i], 0, stores, (void *)i);
	for (int i = 0; i < ROUNDS; i++) {
		mprotect(page, 4096, PROT_READ);
		pthread_barrier_wait(&begin);
		pthread_barrier_wait(&end);
	}
	for (int i = 0; i < 2; i++) pthread_join(t[i], 0);
	ok(faults >= ROUNDS);
	show(buses);
	return 0;
}
