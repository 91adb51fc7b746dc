// A file of /proc that is read from its beginning again shows what is so then.
#include "../syscalls/check.h"

static char text[1 << 20];

static int field(const char *name) { // of a status file
	char *at = strstr(text, name);
	return at ? atoi(at + strlen(name)) : -1;
}

static void at(int fd, int seek) {
	memset(text, 0, sizeof text);
	size_t len = 0;
	if (seek)
		lseek(fd, 0, SEEK_SET);
	for (ssize_t n; (n = seek ? read(fd, text + len, sizeof text - 1 - len) : pread(fd, text + len, sizeof text - 1 - len, len)) > 0;)
		len += n;
}

static int shows(void *p) { // a maps file
	char line[40];
	sprintf(line, "\n%lx-", (long)p);
	return strstr(text, line) != 0;
}

static void *waits(void *arg) {
	char c;
	read(*(int *)arg, &c, 1);
	return 0;
}

int main(void) {
	setvbuf(stdout, 0, _IONBF, 0);
	int maps = open("/proc/self/maps", O_RDONLY), status = open("/proc/self/status", O_RDONLY), twin = open("/proc/thread-self/status", O_RDONLY), fd[2];
	at(maps, 0);
	char *p = mmap((void *)0x123456000000, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	ok(!shows(p));
	at(maps, 0);
	ok(shows(p));
	munmap(p, 4096);
	at(maps, 1);
	ok(!shows(p));
	mmap(p, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
	at(maps, 1);
	ok(shows(p));

	at(status, 1);
	show(field("Threads:"));
	pipe(fd);
	pthread_t th;
	pthread_create(&th, 0, waits, &fd[0]);
	at(status, 0);
	show(field("Threads:"));
	at(twin, 1);
	show(field("Threads:"));
	write(fd[1], "x", 1);
	pthread_join(th, 0);
	// The kernel may count a thread that has been joined for a moment.
	for (int i = 0; i < 1000 && (at(status, 1), field("Threads:")) != 1; i++)
		usleep(1000);
	show(field("Threads:"));

	// Of another process, and of the parent.
	int to[2], from[2];
	char c;
	pipe(to);
	pipe(from);
	pid_t pid = fork();
	if (!pid) {
		read(to[0], &c, 1);
		mmap((void *)0x234567000000, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		at(maps, 0); // the parent's
		c = !shows((void *)0x234567000000) && shows(p);
		write(from[1], &c, 1);
		read(to[0], &c, 1);
		_exit(0);
	}
	sprintf(text, "/proc/%d/maps", pid);
	int its = open(text, O_RDONLY);
	at(its, 1);
	ok(!shows((void *)0x234567000000));
	write(to[1], "x", 1);
	read(from[0], &c, 1);
	ok(c == 1);
	at(its, 1);
	ok(shows((void *)0x234567000000));
	write(to[1], "x", 1);
	waitpid(pid, 0, 0);

	// Other files are what they were, under the same numbers too.
	close(maps);
	close(status);
	close(twin);
	close(its);
	char name[] = "/tmp/procagain.XXXXXX";
	int file = mkstemp(name);
	write(file, "0123456789", 10);
	for (int i = 0; i < 100; i++) {
		char b[4] = "";
		lseek(file, 0, SEEK_SET);
		if (read(file, b, 3) != 3 || strcmp(b, "012") || pread(file, b, 3, 0) != 3 || strcmp(b, "012"))
			puts("another file has changed");
	}
	unlink(name);
	return 0;
}
