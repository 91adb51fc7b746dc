// fork and wait: statuses, signals, nesting, orphans, process groups, what a child inherits.
#include "../syscalls/check.h"
#include <sys/prctl.h>

static int reap(pid_t p) {
	int st;
	return waitpid(p, &st, 0) == p ? st : -1;
}

static void statuses(void) {
	for (int code = 0; code < 300; code += 51) {
		pid_t p = fork();
		if (!p) _exit(code);
		printf("exit %d: %x\n", code, reap(p));
	}
	int sigs[] = {SIGTERM, SIGKILL, SIGSEGV, SIGUSR1, SIGABRT, 33, 34, 64};
	for (unsigned i = 0; i < sizeof sigs / sizeof *sigs; i++) {
		pid_t p = fork();
		if (!p) {
			struct rlimit none = {0, 0};
			setrlimit(RLIMIT_CORE, &none);
			kill(getpid(), sigs[i]);
			pause();
		}
		printf("signal %d: %x\n", sigs[i], reap(p));
	}
	pid_t p = fork();
	if (!p) { raise(SIGSTOP); pause(); }
	int st;
	ok(waitpid(p, &st, WUNTRACED) == p);
	printf("stopped: %x\n", st);
	show(kill(p, SIGCONT));
	ok(waitpid(p, &st, WCONTINUED) == p);
	printf("then: %x\n", st);
	kill(p, SIGTERM);
	printf("end: %x\n", reap(p));
	errno = 0;
	show(wait(NULL));
}

static int depth(int n) { // a chain of generations, each waits for the next
	if (n == 0) return 0;
	pid_t p = fork();
	if (!p) _exit(depth(n - 1) + 1);
	return WEXITSTATUS(reap(p));
}

static void tree(void) {
	int fd[2];
	pipe(fd);
	pid_t root = getpid();
	for (int i = 0; i < 4; i++) fork(); // 16 processes
	write(fd[1], "x", 1);
	while (wait(NULL) > 0) ;
	if (getpid() != root) _exit(0);
	char buf[64];
	close(fd[1]);
	printf("tree: %zd\n", read(fd[0], buf, sizeof buf));
	close(fd[0]);
}

static void identities(void) {
	pid_t parent = getpid();
	pid_t p = fork();
	if (!p) _exit(getppid() == parent && getpid() != parent && getpid() == syscall(SYS_gettid) ? 1 : 2);
	printf("ids: %x\n", reap(p));
	p = fork();
	if (!p) {
		pid_t self = getpid();
		if (setsid() != self || getpgrp() != self || getsid(0) != self) _exit(2);
		_exit(1);
	}
	printf("session: %x\n", reap(p));
	p = fork();
	if (!p) { pause(); _exit(0); }
	show(setpgid(p, p));
	ok(getpgid(p) == p);
	show(kill(-p, SIGHUP));
	printf("group: %x\n", reap(p));
}

static void orphan(void) { // the subreaper adopts the grandchild
	show(prctl(PR_SET_CHILD_SUBREAPER, 1));
	int fd[2];
	pipe(fd);
	pid_t p = fork();
	if (!p) {
		pid_t q = fork();
		if (!q) {
			char c;
			close(fd[1]);
			read(fd[0], &c, 1);
			_exit(5);
		}
		_exit(0);
	}
	printf("middle: %x\n", reap(p));
	close(fd[0]);
	close(fd[1]);
	int st;
	ok(wait(&st) > 0);
	printf("orphan: %x\n", st);
}

static volatile int got;
static void handler(int s) { got = s; }

static void inherits(void) {
	signal(SIGUSR1, handler);
	signal(SIGUSR2, SIG_IGN);
	sigset_t set, old;
	sigemptyset(&set);
	sigaddset(&set, SIGALRM);
	sigaddset(&set, SIGHUP);
	sigprocmask(SIG_SETMASK, &set, &old);
	raise(SIGHUP); // pending here, not in the child
	alarm(1000);
	pid_t p = fork();
	if (!p) {
		sigset_t now, pend;
		sigprocmask(SIG_BLOCK, NULL, &now);
		sigpending(&pend);
		int r = 0;
		if (sigismember(&now, SIGALRM) && sigismember(&now, SIGHUP) && !sigismember(&now, SIGUSR1)) r |= 1;
		if (!sigismember(&pend, SIGHUP)) r |= 2;
		if (alarm(0) == 0) r |= 4;
		struct sigaction sa;
		sigaction(SIGUSR2, NULL, &sa);
		if (sa.sa_handler == SIG_IGN) r |= 8;
		raise(SIGUSR1);
		if (got == SIGUSR1) r |= 16;
		_exit(r);
	}
	printf("inherits: %x\n", reap(p));
	ok(alarm(0) > 900);
	sigpending(&set);
	ok(sigismember(&set, SIGHUP));
	signal(SIGHUP, SIG_IGN);
	sigprocmask(SIG_SETMASK, &old, NULL);
}

static void memory(void) { // private memory is copied, shared memory is not
	volatile int *priv = mmap(0, 4096, 3, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	volatile int *shared = mmap(0, 4096, 3, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	*priv = 1;
	*shared = 1;
	pid_t p = fork();
	if (!p) { *priv = 2; *shared = 2; _exit(0); }
	reap(p);
	printf("memory: %d %d\n", *priv, *shared);
}

int main(void) {
	setvbuf(stdout, NULL, _IONBF, 0);
	statuses();
	printf("depth: %d\n", depth(20));
	tree();
	identities();
	orphan();
	inherits();
	memory();
}
