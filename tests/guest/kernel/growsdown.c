// MAP_GROWSDOWN: a mapping that grows when memory just below it is touched.
#include "../syscalls/check.h"

static sigjmp_buf jb;
static void *volatile where;
static void segv(int s, siginfo_t *i, void *u) { where = i->si_addr; siglongjmp(jb, 1); }
#define faults(x) do { where = 0; if (!sigsetjmp(jb, 1)) { x; puts(#x ": no"); } else puts(#x ": yes"); } while (0)

int main(void) {
	setvbuf(stdout, 0, _IONBF, 0);
	char alt[32768];
	stack_t ss = {.ss_sp = alt, .ss_size = sizeof alt};
	sigaltstack(&ss, 0);
	struct sigaction sa = {.sa_sigaction = segv, .sa_flags = SA_SIGINFO | SA_ONSTACK};
	sigaction(SIGSEGV, &sa, 0);
	// A hole of 64 MiB with the mapping at its top.
	char *hole = mmap(0, 64 << 20, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0), *top = hole + (64 << 20);
	munmap(hole, 64 << 20);
	volatile char *p = mmap(top - 8192, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_GROWSDOWN | MAP_FIXED, -1, 0);
	ok(p == top - 8192);
	p[0] = 1;
	faults(p[-1] = 2);
	faults(p[-4096 - 1] = 3);
	faults(p[-100 * 4096] = 4); // any distance
	ok(p[-1] == 2 && p[-50 * 4096] == 0);
	// The kernel writes there, too.
	int fd[2];
	pipe(fd);
	write(fd[1], "pipe", 4);
	show(read(fd[0], (char *)p - 150 * 4096, 4));
	printf("%.4s\n", (char *)p - 150 * 4096);
	struct stat *st = (struct stat *)(p - 160 * 4096);
	show(fstat(fd[0], st));
	ok(S_ISFIFO(st->st_mode));
	show(syscall(SYS_rt_sigprocmask, 0, 0, p - 170 * 4096, 8));
	// What has grown is one mapping.
	show(mprotect((char *)p - 170 * 4096, 172 * 4096, PROT_READ));
	faults(p[-3] = 1);
	ok(where == p - 3);
	show(mprotect((char *)p - 170 * 4096, 172 * 4096, PROT_READ | PROT_WRITE));
	// Not closer than the gap to another mapping, unless that is inaccessible.
	char *low = (char *)p - 1000 * 4096;
	ok(mmap(low, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == low);
	faults(p[-1000 * 4096 + 100 * 4096] = 1);
	faults(p[-1000 * 4096 + 300 * 4096] = 1);
	mprotect(low, 4096, PROT_NONE);
	faults(p[-1000 * 4096 + 100 * 4096] = 1);
	// Not beyond the limit for stacks.
	munmap(low, 4096);
	struct rlimit rl;
	getrlimit(RLIMIT_STACK, &rl);
	rl.rlim_cur = 6 << 20;
	show(setrlimit(RLIMIT_STACK, &rl));
	faults(p[-5 << 20] = 1);
	faults(p[-7 << 20] = 1);
	ok(where == p - (7 << 20));
	// A mapping without the flag does not grow.
	char *q = mmap(top - (40 << 20), 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
	faults(q[-1] = 1);
	show(mmap(0, 4096, PROT_READ, MAP_SHARED | MAP_ANONYMOUS | MAP_GROWSDOWN, -1, 0));
	show(munmap((char *)p - 900 * 4096, 900 * 4096 + 8192));
	faults(p[-1] = 1);
	// PROT_GROWSDOWN reaches the start of such a mapping.
	p = mmap(top - 8192, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_GROWSDOWN | MAP_FIXED, -1, 0);
	p[-4096] = 1;
	show(mprotect((char *)p + 4096, 4096, PROT_READ | PROT_GROWSDOWN));
	faults(p[-4096] = 2);
	show(mprotect(q, 4096, PROT_READ | PROT_GROWSDOWN));
}
