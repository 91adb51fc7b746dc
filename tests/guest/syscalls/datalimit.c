// RLIMIT_DATA counts private memory that may be written, wherever it comes from, but for stacks.
#include "check.h"

enum { MB = 1 << 20 };
static void *map(void *at, long size, int prot, int flags) { return mmap(at, size, prot, flags | MAP_ANONYMOUS, -1, 0); }
static void limit(rlim_t cur) {
	struct rlimit r;
	getrlimit(RLIMIT_DATA, &r);
	r.rlim_cur = cur;
	show(setrlimit(RLIMIT_DATA, &r));
}

int main(void) {
	const int rw = PROT_READ | PROT_WRITE;
	limit(64 * MB);
	char *p = map(0, 56 * MB, rw, MAP_PRIVATE);
	ok(p != MAP_FAILED);
	show(map(0, 16 * MB, rw, MAP_PRIVATE));
	ok(map(0, 16 * MB, rw, MAP_SHARED) != MAP_FAILED);
	ok(map(0, 160 * MB, PROT_NONE, MAP_PRIVATE) != MAP_FAILED);
	ok(map(0, 16 * MB, rw, MAP_PRIVATE | MAP_GROWSDOWN) != MAP_FAILED);
	char *q = map(0, 16 * MB, PROT_READ, MAP_PRIVATE);
	ok(q != MAP_FAILED);
	show(mprotect(q, 16 * MB, rw));
	show(mprotect(q, 1 * MB, rw));
	show(mremap(p, 56 * MB, 80 * MB, MREMAP_MAYMOVE));
	ok(map(p, 20 * MB, rw, MAP_PRIVATE | MAP_FIXED) == p);
	ok(sbrk(1 * MB) != (void *)-1);
	ok(sbrk(16 * MB) == (void *)-1);
	show(munmap(p, 20 * MB));
	q = map(0, 16 * MB, rw, MAP_PRIVATE);
	ok(q != MAP_FAILED);
	ok(sbrk(16 * MB) == (void *)-1);
	limit(0); // of mappings the hard limit counts then
	ok(map(0, 16 * MB, rw, MAP_PRIVATE) != MAP_FAILED);
	ok(sbrk(4096) == (void *)-1);
	limit(RLIM_INFINITY);
	ok(sbrk(16 * MB) != (void *)-1);
	show(mprotect(map(0, 16 * MB, PROT_READ, MAP_PRIVATE), 16 * MB, rw));
}
