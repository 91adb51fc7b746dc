// The signals of faults, sent by the kernel for other reasons: a child that dies, a
// descriptor that becomes ready. Real faults go on meanwhile.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile int came, code, status_;
static volatile pid_t from;
static sigjmp_buf back;

static void handler(int sig, siginfo_t *info, void *context) {
	came = sig;
	code = info->si_code;
	from = info->si_pid;
	status_ = info->si_status;
}

static void fault(int sig, siginfo_t *info, void *context) {
	siglongjmp(back, 1);
}

static int faults(void) {
	struct sigaction now = {.sa_sigaction = fault, .sa_flags = SA_SIGINFO}, old;
	sigaction(SIGSEGV, &now, &old);
	char *page = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	int n = 0;
	if (sigsetjmp(back, 1) == 0)
		*(volatile char *)page = 1;
	else
		n++;
	if (sigsetjmp(back, 1) == 0)
		*(volatile char *)8 = 1;
	else
		n++;
	munmap(page, 4096);
	sigaction(SIGSEGV, &old, NULL);
	return n;
}

int main(void) {
	static const int signals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSTKFLT, SIGUSR1};
	struct sigaction a = {.sa_sigaction = handler, .sa_flags = SA_SIGINFO};
	for (unsigned i = 0; i < sizeof signals / sizeof *signals; i++) {
		int sig = signals[i], st = 0, p[2];
		sigaction(sig, &a, NULL);
		pid_t pid = syscall(SYS_clone, sig, 0, 0, 0, 0);
		if (pid == 0)
			_exit(7);
		waitpid(pid, &st, __WALL);
		while (!came)
			sched_yield();
		printf("%s child: %s code %d child's %d status %d\n", sigabbrev_np(sig), sigabbrev_np(came), code, from == pid, status_);
		came = 0;
		pipe(p);
		fcntl(p[0], F_SETFL, O_ASYNC | O_NONBLOCK);
		fcntl(p[0], F_SETOWN, getpid());
		fcntl(p[0], F_SETSIG, sig);
		write(p[1], "x", 1);
		while (!came)
			sched_yield();
		printf("%s descriptor: %s code %d, faults %d\n", sigabbrev_np(sig), sigabbrev_np(came), code, faults());
		came = 0;
		close(p[0]);
		close(p[1]);
		sigaction(sig, &(struct sigaction){.sa_handler = SIG_DFL}, NULL);
		if ((pid = fork()) == 0) { // the default ends the process
			if (syscall(SYS_clone, sig, 0, 0, 0, 0) == 0)
				_exit(0);
			for (;;)
				pause();
		}
		waitpid(pid, &st, 0);
		printf("%s by default: %s %d\n", sigabbrev_np(sig), WIFSIGNALED(st) ? sigabbrev_np(WTERMSIG(st)) : "?", WIFEXITED(st));
	}
	return 0;
}
