// Group-stops of several threads: traced ones tell their tracer, others stand still, and the parent, which is not the tracer, hears of it.
#include "../syscalls/check.h"
#include <linux/ptrace.h>
#define pt(req, pid, addr, data) syscall(SYS_ptrace, (long)(req), (long)(pid), (long)(addr), (long)(data))
#define THREADS 3

static struct shared {
	volatile long count[THREADS]; // of what each thread has done
	volatile int tid[THREADS], order, asked, done;
	volatile int stops, traps, infos, delivered; // that the tracer has seen
} *s;

static void *counts(void *a) { // in and out of calls
	long i = (long)a;
	s->tid[i] = gettid();
	for (;;) if ((++s->count[i] & 0xff) == 0) usleep(10);
	return a;
}
static void *sleeps(void *a) {
	long i = (long)a;
	s->tid[i] = gettid();
	for (;;) { ++s->count[i]; usleep(1000); }
	return a;
}

static int moves(int i, int ms) {
	for (long was = s->count[i]; ms > 0; ms--) {
		usleep(1000);
		if (s->count[i] != was) return 1;
	}
	return 0;
}
static void moving(int expected, const char *what) {
	printf("%s:", what);
	for (int i = 0; i < THREADS; i++) printf(" %d", moves(i, expected >> i & 1 ? 10000 : 30));
	puts("");
}

static void await(volatile int *what, int value) { for (int ms = 0; *what < value && ms < 20000; ms++) usleep(1000); }

enum { ATTACH = 1, CONTINUE = 2 }; // how the tracer goes on

// trace traces the threads of a mask and does what the parent asks for: with the first of them.
static void trace(int mask, int how) {
	int st, first = 0, n = 0;
	for (int i = THREADS - 1; i >= 0; i--) if (mask >> i & 1) {
		first = s->tid[i], n++;
		if (pt(how & ATTACH ? PTRACE_ATTACH : PTRACE_SEIZE, first, 0, 0)) perror("seize");
	}
	if (how & ATTACH) {
		waitpid(first, &st, __WALL);
		pt(PTRACE_CONT, first, 0, 0);
	}
	for (s->done = 1;;) {
		if (s->asked != s->done - 1) {
			int detach = s->asked == 2;
			for (int i = 0; i < THREADS; i++) if (mask >> i & 1) {
				if (detach) { if (pt(PTRACE_DETACH, s->tid[i], 0, 0)) perror("detach"); }
				else if (pt(PTRACE_INTERRUPT, s->tid[i], 0, 0)) perror("interrupt");
			}
			how |= 4; // what stops now stays
			s->done = s->asked + 1;
			if (detach) _exit(0);
		}
		pid_t p = waitpid(-1, &st, __WALL | WNOHANG);
		if (p < 0) _exit(0);
		if (p == 0) { usleep(500); continue; }
		if (!WIFSTOPPED(st)) continue;
		siginfo_t info = {0};
		int sig = WSTOPSIG(st), event = st >> 16, none = pt(PTRACE_GETSIGINFO, p, 0, &info) != 0;
		int group = how & ATTACH ? none && errno == EINVAL : event == PTRACE_EVENT_STOP && sig != SIGTRAP;
		if (group) {
			s->infos += how & ATTACH ? none : info.si_signo == sig && info.si_code == (sig | event << 8) && info.si_pid == p;
			s->stops++;
			if (how & 4) continue;
			if (pt(how & CONTINUE ? PTRACE_CONT : PTRACE_LISTEN, p, 0, 0)) perror("listen");
			continue;
		}
		if (event == PTRACE_EVENT_STOP) s->traps++;
		else if (sig != SIGCONT) s->delivered++;
		pt(PTRACE_CONT, p, 0, event ? 0 : sig);
	}
}

static void seen(void) { printf("seen: %d group-stops, %d as they should be, %d traps, %d signals\n", s->stops, s->infos, s->traps, s->delivered); }

// start runs a process and its tracer.
static pid_t start(int mask, int how, pid_t *tracer) {
	memset(s, 0, sizeof *s);
	pid_t k = fork();
	if (k < 0) exit(1); // what follows would be for all processes
	if (!k) {
		setpgid(0, 0); // not orphaned
		pthread_t t;
		pthread_create(&t, NULL, counts, (void *)1);
		pthread_create(&t, NULL, sleeps, (void *)2);
		sleeps(0);
	}
	for (int i = 0; i < THREADS; i++) while (!s->tid[i]) usleep(1000);
	*tracer = fork();
	if (!*tracer) trace(mask, how);
	await(&s->done, 1);
	return k;
}

// family runs a process with a parent and a tracer. to: the signal goes to the process, or to that thread.
static void family(int sig, int mask, int to, int how, int interrupt) {
	printf("- signal %d to %d, traced %d, %s%s\n", sig, to, mask, how & ATTACH ? "attached" : "seized", interrupt ? ", interrupted" : "");
	int st = 0, all = (1 << THREADS) - 1, tracees = __builtin_popcount(mask);
	pid_t tracer, k = start(mask, how, &tracer);
	if (to < 0) kill(k, sig);
	else syscall(SYS_tgkill, k, s->tid[to], sig);
	await(&s->stops, tracees);
	if (!(how & CONTINUE)) {
		printf("parent: %d", waitpid(k, &st, WUNTRACED) == k);
		printf(" %x\n", st);
		moving(0, "stopped");
		printf("more for the parent: %d\n", waitpid(k, &st, WUNTRACED | WCONTINUED | WNOHANG));
	} else moving(mask, "stopped");
	if (interrupt) {
		s->asked = 1;
		await(&s->stops, 2 * tracees);
		moving(0, "interrupted");
		s->asked = 2;
		await(&s->done, 3);
		waitpid(tracer, &st, 0);
		moving(0, "detached");
		printf("more for the parent: %d\n", waitpid(k, &st, WUNTRACED | WCONTINUED | WNOHANG));
	}
	kill(k, SIGCONT);
	if (!(how & CONTINUE)) {
		printf("parent: %d", waitpid(k, &st, WCONTINUED) == k);
		printf(" %x\n", st);
	}
	moving(all, "continued");
	seen();
	kill(k, SIGKILL);
	waitpid(k, &st, 0);
	printf("%x\n", st);
	waitpid(tracer, &st, 0);
}

// storm has a SIGCONT come at any time after a signal that stops.
static void storm(int mask) {
	int st;
	pid_t tracer, k = start(mask, 0, &tracer);
	for (int i = 0; i < 100; i++) {
		kill(k, SIGTSTP);
		usleep(i * i * 37 % 4000);
		kill(k, SIGCONT);
		usleep(5000);
	}
	printf("- storm, traced %d\n", mask);
	moving(7, "continued");
	kill(k, SIGKILL);
	waitpid(k, &st, 0);
	waitpid(tracer, &st, 0);
}

int main(void) {
	setvbuf(stdout, NULL, _IONBF, 0);
	s = mmap(NULL, sizeof *s, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	family(SIGTSTP, 7, -1, 0, 0);
	family(SIGSTOP, 7, 2, 0, 0);
	family(SIGTTIN, 1, -1, 0, 0); // one of several, as strace -p without -f
	family(SIGSTOP, 1, 0, 0, 0);
	family(SIGTSTP, 6, 0, 0, 0); // an untraced thread takes it
	family(SIGTSTP, 6, 1, 0, 0);
	family(SIGSTOP, 2, 1, 0, 0);
	family(SIGTSTP, 7, -1, 0, 1);
	family(SIGSTOP, 1, 0, 0, 1);
	family(SIGSTOP, 1, 0, ATTACH | CONTINUE, 0); // its tracer lets it go on alone
	storm(7);
	storm(1);
	return 0;
}
