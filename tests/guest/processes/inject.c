// Signals that a tracer has a thread get when it lets it go on from other stops than those for signals.
#include "../syscalls/check.h"
#include <linux/ptrace.h>
#define pt(req, pid, addr, data) syscall(SYS_ptrace, (long)(req), (long)(pid), (long)(addr), (long)(data))

static int p[2];
static volatile int hits, code, sender;
static void hit(int s, siginfo_t *i, void *u) { hits++, code = i->si_code, sender = i->si_pid; }
static long changes(void) { return syscall(SYS_chdir, "."); }
static long writes(void) { return syscall(SYS_write, p[1], "abc", 3); }
static long reads(void) { char c; return syscall(SYS_read, p[0], &c, 1); }
static long asks(void) { return syscall(SYS_getppid) == getppid(); }
static const struct { const char *name; long nr; long (*f)(void); } calls[] = {{"chdir", SYS_chdir, changes}, {"write", SYS_write, writes}, {"read", SYS_read, reads}, {"getppid", SYS_getppid, asks}};

// inject has a signal come at the entry or exit of a call. A read that waits ends with it; made again, it finds something.
static void inject(int call, int op, int sig, int flags) {
	printf("- %s at the %s of %s, %s\n", sigabbrev_np(sig) ? sigabbrev_np(sig) : "RT", op == PTRACE_SYSCALL_INFO_ENTRY ? "entry" : "exit", calls[call].name, flags < 0 ? "ignored" : flags & SA_RESTART ? "SA_RESTART" : "caught");
	pipe(p);
	if (calls[call].f == reads && op == PTRACE_SYSCALL_INFO_EXIT) write(p[1], "x", 1);
	pid_t k = fork();
	if (!k) {
		struct sigaction a = {.sa_sigaction = hit, .sa_flags = flags | SA_SIGINFO};
		if (flags < 0) signal(sig, SIG_IGN);
		else sigaction(sig, &a, NULL);
		pt(PTRACE_TRACEME, 0, 0, 0);
		raise(SIGSTOP);
		hits = errno = 0;
		long r = calls[call].f();
		int e = errno;
		printf("%ld %s, %d handled, code %d, %s sender\n", r, e ? strerrorname_np(e) : "", hits, code, sender ? "a" : "no");
		_exit(0);
	}
	int st, in = 0, sent = 0;
	waitpid(k, &st, 0);
	pt(PTRACE_SETOPTIONS, k, 0, PTRACE_O_TRACESYSGOOD | PTRACE_O_EXITKILL);
	for (int with = 0;;) {
		pt(PTRACE_SYSCALL, k, 0, with);
		if (waitpid(k, &st, 0) != k || !WIFSTOPPED(st)) break;
		with = 0;
		if (WSTOPSIG(st) != (SIGTRAP | 0x80)) {
			siginfo_t i;
			pt(PTRACE_GETSIGINFO, k, 0, &i);
			printf("signal %d code %d %s sender\n", WSTOPSIG(st), i.si_code, i.si_pid ? "a" : "no");
			with = WSTOPSIG(st);
			write(p[1], "x", 1);
			continue;
		}
		struct ptrace_syscall_info s;
		pt(PTRACE_GET_SYSCALL_INFO, k, sizeof s, &s);
		if (s.op == PTRACE_SYSCALL_INFO_ENTRY) in = s.entry.nr == calls[call].nr && (s.entry.nr != SYS_write || s.entry.args[0] == p[1]);
		if (!in) continue;
		if (s.op == PTRACE_SYSCALL_INFO_ENTRY) puts("entry");
		else printf("exit %s %d\n", calls[call].f == asks ? "" : s.exit.rval < 0 ? "error" : "result", calls[call].f == asks ? 0 : (int)s.exit.rval);
		if (s.op == op && !sent++) with = sig;
	}
	printf("end %x\n", st);
	close(p[0]), close(p[1]);
}

// atEvents has signals come at stops that do not take them.
static void atEvents(void) {
	puts("- at an event, and at a stop for the tracer");
	int st;
	pid_t k = fork();
	if (!k) {
		struct sigaction a = {.sa_sigaction = hit, .sa_flags = SA_SIGINFO};
		sigaction(SIGUSR1, &a, NULL);
		raise(SIGSTOP);
		if (!fork()) _exit(0);
		_exit(hits);
	}
	waitpid(k, &st, WUNTRACED);
	show(pt(PTRACE_SEIZE, k, 0, PTRACE_O_TRACEFORK | PTRACE_O_EXITKILL));
	waitpid(k, &st, 0);
	printf("%x\n", st);
	show(pt(PTRACE_CONT, k, 0, SIGUSR1));
	kill(k, SIGCONT);
	for (int ended = 0; ended < 2;) {
		pid_t q = waitpid(-1, &st, __WALL);
		if (!WIFSTOPPED(st)) { ended++; if (q == k) printf("end %x\n", st); continue; }
		if (st >> 16 == PTRACE_EVENT_FORK) puts("fork");
		pt(PTRACE_CONT, q, 0, st >> 16 ? SIGUSR1 : WSTOPSIG(st));
	}
}

// afterDeath has a tracer die while its tracee is stopped for a signal, that it has waited for or only looked at.
static void afterDeath(int options) {
	int st, go[2];
	char x;
	pipe(go);
	pid_t k = fork();
	if (!k) { read(go[0], &x, 1); raise(SIGTERM); _exit(0); }
	pid_t tracer = fork();
	if (!tracer) {
		siginfo_t i;
		pt(PTRACE_SEIZE, k, 0, 0);
		write(go[1], "x", 1);
		_exit(waitid(P_PID, k, &i, WSTOPPED | __WALL | options) != 0 || i.si_status != SIGTERM);
	}
	waitpid(tracer, &st, 0);
	printf("tracer %x\n", st);
	waitpid(k, &st, 0);
	printf("tracee %x\n", st);
	close(go[0]), close(go[1]);
}

int main(void) {
	setvbuf(stdout, NULL, _IONBF, 0);
	for (int call = 0; call < sizeof calls / sizeof *calls; call++)
		for (int op = PTRACE_SYSCALL_INFO_ENTRY; op <= PTRACE_SYSCALL_INFO_EXIT; op++) {
			inject(call, op, SIGUSR1, -1);
			inject(call, op, SIGUSR1, 0);
			inject(call, op, SIGSEGV, 0);
			inject(call, op, SIGRTMIN + 1, SA_RESTART);
		}
	atEvents();
	afterDeath(0);
	afterDeath(WNOWAIT);
	return 0;
}
