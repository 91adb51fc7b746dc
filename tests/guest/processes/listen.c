// PTRACE_LISTEN: the process has stopped for all others as well: its parent, its process group, and for good if the tracer dies.
#include "../syscalls/check.h"
#include <linux/ptrace.h>
#define pt(req, pid, addr, data) syscall(SYS_ptrace, (long)(req), (long)(pid), (long)(addr), (long)(data))

static int report[2];
static char text[100];
static volatile int hits;
static void hit(int s) { hits++; }

// child stops, and ends after it has been continued.
static void child(int sig, int how) {
	sigset_t s;
	sigemptyset(&s);
	sigaddset(&s, SIGCONT);
	if (how == 'b') sigprocmask(SIG_BLOCK, &s, NULL);
	if (how == 'i') signal(SIGCONT, SIG_IGN);
	if (how == 'c') signal(SIGCONT, hit);
	raise(sig);
	sigpending(&s);
	_exit(3 + 16 * hits + 32 * sigismember(&s, SIGCONT));
}

// listens traces a process by its tracer, who is not its parent, from its birth, and listens to all of its group-stops.
static void listens(pid_t parent) {
	int st;
	pid_t p;
	while ((p = waitpid(-1, &st, __WALL)) > 0) {
		const char *who = p == parent ? "parent" : "child";
		int sig = WSTOPSIG(st), event = st >> 16;
		if (!WIFSTOPPED(st)) { if (p != parent) printf("%s ended %x\n", who, st); continue; }
		int stops = sig == SIGSTOP || sig == SIGTSTP || sig == SIGTTIN;
		if (p != parent) printf("%s stop %d event %d\n", who, sig, event);
		if (event == PTRACE_EVENT_STOP && stops) { if (pt(PTRACE_LISTEN, p, 0, 0)) puts("cannot listen"); }
		else pt(PTRACE_CONT, p, 0, event ? 0 : sig);
	}
}

static void family(int sig, int how) {
	printf("- signal %d, %c\n", sig, how);
	int go[2];
	char c;
	pipe(report), pipe(go);
	pid_t parent = fork();
	if (!parent) {
		setpgid(0, 0);
		read(go[0], &c, 1);
		pid_t c = fork();
		if (!c) child(sig, how);
		int st;
		dprintf(report[1], "parent: %d", waitpid(c, &st, WUNTRACED) == c);
		dprintf(report[1], " %x\n", st);
		if (how == 'o') _exit(0); // an orphaned process group with a stopped process
		kill(c, SIGCONT);
		dprintf(report[1], "parent: %d", waitpid(c, &st, WCONTINUED) == c);
		if (WIFCONTINUED(st)) waitpid(c, &st, 0); // it may have ended by now
		dprintf(report[1], " %x\n", st);
		_exit(0);
	}
	if (pt(PTRACE_SEIZE, parent, 0, PTRACE_O_TRACEFORK | PTRACE_O_EXITKILL)) puts("cannot seize");
	write(go[1], "x", 1);
	listens(parent);
	close(report[1]);
	int n = read(report[0], text, sizeof text);
	printf("%.*s", n, text);
	close(report[0]), close(go[0]), close(go[1]);
}

// dies has a tracer die that listens.
static void dies(void) {
	puts("- a tracer that dies");
	int st, go[2];
	char x;
	pipe(go);
	pid_t c = fork();
	if (!c) { read(go[0], &x, 1); child(SIGSTOP, 'c'); }
	pid_t tracer = fork();
	if (!tracer) {
		pt(PTRACE_SEIZE, c, 0, 0);
		write(go[1], "x", 1);
		waitpid(c, &st, 0);
		pt(PTRACE_CONT, c, 0, SIGSTOP);
		waitpid(c, &st, 0);
		_exit(pt(PTRACE_LISTEN, c, 0, 0) != 0);
	}
	waitpid(tracer, &st, 0);
	printf("tracer %x\n", st);
	show(waitpid(c, &st, WUNTRACED) == c);
	printf("%x\n", st);
	usleep(50000);
	show(waitpid(c, &st, WNOHANG));
	kill(c, SIGCONT);
	waitpid(c, &st, 0);
	printf("%x\n", st);
}

int main(void) {
	setvbuf(stdout, NULL, _IONBF, 0);
	family(SIGSTOP, 'd');
	family(SIGTSTP, 'd');
	family(SIGTTIN, 'c');
	family(SIGSTOP, 'b');
	family(SIGSTOP, 'i');
	family(SIGSTOP, 'o');
	dies();
	return 0;
}
