// mmap and mremap refuse in the kernel's order: what is wrong with the descriptor, the
// length, flags to be validated, and seals in the midst of a range. What mremap cuts off may be of
// several mappings.
#include "../syscalls/check.h"
#include <sys/mman.h>
#include <sys/wait.h>
#ifndef MAP_DROPPABLE
#define MAP_DROPPABLE 0x08
#endif
#ifndef SYS_mseal
#define SYS_mseal 462
#endif

#define map(len, flags, fd) show((long)mmap(NULL, len, PROT_READ, flags, fd, 0) == -1 ? -1 : 0)

int main(void) {
	char name[] = "/tmp/mapflagsXXXXXX";
	int fd = mkstemp(name);
	unlink(name);
	ftruncate(fd, 8192);
	map(0, MAP_SHARED, 77);
	map(0, MAP_SHARED, fd);
	map(0, MAP_PRIVATE | MAP_ANONYMOUS, -1);
	map(4096, MAP_SHARED, 77);
	map(4096, MAP_SHARED_VALIDATE, fd);
	map(4096, MAP_SHARED_VALIDATE | 1 << 7 << 18, fd);
	map(4096, MAP_SHARED_VALIDATE | 1 << 25, 77);
	map(4096, MAP_SHARED | 1 << 25, fd); // ignored
	map(4096, MAP_DROPPABLE, fd);
	map(4096, MAP_DROPPABLE | MAP_ANONYMOUS | MAP_GROWSDOWN, -1);
	int status;
	char *droppable = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_DROPPABLE | MAP_ANONYMOUS, -1, 0);
	if (droppable != MAP_FAILED) { // since Linux 6.11
		*droppable = 7;
		if (!fork()) _exit(*droppable);
		wait(&status);
		printf("in a child %d\n", WEXITSTATUS(status));
	}
	char *several = mmap(NULL, 8 * 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	mprotect(several + 4096, 4096, PROT_READ);
	mprotect(several + 3 * 4096, 4096, PROT_NONE);
	munmap(several + 5 * 4096, 4096);
	ok(mremap(several, 8 * 4096, 2 * 4096, 0) == several);
	ok(msync(several, 2 * 4096, MS_ASYNC) == 0);
	for (int i = 2; i < 8; i++) ok(msync(several + i * 4096, 4096, MS_ASYNC) == -1);
	show((long)mremap(several, 2 * 4096, 3 * 4096, MREMAP_MAYMOVE)); // it does not grow from both
	char *p = mmap(NULL, 5 * 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	char *to = mmap(NULL, 6 * 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (syscall(SYS_mseal, p + 8192, 4096, 0)) {
		printf("SKIP mseal: %s\n", strerrorname_np(errno));
		return 0;
	}
	show((long)mremap(p + 8192, 4096, 8192, MREMAP_MAYMOVE | MREMAP_FIXED, to));
	show((long)mremap(p + 8192, 8192, 12288, MREMAP_MAYMOVE | MREMAP_FIXED, to));
	show((long)mremap(p, 5 * 4096, 6 * 4096, MREMAP_MAYMOVE | MREMAP_FIXED, to));
	show((long)mremap(p, 5 * 4096, 6 * 4096, MREMAP_MAYMOVE));
	show((long)mremap(p, 5 * 4096, 4096, 0));
	show((long)mremap(p, 5 * 4096, 4096, MREMAP_MAYMOVE | MREMAP_FIXED, to));
	ok(mremap(p, 2 * 4096, 4096, MREMAP_MAYMOVE | MREMAP_FIXED, to) == to);
}
