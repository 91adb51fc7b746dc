// PROCMAP_QUERY on /proc/PID/maps says what that file says.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

struct query {
	uint64_t size, flags, addr, start, end, vma_flags, page_size, offset, inode;
	uint32_t major, minor, name_size, build_id_size;
	uint64_t name_addr, build_id_addr;
};
#define QUERY _IOWR('f', 17, struct query)

static int fd;
static char name[4096];

static int ask(struct query *q, uint64_t addr, uint64_t flags) {
	*q = (struct query){.size = sizeof *q, .flags = flags, .addr = addr, .name_size = sizeof name, .name_addr = (uintptr_t)name};
	name[0] = 0;
	return ioctl(fd, QUERY, q) ? errno : 0;
}

// matches looks for the program's build id in its file.
static int matches(unsigned char *id) {
	static char file[4 << 20];
	int f = open("/proc/self/exe", O_RDONLY);
	ssize_t n = read(f, file, sizeof file);
	close(f);
	for (char *at = file; at + 36 < file + n; at += 4)
		if (!memcmp(at, "\4\0\0\0\24\0\0\0\3\0\0\0GNU", 16))
			return !memcmp(at + 16, id, 20);
	return 0;
}

int main(int argc, char **argv) {
	setvbuf(stdout, 0, _IONBF, 0);
	struct query q;
	fd = open("/proc/self/maps", O_RDONLY);
	if (ask(&q, (uintptr_t)&fd, 0) == ENOTTY) {
		puts("SKIP this kernel has no PROCMAP_QUERY (6.11)");
		return 0;
	}
	char *p = mmap(0, 5 * 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	mprotect(p + 4096, 4096, PROT_NONE);
	mprotect(p + 3 * 4096, 2 * 4096, PROT_READ);
	printf("hit %d:", ask(&q, (uintptr_t)p + 5000, 0));
	printf(" %d %d flags %d page %d\n", (int)(q.start - (uintptr_t)p), (int)(q.end - (uintptr_t)p), (int)q.vma_flags, (int)q.page_size);
	printf("writable only %d\n", ask(&q, (uintptr_t)p + 5000, 2));
	printf("next writable %d:", ask(&q, (uintptr_t)p + 5000, 2 | 16));
	printf(" %d %d flags %d\n", (int)(q.start - (uintptr_t)p), (int)(q.end - (uintptr_t)p), (int)q.vma_flags);
	printf("nothing there %d, beyond all %d, bad flags %d\n", ask(&q, 0, 0), ask(&q, ~0ull - 4095, 32 | 16), ask(&q, 0, 64));
	int r = ask(&q, (uintptr_t)main, 1 | 4 | 32);
	printf("text %d: %s inode %d covers %d flags %d\n", r, strrchr(name, '/') && strstr(argv[0], strrchr(name, '/')) ? "named" : name, q.inode != 0,
		q.start <= (uintptr_t)main && (uintptr_t)main < q.end, (int)q.vma_flags);
	printf("name size %d\n", q.name_size == strlen(name) + 1);
	q = (struct query){.size = sizeof q, .addr = (uintptr_t)main, .name_size = 2, .name_addr = (uintptr_t)name};
	r = ioctl(fd, QUERY, &q);
	printf("short name %d %s\n", r, strerror(errno));
	q = (struct query){.size = 16};
	r = ioctl(fd, QUERY, &q);
	printf("short struct %d %s\n", r, strerror(errno));
	q = (struct query){.size = 5000};
	r = ioctl(fd, QUERY, &q);
	printf("long struct %d %s\n", r, strerror(errno));
	q = (struct query){.size = 32, .addr = (uintptr_t)p};
	r = ioctl(fd, QUERY, &q);
	printf("part %d %d %d\n", r, q.start == (uintptr_t)p, (int)q.end);
	r = ioctl(open("/proc/self/smaps", O_RDONLY), QUERY, &q);
	printf("another file %d %s\n", r, strerror(errno));

	// Another process, and the same file in it.
	int ready[2], hold[2];
	char c = 0;
	pipe(ready);
	pipe(hold);
	pid_t pid = fork();
	if (!pid) {
		char *own = mmap(p + (1 << 30), 3 * 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		r = ask(&q, (uintptr_t)own, 0); // fd is of the parent
		c = r == ENOENT;
		write(ready[1], &c, 1);
		write(ready[1], &own, sizeof own);
		close(hold[1]);
		read(hold[0], &c, 1);
		_exit(0);
	}
	close(hold[0]);
	char *there, path[64];
	read(ready[0], &c, 1);
	read(ready[0], &there, sizeof there);
	printf("a child asks about its parent: %s\n", c ? "yes" : "no");
	sprintf(path, "/proc/%d/maps", pid);
	fd = open(path, O_RDONLY);
	printf("child %d:", ask(&q, (uintptr_t)there, 0));
	printf(" %d %d flags %d\n", (int)(q.start - (uintptr_t)there), (int)(q.end - (uintptr_t)there), (int)q.vma_flags);
	r = ask(&q, (uintptr_t)main, 1 | 4 | 32);
	printf("child's text %d: named %d inode %d\n", r, strstr(name, strrchr(argv[0], '/')) != 0, q.inode != 0);
	close(hold[1]);
	waitpid(pid, 0, 0);
	printf("ended %d\n", ask(&q, (uintptr_t)main, 0));

	// Build ids.
	fd = open("/proc/self/maps", O_RDONLY);
	unsigned char id[64] = {0};
	q = (struct query){.size = sizeof q, .addr = (uintptr_t)main, .build_id_size = sizeof id, .build_id_addr = (uintptr_t)id};
	r = ioctl(fd, QUERY, &q);
	printf("build id %d: %d bytes, %s\n", r, q.build_id_size, matches(id) ? "the program's" : "another");
	q = (struct query){.size = sizeof q, .addr = (uintptr_t)main, .build_id_size = 5, .build_id_addr = (uintptr_t)id};
	r = ioctl(fd, QUERY, &q);
	printf("short build id %d %s\n", r, strerror(errno));
	q = (struct query){.size = sizeof q, .addr = (uintptr_t)p, .build_id_size = sizeof id, .build_id_addr = (uintptr_t)id};
	r = ioctl(fd, QUERY, &q);
	printf("none %d: %d bytes\n", r, q.build_id_size);
}
