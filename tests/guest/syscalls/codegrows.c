// Code behind the end of its file: SIGBUS, whose handler makes the file longer, and then it runs.
#include "check.h"

static int file, faults;

#ifdef __aarch64__
static const unsigned code[] = {0x52800540, 0xd65f03c0}; // mov w0, #42; ret
#else
static const unsigned char code[] = {0xb8, 42, 0, 0, 0, 0xc3}; // mov eax, 42; ret
#endif

static void lengthen(int sig, siginfo_t *si, void *u) {
	printf("%s %d\n", sigabbrev_np(sig), si->si_code);
	if (++faults > 3) _exit(1);
	ftruncate(file, 8192);
	pwrite(file, code, sizeof code, 4096);
}

int main(void) {
	setvbuf(stdout, 0, _IONBF, 0);
	file = memfd_create("code", 0);
	ftruncate(file, 4096);
	char *p = mmap(0, 8192, PROT_READ | PROT_EXEC, MAP_SHARED, file, 0);
	struct sigaction sa = {.sa_sigaction = lengthen, .sa_flags = SA_SIGINFO};
	sigaction(SIGBUS, &sa, 0);
	sigaction(SIGSEGV, &sa, 0);
	alarm(10);
	int (*f)(void) = (void *)(p + 4096);
	show(f());
	show(f());
	show(faults);
	return 0;
}
