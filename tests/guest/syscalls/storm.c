// Many signals at threads that are busy in every way: none may be lost.
#include "check.h"
#include <sys/epoll.h>
enum { N = 4000, THREADS = 4 };
static _Atomic long queued[THREADS + 1], sum, std_; static _Atomic int stop; static __thread int me; static int pipes[2];
static void rt(int s, siginfo_t *i, void *u) { queued[me]++; sum += i->si_value.sival_int; }
static void usr(int s) { std_++; }
static void *worker(void *a) {
    me = (long)a; char c; volatile long n = 0; int ep = epoll_create1(0); struct epoll_event ev; sigset_t none; sigemptyset(&none);
    while (!stop) {
        switch (n++ % 6) {
        case 0: read(pipes[0], &c, 1); break;
        case 1: poll(0, 0, 1); break;
        case 2: nanosleep(&(struct timespec){0, 200000}, 0); break;
        case 3: epoll_pwait(ep, &ev, 1, 1, &none); break;
        case 4: for (volatile int i = 0; i < 5000; i++); break;
        case 5: for (int i = 0; i < 50; i++) getppid(); break;
        }
    }
    close(ep); return 0;
}
static void *feeder(void *a) { while (!stop) { write(pipes[1], "abcd", 4); usleep(500); } return 0; }
static void *maskFlipper(void *a) { sigset_t m; sigemptyset(&m); sigaddset(&m, SIGRTMIN + 1); me = THREADS; while (!stop) { sigprocmask(SIG_BLOCK, &m, 0); sigprocmask(SIG_UNBLOCK, &m, 0); } return 0; }
int main(void) {
    pipe(pipes); struct sigaction a = {.sa_sigaction = rt, .sa_flags = SA_SIGINFO | SA_RESTART}; sigaction(SIGRTMIN + 1, &a, 0); a.sa_flags = SA_SIGINFO; sigaction(SIGRTMIN + 2, &a, 0); signal(SIGUSR1, usr);
    pthread_t t[THREADS], f, m; for (long i = 0; i < THREADS; i++) pthread_create(&t[i], 0, worker, (void *)i);
    sigset_t all; sigfillset(&all); sigprocmask(SIG_SETMASK, &all, 0); pthread_create(&f, 0, feeder, 0); sigset_t none; sigemptyset(&none); pthread_create(&m, 0, maskFlipper, 0);
    long want = 0; union sigval v;
    for (int i = 0; i < N; i++) {
        v.sival_int = i; int s = SIGRTMIN + 1 + i % 2;
        while ((i % 3 ? pthread_sigqueue(t[i % THREADS], s, v) : sigqueue(getpid(), s, v) ? errno : 0) == EAGAIN) usleep(100);
        want += i; if (i % 100 == 0) { pthread_kill(t[i % THREADS], SIGUSR1); usleep(1000); }
    }
    double start = now(); for (;;) { long got = 0; for (int i = 0; i <= THREADS; i++) got += queued[i]; if (got == N || now() - start > 20) break; usleep(1000); }
    long got = 0; for (int i = 0; i <= THREADS; i++) got += queued[i];
    stop = 1; for (int i = 0; i < THREADS; i++) write(pipes[1], "x", 1), pthread_kill(t[i], SIGUSR1);
    for (int i = 0; i < THREADS; i++) pthread_join(t[i], 0);
    pthread_join(m, 0); printf("%ld of %d, sum %s, standard %s\n", got, N, sum == want ? "right" : "WRONG", std_ > 0 ? "came" : "MISSING");
}
