// ptrace(2) by a process that has rights which it does not use: whom it may trace is decided by its permitted capabilities and its
// real ids, what it may see in /proc by the effective ones.
#include "../syscalls/check.h"
#include <linux/capability.h>
#include <linux/ptrace.h>

static void effective(int cap, int on) {
	struct __user_cap_header_struct h = { _LINUX_CAPABILITY_VERSION_3, 0 };
	struct __user_cap_data_struct d[2];
	syscall(SYS_capget, &h, d);
	d[cap / 32].effective = on ? d[cap / 32].effective | d[cap / 32].permitted & 1u << cap % 32 : d[cap / 32].effective & ~(1u << cap % 32);
	ok(syscall(SYS_capset, &h, d) == 0);
}

int main(void) {
	setvbuf(stdout, NULL, _IONBF, 0);
	effective(CAP_SYS_PTRACE, 0);
	int go[2];
	ok(pipe(go) == 0);
	pid_t k = fork();
	if (!k) {
		effective(CAP_SYS_PTRACE, 1);
		write(go[1], "x", 1);
		for (;;) pause();
	}
	char c;
	ok(read(go[0], &c, 1) == 1);
	int st = 0;
	show(syscall(SYS_ptrace, PTRACE_SEIZE, k, 0, 0));
	show(syscall(SYS_ptrace, PTRACE_INTERRUPT, k, 0, 0));
	ok(waitpid(k, &st, 0) == k && st >> 8 == (SIGTRAP | PTRACE_EVENT_STOP << 8));
	show(syscall(SYS_ptrace, PTRACE_DETACH, k, 0, 0));
	show(syscall(SYS_ptrace, PTRACE_ATTACH, k, 0, 0));
	ok(waitpid(k, &st, 0) == k && WIFSTOPPED(st) && WSTOPSIG(st) == SIGSTOP);
	show(syscall(SYS_ptrace, PTRACE_CONT, k, 0, 0));
	ok(kill(k, SIGKILL) == 0 && waitpid(k, &st, 0) == k && WIFSIGNALED(st));
	return 0;
}
