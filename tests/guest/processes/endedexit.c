// PTRACE_O_TRACEEXIT: threads tell their tracer that they end also where they have no say in it, for SIGKILL, since another executes a
// program, or from another stop.
#include "../syscalls/check.h"
#include <linux/ptrace.h>
#define pt(req, pid, addr, data) syscall(SYS_ptrace, (long)(req), (long)(pid), (long)(addr), (long)(data))

static volatile int running;
static void *waits(void *a) { __sync_fetch_and_add(&running, 1); for (;;) pause(); return a; }
static void *spins(void *a) { __sync_fetch_and_add(&running, 1); for (volatile long n = 0;; n++); return a; }
static void *execs(void *a) { while (running < 2) usleep(1000); usleep(50000); execl("/proc/self/exe", "again", "new", NULL); return a; }
static void *stops(void *a) { raise(SIGUSR2); return a; }

enum { KILLED, KILLS, EXECS, OTHER_EXECS, STANDS };
static const char *const name[] = {"killed at a stop", "kills itself", "execve", "execve of another thread", "exit_group while one stands"};

static void child(int how) {
	pt(PTRACE_TRACEME, 0, 0, 0);
	raise(SIGSTOP);
	pthread_t t;
	pthread_create(&t, NULL, waits, NULL);
	pthread_create(&t, NULL, spins, NULL);
	if (how == EXECS) execs(NULL);
	if (how == OTHER_EXECS) pthread_create(&t, NULL, execs, NULL);
	while (running < 2) usleep(1000);
	usleep(50000);
	if (how == KILLED) raise(SIGUSR1);
	if (how == KILLS) kill(getpid(), SIGKILL);
	if (how == STANDS) {
		pthread_create(&t, NULL, stops, NULL);
		usleep(300000);
		_exit(7);
	}
	for (;;) pause();
}

static void ends(int how) {
	printf("- %s\n", name[how]);
	pid_t k = fork();
	if (k < 0) exit(1); // what follows would be for all processes
	if (!k) child(how);
	int st, events = 0, good = 0, ended = 0, statuses = 0, of_main = 0;
	unsigned long m, all = 0;
	waitpid(k, &st, 0);
	pt(PTRACE_SETOPTIONS, k, 0, PTRACE_O_TRACECLONE | PTRACE_O_TRACEEXIT | PTRACE_O_TRACEEXEC | PTRACE_O_EXITKILL);
	pt(PTRACE_CONT, k, 0, 0);
	for (pid_t p; (p = waitpid(-1, &st, __WALL)) > 0;) {
		int event = st >> 16, sig = WSTOPSIG(st);
		if (!WIFSTOPPED(st)) {
			ended++, statuses |= st;
			if (p != k) continue;
			printf("%d events, %d good, %d of the first thread, or %lx; %d ended, or %x, the first %x\n", events, good, of_main, all, ended, statuses, st);
			continue;
		}
		if (event == PTRACE_EVENT_EXIT) {
			siginfo_t i = {0};
			good += !pt(PTRACE_GETEVENTMSG, p, 0, &m) && !pt(PTRACE_GETSIGINFO, p, 0, &i) && i.si_signo == SIGTRAP &&
				i.si_code == (SIGTRAP | PTRACE_EVENT_EXIT << 8) && i.si_pid == p;
			events++, of_main += p == k, all |= m;
		} else if (event == PTRACE_EVENT_EXEC) {
			printf("execve: %d, %d events, %d good, %d of the first thread, or %lx, %d ended\n", p == k, events, good, of_main, all, ended);
		}
		if (sig == SIGUSR1) { kill(k, SIGKILL); continue; }
		if (sig == SIGUSR2) continue;
		pt(PTRACE_CONT, p, 0, !event && sig != SIGSTOP && sig != SIGTRAP ? sig : 0);
	}
}

int main(int n, char **) {
	setvbuf(stdout, NULL, _IONBF, 0);
	if (n > 1) { puts("a new program"); _exit(4); }
	for (int how = KILLED; how <= STANDS; how++) ends(how);
	return 0;
}
