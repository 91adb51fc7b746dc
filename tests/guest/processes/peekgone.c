// Threads that only look at the stops of tracees (WNOWAIT) which are gone right behind their only
// stop: what they see is a stop that the tracee made, or none.
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PEEKERS = 3, CHILDREN = 150 };
static int over, wrong, example;

static void *peek(void *unused) {
	while (!__atomic_load_n(&over, __ATOMIC_ACQUIRE)) {
		siginfo_t si;
		memset(&si, 0, sizeof si);
		if (waitid(P_ALL, 0, &si, WSTOPPED | WNOWAIT | WNOHANG | __WALL) < 0 || si.si_pid == 0) continue;
		if (si.si_code != CLD_TRAPPED || si.si_status != SIGUSR1) {
			__atomic_fetch_add(&wrong, 1, __ATOMIC_RELAXED);
			example = si.si_status;
		}
	}
	return NULL;
}

int main(void) {
	pthread_t peekers[PEEKERS];
	int st, stops = 0, ends = 0;

	for (int i = 0; i < PEEKERS; i++) pthread_create(peekers + i, 0, peek, 0);
	for (int i = 0; i < CHILDREN; i++) {
		pid_t pid = fork();
		if (pid == 0) {
			ptrace(PTRACE_TRACEME, 0, 0, 0);
			raise(SIGUSR1);
			_exit(3);
		}
		if (waitpid(pid, &st, __WALL) == pid && WIFSTOPPED(st) && WSTOPSIG(st) == SIGUSR1) stops++;
		if (ptrace(PTRACE_CONT, pid, 0, 0)) perror("PTRACE_CONT");
		if (waitpid(pid, &st, __WALL) == pid && st == 3 << 8) ends++;
	}
	__atomic_store_n(&over, 1, __ATOMIC_RELEASE);
	for (int i = 0; i < PEEKERS; i++) pthread_join(peekers[i], 0);
	printf("%d stops, %d ends, wrong %d (%d)\n", stops, ends, wrong, example);
}
