// A tracer and a program of several threads that it traces are stopped and continued together, as by ^Z and fg: the tracer looks at the
// signal that stops once all is over, and SIGCONT has undone it by then.
#include "../syscalls/check.h"
#include <sys/ptrace.h>

enum { THREADS = 4, ROUNDS = 25 };
static volatile unsigned *counts; // of the threads; the last one is 1 when all are traced

static void *run(void *a) {
	for (;;) {
		usleep(1000);
		counts[(long)a]++;
	}
	return 0;
}

static void traced(void) {
	pthread_t t;
	while (!counts[THREADS]) usleep(1000);
	for (long i = 1; i < THREADS; i++) pthread_create(&t, 0, run, (void *)i);
	run(0);
}

static void tracer(void) {
	pid_t child = fork();
	if (!child) traced();
	if (child < 0 || ptrace(PTRACE_SEIZE, child, 0, PTRACE_O_TRACECLONE)) _exit(1);
	counts[THREADS] = 1;
	for (;;) {
		int status;
		pid_t p = waitpid(-1, &status, __WALL);
		if (p < 0) _exit(2);
		if (!WIFSTOPPED(status)) continue;
		int sig = WSTOPSIG(status), event = status >> 16;
		if (event == PTRACE_EVENT_STOP && sig != SIGTRAP) ptrace(PTRACE_LISTEN, p, 0, 0);
		else ptrace(PTRACE_CONT, p, 0, event ? 0 : sig);
	}
}

static unsigned all(void) {
	unsigned n = 0;
	for (int i = 0; i < THREADS; i++) n += counts[i];
	return n;
}

int main(void) {
	int on = 0;
	counts = mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	pid_t group = fork();
	if (group < 0) return 1;
	setpgid(group, group);
	if (!group) tracer();
	while (!counts[THREADS - 1]) usleep(1000);
	for (int i = 0; i < ROUNDS; i++) {
		kill(-group, SIGTSTP);
		usleep(60000); // threads that take no signal run on if the tracer is stopped first
		unsigned before = all();
		kill(-group, SIGCONT);
		for (int wait = 0; wait < 300 && all() < before + 10; wait++) usleep(10000);
		on += all() >= before + 10;
	}
	printf("went on %d of %d times\n", on, ROUNDS);
	kill(-group, SIGKILL);
	return 0;
}
