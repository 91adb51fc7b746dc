// How a process ends: argument 1 says how.
#include "check.h"
static void *exiter(void *a) { usleep(5000); exit(9); }
static void *killer(void *a) { usleep(5000); raise(SIGTERM); return 0; }
static void again(int s) { puts("handler"); fflush(stdout); }
int main(int c, char **v) {
    int n = c > 1 ? atoi(v[1]) : 0; pthread_t t; sigset_t m; sigfillset(&m); struct rlimit rl = {0, 0}; setrlimit(RLIMIT_CORE, &rl); printf("case %d\n", n); fflush(stdout);
    switch (n) {
    case 0: return 300;
    case 1: *(volatile int *)8 = 1;
    case 2: abort();
    case 3: kill(getpid(), SIGTERM); pause();
    case 4: signal(SIGSEGV, SIG_IGN); *(volatile int *)8 = 1;
    case 5: sigprocmask(SIG_SETMASK, &m, 0); *(volatile int *)8 = 1;
    case 6: pthread_create(&t, 0, exiter, 0); pause();
    case 7: pthread_create(&t, 0, killer, 0); for (;;) pause();
    case 8: signal(SIGTERM, SIG_IGN); raise(SIGTERM); signal(SIGABRT, again); abort();
    case 9: raise(SIGKILL);
    case 10: raise(SIGILL);
    case 11: alarm(1); sigprocmask(SIG_SETMASK, &m, 0); sigemptyset(&m); sigsuspend(&m);
    case 12: raise(SIGRTMIN + 4);
    case 13: { int p[2]; pipe(p); close(p[0]); write(p[1], "x", 1); }
    case 14: sigprocmask(SIG_SETMASK, &m, 0); raise(SIGUSR1); raise(SIGINT); sigemptyset(&m); sigprocmask(SIG_SETMASK, &m, 0);
    case 15: pthread_create(&t, 0, exiter, 0); syscall(SYS_exit, 4);
    case 16: syscall(SYS_exit, 5);
    case 17: raise(SIGSEGV);
    case 18: raise(SIGQUIT);
    case 19: { signal(SIGSEGV, again); stack_t ss; asm volatile(""); struct sigaction a = {.sa_handler = again, .sa_flags = SA_ONSTACK}; static char tiny[6000]; ss = (stack_t){(void *)0x10000, 0, 0x10000}; sigaltstack(&ss, 0); sigaction(SIGUSR1, &a, 0); sigaction(SIGSEGV, &a, 0); raise(SIGUSR1); }
    }
    return 7;
}
