// A program for a debugger that is elsewhere: argv[1] says what it does.
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

volatile int spinning = 1;
volatile long counter;

__attribute__((noinline)) int twice(int n) {
	counter++;
	return 2 * n;
}

static void stop_spinning(int sig) {
	spinning = 0;
}

static void *spin(void *unused) {
	while (spinning)
		;
	return NULL;
}

static void *once(void *unused) {
	twice(1);
	return NULL;
}

int main(int argc, char **argv) {
	const char *what = argv[1];

	if (!strcmp(what, "twice"))
		return twice(21);
	if (!strcmp(what, "fork")) {
		int status = 0, pid = fork();

		if (pid == 0)
			_exit(twice(4));
		waitpid(pid, &status, 0);
		printf("child %d\n", WIFEXITED(status) ? WEXITSTATUS(status) : -1);
		fflush(stdout);
		return twice(1);
	}
	if (!strcmp(what, "vfork")) {
		int status = 0, pid = vfork();

		if (pid == 0) {
			execl("/proc/self/exe", argv[0], "twice", (char *)NULL);
			_exit(1);
		}
		waitpid(pid, &status, 0);
		printf("child %d\n", WIFEXITED(status) ? WEXITSTATUS(status) : -1);
		fflush(stdout);
		return twice(1);
	}
	if (!strcmp(what, "spin")) {
		pthread_t thread;

		signal(SIGUSR1, stop_spinning);
		pthread_create(&thread, NULL, spin, NULL);
		spin(NULL);
		pthread_join(thread, NULL);
		return 6;
	}
	if (!strcmp(what, "thread")) {
		pthread_t thread;

		pthread_create(&thread, NULL, once, NULL);
		pthread_join(thread, NULL);
		return 7;
	}
	if (!strcmp(what, "exec")) {
		execl("/proc/self/exe", argv[0], "twice", (char *)NULL);
		return 1;
	}
	abort();
}
