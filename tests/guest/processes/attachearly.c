// PTRACE_ATTACH and PTRACE_SEIZE of processes that have been forked, or are executing a
// program, at that moment: no tracer has to wait for them, and none fails.
#define _GNU_SOURCE
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>
#include "../syscalls/signalone.h"

static int attached, stopped, detached, killed;

static void once(int how, char *self) {
	pid_t pid = fork();
	if (pid == 0) {
		if (how & 1) {
			execl(self, self, "pause", NULL);
			_exit(9);
		}
		for (;;)
			pause();
	}
	if (how & 2)
		kill(pid, SIGSTOP); // perhaps before it has begun
	if (how & 4)
		usleep(300 * (how >> 3));
	int seize = how % 3 == 0;
	if (ptrace(seize ? PTRACE_SEIZE : PTRACE_ATTACH, pid, 0, 0) == 0)
		attached++;
	else
		printf("%d: attach: %s\n", how, strerror(errno));
	if (seize && !(how & 2))
		ptrace(PTRACE_INTERRUPT, pid, 0, 0);
	int st = 0;
	if (waitpid(pid, &st, __WALL | WUNTRACED) == pid && WIFSTOPPED(st))
		stopped++;
	else
		printf("%d: status %#x\n", how, st);
	if (ptrace(PTRACE_DETACH, pid, 0, 0) == 0)
		detached++;
	kill(pid, SIGKILL);
	if (waitpid(pid, &st, __WALL) == pid && WIFSIGNALED(st) && WTERMSIG(st) == SIGKILL)
		killed++;
}

int main(int argc, char **argv) {
	if (argc > 1)
		for (;;)
			pause();
	alarm(200);
	for (int i = 0; i < 96; i++)
		once(i, argv[0]);
	printf("attached %d stopped %d detached %d killed %d\n", attached, stopped, detached, killed);
	return 0;
}
