// Threads that only look at the stops of a tracee (WNOWAIT), all at once, while another waits
// for them and lets it go on: what they see is always a stop that the tracee made.
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PEEKERS = 3, STOPS = 400 };
static pid_t pid;
static int seen, wrong, example;

static void *peek(void *unused) {
	for (;;) {
		siginfo_t si;
		memset(&si, 0, sizeof si);
		if (waitid(P_PID, pid, &si, WSTOPPED | WNOWAIT | __WALL) < 0) {
			if (errno == EINTR) continue;
			return strcmp(strerrorname_np(errno), "ECHILD") ? "no child is left" : NULL;
		}
		__atomic_fetch_add(&seen, 1, __ATOMIC_RELAXED);
		if (si.si_pid != pid || si.si_code != CLD_TRAPPED || si.si_status != SIGUSR1 && si.si_status != SIGUSR2 && si.si_status != SIGSTOP) {
			__atomic_fetch_add(&wrong, 1, __ATOMIC_RELAXED);
			example = si.si_status;
		}
	}
}

int main(void) {
	pthread_t peekers[PEEKERS];
	int st, stops = 0;

	pid = fork();
	if (pid == 0) {
		signal(SIGUSR1, SIG_IGN);
		signal(SIGUSR2, SIG_IGN);
		ptrace(PTRACE_TRACEME, 0, 0, 0);
		raise(SIGSTOP);
		for (int i = 0; i < STOPS; i++) raise(i & 1 ? SIGUSR1 : SIGUSR2);
		_exit(3);
	}
	for (int i = 0; i < PEEKERS; i++) pthread_create(peekers + i, 0, peek, 0);
	while (!__atomic_load_n(&seen, __ATOMIC_RELAXED)) usleep(100); // the first stop
	while (waitpid(pid, &st, __WALL) == pid && WIFSTOPPED(st)) {
		int want = stops == 0 ? SIGSTOP : stops & 1 ? SIGUSR2 : SIGUSR1;
		if (WSTOPSIG(st) != want) printf("stop %d: %x\n", stops, st);
		stops++;
		if (ptrace(PTRACE_CONT, pid, 0, 0)) perror("PTRACE_CONT");
	}
	for (int i = 0; i < PEEKERS; i++) pthread_join(peekers[i], 0);
	printf("%d stops, end %x, something seen %d, wrong %d (%d)\n", stops, st, seen > 0, wrong, example);
}
