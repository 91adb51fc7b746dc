// The timer slack of threads: the creator's now, which is what 0 sets again. It is changed
// by some only, so that others get theirs as the runtime's threads leave it.
#include "../syscalls/check.h"
#include <sys/prctl.h>

static void *look(void *a) {
	int first = prctl(PR_GET_TIMERSLACK);
	prctl(PR_SET_TIMERSLACK, 777);
	int set = prctl(PR_GET_TIMERSLACK);
	prctl(PR_SET_TIMERSLACK, 0);
	printf("%s: slack %d, then %d, then %d\n", (char *)a, first, set, prctl(PR_GET_TIMERSLACK));
	return a;
}

static void threads(const char *what) {
	for (int i = 0; i < 3; i++) {
		pthread_t t[4];
		for (int j = 0; j < 4; j++) {
			pthread_create(&t[j], 0, look, (void *)what);
			pthread_join(t[j], 0);
		}
	}
}

static void *plain(void *a) {
	*(int *)a = prctl(PR_GET_TIMERSLACK);
	return a;
}

int main(void) {
	setvbuf(stdout, NULL, _IONBF, 0);
	printf("main: slack %d\n", prctl(PR_GET_TIMERSLACK));
	pid_t p = fork();
	int st;
	if (!p) {
		usleep(20000); // for the child of an emulator to be complete
		threads("child");
		_exit(0);
	}
	waitpid(p, &st, 0);
	pthread_t t[40];
	int slack[40], others = 0;
	for (int i = 0; i < 40; i++) pthread_create(&t[i], 0, plain, &slack[i]);
	for (int i = 0; i < 40; i++) {
		pthread_join(t[i], 0);
		others += slack[i] != prctl(PR_GET_TIMERSLACK);
	}
	printf("at once: %d others\n", others);
	threads("parent");
	prctl(PR_SET_TIMERSLACK, 4321);
	threads("changed");
	return 0;
}
