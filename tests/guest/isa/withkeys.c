// withkeys KEY... PROGRAM [ARGUMENT...]: executes a program whose pointer authentication
// keys are the ten numbers, low and high halves of IA, IB, DA, DB and GA. The kernel lets
// a tracer set them.
#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PACA_KEYS = 0x407, PACG_KEYS = 0x408, KEYS = 10 };

int main(int argc, char **argv)
{
	unsigned long keys[KEYS];
	int status;
	if (argc < KEYS + 2)
		return 2;
	for (int k = 0; k < KEYS; k++)
		keys[k] = strtoul(argv[1 + k], NULL, 0);
	pid_t child = fork();
	if (!child) {
		ptrace(PTRACE_TRACEME, 0, 0, 0);
		execv(argv[1 + KEYS], argv + 1 + KEYS);
		_exit(127);
	}
	if (waitpid(child, &status, 0) != child || !WIFSTOPPED(status)) // behind execve
		return 3;
	struct iovec addresses = {keys, 64}, generic = {keys + 8, 16};
	if (ptrace(PTRACE_SETREGSET, child, PACA_KEYS, &addresses) || ptrace(PTRACE_SETREGSET, child, PACG_KEYS, &generic)) {
		perror("withkeys: PTRACE_SETREGSET");
		return 4;
	}
	ptrace(PTRACE_DETACH, child, 0, 0);
	waitpid(child, &status, 0);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 5;
}
