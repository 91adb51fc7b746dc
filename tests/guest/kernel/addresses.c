// Addresses and sizes at the edge of what the calls of the address space take, tags in addresses of mappings, and what /proc says of it.
#include "../syscalls/check.h"
#include <ctype.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/statfs.h>
#include <sys/vfs.h>

#ifdef __aarch64__
#define TAG(p) ((char *)((uintptr_t)(p) | 0xa5ull << 56)) // ignored in addresses that only name mappings, since Linux 5.6
#else
#define TAG(p) (p)
#endif
#define PAGE 4096

static char text[65536];
static const char *get(const char *name) {
	int fd = open(name, O_RDONLY), n = 0, r;
	while (fd >= 0 && (r = read(fd, text + n, sizeof text - 1 - n)) > 0) n += r;
	text[n] = 0;
	close(fd);
	return text;
}
static long number(const char *file, const char *key, int base) {
	const char *at = strstr(get(file), key);
	return at ? strtol(at + strlen(key), NULL, base) : -1;
}

static void breaks(void) {
	char *old = (char *)syscall(SYS_brk, 0);
	ok((char *)syscall(SYS_brk, old + 3 * PAGE) == old + 3 * PAGE);
	ok((char *)syscall(SYS_brk, -1L) == old + 3 * PAGE);
	ok((char *)syscall(SYS_brk, -(long)PAGE) == old + 3 * PAGE);
	ok((char *)syscall(SYS_brk, 1L << 63) == old + 3 * PAGE);
	memset(old, 1, 3 * PAGE);
	ok((char *)syscall(SYS_brk, old) == old);
}

static void sizes(void) {
	char *p = mmap(NULL, 4 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	show(mprotect(p, -1L, PROT_READ));
	show(mprotect(p, -PAGE, PROT_READ));
	show(mprotect(p + 1, -1L, PROT_READ));
	show(mprotect(p, 0, PROT_READ));
	p[0] = 1;
	munmap(p, 4 * PAGE);
}

static void tags(void) {
	char *p = mmap(NULL, 8 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	unsigned char in[8];
	memset(p, 1, 8 * PAGE);
	show(mprotect(TAG(p), PAGE, PROT_READ));
	show(mprotect(TAG(p), PAGE, PROT_READ | PROT_WRITE));
	show(madvise(TAG(p), PAGE, MADV_DONTNEED));
	ok(p[0] == 0 && p[PAGE] == 1);
	show(mlock(TAG(p), PAGE));
	show(munlock(TAG(p), PAGE));
	show(mlock2(TAG(p), PAGE, 0));
	show(msync(TAG(p), PAGE, MS_ASYNC));
	show(mincore(TAG(p), PAGE, in));
	ok((char *)mremap(TAG(p), 8 * PAGE, 4 * PAGE, 0) == p);
	show(munmap(TAG(p + 2 * PAGE), 2 * PAGE));
	show(munmap(TAG(p), 2 * PAGE));
	show(msync(p, PAGE, MS_ASYNC));
}

static void *thread(void *a) {
	char name[64];
	snprintf(name, sizeof name, "/proc/%d/status", gettid());
	ok(number(name, "\nPid:\t", 10) == gettid());
	ok(number(name, "\nTgid:\t", 10) == getpid());
	return a;
}

static void proc(void) {
	char name[64];
	int flags[] = { 0, O_DIRECTORY, O_NOFOLLOW, O_APPEND, O_PATH | O_NOFOLLOW };
	for (int i = 0; i < 5; i++) {
		int fd = open(flags[i] & O_DIRECTORY ? "/tmp" : "/proc/self/exe" + (flags[i] & O_NOFOLLOW ? 5 : 0), O_RDONLY);
		if (flags[i] & O_NOFOLLOW) fd = open(flags[i] & O_PATH ? "/proc/self/exe" : "/etc/passwd", O_RDONLY | flags[i]);
		else close(fd), fd = open(flags[i] & O_DIRECTORY ? "/tmp" : "/etc/passwd", O_RDONLY | flags[i]);
		snprintf(name, sizeof name, "/proc/self/fdinfo/%d", fd);
		int shown = number(name, "flags:\t", 8);
		ok(fd >= 0 && (shown & ~O_CLOEXEC) == fcntl(fd, F_GETFL));
		close(fd);
	}
	ok(number("/proc/self/statm", "", 10) == number("/proc/self/status", "VmSize:\t", 10) / 4);
	int data = number("/proc/self/status", "VmData:\t", 10), stack = number("/proc/self/status", "VmStk:\t", 10);
	int size, pages;
	sscanf(get("/proc/self/statm"), "%d %*d %*d %*d %*d %d", &size, &pages);
	ok(pages == (data + stack) / 4 && pages < size);
	char *shared = mmap(NULL, 16 << 20, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	char *more = mmap(NULL, 16 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	ok(number("/proc/self/status", "VmData:\t", 10) == data + (16 << 10));
	mprotect(more, 4 << 20, PROT_READ);
	ok(number("/proc/self/status", "VmData:\t", 10) == data + (12 << 10));
	munmap(more, 16 << 20);
	munmap(shared, 16 << 20);
	pthread_t t;
	pthread_create(&t, NULL, thread, NULL);
	pthread_join(t, NULL);
	char *p = mmap(NULL, PAGE, PROT_READ, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	snprintf(name, sizeof name, "%lx-", (long)p);
	char *line = strstr((char *)get("/proc/self/maps"), name);
	if (line) *strchr(line, '\n') = 0;
	ok(line && strstr(line, " /dev/zero (deleted)"));
}

// Nothing of a mount with noexec can be mapped executable. Needs the right to mount, or is left out on both sides.
static void noexec(void) {
	if (unshare(CLONE_NEWNS) || mount("", "/", NULL, MS_REC | MS_PRIVATE, NULL) || mount("x", "/mnt", "tmpfs", MS_NOEXEC, NULL)) return;
	int fd = open("/mnt/file", O_RDWR | O_CREAT, 0700);
	ftruncate(fd, PAGE);
	show(mmap(NULL, PAGE, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0));
	void *p = mmap(NULL, PAGE, PROT_READ, MAP_PRIVATE, fd, 0);
	ok(p != MAP_FAILED);
	show(mprotect(p, PAGE, PROT_READ | PROT_EXEC));
	show(mprotect(p, PAGE, PROT_READ | PROT_WRITE));
	close(fd);
	umount2("/mnt", MNT_DETACH);
}

// A descriptor of /proc leads there where the root directory has none.
static void chrooted(void) {
	int proc = open("/proc", O_RDONLY | O_DIRECTORY);
	char dir[] = "/tmp/emurootXXXXXX";
	if (!mkdtemp(dir)) return;
	pid_t k = fork();
	if (!k) {
		if (chroot(dir)) _exit(0);
		const char *names[] = { "self/maps", "self/cmdline", "self/status", "self/statm", "self/limits", "self/stat" };
		for (int i = 0; i < 6; i++) {
			char c = 0;
			int fd = openat(proc, names[i], O_RDONLY);
			ok(read(fd, &c, 1) == 1 && isprint(c));
		}
		_exit(0);
	}
	waitpid(k, NULL, 0);
	rmdir(dir);
}

int main(void) {
	setvbuf(stdout, NULL, _IONBF, 0);
	breaks();
	sizes();
	tags();
	proc();
	noexec();
	chrooted();
	return 0;
}
