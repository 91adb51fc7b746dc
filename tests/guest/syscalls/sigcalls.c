// A hundred thousand signals that arrive under system calls, none of them lost:
// before a call that blocks, while it blocks, and under calls that do not. The latter never
// give EINTR (one did whose signal came at the very instruction that makes it).
#include "check.h"

#include <linux/futex.h>
#include <sys/random.h>
#include <sys/time.h>

enum { ACKED = 30000, QUEUED = 40000 };

static pthread_t target;
static volatile int got, disorder, done, word;
static int ends[2], bad;

static void handler(int sig, siginfo_t *si, void *uc) {
    if (si->si_value.sival_int != got + 1) disorder++;
    got++;
}

static long futex(int op, int value) { return syscall(SYS_futex, &word, op, value, 0, 0, 0); }

// Each signal is waited for before the next is sent: one that is lost between the
// check and the call hangs the test. The last may come before the call that it
// would end, which is then ended otherwise.
static void *acked(void *arg) {
    for (int i = 1; i <= ACKED; i++) {
        pthread_sigqueue(target, SIGRTMIN, (union sigval){i});
        while (got < i) sched_yield();
    }
    done = word = 1;
    futex(FUTEX_WAKE_PRIVATE, 1);
    if (write(ends[1], "x", 1) != 1) bad++;
    return 0;
}

// As many as the queue takes.
static void *queued(void *arg) {
    for (int i = 1; i <= QUEUED; i++)
        while (pthread_sigqueue(target, SIGRTMIN, (union sigval){i}) == EAGAIN) sched_yield();
    while (got < QUEUED) sched_yield();
    done = 1;
    return 0;
}

static pthread_t start(void *(*sender)(void *)) {
    pthread_t t;
    sigset_t set, old;
    got = disorder = done = word = 0;
    sigemptyset(&set);
    sigaddset(&set, SIGRTMIN);
    pthread_sigmask(SIG_BLOCK, &set, &old); // the sender inherits it
    pthread_create(&t, 0, sender, 0);
    pthread_sigmask(SIG_SETMASK, &old, 0);
    return t;
}

static void finish(const char *what, pthread_t t, int sent) {
    pthread_join(t, 0);
    printf("%s: %d of %d, %d out of order, %d bad\n", what, got, sent, disorder, bad);
}

int main(void) {
    struct sigaction sa = {.sa_sigaction = handler, .sa_flags = SA_SIGINFO};
    char c, buf[64];
    pthread_t t;
    target = pthread_self();
    sigaction(SIGRTMIN, &sa, 0);
    if (pipe(ends)) return 1;

    t = start(acked);
    while (read(ends[0], &c, 1) != 1) bad += errno != EINTR;
    finish("read", t, ACKED);

    t = start(acked);
    while (futex(FUTEX_WAIT_PRIVATE, 0) == -1 && errno != EAGAIN) bad += errno != EINTR;
    bad += read(ends[0], &c, 1) != 1;
    finish("futex", t, ACKED);

    t = start(queued);
    for (int i = 0; !done; i++) {
        struct timespec ts;
        struct timeval tv;
        bad += getppid() <= 0 || syscall(SYS_gettid) != getpid();
        bad += clock_gettime(CLOCK_MONOTONIC, &ts) || gettimeofday(&tv, 0) || sched_yield();
        bad += syscall(SYS_getrandom, buf, 8, 0) != 8;
        memset(buf, i, sizeof buf);
        bad += write(ends[1], buf, sizeof buf) != sizeof buf;
        memset(buf, 0, sizeof buf);
        bad += read(ends[0], buf, sizeof buf) != sizeof buf || buf[5] != (char)i;
        bad += futex(FUTEX_WAKE_PRIVATE, 1) != 0;
        bad += lseek(ends[0], 0, SEEK_SET) != -1 || errno != ESPIPE;
        bad += close(-1) != -1 || errno != EBADF;
    }
    finish("calls", t, QUEUED);
    return 0;
}
