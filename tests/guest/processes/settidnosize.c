// clone3 refuses fields that do not go together, and makes no child: a list of process ids
// that is said to be empty, which is how CRIU asks whether the kernel knows of such lists,
// and a cgroup in a structure that ends before it.
#include <errno.h>
#include <linux/sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static void try(const char *what, struct clone_args *a, size_t size)
{
	long p = syscall(SYS_clone3, a, size);
	if (p == 0)
		_exit(1);
	printf("%s: %s\n", what, p < 0 ? strerror(errno) : "a child");
	if (p > 0)
		waitpid(p, NULL, 0);
}

int main(void)
{
	struct clone_args a = {.exit_signal = SIGCHLD, .set_tid = -1};
	try("list without a size", &a, sizeof a);
	a.set_tid = 0;
	a.set_tid_size = 1;
	try("size without a list", &a, sizeof a);
	a.set_tid_size = 33;
	a.set_tid = -1;
	try("more than there are levels", &a, sizeof a);
	memset(&a, 0, sizeof a);
	a.exit_signal = SIGCHLD;
	a.flags = 0x200000000; // CLONE_INTO_CGROUP
	try("cgroup in version 1", &a, CLONE_ARGS_SIZE_VER1);
	return 0;
}
