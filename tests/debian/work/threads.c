#include <pthread.h>
#include <stdio.h>

int counter;

static void *count(void *arg) {
	for (int i = 0; i < 1000; i++)
		__atomic_fetch_add(&counter, 1, __ATOMIC_RELAXED);
	return arg;
}

int main(void) {
	pthread_t t[4];
	for (int i = 0; i < 4; i++)
		pthread_create(t + i, 0, count, 0);
	for (int i = 0; i < 4; i++)
		pthread_join(t[i], 0);
	printf("%d\n", counter);
	return counter != 4000;
}
