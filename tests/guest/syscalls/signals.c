#include "check.h"
#include <sys/prctl.h>

static volatile int count, last, code, value, nested, order[64], norder; static volatile pid_t from; static sigjmp_buf jb;
static void plain(int s) { count++; last = s; order[norder++ & 63] = s; }
static void info(int s, siginfo_t *i, void *u) { count++; last = s; code = i->si_code; value = i->si_value.sival_int; from = i->si_pid; order[norder++ & 63] = s; }
static void set(int s, void *f, int flags, int block) { struct sigaction a = {.sa_flags = flags}; if (flags & SA_SIGINFO) a.sa_sigaction = f; else a.sa_handler = f; sigemptyset(&a.sa_mask); if (block) sigaddset(&a.sa_mask, block); sigaction(s, &a, 0); }
static void recurse(int s) { if (++nested < 5) raise(s); order[norder++ & 63] = nested; nested--; }
static void checkMask(int s) { sigset_t m; sigprocmask(SIG_BLOCK, 0, &m); printf("in handler: USR1 %d USR2 %d HUP %d\n", sigismember(&m, SIGUSR1), sigismember(&m, SIGUSR2), sigismember(&m, SIGHUP)); }
static char alt[65536]; static volatile int onAlt;
static void altHandler(int s, siginfo_t *i, void *u) { char x; onAlt = &x >= alt && &x < alt + sizeof alt; code = i->si_code; last = s; stack_t o; sigaltstack(0, &o); nested = o.ss_flags; if (s == SIGSEGV) siglongjmp(jb, 1); }
static int overflow(int n) { volatile char b[4096]; b[0] = n; return overflow(n + 1) + b[0]; }
static void *kicker(void *a) { usleep(30000); kill(getpid(), (int)(long)a); return 0; }
// A signal that came before the call that it is to interrupt is sent again.
static volatile int ended, armed;
static void *tkicker(void *a) { int e = armed; usleep(30000); do { pthread_kill(*(pthread_t *)a, SIGUSR1); for (int i = 0; i < 100 && e == ended; i++) usleep(10000); } while (e == ended); return 0; }
static void later(int sig) { pthread_t t; pthread_create(&t, 0, kicker, (void *)(long)sig); pthread_detach(t); }
static pthread_t mainThread;
static void laterMain(void) { pthread_t t; armed = ended; pthread_create(&t, 0, tkicker, &mainThread); pthread_detach(t); }
static void *writer(void *a) { usleep(80000); write(*(int *)a, "late", 4); return 0; }
static volatile int stop; static _Atomic long hits; static void hit(int s) { hits++; }
static void *spinner(void *a) { volatile unsigned n = 0; while (!stop) n++; return 0; }
static void *waiter(void *a) { sigset_t *m = a; int s; sigwait(m, &s); return (void *)(long)s; }
#if defined __aarch64__
static void skip(int s, siginfo_t *i, void *u) { ucontext_t *c = u; c->uc_mcontext.pc += 4; c->uc_mcontext.regs[0] = 77; code = i->si_code; last = s; }
static long fix(void) { register long x0 asm("x0") = 8; asm volatile("ldr x0, [x0]" : "+r"(x0)::"memory"); return x0; }
static long ill(void) { register long x0 asm("x0") = 8; asm volatile("udf #0" : "+r"(x0)); return x0; }
static long brk_(void) { register long x0 asm("x0") = 8; asm volatile("brk #5" : "+r"(x0)); return x0; }
#endif

int main(void) {
    mainThread = pthread_self(); setvbuf(stdout, 0, _IONBF, 0);
    set(SIGUSR1, plain, 0, 0); show(raise(SIGUSR1)); show(count); show(kill(getpid(), SIGUSR1)); show(count); show(pthread_kill(pthread_self(), SIGUSR1)); show(count);
    set(SIGRTMIN + 3, info, SA_SIGINFO, 0); union sigval sv = {1234}; show(sigqueue(getpid(), SIGRTMIN + 3, sv)); printf("code %d value %d self %d\n", code, value, from == getpid()); raise(SIGRTMIN + 3); printf("code %d\n", code);
    set(SIGUSR1, recurse, SA_NODEFER, 0); norder = 0; raise(SIGUSR1); for (int i = 0; i < norder; i++) printf("%d ", order[i]); puts("");
    set(SIGUSR1, checkMask, 0, SIGHUP); raise(SIGUSR1); set(SIGUSR1, checkMask, SA_NODEFER, SIGUSR2); raise(SIGUSR1);
    set(SIGUSR2, plain, SA_RESETHAND, 0); raise(SIGUSR2); struct sigaction a; sigaction(SIGUSR2, 0, &a); ok(a.sa_handler == SIG_DFL);

    // Order and queueing of blocked signals.
    sigset_t all, old, pend; sigfillset(&all); for (int s = SIGHUP; s < 16; s++) if (s != SIGKILL && s != SIGSTOP && s != SIGABRT) set(s, plain, 0, 0); for (int s = SIGRTMIN; s <= SIGRTMAX; s++) set(s, info, SA_SIGINFO, 0);
    sigprocmask(SIG_SETMASK, &all, &old); norder = 0; for (int i = 0; i < 3; i++) { sv.sival_int = i; sigqueue(getpid(), SIGRTMIN + 5, sv); sigqueue(getpid(), SIGRTMIN + 1, sv); raise(SIGTERM); raise(SIGHUP); raise(SIGSEGV); raise(SIGRTMAX); }
    sigpending(&pend); printf("pending HUP %d TERM %d RT1 %d INT %d SEGV %d\n", sigismember(&pend, SIGHUP), sigismember(&pend, SIGTERM), sigismember(&pend, SIGRTMIN + 1), sigismember(&pend, SIGINT), sigismember(&pend, SIGSEGV)); show(norder);
    set(SIGSEGV, plain, 0, 0); sigprocmask(SIG_SETMASK, &old, 0); for (int i = norder - 1; i >= 0; i--) printf("%d ", order[i]); puts("");
    sigset_t realTime; sigemptyset(&realTime); for (int s = SIGRTMIN; s <= SIGRTMAX; s++) sigaddset(&realTime, s);
    sigprocmask(SIG_BLOCK, &realTime, 0); siginfo_t got; for (int s = SIGRTMAX; s >= SIGRTMIN; s--) for (int i = 0; i < 3; i++) { sv.sival_int = i; sigqueue(getpid(), s, sv); }
    for (int s = SIGRTMIN; s <= SIGRTMAX; s++) for (int i = 0; i < 3; i++) if (sigwaitinfo(&realTime, &got) != s || got.si_value.sival_int != i) printf("%d %d: %d %d\n", s, i, got.si_signo, got.si_value.sival_int);
    sigprocmask(SIG_SETMASK, &old, 0);
    set(SIGRTMIN + 1, SIG_IGN, 0, 0); sigqueue(getpid(), SIGRTMIN + 1, sv); set(SIGCHLD, SIG_DFL, 0, 0); raise(SIGCHLD); raise(SIGURG); raise(SIGWINCH); raise(SIGCONT);

    // Waiting for signals.
    sigset_t m; sigemptyset(&m); sigaddset(&m, SIGUSR1); sigaddset(&m, SIGRTMIN + 2); sigaddset(&m, SIGURG); sigprocmask(SIG_BLOCK, &m, &old); siginfo_t si; struct timespec t = {0, 10000000}; show(sigtimedwait(&m, &si, &t)); sv.sival_int = 99; sigqueue(getpid(), SIGRTMIN + 2, sv); show(sigwaitinfo(&m, &si)); printf("%d %d\n", si.si_code, si.si_value.sival_int); later(SIGUSR1); show(sigwaitinfo(&m, &si)); printf("%d\n", si.si_code); kill(getpid(), SIGURG); show(sigwaitinfo(&m, 0)); later(SIGURG); show(sigwaitinfo(&m, 0));
    set(SIGUSR1, plain, 0, 0); later(SIGUSR1); sigset_t none; sigemptyset(&none); show(sigsuspend(&none)); ok(last == SIGUSR1); kill(getpid(), SIGUSR1); last = 0; show(sigsuspend(&none)); ok(last == SIGUSR1);
    pthread_t w; void *r; pthread_create(&w, 0, waiter, &m); usleep(10000); kill(getpid(), SIGUSR1); pthread_join(w, &r); show((long)r); sigprocmask(SIG_SETMASK, &old, 0);

    // Interrupted calls.
    int p[2]; pipe(p); char buf[10]; set(SIGUSR1, plain, 0, 0); laterMain(); show(read(p[0], buf, 4)); ended++; set(SIGUSR1, plain, SA_RESTART, 0); laterMain(); pthread_create(&w, 0, writer, &p[1]); show(read(p[0], buf, 4)); ended++; pthread_join(w, 0);
    laterMain(); t = (struct timespec){5, 0}; struct timespec rem = {9, 9}; show(nanosleep(&t, &rem)); ended++; ok(rem.tv_sec >= 1 && rem.tv_sec <= 4); laterMain(); show(poll(0, 0, 5000)); ended++; set(SIGUSR1, SIG_IGN, 0, 0); laterMain(); double x = now(); show(usleep(60000)); ended++; ok(now() - x > 0.059 && now() - x < 2); laterMain(); x = now(); show(poll(0, 0, 60)); ended++; ok(now() - x > 0.059); set(SIGUSR1, plain, 0, 0); laterMain(); show(pause()); ended++; laterMain(); show(wait(0)); ended++; uint32_t word = 1; laterMain(); show(syscall(SYS_futex, &word, 0, 1, 0, 0, 0)); ended++;

    // Timers.
    hits = 0; set(SIGALRM, hit, SA_RESTART, 0); struct itimerval it = {{0, 2000}, {0, 2000}}; setitimer(ITIMER_REAL, &it, 0); while (hits < 20); it = (struct itimerval){0}; setitimer(ITIMER_REAL, &it, 0); ok(hits >= 20); alarm(1); show(alarm(0));
    timer_t tm; struct sigevent ev = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGRTMIN, .sigev_value.sival_int = 55}; show(timer_create(CLOCK_MONOTONIC, &ev, &tm)); struct itimerspec its = {{0, 0}, {0, 5000000}}; code = 0; show(timer_settime(tm, 0, &its, 0)); while (!code); printf("%d %d\n", code, value); show(timer_delete(tm));
    set(SIGVTALRM, hit, SA_RESTART, 0); hits = 0; it = (struct itimerval){{0, 1000}, {0, 1000}}; setitimer(ITIMER_VIRTUAL, &it, 0); pthread_create(&w, 0, spinner, 0); while (hits < 5); stop = 1; pthread_join(w, 0); it = (struct itimerval){0}; setitimer(ITIMER_VIRTUAL, &it, 0);

    // Alternate stack, faults.
    stack_t ss = {alt, 0, sizeof alt}, so; show(sigaltstack(&ss, &so)); printf("%d\n", so.ss_flags); set(SIGUSR1, altHandler, SA_ONSTACK | SA_SIGINFO, 0); raise(SIGUSR1); printf("on alt %d flags %d\n", onAlt, nested); set(SIGSEGV, altHandler, SA_ONSTACK | SA_SIGINFO, 0); if (!sigsetjmp(jb, 1)) *(volatile int *)16 = 1; printf("segv code %d alt %d\n", code, onAlt); struct rlimit rl = {1 << 20, 1 << 20}; if (!sigsetjmp(jb, 1)) printf("%d\n", overflow(0)); printf("overflow: code %d alt %d\n", code, onAlt); sigaltstack(0, &so); printf("%d\n", so.ss_flags); ss.ss_size = 10; show(sigaltstack(&ss, 0)); ss.ss_flags = 99; show(sigaltstack(&ss, 0)); ss.ss_flags = SS_DISABLE; show(sigaltstack(&ss, 0)); raise(SIGUSR1); printf("on alt %d\n", onAlt);
#if defined __aarch64__
    set(SIGSEGV, skip, SA_SIGINFO, 0); set(SIGILL, skip, SA_SIGINFO, 0); set(SIGTRAP, skip, SA_SIGINFO, 0); printf("%ld ", fix()); printf("%d\n", code); printf("%ld ", ill()); printf("%d\n", code); printf("%ld ", brk_()); printf("%d\n", code);
#else
    puts("77 1\n77 1\n77 1");
#endif
    set(SIGPIPE, plain, 0, 0); close(p[0]); last = 0; show(write(p[1], "x", 1)); ok(last == SIGPIPE); show(sigaction(SIGKILL, &a, 0)); show(sigaction(65, 0, &a)); show(syscall(SYS_rt_sigprocmask, 9, &m, 0, 8)); show(syscall(SYS_rt_sigprocmask, 0, &m, 0, 4)); show(syscall(SYS_rt_sigprocmask, 0, 8, 0, 8));
    double d = 1.5; hits = 0; set(SIGUSR1, hit, 0, 0); for (int i = 0; i < 3000; i++) { kill(getpid(), SIGUSR1); d = d * 1.0000001; } printf("%ld %.6f\n", (long)hits, d);
}
