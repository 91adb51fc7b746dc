// The link count of /proc/self/task tells how many threads there are.
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

static void *waits(void *arg) {
	pause();
	return NULL;
}

static void show(void) {
	struct stat st;
	int proc = open("/proc/", O_RDONLY | O_DIRECTORY);
	fstatat(proc, "self/task/", &st, 0);
	printf("%d\n", (int)st.st_nlink);
	struct statx x;
	statx(proc, "self/task", 0, STATX_NLINK | STATX_TYPE, &x);
	printf("statx %d", (int)x.stx_nlink);
	statx(AT_FDCWD, "/proc/self/task/", 0, STATX_BASIC_STATS, &x);
	printf(" %d", (int)x.stx_nlink);
	int task = open("/proc/self/task", O_RDONLY | O_DIRECTORY);
	statx(task, "", AT_EMPTY_PATH, STATX_ALL, &x);
	printf(" %d\n", (int)x.stx_nlink);
	close(task);
	close(proc);
}

int main(void) {
	pthread_t t;
	show();
	pthread_create(&t, NULL, waits, NULL);
	show();
	return 0;
}
