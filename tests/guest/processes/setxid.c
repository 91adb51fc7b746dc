// What C libraries do by signals that they keep for themselves (32 and 33): setuid in all threads,
// pthread_cancel, timers that make threads.
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

enum { THREADS = 4, ROUNDS = 200 };
static volatile int stop, begun, expired;
static int pipes[2];

static void *waits(void *arg) {
	char c;
	__sync_fetch_and_add(&begun, 1);
	return (void *)(read(pipes[0], &c, 1) == 1 && geteuid() == getuid() ? 1L : 0L);
}
static void *runs(void *arg) {
	volatile long n = 0;
	__sync_fetch_and_add(&begun, 1);
	while (!stop)
		n++;
	return (void *)1L;
}
static void *sleeps(void *arg) {
	for (;;)
		sleep(100);
	return arg;
}
static void notice(union sigval v) { __sync_fetch_and_add(&expired, v.sival_int); }

int main(void) {
	pthread_t t[THREADS], c;
	void *r;
	int good = 0;
	pipe(pipes);
	for (long i = 0; i < THREADS; i++)
		pthread_create(&t[i], 0, i % 2 ? runs : waits, 0);
	while (begun < THREADS)
		usleep(1000);
	for (int i = 0; i < ROUNDS; i++)
		good += !setuid(getuid()) && !setresgid(-1, getgid(), -1);
	printf("set %d\n", good);
	good = 0;
	for (int i = 0; i < ROUNDS; i++) {
		pthread_create(&c, 0, sleeps, 0);
		if (i % 2)
			usleep(100);
		pthread_cancel(c);
		pthread_join(c, &r);
		good += r == PTHREAD_CANCELED;
	}
	printf("cancelled %d\n", good);
	struct sigevent e = {.sigev_notify = SIGEV_THREAD, .sigev_value.sival_int = 1, .sigev_notify_function = notice};
	timer_t timer;
	timer_create(CLOCK_MONOTONIC, &e, &timer);
	timer_settime(timer, 0, &(struct itimerspec){{0, 2000000}, {0, 2000000}}, 0);
	for (int i = 0; expired < 20 && i < 5000; i++)
		usleep(2000);
	printf("expired %d\n", expired >= 20);
	timer_delete(timer);
	stop = 1;
	write(pipes[1], "abcd", THREADS);
	good = 0;
	for (int i = 0; i < THREADS; i++) {
		pthread_join(t[i], &r);
		good += (long)r;
	}
	printf("ended %d\n", good);
	return 0;
}
