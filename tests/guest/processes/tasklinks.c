// The link count of /proc/self/task tells how many threads there are.
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
	close(proc);
}

int main(void) {
	pthread_t t;
	show();
	pthread_create(&t, NULL, waits, NULL);
	show();
	return 0;
}
