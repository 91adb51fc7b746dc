// What one process sees of another's in /proc, as debuggers and profilers look: its
// program, memory map, threads and memory. The other one has a second thread.
#include "../syscalls/check.h"
#include <dirent.h>
#include <elf.h>
#include <limits.h>

static char marker[64] = "not yet";
static int told;
static void *sleeps(void *a) { write(told, "x", 1); for (;;) pause(); }

static char *in(pid_t pid, const char *file) {
	static char name[4][100];
	static int i;
	snprintf(name[++i & 3], 100, "/proc/%d/%s", pid, file);
	return name[i & 3];
}

static void look(const char *what, pid_t c) {
	char line[PATH_MAX + 200], exe[PATH_MAX] = {0}, own[PATH_MAX] = {0}, perms[5], buf[64] = {0};
	int text = 0, data = 0, heap = 0, stack = 0, vdso = 0, others = 0, threads = 0, gap = 0;
	unsigned long a, e, before = 0;
	printf("- %s\n", what);
	readlink(in(c, "exe"), exe, sizeof exe - 1);
	readlink("/proc/self/exe", own, sizeof own - 1);
	ok(!strcmp(exe, own));
	FILE *f = fopen(in(c, "maps"), "r");
	while (fgets(line, sizeof line, f)) {
		sscanf(line, "%lx-%lx %4s", &a, &e, perms);
		if ((uintptr_t)look >= a && (uintptr_t)look < e) text += !strcmp(perms, "r-xp") && strstr(line, own);
		if ((uintptr_t)marker >= a && (uintptr_t)marker < e) data += !strcmp(perms, "rw-p");
		heap += !!strstr(line, "[heap]"), stack += !!strstr(line, "[stack]"), vdso += !!strstr(line, "[vdso]");
		if (strchr(line, '/') && !strstr(line, own)) others++;
		if (a < before) gap++;
		before = e;
	}
	fclose(f);
	printf("text %d data %d heap %d stack %d vdso %d other files %d out of order %d\n", text, data, heap, stack, vdso, others, gap);
	int fd = open(in(c, "mem"), O_RDONLY);
	show(pread(fd, buf, 12, (long)marker));
	puts(buf);
	close(fd);
	struct iovec l = {buf, 12}, r = {marker, 12};
	show(process_vm_readv(c, &l, 1, &r, 1, 0));
	DIR *d = opendir(in(c, "task"));
	for (struct dirent *n; (n = readdir(d));) threads += n->d_name[0] != '.';
	closedir(d);
	show(threads);
	fd = open(in(c, "auxv"), O_RDONLY);
	unsigned long aux[80];
	long n = read(fd, aux, sizeof aux);
	for (int i = 0; i < n / 8; i += 2) if (aux[i] == AT_ENTRY) { extern char _start; ok(aux[i + 1] == (uintptr_t)&_start); }
	close(fd);
	fd = open(in(c, "cmdline"), O_RDONLY);
	memset(buf, 0, sizeof buf);
	show(read(fd, buf, 60) > 0);
	close(fd);
}

int main(void) {
	setvbuf(stdout, 0, _IONBF, 0);
	int p[2];
	pipe(p);
	told = p[1];
	free(malloc(100));
	pid_t c = fork();
	if (!c) {
		pthread_t t;
		strcpy(marker, "the child's");
		pthread_create(&t, 0, sleeps, 0);
		pthread_join(t, 0);
	}
	char b;
	read(p[0], &b, 1);
	look("a child", c);
	look("oneself", getpid());
	// A map that changes while it is read.
	pid_t busy = fork();
	if (!busy) for (;;) { char *m[40]; for (int i = 0; i < 40; i++) m[i] = mmap(0, 8192, i % 3 ? PROT_READ : PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0); for (int i = 0; i < 40; i++) munmap(m[i], 8192); }
	int bad = 0;
	for (int i = 0; i < 200; i++) {
		FILE *f = fopen(in(busy, "maps"), "r");
		char line[PATH_MAX + 200];
		unsigned long a, e, before = 0;
		int lines = 0;
		while (f && fgets(line, sizeof line, f)) { lines++; if (sscanf(line, "%lx-%lx", &a, &e) != 2 || a >= e) bad++; }
		if (f) fclose(f);
		if (!lines) bad++;
	}
	show(bad);
	kill(busy, SIGKILL);
	kill(c, SIGKILL);
}
