// Signals that pend while others are delivered whose handlers change no mask (SA_NODEFER):
// afterwards they still come.
#include "check.h"
#include <sys/time.h>

static volatile int got[65], alarms;
static void handler(int sig) { got[sig]++; }
static void alarmed(int sig) { alarms++; }

int main(void) {
    static const int signals[] = {SIGUSR1, SIGUSR2, SIGWINCH, SIGCONT, 40, 41, 64};
    enum { N = sizeof signals / sizeof *signals };
    struct sigaction a = {.sa_handler = handler, .sa_flags = SA_NODEFER};
    sigset_t all, old;
    sigfillset(&all);
    for (int i = 0; i < N; i++) sigaction(signals[i], &a, NULL);
    sigaction(SIGALRM, &(struct sigaction){.sa_handler = alarmed}, NULL);
    for (int round = 0; round < 3; round++) {
        sigprocmask(SIG_SETMASK, &all, &old);
        for (int i = 0; i < N; i++) kill(getpid(), signals[i]);
        sigprocmask(SIG_SETMASK, &old, NULL);
        setitimer(ITIMER_REAL, &(struct itimerval){.it_value.tv_usec = 300000}, NULL);
        int r = nanosleep(&(struct timespec){2, 0}, NULL);
        printf("%s, %d alarms:", r ? strerrorname_np(errno) : "slept", alarms);
        for (int i = 0; i < N; i++) printf(" %d", got[signals[i]]);
        printf("\n");
    }
    return 0;
}
