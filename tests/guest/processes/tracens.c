// A tracer and a tracee that is process 1 of another process id namespace: stops,
// attachment, and the numbers of new processes and threads are the tracer's.
#include "../syscalls/check.h"
#include <sys/ptrace.h>

static int st;
static pid_t stop(pid_t p) {
	pid_t r = waitpid(p, &st, __WALL);
	printf("%s %x\n", r == p ? "stop" : "WRONG", st);
	return r;
}
static void *ends(void *a) { return 0; }

int main(void) {
	setvbuf(stdout, 0, _IONBF, 0);
	alarm(60);
	if (unshare(getuid() ? CLONE_NEWUSER | CLONE_NEWPID : CLONE_NEWPID)) { printf("SKIP process id namespaces: %s\n", strerrorname_np(errno)); return 0; }
	int p[2];
	unsigned long m;
	siginfo_t i;
	pipe(p);
	puts("- PTRACE_TRACEME, fork");
	pid_t c = fork();
	if (!c) {
		show(ptrace(PTRACE_TRACEME, 0, 0, 0));
		show(getpid());
		raise(SIGSTOP);
		raise(SIGUSR1);
		pid_t g = fork();
		if (!g) _exit(3);
		waitpid(g, &st, 0);
		char b;
		read(p[0], &b, 1);
		pthread_t t;
		pthread_create(&t, 0, ends, 0);
		pthread_join(t, 0);
		read(p[0], &b, 1); // the end of the thread is seen first
		_exit(7);
	}
	stop(c);
	show(ptrace(PTRACE_SETOPTIONS, c, 0, PTRACE_O_TRACEFORK | PTRACE_O_TRACECLONE));
	show(ptrace(PTRACE_CONT, c, 0, 0));
	stop(c);
	show(ptrace(PTRACE_GETSIGINFO, c, 0, &i));
	show(i.si_signo == SIGUSR1);
	show(ptrace(PTRACE_CONT, c, 0, 0));
	stop(c);
	show(ptrace(PTRACE_GETEVENTMSG, c, 0, &m));
	ok(m != 2 && m != c);
	show(ptrace(PTRACE_CONT, c, 0, 0));
	stop(m);
	show(ptrace(PTRACE_DETACH, m, 0, 0));
	stop(c); // SIGCHLD
	show(ptrace(PTRACE_CONT, c, 0, 0));
	puts("- detach, seize, interrupt, a thread");
	usleep(50000);
	kill(c, SIGWINCH);
	stop(c);
	show(ptrace(PTRACE_DETACH, c, 0, 0));
	usleep(20000);
	show(ptrace(PTRACE_SEIZE, c, 0, PTRACE_O_TRACECLONE));
	show(ptrace(PTRACE_INTERRUPT, c, 0, 0));
	stop(c);
	show(ptrace(PTRACE_CONT, c, 0, 0));
	write(p[1], "x", 1);
	stop(c);
	show(ptrace(PTRACE_GETEVENTMSG, c, 0, &m));
	ok(m != c && m > 10);
	pid_t t = m;
	stop(t);
	show(ptrace(PTRACE_CONT, c, 0, 0));
	show(ptrace(PTRACE_CONT, t, 0, 0));
	stop(t);
	write(p[1], "x", 1);
	stop(c);
}
