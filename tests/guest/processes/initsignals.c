// Signals for the first process of a process id namespace: those that it does not catch
// have no effect, unless it has caused them itself.
#define _GNU_SOURCE
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static const int sent[] = {SIGTERM, SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSTKFLT, SIGUSR1, 33, 64};

static int child_in_namespace(int (*f)(void)) {
	int st = 0;
	fflush(stdout);
	pid_t pid = syscall(SYS_clone, CLONE_NEWPID | SIGCHLD, 0, 0, 0, 0);
	if (pid < 0)
		return -1;
	if (pid == 0) {
		st = f();
		fflush(stdout);
		_exit(st);
	}
	waitpid(pid, &st, 0);
	return st;
}

static int init(void) {
	for (unsigned i = 0; i < sizeof sent / sizeof *sent; i++) {
		if (fork() == 0)
			_exit((kill)(1, sent[i]) ? errno : 0);
		int st = 0;
		wait(&st);
		raise(sent[i]);
		printf("pid %d, sent %d: %d\n", getpid(), sent[i], WEXITSTATUS(st));
	}
	return 3;
}

int main(void) {
	int st = child_in_namespace(init);
	if (st < 0) {
		printf("SKIP clone with CLONE_NEWPID: %s\n", strerror(errno));
		return 0;
	}
	printf("ended by itself %d\n", WIFEXITED(st) && WEXITSTATUS(st) == 3);
	return 0;
}
