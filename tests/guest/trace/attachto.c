// attachto HOW PID: PTRACE_SEIZE of a process that may not be one that can be traced, or
// not yet.
#define _GNU_SOURCE
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

static void alarmed(int sig) {
	write(1, "alarm\n", 6);
	signal(SIGALRM, SIG_DFL); // the next one ends it
}

int main(int argc, char **argv) {
	const char *how = argv[1];
	pid_t pid = atoi(argv[2]);
	if (strcmp(how, "alarm") == 0) {
		struct itimerval each = {{0, 300000}, {0, 300000}};
		signal(SIGALRM, alarmed);
		setitimer(ITIMER_REAL, &each, NULL);
	}
	pid_t killer = -1;
	if (strcmp(how, "killed") == 0 && (killer = fork()) == 0) {
		usleep(300000);
		kill(pid, SIGKILL);
		_exit(0);
	}
	if (ptrace(PTRACE_SEIZE, pid, 0, 0) != 0) {
		printf("seize: %s\n", strerror(errno));
		return 1;
	}
	printf("attached\n");
	if (killer > 0) {
		waitpid(killer, NULL, 0);
		if (ptrace(PTRACE_INTERRUPT, pid, 0, 0) != 0)
			printf("interrupt: %s\n", strerror(errno));
	}
	int st = 0;
	if (waitpid(pid, &st, __WALL) != pid)
		printf("wait: %s\n", strerror(errno));
	else if (WIFSIGNALED(st))
		printf("killed by %d\n", WTERMSIG(st));
	else
		printf("status %#x\n", st);
	return 0;
}
