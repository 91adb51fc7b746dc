// Processes that wake each other as PostgreSQL's do: SIGURG is blocked everywhere and
// read from a signalfd that epoll watches.
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <sys/epoll.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include "signalone.h"

static int sfd, ep;

static void open_latch(void) {
	sigset_t m;
	sigemptyset(&m);
	sigaddset(&m, SIGURG);
	sigprocmask(SIG_BLOCK, &m, 0);
	sfd = signalfd(-1, &m, SFD_NONBLOCK);
	ep = epoll_create1(0);
	epoll_ctl(ep, EPOLL_CTL_ADD, sfd, &(struct epoll_event){.events = EPOLLIN});
}

// wait_latch returns the process that sent SIGURG, -1 after 10 s.
static int wait_latch(int *code) {
	struct epoll_event e;
	struct signalfd_siginfo si;
	if (epoll_wait(ep, &e, 1, 10000) != 1 || read(sfd, &si, sizeof si) != sizeof si || si.ssi_signo != SIGURG)
		return -1;
	*code = si.ssi_code;
	return si.ssi_pid;
}

static void *other(void *arg) {
	syscall(SYS_tgkill, getpid(), *(int *)arg, SIGURG);
	return 0;
}

int main(void) {
	enum { rounds = 500 };
	int code = 0, me = getpid();
	open_latch();
	kill(me, SIGURG);
	printf("own kill %d", wait_latch(&code) == me);
	printf(" code %d\n", code);
	raise(SIGURG);
	printf("raise %d", wait_latch(&code) == me);
	printf(" code %d\n", code);
	pthread_t t;
	pthread_create(&t, 0, other, &me);
	pthread_join(t, 0);
	printf("another thread %d", wait_latch(&code) == me);
	printf(" code %d, then %zd\n", code, read(sfd, &code, 4));

	int parent = me, child = fork();
	if (child == 0) {
		open_latch();
		kill(parent, SIGURG);
		for (int i = 0; i < rounds; i++) {
			if (wait_latch(&code) != parent)
				_exit(1);
			kill(parent, SIGURG);
		}
		_exit(0);
	}
	int missed = 0, status;
	for (int i = 0; i <= rounds; i++) {
		missed += wait_latch(&code) != child;
		if (i < rounds)
			kill(child, SIGURG);
	}
	waitpid(child, &status, 0);
	printf("missed %d status %x\n", missed, status);

	sigset_t m, old;
	sigemptyset(&m);
	sigaddset(&m, SIGURG);
	kill(me, SIGURG);
	sigpending(&old);
	printf("pending %d wait %d\n", sigismember(&old, SIGURG), sigwaitinfo(&m, 0));
}
