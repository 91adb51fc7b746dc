// At RLIMIT_SIGPENDING 0 nothing can be queued, but a signal from one thread to another
// that waits in a system call arrives all the same.
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

static int io[2];
static volatile sig_atomic_t runs;

static void handler(int sig) { runs++; }

static void *reader(void *arg) {
	char c;
	int r = read(io[0], &c, 1);
	printf("read %d %s, %d runs\n", r, r < 0 ? strerror(errno) : "", (int)runs);
	return NULL;
}

int main(void) {
	struct rlimit none = {0, 0};
	setrlimit(RLIMIT_SIGPENDING, &none);
	pipe(io);
	alarm(60);
	int sigs[] = {SIGUSR1, SIGSEGV, SIGBUS, SIGFPE};
	for (int i = 0; i < 4; i++) {
		struct sigaction sa = {.sa_handler = handler};
		sigaction(sigs[i], &sa, NULL);
		pthread_t t;
		pthread_create(&t, NULL, reader, NULL);
		usleep(100000); // it waits by then, or misses the signal natively as well
		pthread_kill(t, sigs[i]);
		pthread_join(t, NULL);
	}
	return 0;
}
