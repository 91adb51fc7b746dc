// A program for a debugger.
#include <pthread.h>
#include <stdio.h>

int factorial(int n) {
	int result = 1;
	if (n > 1)
		result = n * factorial(n - 1);
	return result;
}

static void *worker(void *arg) {
	int *sum = arg;
	for (int i = 1; i < 6; i++)
		*sum += factorial(i);
	return NULL;
}

int main(void) {
	pthread_t t;
	int sum = 0;
	pthread_create(&t, NULL, worker, &sum);
	pthread_join(t, NULL);
	printf("sum %d\n", sum);
	return 0;
}
