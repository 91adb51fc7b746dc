// What children of vfork change of their parent's memory, in all ways to be one: the parent sees it, and what was written for
// it meanwhile stays.
#include "../syscalls/check.h"
#include <sched.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/syscall.h>

enum { PAGE = 4096, PAGES = 40 };
static int word = 1, spread[PAGES * PAGE / 4] = {1};
static char *heap, *far;
static volatile int inner;
static pid_t told[PAGE / sizeof(pid_t)] __attribute__((aligned(PAGE)));

// dirty changes something everywhere.
static void dirty(int n) {
	word += n;
	for (int i = 0; i < PAGES; i += 3) spread[i * PAGE / 4 + i] += n;
	heap[n] = n;
	far[0] = far[100 * PAGE + n] = n;
	told[9] = n;
}

static void seen(const char *what) {
	long sum = 0, heaps = 0, fars = 0;
	for (int i = 0; i < PAGES * PAGE / 4; i++) sum += spread[i];
	for (int i = 0; i < 1 << 20; i++) heaps += heap[i] + far[i];
	printf("%s: %d %ld %ld %d, told %d\n", what, word, sum, heaps, inner, (int)told[9]);
}

static void done(pid_t p, const char *what) {
	int st = -1;
	waitpid(p, &st, 0);
	seen(what);
	printf(" status %x\n", st);
}

static int child(void *a) {
	dirty(4);
	told[8] = 44;
	if (a) execl("/bin/true", "true", (char *)NULL);
	_exit(4);
}

// muchMemory is more than a child could tell as a whole: it has children itself, or no descriptor to spare.
static void muchMemory(void) {
	const size_t size = 100 << 20;
	char *much = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	for (size_t i = 0; i < size; i += PAGE) much[i] = 1;
	pid_t discards = vfork();
	if (!discards) {
		madvise(much + PAGE, PAGE, MADV_DONTNEED);
		_exit(0);
	}
	waitpid(discards, NULL, 0);
	printf("much memory: discarded %d, left %d\n", much[PAGE], much[2 * PAGE]);
	struct rlimit l = {20, 20};
	for (int round = 0; round < 2; round++) {
		volatile int before = 0, after = 0;
		pid_t p = vfork();
		if (!p) {
			before = much[0] = much[size / 2] = 2 + round;
			if (!round) {
				pid_t q = fork();
				if (!q) _exit(0);
				waitpid(q, NULL, 0);
			}
			after = much[1] = much[size - PAGE] = 4 + round;
			_exit(0);
		}
		waitpid(p, NULL, 0);
		printf("much memory: %d %d, %d %d, %d %d\n", before, after, much[0], much[size / 2], much[1], much[size - PAGE]);
		setrlimit(RLIMIT_NOFILE, &l);
		while (open("/dev/null", O_RDONLY) >= 0) {}
	}
}

int main(void) {
	setvbuf(stdout, NULL, _IOFBF, 1 << 16);
	heap = malloc(1 << 20);
	memset(heap, 0, 1 << 20);
	far = mmap(NULL, 1 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0); // never touched before
	char *argv[] = {"true", NULL};
	pid_t p;
	volatile int local = 1;
	if (!(p = vfork())) {
		dirty(1);
		local = 2;
		_exit(1);
	}
	done(p, "exit");
	printf(" local %d\n", local);
	if (!(p = vfork())) {
		dirty(2);
		local = 3;
		execv("/bin/true", argv);
		_exit(2);
	}
	done(p, "execve");
	printf(" local %d\n", local);

	// One that has children itself shares with them what it has written.
	if (!(p = vfork())) {
		dirty(3);
		pid_t q = fork();
		if (!q) {
			word = 1000; // nobody else's
			sleep(1);
			_exit(0);
		}
		inner = 1;
		_exit(3);
	}
	done(p, "with a child that lives");
	if (!(p = vfork())) {
		dirty(5);
		pid_t q = vfork();
		if (!q) {
			dirty(6);
			inner = 2;
			execv("/bin/true", argv);
			_exit(9);
		}
		waitpid(q, NULL, 0);
		_exit(5);
	}
	done(p, "with a child of vfork");

	// The kernel tells the parent numbers while the child has its memory.
	static char stack[1 << 16] __attribute__((aligned(16)));
	for (int e = 0; e < 2; e++) {
		told[0] = told[1] = 0;
		p = clone(child, stack + sizeof stack, CLONE_VM | CLONE_VFORK | CLONE_PARENT_SETTID | SIGCHLD, e ? (void *)1 : NULL, &told[0]);
		done(p, "told its number");
		printf(" told %d, by the child %d\n", told[0] == p, (int)told[8]);
		p = clone(child, stack + sizeof stack, CLONE_VM | CLONE_VFORK | CLONE_PIDFD | SIGCHLD, e ? (void *)1 : NULL, &told[1]);
		printf(" a descriptor %d\n", fcntl(told[1], F_GETFD) >= 0);
		done(p, "told a descriptor");
		close(told[1]);
	}
	printf("absent %d, a program %d\n", posix_spawn(&p, "/absent", NULL, NULL, argv, NULL), posix_spawn(&p, "/bin/true", NULL, NULL, argv, NULL));
	done(p, "spawned");

	// What is there no more reads as zeros, and protecting changes nothing.
	for (int w = 0; w < 4; w++) {
		char *a = mmap(NULL, 8 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		memset(a, 5, 8 * PAGE);
		if (!(p = vfork())) {
			a[PAGE] = 6;
			if (w == 0) madvise(a, 4 * PAGE, MADV_DONTNEED);
			if (w == 1) mprotect(a, 4 * PAGE, PROT_READ), mprotect(a, 4 * PAGE, PROT_READ | PROT_WRITE);
			if (w == 2) mmap(a, 4 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
			if (w == 3) munmap(a, 4 * PAGE), mmap(a, 4 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
			a[2 * PAGE] = 7;
			_exit(0);
		}
		waitpid(p, NULL, 0);
		printf("gone %d: %d %d %d %d %d\n", w, a[0], a[PAGE], a[2 * PAGE], a[3 * PAGE + 9], a[4 * PAGE]);
	}

	// A child that took memory away, protected some and mapped some.
	char *gone = mmap(NULL, 4 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	static char *volatile made;
	memset(gone, 7, 4 * PAGE);
	if (!(p = vfork())) {
		gone[0] = 8;
		munmap(gone + PAGE, PAGE);
		mprotect(gone + 3 * PAGE, PAGE, PROT_READ);
		made = malloc(500000);
		memset(made, 6, 500000);
		_exit(6);
	}
	done(p, "mapped");
	unsigned char in[1];
	printf(" %d, %d, %d, %d\n", gone[0], mincore(gone + PAGE, PAGE, in), gone[3 * PAGE], made[499999]);
	free(made);
	muchMemory();
	return 0;
}
