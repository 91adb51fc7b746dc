// fork when all descriptors below the limit are in use: it takes none of its own.
#include "../syscalls/check.h"

static int reap(pid_t p) {
	int st;
	return waitpid(p, &st, 0) == p ? st : -1;
}

static void *thread(void *a) { return (void *)(long)reap(*(pid_t *)a); }

// limited forks under a hard limit: no privilege of the machine's is needed.
static void limited(void) {
	pid_t p = fork();
	if (!p) {
		struct rlimit l = {100, 100};
		setrlimit(RLIMIT_NOFILE, &l);
		pid_t q = fork();
		if (!q) _exit(7);
		_exit(reap(q) == 0x700 ? 6 : 1);
	}
	printf("limited: %x\n", reap(p));
}

int main(void) {
	setvbuf(stdout, NULL, _IONBF, 0);
	limited();
	struct rlimit l;
	getrlimit(RLIMIT_NOFILE, &l);
	l.rlim_cur = 80;
	setrlimit(RLIMIT_NOFILE, &l);
	while (open("/dev/null", O_RDONLY) >= 0);
	printf("%s\n", strerrorname_np(errno));
	for (int i = 0; i < 3; i++) {
		pid_t p = fork();
		if (!p) {
			pid_t q = fork();
			if (!q) _exit(i);
			pthread_t t;
			void *st;
			pthread_create(&t, NULL, thread, &q); // needs the runtime's threads
			pthread_join(t, &st);
			getrlimit(RLIMIT_NOFILE, &l);
			_exit((int)((long)st >> 8) + 10 * (l.rlim_cur == 80));
		}
		printf("%d: %x\n", i, reap(p));
	}
	getrlimit(RLIMIT_NOFILE, &l);
	printf("limit %ld\n", (long)l.rlim_cur);
	show(open("/dev/null", O_RDONLY));
}
