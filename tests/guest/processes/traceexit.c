// PTRACE_O_TRACEEXIT: all threads of a process that ends tell their tracer.
#include "../syscalls/check.h"
#include <linux/ptrace.h>
#define pt(req, pid, addr, data) syscall(SYS_ptrace, (long)(req), (long)(pid), (long)(addr), (long)(data))

static volatile int running;
static void *waits(void *a) { __sync_fetch_and_add(&running, 1); for (;;) pause(); return a; }
static void *spins(void *a) { __sync_fetch_and_add(&running, 1); for (volatile long n = 0;; n++); return a; }
static void *exits(void *a) { while (running < 3) usleep(1000); usleep(50000); _exit(7); }

static void ends(int how) {
	printf("- %s\n", how == 0 ? "exit_group" : how == 1 ? "exit_group of another thread" : "a signal");
	pid_t k = fork();
	if (!k) {
		pt(PTRACE_TRACEME, 0, 0, 0);
		raise(SIGSTOP);
		pthread_t t;
		pthread_create(&t, NULL, waits, NULL);
		pthread_create(&t, NULL, waits, NULL);
		pthread_create(&t, NULL, spins, NULL);
		if (how == 1) pthread_create(&t, NULL, exits, NULL);
		while (running < 3) usleep(1000);
		usleep(50000);
		if (how == 0) _exit(7);
		if (how == 1) for (;;) pause();
		if (how == 2) raise(SIGTERM);
	}
	int st, events = 0, ended = 0;
	unsigned long m, all = 0;
	waitpid(k, &st, 0);
	pt(PTRACE_SETOPTIONS, k, 0, PTRACE_O_TRACECLONE | PTRACE_O_TRACEEXIT | PTRACE_O_EXITKILL);
	pt(PTRACE_CONT, k, 0, 0);
	for (pid_t p; (p = waitpid(-1, &st, __WALL)) > 0;) {
		if (!WIFSTOPPED(st)) {
			ended++;
			if (p == k) printf("%d events, or %lx, %d ended, the first %x\n", events, all, ended, st);
			continue;
		}
		int event = st >> 16;
		if (event == PTRACE_EVENT_EXIT) {
			pt(PTRACE_GETEVENTMSG, p, 0, &m);
			events++, all |= m;
		}
		pt(PTRACE_CONT, p, 0, !event && WSTOPSIG(st) != SIGSTOP ? WSTOPSIG(st) : 0);
	}
}

int main(void) {
	setvbuf(stdout, NULL, _IONBF, 0);
	for (int how = 0; how < 3; how++) ends(how);
	return 0;
}
