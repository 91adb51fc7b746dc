// wait4 and waitid: what they report, siginfo of SIGCHLD, resource usage, options.
#include "../syscalls/check.h"
#include <sys/prctl.h>

static pid_t child(int code) {
	pid_t p = fork();
	if (!p) _exit(code);
	return p;
}

static volatile siginfo_t seen;
static volatile int chld;
static void onchld(int s, siginfo_t *i, void *u) { seen = *i; chld++; }

static void info(const char *what, siginfo_t *i, pid_t p) {
	printf("%s: signo %d code %d status %d errno %d pid %s uid %d\n", what, i->si_signo, i->si_code, i->si_status, i->si_errno, i->si_pid == p ? "ok" : "WRONG", (int)i->si_uid);
}

int main(void) {
	setvbuf(stdout, NULL, _IONBF, 0);
	siginfo_t i;
	pid_t p = child(7);
	memset(&i, 0, sizeof i);
	show(waitid(P_PID, p, &i, WEXITED | WNOWAIT));
	info("nowait", &i, p);
	memset(&i, 0, sizeof i);
	show(waitid(P_PID, p, &i, WEXITED));
	info("exited", &i, p);
	show(waitid(P_PID, p, &i, WEXITED));
	p = fork();
	if (!p) pause();
	memset(&i, 0xff, sizeof i);
	show(waitid(P_PID, p, &i, WEXITED | WNOHANG));
	printf("hang: pid %d signo %d\n", i.si_pid, i.si_signo);
	int st;
	show(waitpid(p, &st, WNOHANG));
	kill(p, SIGSTOP);
	memset(&i, 0, sizeof i);
	show(waitid(P_ALL, 0, &i, WSTOPPED));
	info("stopped", &i, p);
	kill(p, SIGCONT);
	memset(&i, 0, sizeof i);
	show(waitid(P_PGID, getpgrp(), &i, WCONTINUED));
	info("continued", &i, p);
	kill(p, SIGTERM);
	memset(&i, 0, sizeof i);
	show(waitid(P_PID, p, &i, WEXITED));
	info("killed", &i, p);
	show(waitid(P_PID, 1 << 30, &i, WEXITED));
	show(waitid(99, 0, &i, WEXITED));
	show(waitid(P_ALL, 0, &i, 0));

	// rusage of a child that used the processor
	p = fork();
	if (!p) {
		double end = now() + 0.05;
		while (now() < end) ;
		_exit(0);
	}
	struct rusage ru;
	memset(&ru, 0, sizeof ru);
	ok(wait4(p, &st, 0, &ru) == p);
	ok(ru.ru_utime.tv_sec * 1000000 + ru.ru_utime.tv_usec + ru.ru_stime.tv_usec > 1000);
	ok(ru.ru_maxrss > 0);
	// of one with more pages than a processor counts for itself before the process knows
	p = fork();
	if (!p) {
		static char pages[8 << 20];
		memset(pages, 1, sizeof pages);
		_exit(0);
	}
	memset(&ru, 0, sizeof ru);
	ok(syscall(SYS_waitid, P_PID, p, &i, WEXITED, &ru) == 0);
	ok(ru.ru_maxrss > 0);

	// SIGCHLD
	struct sigaction sa = {.sa_sigaction = onchld, .sa_flags = SA_SIGINFO | SA_RESTART};
	sigaction(SIGCHLD, &sa, NULL);
	sigset_t set, old;
	sigemptyset(&set);
	sigaddset(&set, SIGCHLD);
	sigprocmask(SIG_BLOCK, &set, &old);
	p = child(11);
	waitid(P_PID, p, &i, WEXITED | WNOWAIT);
	sigsuspend(&old);
	sigprocmask(SIG_SETMASK, &old, NULL);
	i = seen;
	info("SIGCHLD", &i, p);
	show(chld);
	waitpid(p, &st, 0);
	// exit signal of clone: none, and another
	signal(SIGUSR2, SIG_IGN);
	p = syscall(SYS_clone, SIGUSR2, 0, 0, 0, 0);
	if (!p) _exit(1);
	show(waitpid(p, &st, 0));
	ok(waitpid(p, &st, __WALL) == p);
	// children that nobody waits for
	signal(SIGCHLD, SIG_IGN);
	child(1);
	show(wait(NULL));
	struct sigaction nocld = {.sa_handler = SIG_DFL, .sa_flags = SA_NOCLDWAIT};
	sigaction(SIGCHLD, &nocld, NULL);
	child(1);
	show(wait(NULL));
}
