// A signal that is sent to a child as soon as fork has returned its number reaches it, whichever
// it is: 33, too, which the child's emulator uses itself at that time.
#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include "../syscalls/signalone.h"

enum { TIMES = 60 };
static volatile sig_atomic_t got;
static void handler(int sig) { got = sig; }

// lost returns how many of the children that were sent sig have not got it.
static int lost(int sig) {
	int n = 0, status;
	sigset_t old;
	// By the kernel's own calls: C libraries keep 33 for themselves.
	unsigned long action[4], mask = 1UL << (sig - 1);
	signal(SIGUSR1, handler);
	syscall(SYS_rt_sigaction, SIGUSR1, 0, action, 8);
	syscall(SYS_rt_sigaction, sig, action, 0, 8);
	sigprocmask(SIG_BLOCK, 0, &old);
	syscall(SYS_rt_sigprocmask, SIG_BLOCK, &mask, 0, 8);
	for (int i = 0; i < TIMES; i++) {
		pid_t kid = fork();
		if (kid == 0) {
			alarm(1); // ends the child
			while (!got) sigsuspend(&old);
			_exit(0);
		}
		kill(kid, sig);
		waitpid(kid, &status, 0);
		n += status != 0;
	}
	sigprocmask(SIG_SETMASK, &old, 0);
	return n;
}

int main(void) {
	const int signals[] = {SIGUSR1, 33, SIGRTMIN, SIGRTMAX, SIGTRAP, SIGSEGV};
	for (unsigned i = 0; i < sizeof signals / sizeof *signals; i++) printf("%u: %s\n", i, lost(signals[i]) ? "lost" : "reached");
	return 0;
}
