// Threads that have ended leave no memory behind, and neither do those of a parent in
// its child.
#include "../syscalls/check.h"

static void *nothing(void *a) { return a; }

static void *waits(void *a) {
	pause();
	return a;
}

static long resident(void) { // KiB
	long kib = -1;
	char line[200];
	FILE *f = fopen("/proc/self/status", "r");
	while (fgets(line, sizeof line, f)) sscanf(line, "VmRSS: %ld", &kib);
	fclose(f);
	return kib;
}

static int run(int n) {
	for (int i = 0; i < n; i++) {
		pthread_t t[4];
		for (int k = 0; k < 4; k++)
			if (pthread_create(&t[k], NULL, nothing, NULL)) return 1;
		for (int k = 0; k < 4; k++) pthread_join(t[k], NULL);
	}
	return 0;
}

int main(void) {
	setvbuf(stdout, NULL, _IONBF, 0);
	show(run(20));
	long before = resident();
	show(run(500));
	ok(resident() - before < 40 * 1024);
	pthread_t t;
	for (int i = 0; i < 8; i++) pthread_create(&t, NULL, waits, NULL);
	pid_t p = fork();
	int st;
	if (!p) _exit(run(20));
	waitpid(p, &st, 0);
	printf("child: %x\n", st);
	_exit(0);
}
