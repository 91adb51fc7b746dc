// A forked child gets the threads that its emulator needs a millisecond after its start, by a
// signal: no call that it is in may end for that, nor early, late or half done, whatever
// signals it blocks and may have pending, and it computes on.
#define _GNU_SOURCE
#include <errno.h>
#include <linux/futex.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/ipc.h>
#include <sys/msg.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <sys/sem.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { MS = 20, WAYS = 4 };
static const struct timespec ts = {0, MS * 1000000L};

static double now(void) {
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1e3 + t.tv_nsec / 1e6;
}

static int nap(void) { return nanosleep(&ts, 0); }
static int deadline(void) {
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	t.tv_nsec += MS * 1000000L;
	if (t.tv_nsec >= 1000000000L) t.tv_sec++, t.tv_nsec -= 1000000000L;
	return clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, 0);
}
static int pollNone(void) { return poll(0, 0, MS); }
static int selectNone(void) {
	struct timeval tv = {0, MS * 1000};
	return select(0, 0, 0, 0, &tv);
}
static int epollNone(void) {
	struct epoll_event e;
	int fd = epoll_create1(0), r = epoll_wait(fd, &e, 1, MS);
	close(fd);
	return r;
}
static int futexNone(void) {
	int word = 0;
	return syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, 0, &ts, 0, 0);
}
static int waitSignal(void) {
	sigset_t s;
	sigemptyset(&s);
	sigaddset(&s, SIGUSR1);
	sigprocmask(SIG_BLOCK, &s, 0);
	return sigtimedwait(&s, 0, &ts);
}
static int semaphore(void) {
	int id = semget(IPC_PRIVATE, 1, 0600);
	struct sembuf op = {0, -1, 0};
	int r = semtimedop(id, &op, 1, &ts), e = errno;
	semctl(id, 0, IPC_RMID);
	errno = e;
	return r;
}
static int readPipe(void) {
	int p[2];
	char c;
	if (pipe(p)) return -2;
	pid_t kid = fork();
	if (kid == 0) {
		nap();
		_exit(write(p[1], "x", 1) != 1);
	}
	int r = read(p[0], &c, 1);
	waitpid(kid, 0, 0);
	return r;
}
// writePipe writes more than the pipe holds to a reader that takes its time.
static int writePipe(void) {
	enum { SIZE = 1 << 20, ONCE = SIZE / 16 };
	static char data[SIZE];
	int p[2], status;
	if (pipe(p)) return -2;
	pid_t kid = fork();
	if (kid == 0) {
		close(p[0]);
		_exit(write(p[1], data, SIZE) != SIZE);
	}
	close(p[1]);
	for (int n = 0, r; n < SIZE; n += r) {
		struct timespec t = {0, 2 * MS * 1000000L * ONCE / SIZE};
		nanosleep(&t, 0);
		if ((r = read(p[0], data, ONCE)) <= 0) break;
	}
	close(p[0]);
	waitpid(kid, &status, 0);
	return status;
}
// noTimer names a timer that nobody has made.
static int noTimer(void) {
	struct itimerspec old;
	int found = syscall(SYS_timer_delete, 0) == 0 || syscall(SYS_timer_gettime, 0, &old) == 0;
	nanosleep(&ts, 0);
	return found;
}
static int compute(void) {
	volatile long n = 0;
	for (double until = now() + MS; now() < until;)
		for (int i = 0; i < 1000; i++) n += i;
	return 0;
}
static void *thread(void *p) { return nap() == 0 ? p : 0; }
static int makeThread(void) {
	pthread_t t;
	void *r = 0;
	if (pthread_create(&t, 0, thread, &t) || pthread_join(t, &r)) return -2;
	return r == &t;
}

static const struct { const char *name; int (*call)(void); } calls[] = {
	{"nanosleep", nap},       {"clock_nanosleep", deadline}, {"poll", pollNone},      {"select", selectNone}, {"epoll_wait", epollNone}, {"futex", futexNone},
	{"sigtimedwait", waitSignal}, {"semtimedop", semaphore},    {"read", readPipe},      {"write", writePipe},     {"timers", noTimer},      {"compute", compute},   {"thread", makeThread},
};

// prepare does in the child what way stands for.
static void prepare(int way) {
	sigset_t all;
	struct rlimit none = {0, 0};
	sigfillset(&all);
	if (way & 1) sigprocmask(SIG_SETMASK, &all, 0);
	if (way & 2) setrlimit(RLIMIT_SIGPENDING, &none);
}

static int child(int way, int i) {
	prepare(way);
	double start = now();
	errno = 0;
	int r = calls[i].call(), e = errno;
	double took = now() - start;
	printf("%d %s %d %d %s\n", way, calls[i].name, r, r < 0 ? e : 0, took < MS - 1 ? "early" : took > 200 * MS ? "late" : "in time");
	fflush(stdout);
	return 0;
}

int main(void) {
	for (int way = 0; way < WAYS; way++)
		for (unsigned i = 0; i < sizeof calls / sizeof *calls; i++) {
			int status;
			fflush(stdout);
			pid_t kid = fork();
			if (kid == 0) _exit(child(way, i));
			waitpid(kid, &status, 0);
			if (status) printf("%s: %x\n", calls[i].name, status);
		}
	return 0;
}
