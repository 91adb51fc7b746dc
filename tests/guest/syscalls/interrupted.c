// What ends a call that waits when no handler runs: a stop (SIGSTOP and SIGCONT, see signal(7)) ends some with EINTR, others go on
// waiting. A blocked signal ends none, and no signal ends the operations of mutexes with priority inheritance.
#include "check.h"
#include <linux/aio_abi.h>
#include <linux/futex.h>
#include <sys/epoll.h>
#include <sys/ipc.h>
#include <sys/msg.h>
#include <sys/sem.h>
#include <sys/un.h>

static struct timespec span;
static int pair[2], ep, sem, queue;
static aio_context_t aio;
static char byte;

static void times(int fd) {
	struct timeval tv = {span.tv_sec};
	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &tv, sizeof tv);
	setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &tv, sizeof tv);
}
static long epoll(void) { struct epoll_event e; return epoll_wait(ep, &e, 1, span.tv_sec * 1000); }
static long epollmask(void) { struct epoll_event e; sigset_t s; sigemptyset(&s); return epoll_pwait(ep, &e, 1, span.tv_sec * 1000, &s); }
static long epoll2(void) { struct epoll_event e; return syscall(SYS_epoll_pwait2, ep, &e, 1, &span, NULL, 8); }
static long sigwaits(void) { sigset_t s; sigemptyset(&s); sigaddset(&s, SIGUSR2); return syscall(SYS_rt_sigtimedwait, &s, NULL, &span, 8); }
static long semtimed(void) { struct sembuf b = {0, -1, 0}; return semtimedop(sem, &b, 1, &span); }
static long semlong(void) { struct sembuf b = {0, -1, 0}; return semop(sem, &b, 1); }
static long events(void) { struct io_event e; return syscall(SYS_io_getevents, aio, 1, 1, &e, &span); }
static long receives(void) { times(pair[0]); return recv(pair[0], &byte, 1, 0); }
static long reads(void) { times(pair[0]); return read(pair[0], &byte, 1); }
static long message(void) { times(pair[0]); struct msghdr m = {0}; return recvmsg(pair[0], &m, 0); }
static long messages(void) { times(pair[0]); struct mmsghdr m = {0}; return recvmmsg(pair[0], &m, 1, 0, NULL); }
static long sends(void) { times(pair[0]); static char b[4096]; while (send(pair[0], b, sizeof b, MSG_DONTWAIT) > 0); return send(pair[0], b, 1, 0); }
static long accepts(void) {
	int s = socket(AF_UNIX, SOCK_STREAM, 0);
	struct sockaddr_un a = {AF_UNIX};
	bind(s, (void *)&a, sizeof(sa_family_t));
	listen(s, 0);
	times(s);
	return accept(s, NULL, NULL);
}
static long connects(void) {
	struct sockaddr_un a = {AF_UNIX};
	socklen_t n = sizeof a;
	int s = socket(AF_UNIX, SOCK_STREAM, 0), c = 0;
	bind(s, (void *)&a, sizeof(sa_family_t));
	getsockname(s, (void *)&a, &n);
	listen(s, 0);
	connect(socket(AF_UNIX, SOCK_STREAM, 0), (void *)&a, n);
	times(c = socket(AF_UNIX, SOCK_STREAM, 0));
	return connect(c, (void *)&a, n);
}
static long sleeps(void) { return syscall(SYS_nanosleep, &span, NULL); }
static long clocksleeps(void) { struct timespec t; clock_gettime(CLOCK_MONOTONIC, &t); t.tv_sec += span.tv_sec; return clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL); }
static long polls(void) { return ppoll(NULL, 0, &span, NULL); }
static long selects(void) { return pselect(0, NULL, NULL, NULL, &span, NULL); }
static long futexes(void) { int w = 0; return syscall(SYS_futex, &w, FUTEX_WAIT, 0, &span, NULL, 0); }
static long pgetevents(void) { struct io_event e; return syscall(SYS_io_pgetevents, aio, 1, 1, &e, &span, NULL); }
static long msgreceives(void) { struct { long t; char b[8]; } m; return msgrcv(queue, &m, 8, 0, 0); }
static long receiveslong(void) { return recv(pair[0], &byte, 1, 0); }

static const struct { const char *name; long (*f)(void); int goesOn; } calls[] = {
	{"epoll_wait", epoll}, {"epoll_pwait", epollmask}, {"epoll_pwait2", epoll2}, {"rt_sigtimedwait", sigwaits}, {"semtimedop", semtimed}, {"semop", semlong},
	{"io_getevents", events}, {"recv", receives}, {"read of a socket", reads}, {"recvmsg", message}, {"recvmmsg", messages}, {"send", sends}, {"accept", accepts}, {"connect", connects},
	{"nanosleep", sleeps, 1}, {"clock_nanosleep", clocksleeps, 1}, {"ppoll", polls, 1}, {"pselect6", selects, 1}, {"futex", futexes, 1}, {"io_pgetevents", pgetevents, 1},
	{"msgrcv", msgreceives, 1}, {"recv without a timeout", receiveslong, 1},
};
enum { count = sizeof calls / sizeof *calls };

static void stopped(void) {
	pid_t pid[count];
	int out[count][2];
	for (int i = 0; i < count; i++) {
		pipe(out[i]);
		if ((pid[i] = fork())) continue;
		span.tv_sec = calls[i].goesOn ? 2 : 10;
		socketpair(AF_UNIX, SOCK_STREAM, 0, pair);
		ep = epoll_create1(0);
		sem = semget(IPC_PRIVATE, 1, 0600), queue = msgget(IPC_PRIVATE, 0600);
		syscall(SYS_io_setup, 4, &aio);
		if (calls[i].f == msgreceives || calls[i].f == receiveslong) {
			if (!fork()) { sleep(3); struct { long t; char b[8]; } m = {1}; msgsnd(queue, &m, 8, 0); send(pair[1], "x", 1, 0); _exit(0); }
		}
		errno = 0;
		long r = calls[i].f();
		dprintf(out[i][1], "%s: %ld %s\n", calls[i].name, r, errno ? strerrorname_np(errno) : "");
		semctl(sem, 0, IPC_RMID), msgctl(queue, IPC_RMID, 0);
		_exit(0);
	}
	for (int n = 0; n < 4; n++) { // one that comes before the call ends nothing
		usleep(300000);
		for (int i = 0; i < count; i++) kill(pid[i], SIGSTOP);
		usleep(50000);
		for (int i = 0; i < count; i++) kill(pid[i], SIGCONT);
	}
	for (int i = 0; i < count; i++) {
		char b[100];
		write(1, b, read(out[i][0], b, sizeof b));
		waitpid(pid[i], NULL, 0);
	}
}

// pending sends a signal that the waiting child blocks.
static void pending(int sig) {
	pid_t p = fork();
	if (!p) {
		sigset_t s;
		sigemptyset(&s);
		sigaddset(&s, sig);
		sigprocmask(SIG_BLOCK, &s, NULL);
		ep = epoll_create1(0);
		span.tv_sec = 1;
		show(epoll());
		sigpending(&s);
		show(sigismember(&s, sig));
		_exit(0);
	}
	usleep(300000);
	kill(p, sig);
	waitpid(p, NULL, 0);
}

static volatile int hits;
static uint32_t mutex;
static void hit(int s) { hits++; }
static void *locks(void *a) { return (void *)(syscall(SYS_futex, &mutex, FUTEX_LOCK_PI, 0, NULL, NULL, 0) ? (long)errno : 0); }

int main(void) {
	setvbuf(stdout, NULL, _IONBF, 0);
	stopped();
	pending(SIGFPE);
	pending(SIGUSR1);
	struct sigaction a = {.sa_handler = hit};
	sigaction(SIGUSR1, &a, NULL);
	pthread_t t;
	show(syscall(SYS_futex, &mutex, FUTEX_LOCK_PI, 0, NULL, NULL, 0));
	pthread_create(&t, NULL, locks, NULL);
	for (int i = 0; i < 3; i++) { usleep(100000); pthread_kill(t, SIGUSR1); }
	usleep(100000);
	show(hits);
	show(syscall(SYS_futex, &mutex, FUTEX_UNLOCK_PI, 0, NULL, NULL, 0));
	void *r;
	pthread_join(t, &r);
	show((long)r);
	return 0;
}
