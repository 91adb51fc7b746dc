// Counts with atomic operations alone for long enough to be compiled, then with somebody else on the
// same memory, who came in the way that the argument says: no count may be lost, and two sides
// with a full barrier between store and load may not both pass (Peterson's lock).
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/shm.h>
#include <sys/wait.h>
#include <unistd.h>

enum { alone = 3000000, together = 1000000, turns = 100000 };

typedef struct {
	atomic_long plain, old, cas, bits, narrow;
	atomic_long flag[2], turn, ready;
	volatile long locked;
} counts;

static __attribute__((noinline)) void count(counts *c, long n) {
	for (long i = 0; i < n; i++) {
		atomic_fetch_add_explicit(&c->plain, 1, memory_order_relaxed);
		if (atomic_fetch_add(&c->old, 1) < 0)
			abort();
		long v = atomic_load(&c->cas);
		while (!atomic_compare_exchange_weak(&c->cas, &v, v + 1))
			;
		atomic_fetch_xor((atomic_uchar *)&c->bits + (i & 1), 1);
		atomic_fetch_add((atomic_ushort *)&c->narrow, 1);
	}
}

static __attribute__((noinline)) void lock(counts *c, int me, long n) {
	for (long i = 0; i < n; i++) {
		atomic_store_explicit(&c->flag[me], 1, memory_order_relaxed);
		atomic_store_explicit(&c->turn, !me, memory_order_relaxed);
		atomic_thread_fence(memory_order_seq_cst);
		for (long spins = 0; atomic_load_explicit(&c->flag[!me], memory_order_acquire) && atomic_load_explicit(&c->turn, memory_order_acquire) == !me;)
			if (++spins % 4096 == 0)
				sched_yield();
		c->locked++;
		atomic_store_explicit(&c->flag[me], 0, memory_order_release);
	}
}

static void side(counts *c, int me) {
	atomic_fetch_add(&c->ready, 1);
	while (atomic_load(&c->ready) < 2)
		sched_yield();
	count(c, together);
	lock(c, me, turns);
}

static void *thread(void *c) { return side(c, 1), NULL; }

static int process(void *c) {
	side(c, 1);
	_exit(0);
}

static const int rw = PROT_READ | PROT_WRITE;

static counts *mapped(const char *how) {
	if (!strcmp(how, "shm")) {
		int id = shmget(IPC_PRIVATE, sizeof(counts), IPC_CREAT | 0600);
		void *p = shmat(id, 0, 0);
		shmctl(id, IPC_RMID, 0);
		return p;
	}
	int fd = memfd_create("counts", 0);
	ftruncate(fd, sizeof(counts));
	void *p = mmap(0, sizeof(counts), strcmp(how, "mprotect") ? rw : PROT_READ, MAP_SHARED, fd, 0);
	if (!strcmp(how, "mprotect"))
		mprotect(p, sizeof(counts), rw);
	return p;
}

int main(int argc, char **argv) {
	static counts own, first;
	const char *how = argv[1];
	counts *c = &own;
	count(&first, alone);
	lock(&first, 0, alone);
	if (first.plain != alone || first.old != alone || first.cas != alone || first.locked != alone)
		puts("wrong alone");
	pthread_t t;
	pid_t pid = 0;
	if (!strcmp(how, "thread")) {
		pthread_create(&t, 0, thread, c);
	} else if (!strcmp(how, "vm")) {
		static char stack[1 << 16] __attribute__((aligned(16)));
		pid = clone(process, stack + sizeof stack, CLONE_VM | SIGCHLD, c);
	} else {
		c = mapped(how);
		pid = fork();
		if (pid == 0)
			process(c);
	}
	side(c, 0);
	if (pid)
		waitpid(pid, 0, 0);
	else
		pthread_join(t, 0);
	printf("%s: %ld %ld %ld %ld %ld, locked %ld\n", how, c->plain, c->old, c->cas, c->bits, c->narrow, c->locked);
	return 0;
}
