// epoll_pwait2, futex_waitv, and futex2's futex_wake, futex_wait, futex_requeue.
#include "../syscalls/check.h"
#include <linux/futex.h>
#include <sys/epoll.h>

#define SYS_futex_waitv 449
#define SYS_futex_wake 454
#define SYS_futex_wait 455
#define SYS_futex_requeue 456
enum { SIZE_U32 = 2, PRIVATE = 128 };
struct waitv { uint64_t val, uaddr; uint32_t flags, reserved; };

static uint32_t word[4];
static volatile int woken, sigs;
static void handler(int s) { sigs++; }
static struct timespec in(long ms) {
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	t.tv_nsec += ms * 1000000;
	t.tv_sec += t.tv_nsec / 1000000000, t.tv_nsec %= 1000000000;
	return t;
}
static void *waits(void *a) {
	struct waitv v[3] = {{0, (uintptr_t)&word[0], SIZE_U32 | PRIVATE}, {0, (uintptr_t)&word[1], SIZE_U32 | PRIVATE}, {0, (uintptr_t)&word[2], SIZE_U32 | PRIVATE}};
	struct timespec t = in(20000);
	long r = syscall(SYS_futex_waitv, v, 3, 0, &t, CLOCK_MONOTONIC);
	return (void *)r;
}
static void *waits2(void *a) {
	struct timespec t = in(20000);
	long r = syscall(SYS_futex_wait, &word[3], 0, 5, SIZE_U32 | PRIVATE, &t, CLOCK_MONOTONIC);
	__atomic_add_fetch(&woken, 1 + (r != 0) * 100, __ATOMIC_SEQ_CST);
	return 0;
}

int main(void) {
	setvbuf(stdout, 0, _IONBF, 0);
	struct sigaction sa = {.sa_handler = handler};
	sigaction(SIGALRM, &sa, 0);
	int ep = epoll_create1(0), p[2];
	pipe(p);
	struct epoll_event e = {EPOLLIN, {.u64 = 0x123456789abcdef0}}, out[4];
	epoll_ctl(ep, EPOLL_CTL_ADD, p[0], &e);
	struct timespec t = {0, 30000000};
	double start = now();
	show(syscall(SYS_epoll_pwait2, ep, out, 4, &t, 0, 8));
	ok(now() - start > 0.029);
	write(p[1], "x", 1);
	show(syscall(SYS_epoll_pwait2, ep, out, 4, 0, 0, 8));
	ok(out[0].data.u64 == 0x123456789abcdef0 && out[0].events == EPOLLIN);
	read(p[0], out, 1);
	t.tv_nsec = 1000000000;
	show(syscall(SYS_epoll_pwait2, ep, out, 4, &t, 0, 8));
	show(syscall(SYS_epoll_pwait2, ep, out, 4, 8, 0, 8));
	show(syscall(SYS_epoll_pwait2, ep, out, 0, &t, 0, 8));
	sigset_t block, none;
	sigemptyset(&block), sigemptyset(&none);
	sigaddset(&block, SIGALRM);
	sigprocmask(SIG_BLOCK, &block, 0);
	raise(SIGALRM);
	show(sigs);
	t = (struct timespec){5, 0};
	show(syscall(SYS_epoll_pwait2, ep, out, 4, &t, &none, 8));
	show(sigs);

	struct waitv v[2] = {{0, (uintptr_t)&word[0], SIZE_U32 | PRIVATE}, {1, (uintptr_t)&word[1], SIZE_U32 | PRIVATE}};
	if (syscall(SYS_futex_waitv, v, 0, 0, 0, 0) < 0 && errno == ENOSYS) { puts("SKIP futex_waitv: ENOSYS"); return 0; }
	show(syscall(SYS_futex_waitv, v, 2, 0, 0, CLOCK_MONOTONIC)); // word[1] is not 1
	v[1].val = 0;
	t = in(20);
	show(syscall(SYS_futex_waitv, v, 2, 0, &t, CLOCK_MONOTONIC));
	show(syscall(SYS_futex_waitv, v, 200, 0, &t, CLOCK_MONOTONIC));
	show(syscall(SYS_futex_waitv, v, 2, 1, &t, CLOCK_MONOTONIC));
	show(syscall(SYS_futex_waitv, 8, 2, 0, &t, CLOCK_MONOTONIC));
	show(syscall(SYS_futex_waitv, v, 2, 0, 8, CLOCK_MONOTONIC));
	v[1].uaddr = 8;
	show(syscall(SYS_futex_waitv, v, 2, 0, &t, CLOCK_MONOTONIC));
	v[1].uaddr++;
	show(syscall(SYS_futex_waitv, v, 2, 0, &t, CLOCK_MONOTONIC));
	pthread_t th;
	pthread_create(&th, 0, waits, 0);
	usleep(50000);
	show(syscall(SYS_futex, &word[2], FUTEX_WAKE_PRIVATE, 1, 0, 0, 0));
	void *index;
	pthread_join(th, &index);
	show((long)index);
	sigprocmask(SIG_UNBLOCK, &block, 0);
	sigs = 0;
	struct itimerval it = {{0}, {0, 30000}};
	setitimer(ITIMER_REAL, &it, 0);
	v[1] = v[0];
	show(syscall(SYS_futex_waitv, v, 2, 0, 0, CLOCK_MONOTONIC));
	show(sigs);

	if (syscall(SYS_futex_wake, &word[3], 5, 1, SIZE_U32 | PRIVATE) < 0 && errno == ENOSYS) { puts("SKIP futex2: ENOSYS"); return 0; }
	show(syscall(SYS_futex_wait, &word[3], 1, 5, SIZE_U32 | PRIVATE, 0, CLOCK_MONOTONIC));
	t = in(20);
	show(syscall(SYS_futex_wait, &word[3], 0, 5, SIZE_U32 | PRIVATE, &t, CLOCK_MONOTONIC));
	show(syscall(SYS_futex_wait, 8, 0, 5, SIZE_U32 | PRIVATE, &t, CLOCK_MONOTONIC));
	show(syscall(SYS_futex_wait, &word[3], 0, 0, SIZE_U32 | PRIVATE, &t, CLOCK_MONOTONIC));
	show(syscall(SYS_futex_wake, &word[3], 5, 1, 64));
	pthread_t th2[3];
	for (int i = 0; i < 3; i++) pthread_create(&th2[i], 0, waits2, 0);
	usleep(100000);
	show(syscall(SYS_futex_wake, &word[3], 2, 3, SIZE_U32 | PRIVATE)); // other bits
	show(syscall(SYS_futex_wake, &word[3], 4, 1, SIZE_U32 | PRIVATE));
	struct waitv q[2] = {{0, (uintptr_t)&word[3], SIZE_U32 | PRIVATE}, {0, (uintptr_t)&word[0], SIZE_U32 | PRIVATE}};
	show(syscall(SYS_futex_requeue, q, 0, 1, 1));
	show(syscall(SYS_futex_wake, &word[0], -1, 5, SIZE_U32 | PRIVATE));
	for (int i = 0; i < 3; i++) pthread_join(th2[i], 0);
	show(woken);
	show(syscall(SYS_futex_requeue, 8, 0, 1, 1));
	sigs = 0;
	setitimer(ITIMER_REAL, &it, 0);
	show(syscall(SYS_futex_wait, &word[3], 0, 5, SIZE_U32 | PRIVATE, 0, CLOCK_MONOTONIC));
	show(sigs);
}
