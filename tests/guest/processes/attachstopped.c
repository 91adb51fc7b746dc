// PTRACE_ATTACH and PTRACE_SEIZE of a process that a signal has stopped, and what becomes of it after each way to let it go on.
#include "../syscalls/check.h"
#include <linux/ptrace.h>
#define pt(req, pid, addr, data) syscall(SYS_ptrace, (long)(req), (long)(pid), (long)(addr), (long)(data))

static void got(int sig) {}
// The signal goes to the first thread.
static void *other(void *a) { sigset_t s; sigfillset(&s); pthread_sigmask(SIG_BLOCK, &s, NULL); for (;;) pause(); return a; }
static pid_t stopped(int sig, int threads) {
	pid_t k = fork();
	if (!k) {
		if (threads) signal(SIGCONT, got);
		pthread_t t;
		for (int i = 0; i < threads; i++) pthread_create(&t, NULL, other, NULL);
		for (;;) pause();
	}
	int st;
	usleep(5000);
	kill(k, sig);
	ok(waitpid(k, &st, WUNTRACED) == k && WIFSTOPPED(st) && WSTOPSIG(st) == sig);
	return k;
}

static char state(pid_t p) {
	char name[64], line[256], c = '?';
	snprintf(name, sizeof name, "/proc/%d/stat", p);
	int fd = open(name, O_RDONLY);
	if (read(fd, line, sizeof line) > 0) c = *(strrchr(line, ')') + 2);
	close(fd);
	return c;
}

// see shows the next stop, or that there is none for a while.
static void seefor(pid_t k, int pauses) {
	int st = 0;
	pid_t r = waitpid(k, &st, WNOHANG);
	for (int i = 0; r == 0 && i < pauses; i++) { usleep(2000); r = waitpid(k, &st, WNOHANG); }
	printf("  %s %x, %c\n", r == k ? "reported" : r ? "failed" : "nothing", st, state(k));
}

static void see(pid_t k) { seefor(k, 1500); }
static void none(pid_t k) { seefor(k, 30); }

// is waits for a state. Its parent may hear of a stop once more when the tracer has gone.
static void is(pid_t k, char c) {
	char s = state(k);
	for (int i = 0; i < 500 && s != c; i++) usleep(2000), s = state(k);
	printf("  is %c\n", s);
}

static void info(pid_t k) {
	siginfo_t si = { 0 };
	show(pt(PTRACE_GETSIGINFO, k, 0, &si));
	printf("  signal %d code %x, options %ld\n", si.si_signo, si.si_code, pt(PTRACE_SETOPTIONS, k, 0, PTRACE_O_TRACESYSGOOD));
	char regs[512];
	struct iovec v = { regs, sizeof regs };
	show(pt(PTRACE_GETREGSET, k, 1, &v));
}

static void end(pid_t k) {
	int st;
	kill(k, SIGKILL);
	ok(waitpid(k, &st, 0) == k && WIFSIGNALED(st));
}

int main(void) {
	setvbuf(stdout, NULL, _IONBF, 0);
	int sigs[] = { SIGSTOP, SIGTSTP };
	for (int s = 0; s < 2; s++) {
		printf("- attach, detach\n");
		pid_t k = stopped(sigs[s], s);
		show(pt(PTRACE_ATTACH, k, 0, 0));
		see(k);
		info(k);
		show(pt(PTRACE_DETACH, k, 0, 0));
		is(k, 'T');
		kill(k, SIGCONT);
		is(k, 'S');
		end(k);

		printf("- attach, continue\n");
		k = stopped(sigs[s], s);
		show(pt(PTRACE_ATTACH, k, 0, 0));
		see(k);
		info(k);
		show(pt(PTRACE_CONT, k, 0, 0));
		see(k); // the SIGSTOP of PTRACE_ATTACH
		info(k);
		show(pt(PTRACE_CONT, k, 0, 0));
		none(k);
		show(pt(PTRACE_CONT, k, 0, 0));
		end(k);

		printf("- seize, detach\n");
		k = stopped(sigs[s], s);
		show(pt(PTRACE_SEIZE, k, 0, 0));
		see(k);
		info(k);
		show(pt(PTRACE_DETACH, k, 0, 0));
		is(k, 'T');
		kill(k, SIGCONT);
		is(k, 'S');
		end(k);

		printf("- seize, listen, SIGCONT\n");
		k = stopped(sigs[s], s);
		show(pt(PTRACE_SEIZE, k, 0, 0));
		see(k);
		show(pt(PTRACE_LISTEN, k, 0, 0));
		none(k);
		kill(k, SIGCONT);
		see(k);
		info(k);
		show(pt(PTRACE_CONT, k, 0, 0));
		see(k); // SIGCONT itself
		show(pt(PTRACE_CONT, k, 0, 0));
		none(k);
		end(k);

		printf("- seize, continue\n");
		k = stopped(sigs[s], s);
		show(pt(PTRACE_SEIZE, k, 0, 0));
		see(k);
		show(pt(PTRACE_CONT, k, 0, 0));
		none(k);
		show(pt(PTRACE_INTERRUPT, k, 0, 0));
		see(k);
		info(k);
		show(pt(PTRACE_DETACH, k, 0, 0));
		is(k, 'T');
		end(k);
	}
	return 0;
}
