// clone3(2) with set_tid: processes whose number their creator chooses.
#include "../syscalls/check.h"
#include <linux/sched.h>

static long clone3_(uint64_t flags, pid_t *tid, size_t n) {
	struct clone_args a = {.flags = flags, .exit_signal = SIGCHLD, .set_tid = (uintptr_t)tid, .set_tid_size = n};
	return syscall(SYS_clone3, &a, sizeof a);
}

int main(void) {
	setvbuf(stdout, 0, _IONBF, 0);
	int st;
	pid_t p = fork();
	if (!p) _exit(0);
	waitpid(p, &st, 0); // a number that is free now, and for a while
	pid_t want = p > 1000 ? p - 3 : p + 20000;
	while (!kill(want, 0)) want--;
	long c = clone3_(0, &want, 1);
	if (c < 0 && errno == EPERM) { puts("SKIP set_tid: EPERM"); return 0; }
	if (!c) _exit(getpid() == want ? 5 : 6);
	ok(c == want);
	ok(waitpid(c, &st, 0) == want);
	printf("%x\n", st);
	pid_t self = getpid(), bad[2] = {1, 1}, zero = 0;
	show(clone3_(0, &self, 1));
	show(clone3_(0, &zero, 1));
	show(clone3_(0, bad, 33));
	show(clone3_(0, 0, 1));
	show(clone3_(0, (pid_t *)8, 1));
	// Process 1 of a new namespace has a number there and here.
	pid_t two[2] = {1, want};
	c = clone3_(CLONE_NEWPID, two, 2);
	if (c < 0 && errno == EPERM) { puts("SKIP set_tid: EPERM"); return 0; }
	if (!c) _exit(getpid() == 1 ? 7 : 8);
	ok(c == want);
	ok(waitpid(c, &st, 0) == want);
	printf("%x\n", st);
	two[0] = 2;
	show(clone3_(CLONE_NEWPID, two, 2));
}
