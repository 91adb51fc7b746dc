// userfaultfd(2): faults of plain code and of system calls wait for another thread.
#include "../syscalls/check.h"
#include <linux/userfaultfd.h>
#include <sys/ioctl.h>

enum { PAGES = 12 };
static char *area;
static int uffd;
static volatile int served;

static void *serves(void *a) {
	struct pollfd pf = {uffd, POLLIN};
	char *page = mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	for (;;) {
		struct uffd_msg m;
		if (poll(&pf, 1, 20000) != 1 || read(uffd, &m, sizeof m) != sizeof m || m.event != UFFD_EVENT_PAGEFAULT) return (void *)1;
		uintptr_t at = m.arg.pagefault.address & ~4095UL;
		long n = (at - (uintptr_t)area) / 4096;
		usleep(2000);
		served++;
		if (m.arg.pagefault.flags & UFFD_PAGEFAULT_FLAG_WP) {
			struct uffdio_writeprotect w = {{at, 4096}, 0};
			if (ioctl(uffd, UFFDIO_WRITEPROTECT, &w)) return (void *)2;
		} else if (n == 1) {
			struct uffdio_zeropage z = {{at, 4096}};
			if (ioctl(uffd, UFFDIO_ZEROPAGE, &z)) return (void *)3;
		} else {
			memset(page, 0, 4096);
			sprintf(page, "/proc/self/page%ld", n);
			if (n == 5) strcpy(page, "/dev/null");
			if (n == 7) *(uint64_t *)page = 1 << (SIGUSR2 - 1);
			if (n == 11) return 0;
			struct uffdio_copy c = {.dst = at, .src = (uintptr_t)page, .len = 4096};
			if (ioctl(uffd, UFFDIO_COPY, &c)) return (void *)4;
		}
	}
}

int main(void) {
	uffd = syscall(SYS_userfaultfd, O_CLOEXEC | O_NONBLOCK);
	if (uffd < 0) { printf("SKIP userfaultfd: %s\n", strerrorname_np(errno)); return 0; }
	show(syscall(SYS_userfaultfd, 0x12345));
	struct uffdio_api api = {.api = 0x55};
	show(ioctl(uffd, UFFDIO_API, &api));
	api = (struct uffdio_api){.api = UFFD_API, .features = UFFD_FEATURE_PAGEFAULT_FLAG_WP};
	show(ioctl(uffd, UFFDIO_API, &api));
	ok(api.ioctls >> _UFFDIO_REGISTER & 1);
	area = mmap(0, PAGES * 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct uffdio_register r = {{(uintptr_t)area, PAGES * 4096}, UFFDIO_REGISTER_MODE_MISSING | UFFDIO_REGISTER_MODE_WP};
	show(ioctl(uffd, UFFDIO_REGISTER, &r));
	ok(r.ioctls >> _UFFDIO_COPY & 1);
	r.range.start++;
	show(ioctl(uffd, UFFDIO_REGISTER, &r));
	pthread_t t;
	pthread_create(&t, 0, serves, 0);
	// Plain loads and stores, in two threads' time.
	printf("%s\n", area);
	ok(area[4096] == 0);
	area[2 * 4096 + 20] = 'x';
	printf("%s %c\n", area + 2 * 4096, area[2 * 4096 + 20]);
	show(served);
	// The kernel reads and writes pages that are missing.
	int p[2];
	pipe(p);
	show(write(p[1], area + 3 * 4096, 20));
	char buf[32] = {0};
	read(p[0], buf, 20);
	puts(buf);
	write(p[1], "from the pipe", 13);
	show(read(p[0], area + 4 * 4096, 13));
	printf("%.13s|%s\n", area + 4 * 4096, area + 4 * 4096 + 13);
	show(open(area + 5 * 4096, O_RDONLY) >= 0);
	struct stat *st = (void *)(area + 6 * 4096);
	show(fstat(p[0], st));
	ok(S_ISFIFO(st->st_mode));
	// Structures that an emulator reads and writes itself.
	show(syscall(SYS_rt_sigprocmask, SIG_BLOCK, area + 7 * 4096, 0, 8));
	sigset_t now;
	sigprocmask(SIG_BLOCK, 0, &now);
	show(sigismember(&now, SIGUSR2));
	show(syscall(SYS_rt_sigprocmask, SIG_BLOCK, 0, area + 8 * 4096, 8));
	ok(*(uint64_t *)(area + 8 * 4096) & 1 << (SIGUSR2 - 1));
	show(served);
	// Write protection.
	struct uffdio_writeprotect w = {{(uintptr_t)area, 4096}, UFFDIO_WRITEPROTECT_MODE_WP};
	if (!ioctl(uffd, UFFDIO_WRITEPROTECT, &w)) { area[0] = '!'; ok(area[0] == '!'); ok(served > 8); }
	// What has been dropped is missing again.
	show(madvise(area, 4096, MADV_DONTNEED));
	puts(area);
	struct uffdio_range u = {(uintptr_t)area, 10 * 4096};
	show(ioctl(uffd, UFFDIO_UNREGISTER, &u));
	ok(area[9 * 4096] == 0);
	struct uffdio_copy c = {.dst = (uintptr_t)area + 10 * 4096, .src = (uintptr_t)"abc" & ~4095UL, .len = 4096};
	show(ioctl(uffd, UFFDIO_COPY, &c));
	show(ioctl(uffd, UFFDIO_COPY, &c));
	c = (struct uffdio_copy){.dst = (uintptr_t)area + 11 * 4096, .src = 8 << 12, .len = 4096};
	show(ioctl(uffd, UFFDIO_COPY, &c));
	c.len = 100;
	show(ioctl(uffd, UFFDIO_COPY, &c));

}
