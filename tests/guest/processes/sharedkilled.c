// Processes that share memory are killed at any moment of their lives, and others fork and
// kill on.
#define _GNU_SOURCE
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include "../syscalls/signalone.h"

static char stack[64 << 10] __attribute__((aligned(16)));

static int waits(void *arg) {
	for (;;)
		pause();
}
static int calls(void *arg) {
	for (;;)
		close(open("/proc/self/stat", O_RDONLY));
}
static int computes(void *arg) {
	for (volatile int i = 0;; i++)
		;
}

static int raises(void *arg) {
	raise((long)arg);
	return 1;
}

// forks reports whether a fork's child ends as it shall.
static int forks(void) {
	int status, pid = fork();
	if (!pid)
		_exit(5);
	return waitpid(pid, &status, 0) == pid && WEXITSTATUS(status) == 5;
}

static void byKill(int pid, int sig) { kill(pid, sig); }
static void byTgkill(int pid, int sig) { syscall(SYS_tgkill, pid, pid, sig); }
static void byPidfd(int pid, int sig) {
	int fd = syscall(SYS_pidfd_open, pid, 0);
	syscall(SYS_pidfd_send_signal, fd, sig, NULL, 0);
	close(fd);
}

int main(void) {
	int (*const lives[])(void *) = {waits, calls, computes};
	void (*const ways[])(int, int) = {byKill, byTgkill, byPidfd};
	const int signals[] = {SIGTERM, SIGKILL, SIGHUP, 40};
	for (int s = 0; s < 4; s++)
		for (int way = 0; way < 3; way++) {
			int killed = 0, forked = 0;
			for (int i = 0; i < 30; i++) {
				int status, pid = clone(lives[i % 3], stack + sizeof stack, CLONE_VM | SIGCHLD, NULL);
				if (pid < 0)
					return 1;
				for (volatile int k = 0; k < i % 20 * 1000; k++)
					;
				ways[way](pid, signals[s]);
				killed += waitpid(pid, &status, 0) == pid && WIFSIGNALED(status) && WTERMSIG(status) == signals[s];
				if (i % 10 == 0)
					forked += forks();
			}
			printf("signal %d: %d killed, %d forked\n", signals[s], killed, forked);
			fflush(stdout);
		}
	for (int s = 0; s < 4; s++) {
		int status, pid = clone(raises, stack + sizeof stack, CLONE_VM | SIGCHLD, (void *)(long)signals[s]);
		waitpid(pid, &status, 0);
		printf("signal %d, forked %d\n", WTERMSIG(status), forks());
	}
}
