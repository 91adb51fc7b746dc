// cachestat, close_range, mseal.
#include "../syscalls/check.h"

#define SYS_cachestat 451
#define SYS_mseal 462
static sigjmp_buf jb;
static void segv(int s) { siglongjmp(jb, 1); }
#define faults(x) do { if (!sigsetjmp(jb, 1)) { x; puts(#x ": no"); } else puts(#x ": yes"); } while (0)

static void *shares(void *a) { // its own table of descriptors
	syscall(SYS_close_range, 60, 61, 2 /* CLOSE_RANGE_UNSHARE */);
	show(fcntl(60, F_GETFD));
	return 0;
}

// lines prints how long the mappings between two addresses are.
static void lines(char *from, char *to) {
	FILE *f = fopen("/proc/self/maps", "r");
	unsigned long a, b;
	char line[500];
	while (fgets(line, sizeof line, f))
		if (sscanf(line, "%lx-%lx", &a, &b) == 2 && a >= (unsigned long)from && b <= (unsigned long)to) printf("%lx ", b - a);
	puts("");
	fclose(f);
}

int main(void) {
	setvbuf(stdout, 0, _IONBF, 0);
	signal(SIGSEGV, segv);
	char name[] = "/tmp/emurecentXXXXXX", buf[8192] = {1};
	int fd = mkstemp(name);
	unlink(name);
	write(fd, buf, sizeof buf);
	struct { uint64_t off, len; } range = {0, 0};
	struct { uint64_t cache, dirty, writeback, evicted, recently; } cs;
	long r = syscall(SYS_cachestat, fd, &range, &cs, 0);
	if (r < 0 && errno == ENOSYS) puts("SKIP cachestat: ENOSYS");
	printf("cachestat %ld: %d\n", r, r ? 0 : (int)cs.cache);
	range.off = 4096, range.len = 100;
	show(syscall(SYS_cachestat, fd, &range, &cs, 0));
	show(r ? 0 : (int)cs.cache);
	show(syscall(SYS_cachestat, fd, 8, &cs, 0));
	show(syscall(SYS_cachestat, fd, &range, 8, 0));
	show(syscall(SYS_cachestat, fd, &range, &cs, 1));
	show(syscall(SYS_cachestat, 999, &range, &cs, 0));

	for (int i = 50; i < 70; i++) dup2(fd, i);
	show(syscall(SYS_close_range, 52, 54, 0));
	show(fcntl(52, F_GETFD));
	show(fcntl(54, F_GETFD));
	show(fcntl(55, F_GETFD));
	show(syscall(SYS_close_range, 55, 57, 4 /* CLOSE_RANGE_CLOEXEC */));
	show(fcntl(56, F_GETFD));
	show(fcntl(58, F_GETFD));
	show(syscall(SYS_close_range, 58, 57, 0));
	show(syscall(SYS_close_range, 58, 59, 64));
	pthread_t t;
	pthread_create(&t, 0, shares, 0);
	pthread_join(t, 0);
	show(fcntl(60, F_GETFD));
	show(syscall(SYS_close_range, 65, ~0U, 0));
	show(fcntl(64, F_GETFD));
	show(fcntl(66, F_GETFD));
	show(open("/", O_RDONLY) >= 0); // what emu itself needs is still open
	show(syscall(SYS_close_range, 3, ~0U, 4));
	show(fcntl(64, F_GETFD));

	char *p = mmap(0, 6 * 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	munmap(p + 5 * 4096, 4096);
	p[0] = p[4096] = 5;
	if (syscall(SYS_mseal, p + 4096, 2 * 4096, 0) && errno == ENOSYS) { puts("SKIP mseal: ENOSYS"); goto remap; }
	show(syscall(SYS_mseal, p + 4096, 4096, 1));
	show(syscall(SYS_mseal, p + 1, 4096, 0));
	show(syscall(SYS_mseal, p + 4 * 4096, 2 * 4096, 0)); // a hole: nothing is sealed
	show(syscall(SYS_mseal, p, 0, 0));
	show(munmap(p + 4096, 4096));
	show(munmap(p, 4 * 4096));
	ok(p[0] == 5 && p[4096] == 5); // nothing has been changed
	show(mprotect(p + 4096, 3 * 4096, PROT_READ));
	p[4096] = p[3 * 4096] = 6;
	show(mprotect(p + 4096, 4096, PROT_READ));
	show(mremap(p + 4096, 4096, 8192, MREMAP_MAYMOVE));
	show(mremap(p + 4096, 4096, 4096, MREMAP_MAYMOVE | MREMAP_FIXED, p + 5 * 4096));
	show(mmap(p + 8192, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0));
	show(madvise(p + 4096, 4096, MADV_DONTNEED));
	show(madvise(p + 4096, 4096, MADV_WILLNEED));
	show(mprotect(p + 3 * 4096, 4096, PROT_READ));
	faults(p[3 * 4096] = 1);
	char *ro = mmap(0, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	show(syscall(SYS_mseal, ro, 4096, 0));
	show(madvise(ro, 4096, MADV_DONTNEED)); // could undo what cannot be written
	char *file = mmap(0, 4096, PROT_READ, MAP_PRIVATE, fd, 0);
	show(syscall(SYS_mseal, file, 4096, 0));
	show(madvise(file, 4096, MADV_DONTNEED)); // a file's pages come again
	char *neighbours = mmap(0, 5 * 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	mprotect(neighbours, 4096, PROT_NONE);
	mprotect(neighbours + 4 * 4096, 4096, PROT_NONE);
	for (int i = 3; i; i--) {
		show(syscall(SYS_mseal, neighbours + i * 4096, 4096, 0));
		lines(neighbours + 4096, neighbours + 4 * 4096);
	}
	int st;
	if (!fork()) { show(munmap(p + 4096, 4096)); _exit(p[4096]); } // sealed in the child as well
	wait(&st);
	printf("%x\n", st);
	show(munmap(p + 3 * 4096, 4096));
	show(munmap(p, 4096));
remap:
	for (int i = 0; i < 2; i++) buf[i * 4096] = 'a' + i;
	pwrite(fd, buf, sizeof buf, 0);
	char *s = mmap(0, 2 * 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	show(remap_file_pages(s, 4096, 0, 1, 0));
	printf("%c %c\n", s[0], s[4096]);
	s[1] = 'x';
	ok(s[4097] == 'x');
	show(remap_file_pages(s, 4096, PROT_READ, 1, 0));
	show(remap_file_pages(s, 0, 0, 1, 0));
	show(remap_file_pages((void *)0x10000, 4096, 0, 1, 0));
}
