// The stops of execve without PTRACE_O_TRACEEXEC: the exit of the call, if PTRACE_SYSCALL was the command
// when it was made, and then the SIGTRAP, which is a signal like others. Who counts entries and exits
// takes one for the other if an exit is missing or comes twice.
#include "../syscalls/check.h"
#include <sys/ptrace.h>

static const char *const ops[] = {"none", "entry", "exit", "seccomp"};

// stops prints n stops of a child that executes this program, and goes on from each with PTRACE_SYSCALL.
static void stops(const char *name, char *self, int stopped, long options, int n) {
	pid_t p = fork();
	if (!p) {
		ptrace(PTRACE_TRACEME, 0, 0, 0);
		if (stopped) raise(SIGSTOP);
		execl("/proc/self/exe", self, "calls", (char *)0);
		_exit(9);
	}
	printf("%s:", name);
	for (int i = 0, status; i < n; i++) {
		if (waitpid(p, &status, __WALL) < 0 || !WIFSTOPPED(status)) {
			printf(" ended %x", status);
			break;
		}
		if (!i) ptrace(PTRACE_SETOPTIONS, p, 0, PTRACE_O_TRACESYSGOOD | PTRACE_O_EXITKILL | options);
		struct __ptrace_syscall_info info = {0};
		if (status >> 16) printf(" event");
		else if (WSTOPSIG(status) == (SIGTRAP | 0x80)) {
			ptrace(PTRACE_GET_SYSCALL_INFO, p, sizeof info, &info);
			printf(" %s", ops[info.op & 3]);
		} else printf(" %s", sigabbrev_np(WSTOPSIG(status)));
		ptrace(PTRACE_SYSCALL, p, 0, 0);
	}
	printf("\n");
	kill(p, SIGKILL);
	waitpid(p, 0, 0);
}

int main(int argc, char **argv) {
	if (argc > 1) {
		for (int i = 0; i < 3; i++) getppid();
		_exit(0);
	}
	setvbuf(stdout, 0, _IONBF, 0);
	stops("at once", argv[0], 0, 0, 4);
	stops("stopped before", argv[0], 1, 0, 6);
	stops("with the event", argv[0], 1, PTRACE_O_TRACEEXEC, 6);
	return 0;
}
