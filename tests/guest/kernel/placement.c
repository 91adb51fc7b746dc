// Where mappings go whose addresses are left to the system.
#include "../syscalls/check.h"
#include <sys/ipc.h>
#include <sys/personality.h>
#include <sys/shm.h>

#define PAGE 4096L
#define SIZE (40 * PAGE)
#define RW (PROT_READ | PROT_WRITE)
#define ANON (MAP_PRIVATE | MAP_ANONYMOUS)

static char *map(long size) { return mmap(0, size, RW, ANON, -1, 0); }

static void *reserve(void *stop) { // has the process's own memory managers work meanwhile
	while (!*(volatile int *)stop) {
		char *p = malloc(100000);
		p[0] = 1;
		free(p);
		char big[1000];
		memset(big, 1, sizeof big);
		pthread_yield();
	}
	return 0;
}

static void report(void) {
	int local;
	printf("%p %p %p %p %p\n", &local, map(SIZE), map(3 * SIZE), mmap(0, SIZE, PROT_READ, MAP_SHARED | MAP_ANONYMOUS, -1, 0), mmap(0, 4 << 20, PROT_NONE, ANON, -1, 0));
}

// again runs the program in another layout and returns what it prints.
static char *again(unsigned long persona, const char *what) {
	static char out[2][4096];
	static int n;
	char *buf = out[n++ & 1];
	int fd[2];
	pipe(fd);
	fflush(stdout);
	if (!fork()) {
		dup2(fd[1], 1);
		personality(persona);
		execl("/proc/self/exe", "placement", what, NULL);
		_exit(1);
	}
	close(fd[1]);
	size_t len = 0;
	for (ssize_t r; len < 4095 && (r = read(fd[0], buf + len, 4095 - len)) > 0;)
		len += r;
	buf[len] = 0;
	close(fd[0]);
	wait(0);
	return buf;
}

int main(int argc, char **argv) {
	if (argc > 1 && !strcmp(argv[1], "report")) {
		report();
		return 0;
	}
	if (argc > 1) { // bottom-up
		char *a = map(SIZE), *b = map(SIZE), *c = map(SIZE);
		ok(b == a + SIZE && c == b + SIZE);
		munmap(b, SIZE);
		ok(map(SIZE / 2) == b && map(SIZE / 2) == b + SIZE / 2);
		char *moved = mremap(a, SIZE, 2 * SIZE, MREMAP_MAYMOVE);
		ok(moved == c + SIZE);
		return 0;
	}
	char *a = map(SIZE), *b = map(SIZE);
	while (b != a - SIZE)
		a = b, b = map(SIZE);
	char *c = map(SIZE), *d = map(SIZE);
	ok(c == b - SIZE && d == c - SIZE);

	// Holes, the highest first, from their ends.
	munmap(b, SIZE);
	ok(map(SIZE / 2) == b + SIZE / 2);
	ok(map(SIZE) == d - SIZE);
	ok(map(SIZE / 2) == b);
	munmap(b, SIZE);
	munmap(d, SIZE);
	ok(map(SIZE) == b);
	ok(map(SIZE) == d);
	munmap(c, 2 * PAGE);
	ok(mmap(0, 2 * PAGE, RW, MAP_SHARED | MAP_ANONYMOUS, -1, 0) == c);

	// Nothing takes what was unmapped but who asks for it.
	int stop = 0, same = 0;
	pthread_t th;
	pthread_create(&th, 0, reserve, &stop);
	for (int i = 0; i < 300; i++) {
		char *p = map(64 * SIZE);
		munmap(p, 64 * SIZE);
		usleep(10);
		same += mmap(p, 64 * SIZE, RW, ANON | MAP_FIXED_NOREPLACE, -1, 0) == p;
		munmap(p, 64 * SIZE);
	}
	stop = 1;
	pthread_join(th, 0);
	ok(same == 300);

	// Hints.
	char *far = (char *)0x123456789000;
	ok(mmap(far, SIZE, RW, ANON, -1, 0) == far);
	ok(mmap(far + SIZE + 5, PAGE, RW, ANON, -1, 0) == far + SIZE);
	char *e = mmap(far - PAGE, 2 * PAGE, RW, ANON, -1, 0);
	ok(e != far - PAGE && e != MAP_FAILED && e > far + 100 * SIZE);
	ok(mmap(far, SIZE, RW, ANON | MAP_FIXED_NOREPLACE, -1, 0) == MAP_FAILED && errno == EEXIST);

	// What can be huge pages throughout is aligned to them.
	ok((long)map(2 << 20) % (2 << 20) == 0 && (long)map(6 << 20) % (2 << 20) == 0);

	// mremap: in place if that is possible.
	char *r = mmap(far + 1000 * SIZE, 2 * PAGE, RW, ANON, -1, 0);
	strcpy(r, "moves");
	ok(mremap(r, 2 * PAGE, 4 * PAGE, 0) == r);
	ok(mremap(r, 4 * PAGE, 4 * PAGE, MREMAP_MAYMOVE) == r);
	mmap(r + 4 * PAGE, PAGE, PROT_READ, ANON, -1, 0);
	ok(mremap(r, 4 * PAGE, 8 * PAGE, 0) == MAP_FAILED && errno == ENOMEM);
	char *s = mremap(r, 4 * PAGE, 39 * PAGE, MREMAP_MAYMOVE);
	ok(s != MAP_FAILED && s > far + 2000 * SIZE && !strcmp(s, "moves"));
	ok(mmap(r, 4 * PAGE, RW, ANON | MAP_FIXED_NOREPLACE, -1, 0) == r);
	munmap(s + 38 * PAGE, PAGE);
	ok(mremap(s, 38 * PAGE, 39 * PAGE, MREMAP_MAYMOVE) == s && !strcmp(s, "moves"));
	char *dont = mremap(r, 4 * PAGE, 4 * PAGE, MREMAP_MAYMOVE | MREMAP_DONTUNMAP, 0);
	ok(dont != r && dont != MAP_FAILED && r[0] == 0);
	char *shared = mmap(0, 2 * PAGE, RW, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	strcpy(shared, "twice");
	char *twin = mremap(shared, 0, 2 * PAGE, MREMAP_MAYMOVE);
	ok(twin != shared && twin != MAP_FAILED && !strcmp(twin, "twice"));

	// Shared memory.
	int id = shmget(IPC_PRIVATE, 3 * PAGE, IPC_CREAT | 0600);
	char *x = map(3 * PAGE);
	munmap(x, 3 * PAGE);
	char *at = shmat(id, 0, 0);
	ok(at == x);
	show(shmdt(at));
	ok(map(3 * PAGE) == x);
	shmctl(id, IPC_RMID, 0);

	// The stack is above, the program below.
	ok((char *)&stop > a && (char *)main < d);

	// More than there is, and more than the holes have.
	ok(map(1L << 47) == MAP_FAILED && errno == ENOMEM);
	char *huge = mmap(0, 1L << 44, PROT_NONE, ANON | MAP_NORESERVE, -1, 0);
	ok(huge != MAP_FAILED && huge < d);

	// Layouts.
	printf("%s", again(ADDR_COMPAT_LAYOUT, "up"));
	printf("%s", again(ADDR_COMPAT_LAYOUT | ADDR_NO_RANDOMIZE, "up"));
	ok(!strcmp(again(ADDR_NO_RANDOMIZE, "report"), again(ADDR_NO_RANDOMIZE, "report")));
	ok(!strcmp(again(ADDR_NO_RANDOMIZE | ADDR_COMPAT_LAYOUT, "report"), again(ADDR_NO_RANDOMIZE | ADDR_COMPAT_LAYOUT, "report")));
	return 0;
}
