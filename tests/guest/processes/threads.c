// Forks from threads while others run, hold locks, allocate, block, come and go.
#include "../syscalls/check.h"

static volatile int stop;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static volatile long counter;

static void *spins(void *a) { while (!stop) counter++; return a; }
static void *locks(void *a) { while (!stop) { pthread_mutex_lock(&lock); counter++; pthread_mutex_unlock(&lock); } return a; }
static void *allocates(void *a) { while (!stop) { char *p = malloc(3000); memset(p, 1, 3000); free(p); } return a; }
static void *sleeps(void *a) { while (!stop) usleep(500); return a; }
static void *maps(void *a) { while (!stop) { char *p = mmap(0, 65536, 3, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0); p[0] = 1; munmap(p, 65536); } return a; }
static void *nothing(void *a) { return a; }
static void *begets(void *a) { while (!stop) { pthread_t t; if (!pthread_create(&t, 0, nothing, 0)) pthread_join(t, 0); usleep(200); } return a; }
static void *pipes(void *a) {
	int fd[2];
	char c;
	pipe(fd);
	while (!stop) { write(fd[1], "x", 1); read(fd[0], &c, 1); }
	return a;
}

static int count; // of forks: as many of them as there is time for, see most and least
static void *forks(void *a) {
	const int most = 60; // seconds: each fork waits for ten others' turns, on a busy machine for long
	const int least = count < 50 ? count : 50; // without regard to time
	time_t began = time(0);
	long bad = 0;
	for (int i = 0; i < count; i++) {
		if (i >= least && time(0) >= began + most) {
			fprintf(stderr, "no time for more than %d of %d forks\n", i, count);
			break;
		}
		pid_t p = fork();
		if (p < 0) { bad++; continue; }
		if (!p) { // everything must still work with one thread
			if (syscall(SYS_gettid) != getpid()) _exit(70);
			free(malloc(5000));
			if (i % 4 == 0) {
				pthread_t t;
				void *r;
				if (pthread_create(&t, 0, nothing, (void *)7) || pthread_join(t, &r) || r != (void *)7) _exit(71);
			}
			if (i % 8 == 0) {
				int st;
				pid_t q = fork();
				if (!q) _exit(3);
				if (waitpid(q, &st, 0) != q || WEXITSTATUS(st) != 3) _exit(72);
			}
			_exit(i & 63);
		}
		int st;
		if (waitpid(p, &st, 0) != p || !WIFEXITED(st) || WEXITSTATUS(st) != (i & 63)) {
			bad++;
			fprintf(stderr, "fork %d: status %x\n", i, st);
		}
	}
	return (void *)bad;
}

int main(int argc, char **argv) {
	count = argc > 1 ? atoi(argv[1]) : 40;
	void *(*work[])(void *) = {spins, locks, locks, allocates, sleeps, maps, begets, pipes};
	pthread_t others[8], forkers[3];
	for (int i = 0; i < 8; i++) pthread_create(&others[i], 0, work[i], 0);
	for (int i = 0; i < 3; i++) pthread_create(&forkers[i], 0, forks, 0);
	long bad = 0;
	for (int i = 0; i < 3; i++) {
		void *r;
		pthread_join(forkers[i], &r);
		bad += (long)r;
	}
	stop = 1;
	for (int i = 0; i < 8; i++) pthread_join(others[i], 0);
	printf("failed: %ld\n", bad);
	// The main thread leaves, another one forks: its child becomes a process of its own.
	fflush(stdout);
	count = 3;
	pthread_t last;
	void *finish(void *a) {
		usleep(20000);
		printf("without main thread: %ld\n", (long)forks(0));
		exit(4);
	}
	pthread_create(&last, 0, finish, 0);
	pthread_exit(0);
}
