// mlock(2) and its kin, with and without the right to lock memory.
#include "../syscalls/check.h"
#include <pwd.h>
#include <sys/prctl.h>

static long locked(void) {
	char line[200];
	long kb = -1;
	FILE *f = fopen("/proc/self/status", "r");
	while (fgets(line, sizeof line, f)) if (sscanf(line, "VmLck: %ld", &kb) == 1) break;
	fclose(f);
	return kb;
}
static int in(char *p) { unsigned char v = 9; mincore(p, 4096, &v); return v & 1; }

int main(void) {
	setvbuf(stdout, 0, _IONBF, 0);
	char *p = mmap(0, 16 * 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	long before = locked();
	show(before);
	show(mlock(p + 5, 4096));
	ok(in(p) && in(p + 4096) && !in(p + 8192));
	show(locked());
	show(mlock2(p + 4 * 4096, 2 * 4096, MLOCK_ONFAULT));
	ok(!in(p + 4 * 4096));
	show(locked());
	show(mlock2(p, 4096, 99));
	show(munlock(p, 16 * 4096));
	show(locked());
	show(munmap(p + 8 * 4096, 4096));
	show(mlock(p, 16 * 4096));
	show(munlock(p, 16 * 4096));
	show(mlock(p, -1));
	show(mlock((void *)0x10000, 4096));
	show(munlock((void *)0x10000, 4096));
	char *q = mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_LOCKED, -1, 0);
	ok(in(q));
	show(locked());
	munmap(q, 4096);
	show(locked());
	// Everything, now and later.
	show(mlockall(0));
	show(mlockall(64));
	show(mlockall(MCL_CURRENT));
	ok(in(p + 9 * 4096));
	long all = locked();
	ok(all > 60);
	q = mmap(0, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	ok(!in(q));
	show(mlockall(MCL_FUTURE));
	char *r = mmap(0, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	ok(in(r) && !in(q));
	char *b = sbrk(40960);
	ok(in((char *)((uintptr_t)b + 8192 & ~4095UL)));
	show(munlockall());
	show(locked());
	r = mmap(0, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	ok(!in(r));
	show(mlockall(MCL_CURRENT | MCL_ONFAULT));
	ok(!in(r));
	munlockall();
	// Locks are not inherited.
	mlock(p, 4096);
	if (!fork()) { show(locked()); _exit(0); }
	wait(0);
	if (getuid() == 0) {
		if (!fork()) {
			struct rlimit l = {32768, 32768};
			setrlimit(RLIMIT_MEMLOCK, &l);
			setresuid(65534, 65534, 65534);
			munlockall();
			show(mlock(p, 4 * 4096));
			char *big = mmap(0, 16 * 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
			show(mlock(big, 16 * 4096));
			show(mlockall(MCL_CURRENT));
			show(mmap(0, 16 * 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_LOCKED, -1, 0));
			l.rlim_cur = 0;
			setrlimit(RLIMIT_MEMLOCK, &l);
			show(mlock(big, 4096));
			show(mlockall(MCL_FUTURE));
			_exit(0);
		}
		wait(0);
	}
}
