#include "check.h"
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/select.h>
#include <sys/signalfd.h>
#include <sys/timerfd.h>

static volatile int got;
static void handler(int s) { got = s; }

int main(void) {
    int p[2], q[2]; pipe(p); pipe(q);
    int ep = epoll_create1(EPOLL_CLOEXEC);
    struct epoll_event ev = {EPOLLIN, {.u64 = 0x1122334455667788}}, out[8] = {0};
    show(epoll_ctl(ep, EPOLL_CTL_ADD, p[0], &ev)); show(epoll_ctl(ep, EPOLL_CTL_ADD, p[0], &ev));
    ev.data.u64 = 0xaabbccddeeff0011; ev.events = EPOLLIN | EPOLLET; show(epoll_ctl(ep, EPOLL_CTL_ADD, q[0], &ev));
    show(epoll_wait(ep, out, 8, 0));
    write(p[1], "x", 1); write(q[1], "y", 1);
    int n = epoll_wait(ep, out, 8, 1000); uint64_t sum = 0;
    for (int i = 0; i < n; i++) sum ^= out[i].data.u64 * (out[i].events + 3);
    printf("epoll %d %llx\n", n, (unsigned long long)sum);
    show(epoll_wait(ep, out, 8, 0)); // level stays, edge does not
    show(epoll_ctl(ep, EPOLL_CTL_MOD, q[0], &ev)); show(epoll_wait(ep, out, 1, 10)); show(epoll_ctl(ep, EPOLL_CTL_DEL, p[0], 0)); show(epoll_ctl(ep, EPOLL_CTL_DEL, p[0], 0));
    show(epoll_wait(ep, out, 0, 0)); show(epoll_wait(ep, (void *)8, 8, 0)); show(epoll_wait(p[0], out, 8, 0)); show(epoll_ctl(ep, EPOLL_CTL_ADD, 999, &ev));
    struct timespec t = {0, 20000000}; double a = now();
    while (epoll_wait(ep, out, 8, 0) > 0);
    show(syscall(SYS_epoll_pwait2, ep, out, 8, &t, 0, 8)); ok(now() - a > 0.019);

    struct pollfd fds[3] = {{p[0], POLLIN}, {p[1], POLLOUT}, {-1, POLLIN}};
    show(poll(fds, 3, 0)); printf("%x %x %x\n", fds[0].revents, fds[1].revents, fds[2].revents);
    fds[0].fd = 999; show(poll(fds, 1, 0)); printf("%x\n", fds[0].revents);
    close(q[1]); fds[0].fd = q[0]; read(q[0], out, 1); show(poll(fds, 1, 0)); printf("%x\n", fds[0].revents);
    fd_set r, w; FD_ZERO(&r); FD_ZERO(&w); FD_SET(p[0], &r); FD_SET(p[1], &w);
    struct timeval tv = {1, 0}; show(select(20, &r, &w, 0, &tv)); printf("%d %d\n", FD_ISSET(p[0], &r) != 0, FD_ISSET(p[1], &w) != 0);
    FD_ZERO(&r); a = now(); tv = (struct timeval){0, 30000}; show(select(0, 0, 0, 0, &tv)); ok(now() - a > 0.029); show(select(-1, 0, 0, 0, 0));

    int e = eventfd(3, EFD_NONBLOCK); uint64_t v = 4; show(write(e, &v, 8)); show(read(e, &v, 8)); printf("%llu\n", (unsigned long long)v); show(read(e, &v, 8));
    int tf = timerfd_create(CLOCK_MONOTONIC, 0); struct itimerspec its = {{0, 5000000}, {0, 5000000}}, cur;
    show(timerfd_settime(tf, 0, &its, 0)); show(read(tf, &v, 8)); ok(v >= 1); show(timerfd_gettime(tf, &cur)); ok(cur.it_interval.tv_nsec == 5000000);

    // Signals and masks: SIGUSR1 is blocked except inside of the call.
    sigset_t m, old, none; sigemptyset(&m); sigemptyset(&none); sigaddset(&m, SIGUSR1); sigprocmask(SIG_BLOCK, &m, &old);
    signal(SIGUSR1, handler);
    raise(SIGUSR1); show(got); t = (struct timespec){5, 0};
    show(ppoll(0, 0, &t, &none)); show(got == SIGUSR1); got = 0;
    ok(ppoll(0, 0, &(struct timespec){0, 1000000}, &none) == 0 && got == 0);
    raise(SIGUSR1); show(pselect(0, 0, 0, 0, &t, &none)); show(got == SIGUSR1); got = 0;
    raise(SIGUSR1); show(epoll_pwait(ep, out, 8, 5000, &none)); show(got == SIGUSR1); got = 0;
    sigset_t chk; sigprocmask(SIG_SETMASK, 0, &chk); ok(sigismember(&chk, SIGUSR1));
    int sf = signalfd(-1, &m, SFD_NONBLOCK); struct signalfd_siginfo si;
    show(read(sf, &si, sizeof si)); raise(SIGUSR1); show(read(sf, &si, sizeof si)); printf("%d %d %d\n", si.ssi_signo, si.ssi_code, si.ssi_pid == getpid());
    fds[0] = (struct pollfd){sf, POLLIN}; show(poll(fds, 1, 0)); kill(getpid(), SIGUSR1); show(poll(fds, 1, 0)); show(got);
    sigprocmask(SIG_SETMASK, &old, 0); show(got == SIGUSR1); show(poll(fds, 1, 0));
}
