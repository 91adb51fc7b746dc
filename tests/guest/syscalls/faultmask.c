// A handler of faults whose sa_mask holds a signal that another thread sends all the time: whatever
// comes just before the fault is not delivered on top of it.
#include "check.h"

enum { FAULTS = 500 };

// Long code without a branch, for a signal to come in the middle of it.
#ifdef __aarch64__
#define STRAIGHT __asm__ volatile(".rept 1000\nudiv x9, x9, x10\n.endr" ::: "x9", "x10")
#else
#define STRAIGHT __asm__ volatile(".rept 1000\nimul %%r9, %%r10\n.endr" ::: "r9", "r10")
#endif

static char *page;
static int faults, traps, others, nested;
static volatile int stop;

static void fault(int sig, siginfo_t *si, void *u) {
	faults++;
	mprotect(page, 4096, PROT_READ | PROT_WRITE);
}

static void trap(int sig, siginfo_t *si, void *u) {
	ucontext_t *uc = u;
	traps++;
#ifdef __aarch64__
	uc->uc_mcontext.pc += 4;
#else
	uc->uc_mcontext.gregs[REG_RIP] += 2;
#endif
}

static void other(int sig, siginfo_t *si, void *u) {
	others++;
	nested += sigismember(&((ucontext_t *)u)->uc_sigmask, sig);
}

static void *sends(void *to) {
	while (!stop) pthread_kill(*(pthread_t *)to, SIGUSR1);
	return 0;
}

static void on(int sig, void (*f)(int, siginfo_t *, void *)) {
	struct sigaction sa = {.sa_sigaction = f, .sa_flags = SA_SIGINFO};
	sigaddset(&sa.sa_mask, SIGUSR1);
	sigaction(sig, &sa, 0);
}

int main(void) {
	page = mmap(0, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	on(SIGSEGV, fault);
	on(SIGILL, trap);
	on(SIGUSR1, other);
	pthread_t self = pthread_self(), t;
	pthread_create(&t, 0, sends, &self);
	for (int i = 0; i < FAULTS; i++) {
		mprotect(page, 4096, PROT_READ);
		STRAIGHT;
		page[0] = i;
		STRAIGHT;
#ifdef __aarch64__
		__asm__ volatile("udf #0");
#else
		__asm__ volatile("ud2");
#endif
	}
	stop = 1;
	pthread_join(t, 0);
	ok(faults == FAULTS);
	ok(traps == FAULTS);
	ok(others > 0);
	show(nested);
	return 0;
}
