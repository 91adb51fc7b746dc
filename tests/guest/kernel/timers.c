// timer_create(2) with every way to notify, overruns, clocks and refusals.
#include "../syscalls/check.h"

#define timer_create_(c, e, t) syscall(SYS_timer_create, c, e, t)
#define timer_delete_(t) syscall(SYS_timer_delete, t)
#define timer_settime_(t, f, n, o) syscall(SYS_timer_settime, t, f, n, o)
static volatile int got, code, value, tid, times, over;
static void handler(int s, siginfo_t *i, void *u) {
	got = s, code = i->si_code, value = i->si_value.sival_int, over = i->si_overrun, tid = syscall(SYS_gettid);
	times++;
}
static struct itimerspec every(long first, long ms) { return (struct itimerspec){{ms / 1000, ms % 1000 * 1000000}, {first / 1000, first % 1000 * 1000000}}; }
static sem_t told;
static void called(union sigval v) { value = v.sival_int; sem_post(&told); }
static volatile int other, stop;
static void *thread(void *a) { other = syscall(SYS_gettid); while (!stop) pause(); return 0; }

int main(void) {
	setvbuf(stdout, 0, _IONBF, 0);
	struct sigaction sa = {.sa_sigaction = handler, .sa_flags = SA_SIGINFO};
	for (int i = 0; i < 4; i++) sigaction((int[]){SIGALRM, SIGUSR1, SIGRTMIN, SIGURG}[i], &sa, 0);
	int id;
	struct itimerspec t = every(10, 0), old;
	// Without a sigevent: SIGALRM with the timer's number.
	show(timer_create_(CLOCK_MONOTONIC, 0, &id));
	show(timer_settime_(id, 0, &t, 0));
	while (!times) pause();
	printf("%d %d %d\n", got == SIGALRM, code == SI_TIMER, value == id);
	show(timer_delete_(id));
	show(timer_delete_(id));
	// SIGEV_SIGNAL
	for (int i = 0; i < 3; i++) {
		struct sigevent ev = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = (int[]){SIGUSR1, SIGRTMIN, SIGURG}[i], .sigev_value = {.sival_int = 40 + i}};
		show(timer_create_(CLOCK_REALTIME, &ev, &id));
		times = 0;
		show(timer_settime_(id, 0, &t, 0));
		while (!times) pause();
		printf("%d %d %d %d\n", got == ev.sigev_signo, code == SI_TIMER, value, over);
		timer_delete_(id);
	}
	// Overruns while the signal is blocked.
	struct sigevent ev = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGUSR1, .sigev_value = {.sival_int = 3}};
	sigset_t m;
	sigemptyset(&m);
	sigaddset(&m, SIGUSR1);
	sigprocmask(SIG_BLOCK, &m, 0);
	timer_create_(CLOCK_MONOTONIC, &ev, &id);
	t = every(5, 5);
	timer_settime_(id, 0, &t, 0);
	usleep(100000);
	siginfo_t info;
	show(sigwaitinfo(&m, &info));
	ok(info.si_code == SI_TIMER && info.si_overrun >= 10 && info.si_overrun < 4000);
	ok(syscall(SYS_timer_getoverrun, id) == info.si_overrun);
	usleep(60000);
	times = 0;
	sigprocmask(SIG_UNBLOCK, &m, 0);
	ok(times >= 1);
	show(syscall(SYS_timer_gettime, id, &old));
	ok(old.it_interval.tv_nsec == 5000000 && old.it_value.tv_nsec <= 5000000);
	t = every(0, 0);
	show(timer_settime_(id, 0, &t, &old));
	ok(old.it_interval.tv_nsec == 5000000);
	times = 0;
	usleep(20000);
	show(times);
	timer_delete_(id);
	// SIGEV_NONE
	ev.sigev_notify = SIGEV_NONE;
	show(timer_create_(CLOCK_BOOTTIME, &ev, &id));
	t = every(5000, 0);
	show(timer_settime_(id, 0, &t, 0));
	show(syscall(SYS_timer_gettime, id, &old));
	ok(old.it_value.tv_sec == 4);
	timer_delete_(id);
	// SIGEV_THREAD_ID
	pthread_t th;
	pthread_create(&th, 0, thread, 0);
	while (!other) usleep(1000);
	ev = (struct sigevent){.sigev_notify = SIGEV_THREAD_ID, .sigev_signo = SIGRTMIN, .sigev_value = {.sival_int = 9}};
	ev._sigev_un._tid = other;
	show(timer_create_(CLOCK_MONOTONIC, &ev, &id));
	t = every(5, 5);
	times = 0;
	show(timer_settime_(id, 0, &t, 0));
	for (int i = 0; i < 1000 && times < 3; i++) usleep(2000);
	ok(times >= 3 && tid == other && got == SIGRTMIN && value == 9);
	timer_delete_(id);
	ev._sigev_un._tid = 1;
	show(timer_create_(CLOCK_MONOTONIC, &ev, &id));
	stop = 1;
	pthread_kill(th, SIGUSR1);
	pthread_join(th, 0);
	// SIGEV_THREAD, which the C library makes
	sem_init(&told, 0, 0);
	ev = (struct sigevent){.sigev_notify = SIGEV_THREAD, .sigev_notify_function = called, .sigev_value = {.sival_int = 1234}};
	timer_t lib;
	show(timer_create(CLOCK_MONOTONIC, &ev, &lib));
	t = every(5, 3);
	timer_settime(lib, 0, &t, 0);
	for (int i = 0; i < 5; i++) sem_wait(&told);
	show(value);
	timer_delete(lib);
	// The processor time of thread and process
	for (int i = 0; i < 2; i++) {
		ev = (struct sigevent){.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGUSR1};
		show(timer_create_(i ? CLOCK_THREAD_CPUTIME_ID : CLOCK_PROCESS_CPUTIME_ID, &ev, &id));
		t = every(20, 0);
		times = 0;
		timer_settime_(id, 0, &t, 0);
		for (double s = now(); !times && now() - s < 10;);
		show(times);
		timer_delete_(id);
	}
	// An absolute time in the past expires at once.
	timer_create_(CLOCK_MONOTONIC, &ev, &id);
	t = every(1, 0);
	times = 0;
	timer_settime_(id, TIMER_ABSTIME, &t, 0);
	for (int i = 0; i < 100 && !times; i++) usleep(1000);
	show(times);
	// Refusals
	show(timer_create_(999, &ev, &id));
	show(timer_create_(CLOCK_MONOTONIC, 8, &id));
	show(timer_create_(CLOCK_MONOTONIC, &ev, 8));
	ev.sigev_notify = 77;
	show(timer_create_(CLOCK_MONOTONIC, &ev, &id));
	ev.sigev_notify = SIGEV_SIGNAL, ev.sigev_signo = 99;
	show(timer_create_(CLOCK_MONOTONIC, &ev, &id));
	t.it_value.tv_nsec = 1000000000;
	show(timer_settime_(id, 0, &t, 0));
	show(timer_settime_(id, 0, 8, 0));
	show(timer_settime_(12345, 0, &t, 0));
	// Timers are not inherited.
	if (!fork()) { show(syscall(SYS_timer_gettime, id, &old)); _exit(0); }
	wait(0);
}
