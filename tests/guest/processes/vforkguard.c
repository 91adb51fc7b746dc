// A child of vfork makes calls with pointers near memory that is mapped writable and cannot
// be read: a guard page of madvise, as glibc has below each thread's stack since 2.42, and a
// page behind the end of a file.
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { page = 4096, guard_install = 102 };

// Reads in a child of vfork up to the page without memory, and then over its start.
static void near(const char *what, char *missing)
{
	int fd[2];
	volatile int into = -1;
	if (pipe(fd) || write(fd[1], "abcdef", 6) != 6)
		exit(1);
	pid_t child = vfork();
	if (child == 0) {
		if (read(fd[0], missing - 3, 3) != 3)
			_exit(1);
		into = read(fd[0], missing, 3) < 0 ? errno : 0;
		_exit(2);
	}
	int status;
	waitpid(child, &status, 0);
	printf("%s: %.3s %s %x\n", what, missing - 3, strerror(into), status);
	close(fd[0]);
	close(fd[1]);
}

int main(void)
{
	char *p = mmap(0, 4 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (madvise(p + page, page, guard_install)) {
		puts("SKIP guard pages: before Linux 6.13");
	} else {
		near("guard", p + page);
		// what a child guards or drops itself
		pid_t child = vfork();
		if (child == 0) {
			p[2 * page] = 1;
			p[3 * page] = 1;
			_exit(madvise(p + 2 * page, page, guard_install));
		}
		int status;
		waitpid(child, &status, 0);
		printf("own guard: %d %x\n", p[3 * page], status);
	}

	char name[] = "/tmp/emuvforkguardXXXXXX";
	int fd = mkstemp(name);
	unlink(name);
	if (fd < 0 || ftruncate(fd, 2 * page))
		return 1;
	p = mmap(0, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE, fd, 0);
	if (ftruncate(fd, page))
		return 1;
	near("end of file", p + page);
	return 0;
}
