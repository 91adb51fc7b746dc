// Makes processes and threads where there is room for a few: what cannot be made says
// EAGAIN, and everything else goes on.
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static void *thread(void *arg) {
	char *p = malloc(100000);
	memset(p, 1, 100000);
	free(p);
	return arg;
}

int main(int argc, char **argv) {
	if (argc > 1)
		return 3;
	volatile double sum = 0;
	int expected = 0;
	for (int i = 0; i < 30; i++) {
		pid_t pid = fork();
		if (pid == 0) {
			if (i & 1) {
				usleep(3000); // long enough to need threads
				_exit(3);
			}
			execl("/proc/self/exe", "few", "child", NULL);
			_exit(errno == EAGAIN ? 3 : 4);
		}
		int status = 0;
		if (pid > 0)
			waitpid(pid, &status, 0);
		if (pid > 0 ? !WIFEXITED(status) || WEXITSTATUS(status) != 3 : errno != EAGAIN)
			printf("fork %d: %s, status %#x\n", i, pid > 0 ? "done" : strerror(errno), status);
		pthread_t t[3];
		int e, n = 0;
		while (n < 3 && !(e = pthread_create(&t[n], 0, thread, 0)))
			n++;
		if (n < 3 && e != EAGAIN)
			printf("thread %d: %s\n", i, strerror(e));
		while (n)
			pthread_join(t[--n], 0);
		for (int j = 0; j < 300000; j++)
			sum += j;
	}
	printf("lived on, %g\n", sum);
	return 0;
}
