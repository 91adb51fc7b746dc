// PROCMAP_QUERY on /proc/self/maps says what that file says.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
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

int main(int argc, char **argv) {
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
}
