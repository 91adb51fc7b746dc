// Threads that come and go by the thousand, joined and detached, made by many
// threads at a time, while signals come.
#include "../syscalls/check.h"

enum { MAKERS = 8 };
static long ran, left, signals, failed;
static volatile int stop;
static int each;

static void handler(int s) { __atomic_add_fetch(&signals, 1, __ATOMIC_RELAXED); }

static void *lives(void *a) {
	volatile char stack[3000];
	memset((char *)stack, (long)a & 127, sizeof stack);
	__atomic_add_fetch(&ran, 1, __ATOMIC_SEQ_CST);
	if ((long)a % 7 == 0) sched_yield();
	if ((long)a % 50 == 0) raise(SIGUSR2);
	if ((long)a % 2) __atomic_sub_fetch(&left, 1, __ATOMIC_SEQ_CST); // detached
	if (stack[100] != ((long)a & 127)) __atomic_add_fetch(&failed, 1, __ATOMIC_SEQ_CST);
	return (char *)a + 1;
}

static void *makes(void *m) {
	pthread_attr_t detached;
	pthread_attr_init(&detached);
	pthread_attr_setdetachstate(&detached, PTHREAD_CREATE_DETACHED);
	pthread_attr_setstacksize(&detached, 128 << 10);
	for (long i = 0; i < each; i++) {
		pthread_t t;
		void *r = 0;
		int e;
		if (i % 2) __atomic_add_fetch(&left, 1, __ATOMIC_SEQ_CST);
		while ((e = pthread_create(&t, i % 2 ? &detached : 0, lives, (void *)i)) == EAGAIN) usleep(1000);
		if (e || (i % 2 == 0 && (pthread_join(t, &r) || r != (char *)i + 1))) __atomic_add_fetch(&failed, 1, __ATOMIC_SEQ_CST);
	}
	return 0;
}

static void *sends(void *m) {
	pthread_t *makers = m;
	for (int i = 0; !stop; i++) {
		kill(getpid(), SIGUSR1);
		pthread_kill(makers[i % MAKERS], SIGUSR2); // who have not been joined yet
		usleep(500);
	}
	return 0;
}

int main(int argc, char **argv) {
	each = (argc > 1 ? atoi(argv[1]) : 800) / MAKERS;
	struct sigaction sa = {.sa_handler = handler, .sa_flags = SA_RESTART};
	sigaction(SIGUSR1, &sa, 0);
	sigaction(SIGUSR2, &sa, 0);
	pthread_t makers[MAKERS], sender;
	for (long i = 0; i < MAKERS; i++) pthread_create(&makers[i], 0, makes, 0);
	pthread_create(&sender, 0, sends, makers);
	while (__atomic_load_n(&ran, __ATOMIC_SEQ_CST) < (long)each * MAKERS && !failed) usleep(1000);
	stop = 1;
	pthread_join(sender, 0);
	for (int i = 0; i < MAKERS; i++) pthread_join(makers[i], 0);
	while (__atomic_load_n(&left, __ATOMIC_SEQ_CST)) usleep(1000);
	printf("ran %ld, failed %ld, signals %d\n", ran, failed, signals > 0);
	// What is left of them: one thread.
	char line[100];
	int n = 0;
	for (int tries = 0; tries < 2000 && n != 1; tries++) {
		FILE *f = fopen("/proc/self/status", "r");
		while (fgets(line, sizeof line, f)) if (sscanf(line, "Threads: %d", &n) == 1) break;
		fclose(f);
		usleep(1000);
	}
	printf("threads %d\n", n);
}
