// A process that shares its parent's memory has children: of fork, of vfork, and programs, while its parent forks too.
#include "../syscalls/check.h"
#include <sched.h>
#include <spawn.h>

static char stack[64 << 10] __attribute__((aligned(16)));
static char *truth[] = {"true", NULL};
static volatile int word, go;
extern char **environ;

static int ended(pid_t p) {
	int st = -1;
	if (waitpid(p, &st, 0) != p) return -1;
	return WIFSIGNALED(st) ? 1000 + WTERMSIG(st) : WEXITSTATUS(st);
}

static int parent(void *a) {
	int good = 0;
	while (!go) sched_yield();
	for (int i = 0; i < 15; i++) {
		pid_t p = fork();
		if (!p) {
			word = 1000; // nobody else's
			p = fork();
			if (!p) _exit(word == 1000);
			_exit(ended(p) + (getppid() > 1));
		}
		good += ended(p) == 2;
		if (!(p = vfork())) {
			word++;
			_exit(7);
		}
		good += ended(p) == 7;
		good += posix_spawn(&p, "/bin/true", NULL, NULL, truth, environ) == 0 && ended(p) == 0;
	}
	return good;
}

int main(void) {
	pid_t p = clone(parent, stack + sizeof stack, CLONE_VM | SIGCHLD, NULL);
	int good = 0;
	go = 1;
	for (int i = 0; i < 15; i++) {
		pid_t q = fork();
		if (!q) _exit(5);
		good += ended(q) == 5;
	}
	int its = ended(p);
	printf("the parent's %d, the process's %d, word %d\n", good, its, word);
	return 0;
}
