// What a new thread inherits from the one that makes it, not from another of the process's threads.
#include "../syscalls/check.h"
#include <sys/prctl.h>

static void *look(void *a) {
	char name[16];
	cpu_set_t set;
	uid_t r, e, s;
	gid_t g[10];
	prctl(PR_GET_NAME, name);
	sched_getaffinity(0, sizeof set, &set);
	syscall(SYS_getresuid, &r, &e, &s);
	int n = syscall(SYS_getgroups, 10, g);
	printf("%s: name %s, uid %d %d %d, gid %d, %d groups, %d cpus, nice %d, no new privileges %d, slack %d, policy %d, id %s\n", (char *)a, name, r, e, s, (int)getgid(), n, CPU_COUNT(&set),
		getpriority(PRIO_PROCESS, 0), prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0), prctl(PR_GET_TIMERSLACK), sched_getscheduler(0), syscall(SYS_gettid) != getpid() ? "own" : "WRONG");
	return a;
}

static void thread(const char *what) {
	pthread_t t;
	if (pthread_create(&t, 0, look, (void *)what)) printf("%s: no thread\n", what);
	else pthread_join(t, 0);
}

static void *elsewhere(void *a) { // one thread changes, another one's threads do not
	prctl(PR_SET_NAME, "elsewhere");
	setpriority(PRIO_PROCESS, 0, 9);
	thread("by the other");
	return a;
}

static volatile int stop;
static void *busy(void *a) { while (!stop) free(malloc(100)); return a; }
static void *maker(void *a) {
	long bad = 0;
	for (int i = 0; i < 100; i++) {
		pthread_t t;
		void *r;
		if (pthread_create(&t, 0, (void *(*)(void *))getuid, 0) || pthread_join(t, &r) || (long)r != 65534) bad++;
		if (i % 10 == 0) {
			int st;
			pid_t p = fork();
			if (!p) { thread("x"); _exit(getuid() == 65534); }
			waitpid(p, &st, 0);
			if (WEXITSTATUS(st) != 1) bad++;
		}
	}
	return (void *)bad;
}

int main(void) {
	setvbuf(stdout, NULL, _IOFBF, 1 << 16);
	prctl(PR_SET_NAME, "renamed");
	thread("renamed");
	pthread_t t;
	pthread_create(&t, 0, elsewhere, 0);
	pthread_join(t, 0);
	thread("by the first");
	cpu_set_t one;
	sched_getaffinity(0, sizeof one, &one);
	for (int i = CPU_SETSIZE - 1; CPU_COUNT(&one) > 1; i--) CPU_CLR(i, &one);
	sched_setaffinity(0, sizeof one, &one);
	thread("one cpu");
	setpriority(PRIO_PROCESS, 0, 3);
	prctl(PR_SET_TIMERSLACK, 12345);
	thread("nice");
	struct sched_param sp = {0};
	sched_setscheduler(0, SCHED_BATCH, &sp);
	thread("batch");
	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	thread("no new privileges");
	if (getuid() == 0) {
		gid_t g[] = {1, 2, 3};
		syscall(SYS_setgroups, 3, g);
		syscall(SYS_setresgid, 65533, 65533, 65533);
		syscall(SYS_setresuid, 65534, 65534, 65534);
		thread("nobody");
		fflush(stdout);
		pthread_t others[3], makers[2];
		for (int i = 0; i < 3; i++) pthread_create(&others[i], 0, busy, 0);
		long bad = 0;
		for (int i = 0; i < 2; i++) pthread_create(&makers[i], 0, maker, 0);
		for (int i = 0; i < 2; i++) { void *r; pthread_join(makers[i], &r); bad += (long)r; }
		stop = 1;
		printf("bad %ld\n", bad);
	}
	return 0;
}
