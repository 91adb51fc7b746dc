// vfork and posix_spawn: the parent waits, sees what the child changed, and gets the child's errors.
#include "../syscalls/check.h"
#include <spawn.h>

extern char **environ;
static int global;
static char big[100000];

static void shared(void) {
	volatile int failed = 0;
	int st, sum = 0;
	pid_t p = vfork();
	if (!p) {
		failed = 7;
		global = 9;
		memset(big, 3, sizeof big);
		int fd = open("/dev/zero", O_RDONLY);
		read(fd, big + 50000, 5000); // the kernel's stores count as well
		struct iovec v[2] = {{big, 10}, {big + 90000, 6000}};
		readv(fd, v, 2);
		close(fd);
		execl("/nonexistent", "x", (char *)0);
		failed = errno;
		_exit(111);
	}
	waitpid(p, &st, 0);
	for (size_t i = 0; i < sizeof big; i++) sum += big[i];
	printf("vfork: failed %s global %d status %x sum %d\n", strerrorname_np(failed), global, st, sum);
}

static int sumOf(const char *p, size_t n) {
	int sum = 0;
	while (n--) sum += *p++;
	return sum;
}

// What the child maps is the parent's too: malloc keeps lists of it.
static void mappings(int how) {
	static char *heap, *fresh, *closed, *gone;
	static void *volatile kept[400];
	const size_t size = 64 << 10;
	closed = mmap(0, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	gone = mmap(0, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	int st;
	pid_t p = vfork();
	if (!p) {
		heap = sbrk(size);
		memset(heap + 100, 1, 5000);
		fresh = mmap(0, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		fresh[20000] = 5;
		mprotect(closed + 8192, 8192, PROT_READ | PROT_WRITE);
		closed[9000] = 6;
		munmap(gone + 4096, 4096);
		for (int i = 0; i < 400; i++) kept[i] = memset(malloc(i * 10 + 1), i, i * 10 + 1);
		if (how) _exit(0);
		execl("/bin/true", "true", (char *)0);
		_exit(1);
	}
	waitpid(p, &st, 0);
	unsigned char in[16];
	int bad = 0;
	for (int i = 0; i < 400; i++) {
		for (int k = 0; k < i * 10 + 1; k++) bad += ((unsigned char *)kept[i])[k] != (i & 255);
		free(kept[i]);
	}
	void *more[400];
	for (int i = 0; i < 400; i++) more[i] = memset(malloc(i * 20 + 1), 1, i * 20 + 1);
	for (int i = 0; i < 400; i++) free(more[i]);
	closed[16383] = 1;
	printf("mapped by a child: break %d new %d opened %d unmapped %d beside %d malloc %d\n", sumOf(heap, size), sumOf(fresh, size), sumOf(closed + 8192, 8192),
		mincore(gone + 4096, 4096, in) ? errno == ENOMEM : 0, mincore(gone, 4096, in), bad);
}

static void *other(void *a) { // writes next to what the child writes
	volatile int *p = a;
	for (;;) p[1]++;
}

static void beside(void) {
	static volatile int word[2];
	pthread_t t;
	pthread_create(&t, 0, other, (void *)word);
	int before = 0, bad = 0;
	for (int i = 1; i <= 20; i++) {
		int st;
		pid_t p = vfork();
		if (!p) { word[0] = i; usleep(1000); _exit(0); }
		waitpid(p, &st, 0);
		if (word[0] != i || word[1] < before) bad++; // nothing of the thread's is undone
		before = word[1];
	}
	printf("beside a thread: %d\n", bad);
}

enum { blocks = 8, block = 64 << 10 };
static volatile int *turn; // in memory that is shared anyway

static void map(char **list, int value) {
	for (int i = 0; i < blocks; i++)
		list[i] = memset(mmap(0, block, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), value, block);
}

static void *maps(void *list) {
	while (*turn != 1) usleep(100);
	map(list, 1);
	*turn = 2;
	return 0;
}

// A child and a thread of its parent map memory at the same time: all of it is the parent's.
static void mapsBeside(void) {
	static char *ours[blocks], *childs[blocks];
	pthread_t t;
	int bad = 0, st;
	turn = mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	pthread_create(&t, 0, maps, ours);
	pid_t p = vfork();
	if (!p) {
		*turn = 1;
		while (*turn != 2) usleep(100);
		map(childs, 2);
		_exit(0);
	}
	waitpid(p, &st, 0);
	pthread_join(t, 0);
	for (int i = 0; i < blocks; i++) bad += sumOf(ours[i], block) != block || sumOf(childs[i], block) != 2 * block;
	printf("mapped beside a thread: %d\n", bad);
}

static int waits(void) { // the parent must not go on before the child is done
	static volatile int order;
	int st;
	pid_t p = vfork();
	if (!p) { usleep(50000); order = 1; _exit(0); }
	int r = order;
	waitpid(p, &st, 0);
	return r;
}

static void spawn(const char *what, const char *path, posix_spawn_file_actions_t *fa, posix_spawnattr_t *at, char **argv) {
	pid_t p = -1;
	int st = -1;
	int r = posix_spawn(&p, path, fa, at, argv, environ);
	if (!r) waitpid(p, &st, 0);
	printf("%s: %s %x\n", what, r ? strerrorname_np(r) : "spawned", st);
}

int main(int argc, char **argv) {
	setvbuf(stdout, NULL, _IONBF, 0);
	if (argc > 2) { // as a child
		if (!strcmp(argv[1], "exit")) _exit(atoi(argv[2]));
		char buf[100];
		ssize_t n = read(atoi(argv[2]), buf, sizeof buf);
		printf("child reads %zd\n", n);
		_exit(n < 0 ? 99 : n);
	}
	shared();
	mappings(0);
	mappings(1);
	printf("waits: %d\n", waits());
	beside();
	mapsBeside();
	char *args[] = {"spawned", "exit", "13", 0}, dir[] = "/tmp/spawnXXXXXX", path[100];
	char *self = "/proc/self/exe";
	mkdtemp(dir);
	spawn("self", self, 0, 0, args);
	spawn("missing", "/nonexistent/x", 0, 0, args);
	spawn("directory", dir, 0, 0, args);
	spawn("not a directory", "/dev/null/x", 0, 0, args);
	snprintf(path, sizeof path, "%s/f", dir);
	int fd = open(path, O_CREAT | O_WRONLY, 0644);
	spawn("not executable", path, 0, 0, args);
	fchmod(fd, 0755);
	spawn("busy", path, 0, 0, args);
	close(fd);
	spawn("empty", path, 0, 0, args);
	char loop[100];
	snprintf(loop, sizeof loop, "%s/loop", dir);
	symlink(loop, loop);
	spawn("loop", loop, 0, 0, args);
	posix_spawn_file_actions_t fa;
	posix_spawn_file_actions_init(&fa);
	posix_spawn_file_actions_addopen(&fa, 5, "/nonexistent", O_RDONLY, 0);
	spawn("bad action", self, &fa, 0, args);
	posix_spawn_file_actions_destroy(&fa);
	posix_spawn_file_actions_init(&fa);
	posix_spawn_file_actions_addopen(&fa, 5, "/dev/zero", O_RDONLY, 0);
	posix_spawn_file_actions_adddup2(&fa, 5, 6);
	posix_spawn_file_actions_addclose(&fa, 5);
	char *rd[] = {"spawned", "read", "6", 0}, *rd5[] = {"spawned", "read", "5", 0};
	spawn("actions", self, &fa, 0, rd);
	spawn("closed", self, &fa, 0, rd5);
	posix_spawnattr_t at;
	posix_spawnattr_init(&at);
	posix_spawnattr_setflags(&at, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSID);
	spawn("attributes", self, 0, &at, args);
	show(system("exit 5"));
	FILE *f = popen("echo from the shell", "r");
	char line[100];
	printf("%s", fgets(line, sizeof line, f));
	show(pclose(f));
	unlink(path);
	unlink(loop);
	rmdir(dir);
}
