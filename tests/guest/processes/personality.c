// Bits of personality(2) that have an effect on arm64: on uname, timeouts and mappings, and
// which of them the next program has.
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/personality.h>
#include <sys/select.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <pthread.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static void *in_thread(void *result) {
	struct utsname u;
	uname(&u);
	*(int *)result = strncmp(u.release, "2.6.", 4) == 0;
	return NULL;
}

static void timeout(void) {
	struct timespec ts = {0, 20000000};
	long r = syscall(SYS_pselect6, 0, 0, 0, 0, &ts, 0);
	printf("select %ld left %d\n", r, ts.tv_nsec > 0);
}

static char perm(void *p) {
	char line[300], x = '?';
	FILE *f = fopen("/proc/self/maps", "r");
	while (fgets(line, sizeof line, f)) {
		unsigned long a, b;
		char prot[5];
		if (sscanf(line, "%lx-%lx %4s", &a, &b, prot) == 3 && a <= (unsigned long)p && (unsigned long)p < b)
			x = prot[2];
	}
	fclose(f);
	return x;
}

// MMAP_PAGE_ZERO: the program's first page can be read, as far as the kernel allows that.
static int zero_page(void) {
	int p[2];
	char c = 1;
	pipe(p);
	if (write(p[1], 0, 1) != 1)
		return 'n';
	return read(p[0], &c, 1) == 1 && c == 0 ? perm(0) : '!';
}

static void exec_with(unsigned long persona, char *self, char *what) {
	int st;
	if (fork() == 0) {
		personality(persona);
		execl("/proc/self/exe", self, what, NULL);
		_exit(99);
	}
	wait(&st);
	printf("%s: %c\n", what, WEXITSTATUS(st));
}

int main(int argc, char **argv) {
	if (argc > 1 && strstr(argv[1], "zero"))
		return zero_page();
	if (argc > 1)
		return personality(0xffffffff) >> 16;
	printf("at first %x\n", personality(0xffffffff));
	personality(UNAME26);
	int old = 0;
	pthread_t t;
	in_thread(&old);
	printf("uname 2.6: %d", old);
	old = 0;
	pthread_create(&t, 0, in_thread, &old);
	pthread_join(t, 0);
	printf(", in a thread: %d\n", old);
	printf("was %x\n", personality(0));
	in_thread(&old);
	printf("uname 2.6: %d\n", old);

	timeout();
	personality(STICKY_TIMEOUTS);
	timeout();
	personality(READ_IMPLIES_EXEC);
	void *p = mmap(0, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	printf("read implies exec: %c\n", perm(p));
	mprotect(p, 4096, PROT_NONE);
	printf("none: %c\n", perm(p));
	personality(0);
	void *q = mmap(0, 1 << 20, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	printf("without: %c\n", perm(q));
	mprotect(p, 4096, PROT_READ);
	printf("read: %c\n", perm(p));

	personality(ADDR_NO_RANDOMIZE | READ_IMPLIES_EXEC);
	int st;
	if (fork() == 0) {
		execl("/proc/self/exe", argv[0], "show", NULL);
		_exit(99);
	}
	wait(&st);
	printf("personality of the next program %x\n", WEXITSTATUS(st));
	exec_with(MMAP_PAGE_ZERO, argv[0], "zero page");
	exec_with(0, argv[0], "no zero page");
	return 0;
}
