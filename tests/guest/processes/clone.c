// clone and clone3 as they make processes: thread ids in memory, pidfds, stacks, refusals.
#include "../syscalls/check.h"
#include <linux/sched.h>
#include <poll.h>

static volatile int flag;
static int entry(void *a) { flag = 5; return *(int *)a + 1; }
static long clone3_(struct clone_args *a, size_t n) { return syscall(SYS_clone3, a, n); }

int main(void) {
	setvbuf(stdout, NULL, _IONBF, 0);
	char *stack = malloc(65536) + 65536;
	int arg = 40, st;
	pid_t p = clone(entry, stack, SIGCHLD, &arg);
	ok(waitpid(p, &st, 0) == p);
	printf("own stack: %x, flag %d\n", st, flag);
	p = clone(entry, stack, CLONE_VM | CLONE_VFORK | SIGCHLD, &arg);
	ok(waitpid(p, &st, 0) == p);
	printf("shared memory: %x, flag %d\n", st, flag);

	int pidfd = -1, ptid = 0;
	p = syscall(SYS_clone, CLONE_PIDFD | SIGCHLD, 0, &pidfd, 0, 0);
	if (!p) _exit(3);
	struct pollfd pf = {pidfd, POLLIN};
	show(poll(&pf, 1, 5000));
	siginfo_t i;
	show(waitid(P_PIDFD, pidfd, &i, WEXITED));
	printf("status %d\n", i.si_status);
	ok(fcntl(pidfd, F_GETFD) == FD_CLOEXEC);
	close(pidfd);

	volatile int *tids = mmap(0, 4096, 3, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	struct clone_args a = {.flags = CLONE_PARENT_SETTID | CLONE_CHILD_SETTID | CLONE_PIDFD, .exit_signal = SIGCHLD,
		.parent_tid = (uintptr_t)&ptid, .child_tid = (uintptr_t)tids, .pidfd = (uintptr_t)&pidfd};
	p = clone3_(&a, sizeof a);
	if (!p) _exit(*tids == getpid() ? 1 : 2);
	ok(waitpid(p, &st, 0) == p);
	printf("clone3: %x %d %d\n", st, ptid == p, pidfd > 2);
	close(pidfd);

	memset(&a, 0, sizeof a);
	a.exit_signal = 65;
	show(clone3_(&a, sizeof a));
	a.exit_signal = SIGCHLD;
	show(clone3_(&a, 8));
	a.stack = (uintptr_t)stack;
	show(clone3_(&a, sizeof a));
	a.stack = 0;
	a.flags = CLONE_THREAD;
	show(clone3_(&a, sizeof a));
	a.flags = CLONE_PIDFD; // no child, where its descriptor cannot be told
	a.pidfd = 8;
	p = clone3_(&a, sizeof a);
	if (!p) _exit(0);
	show(p);
	p = syscall(SYS_clone, CLONE_PIDFD | SIGCHLD, 0, main, 0, 0);
	if (!p) _exit(0);
	show(p);
	show(waitpid(-1, &st, WNOHANG));
	show(syscall(SYS_clone, CLONE_SIGHAND | SIGCHLD, 0, 0, 0, 0));
	show(syscall(SYS_clone, CLONE_FS | CLONE_NEWNS | SIGCHLD, 0, 0, 0, 0));

	// shared descriptors and directory
	p = syscall(SYS_clone, CLONE_FILES | CLONE_FS | SIGCHLD, 0, 0, 0, 0);
	if (!p) { dup2(1, 77); chdir("/"); _exit(0); }
	waitpid(p, &st, 0);
	show(fcntl(77, F_GETFD));
	char cwd[100];
	printf("%s\n", getcwd(cwd, sizeof cwd));

	// handlers that do not reach the child
	signal(SIGUSR1, (void (*)(int))exit);
	memset(&a, 0, sizeof a);
	a.exit_signal = SIGCHLD;
	a.flags = CLONE_CLEAR_SIGHAND;
	p = clone3_(&a, sizeof a);
	if (!p) { struct sigaction sa; sigaction(SIGUSR1, NULL, &sa); _exit(sa.sa_handler == SIG_DFL); }
	waitpid(p, &st, 0);
	printf("clear sighand: %x\n", st);
	struct sigaction sa;
	sigaction(SIGUSR1, NULL, &sa);
	ok(sa.sa_handler != SIG_DFL);

	// CLONE_PARENT: a sibling
	p = fork();
	if (!p) {
		pid_t q = syscall(SYS_clone, CLONE_PARENT | SIGCHLD, 0, 0, 0, 0);
		if (!q) _exit(21);
		_exit(0);
	}
	int sum = 0;
	for (int n = 0; n < 2; n++) { if (wait(&st) > 0) sum += WEXITSTATUS(st); }
	printf("siblings: %d\n", sum);
}
