// Prints where things lie: the stack, the program, the heap, mappings, another thread's stack
// and what a child of vfork has mapped.
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

static void *volatile seen;

static void *thread(void *arg)
{
	int local;
	return &local;
}

int main(void)
{
	int local;
	pthread_t t;
	void *other;
	const int anon = MAP_PRIVATE | MAP_ANONYMOUS;
	printf("%p %p %p %lx\n", (void *)&local, (void *)main, sbrk(0), getauxval(AT_SYSINFO_EHDR));
	char *p = mmap(0, 12345, PROT_READ, anon, -1, 0);
	char *q = mmap(0, 8 << 20, PROT_READ | PROT_WRITE, anon, -1, 0);
	printf("%p %p %p\n", p, q, mremap(p, 12345, 1 << 20, MREMAP_MAYMOVE));
	pthread_create(&t, 0, thread, 0);
	pthread_join(t, &other);
	pid_t pid = vfork();
	if (pid == 0) {
		seen = mmap(0, 54321, PROT_READ | PROT_WRITE, anon, -1, 0);
		_exit(0);
	}
	waitpid(pid, 0, 0);
	printf("%p %p\n", other, seen);
	return 0;
}
