// What a tracer sees of calls that signals end, and what becomes of them if it takes the signal away.
#include "../syscalls/check.h"
#include <linux/futex.h>
#include <linux/ptrace.h>
#include <sys/epoll.h>
#define pt(req, pid, addr, data) syscall(SYS_ptrace, (long)(req), (long)(pid), (long)(addr), (long)(data))

static struct timespec span = {1, 200000000};
static int p[2];
static long sleeps(void) { return syscall(SYS_nanosleep, &span, NULL); }
static long until(void) { struct timespec t; clock_gettime(CLOCK_MONOTONIC, &t); t.tv_sec += 2; return syscall(SYS_clock_nanosleep, CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL); }
static long clocksleeps(void) { return syscall(SYS_clock_nanosleep, CLOCK_MONOTONIC, 0, &span, NULL); }
static long futexes(void) { int w = 0; return syscall(SYS_futex, &w, FUTEX_WAIT, 0, &span, NULL, 0); }
static long polls(void) { return syscall(SYS_ppoll, NULL, 0, &span, NULL, 0); }
static long epolls(void) { struct epoll_event e; return epoll_pwait(epoll_create1(0), &e, 1, 3000, NULL); }
static long sigwaits(void) { sigset_t s; sigemptyset(&s); sigaddset(&s, SIGALRM); struct timespec t = {3, 0}; return syscall(SYS_rt_sigtimedwait, &s, NULL, &t, 8); }
static long receives(void) { char c; int s[2]; struct timeval tv = {3}; socketpair(AF_UNIX, SOCK_STREAM, 0, s); setsockopt(s[0], SOL_SOCKET, SO_RCVTIMEO, &tv, sizeof tv); return recv(s[0], &c, 1, 0); }
static long reads(void) { char c; return read(p[0], &c, 1); }

static const struct { const char *name; long nr; long (*f)(void); } calls[] = {
	{"nanosleep", SYS_nanosleep, sleeps}, {"clock_nanosleep", SYS_clock_nanosleep, clocksleeps}, {"clock_nanosleep until", SYS_clock_nanosleep, until}, {"futex", SYS_futex, futexes},
	{"ppoll", SYS_ppoll, polls}, {"epoll_pwait", SYS_epoll_pwait, epolls}, {"rt_sigtimedwait", SYS_rt_sigtimedwait, sigwaits}, {"recv", SYS_recvfrom, receives}, {"read", SYS_read, reads},
};

static volatile int hits;
static void hit(int s) { hits++; }

static void trace(int i, int sig, int deliver) {
	printf("- %s, signal %s\n", calls[i].name, deliver ? "caught" : "taken away");
	pipe(p);
	pid_t k = fork();
	if (!k) {
		signal(SIGUSR1, SIG_IGN);
		struct sigaction a = {.sa_handler = hit};
		sigaction(SIGUSR2, &a, NULL);
		pt(PTRACE_TRACEME, 0, 0, 0);
		raise(SIGSTOP);
		errno = 0;
		long r = calls[i].f();
		int e = errno;
		printf("%ld %s, %d handled\n", r, e ? strerrorname_np(e) : "", hits);
		_exit(0);
	}
	int st, in = 0, sent = 0;
	waitpid(k, &st, 0);
	pt(PTRACE_SETOPTIONS, k, 0, PTRACE_O_TRACESYSGOOD | PTRACE_O_EXITKILL);
	for (int with = 0;; with = 0) {
		pt(PTRACE_SYSCALL, k, 0, with);
		if (in && sent++ == 0) { usleep(50000); kill(k, sig); }
		else if (in) write(p[1], "x", 1);
	next:
		waitpid(k, &st, 0);
		if (!WIFSTOPPED(st)) break;
		if (WSTOPSIG(st) != (SIGTRAP | 0x80)) {
			printf("signal %s\n", sigabbrev_np(WSTOPSIG(st)));
			pt(PTRACE_SYSCALL, k, 0, deliver ? WSTOPSIG(st) : 0);
			goto next;
		}
		struct ptrace_syscall_info s;
		pt(PTRACE_GET_SYSCALL_INFO, k, sizeof s, &s);
		if (s.op == PTRACE_SYSCALL_INFO_ENTRY) {
			in = s.entry.nr == calls[i].nr || s.entry.nr == SYS_restart_syscall;
			if (in) printf("entry %s\n", s.entry.nr == SYS_restart_syscall ? "restart_syscall" : "");
		} else if (in) {
			printf("exit %lld error %d\n", (long long)s.exit.rval, s.exit.is_error);
			in = 0;
		}
	}
	printf("end %x\n", st);
	close(p[0]), close(p[1]);
}

int main(void) {
	setvbuf(stdout, NULL, _IONBF, 0);
	for (int i = 0; i < sizeof calls / sizeof *calls; i++) {
		trace(i, SIGUSR1, 0);
		trace(i, SIGUSR2, 1);
	}
	puts("- attached and interrupted; a signal that is ignored, after the tracer has gone");
	int st;
	int first[2], go[2], error;
	char c = 0;
	pipe(first), pipe(go);
	pid_t k = fork();
	if (!k) {
		struct epoll_event e;
		int fd = epoll_create1(0);
		error = epoll_wait(fd, &e, 1, 20000) < 0 ? errno : 0;
		write(first[1], &error, sizeof error);
		read(go[0], &c, 1);
		if (!fork()) { usleep(300000); _exit(0); }
		_exit(epoll_wait(fd, &e, 1, 1000) != 0);
	}
	show(pt(PTRACE_SEIZE, k, 0, 0));
	struct pollfd ended = {first[0], POLLIN};
	for (int n = 0; n == 0;) { // until it waits
		usleep(100000);
		if (pt(PTRACE_INTERRUPT, k, 0, 0) || waitpid(k, &st, 0) != k) break;
		pt(PTRACE_CONT, k, 0, 0);
		n = poll(&ended, 1, 100);
	}
	read(first[0], &error, sizeof error);
	puts(error ? strerrorname_np(error) : "");
	show(pt(PTRACE_INTERRUPT, k, 0, 0));
	waitpid(k, &st, 0);
	show(pt(PTRACE_DETACH, k, 0, 0));
	write(go[1], "x", 1);
	waitpid(k, &st, 0);
	printf("%x\n", st);
	return 0;
}
