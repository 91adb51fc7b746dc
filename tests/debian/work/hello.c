#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
static void *run(void *a) { *(double *)a = sqrt(*(double *)a); return 0; }
int main(int argc, char **argv) {
	double v[4] = {1, 4, 9, 16}, s = 0;
	pthread_t t[4];
	for (int i = 0; i < 4; i++) pthread_create(&t[i], 0, run, &v[i]);
	for (int i = 0; i < 4; i++) { pthread_join(t[i], 0); s += v[i]; }
	printf("%d %.1f %s\n", argc, s, argc > 1 ? argv[1] : "-");
	return argc;
}
