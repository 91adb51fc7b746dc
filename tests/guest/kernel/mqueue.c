// POSIX message queues: mq_overview(7).
#include "../syscalls/check.h"
#include <mqueue.h>

static volatile int got, code, value;
static void handler(int s, siginfo_t *i, void *u) { got = s, code = i->si_code, value = i->si_value.sival_int; }
static sem_t told;
static void called(union sigval v) { value = v.sival_int; sem_post(&told); }

int main(void) {
	setvbuf(stdout, 0, _IONBF, 0);
	char name[50], buf[100] = {0};
	sprintf(name, "/emu.%d", getpid());
	struct mq_attr a = {.mq_maxmsg = 3, .mq_msgsize = 20}, b = {0};
	mqd_t q = mq_open(name, O_CREAT | O_EXCL | O_RDWR, 0600, &a);
	if (q < 0) { printf("SKIP message queues: %s\n", strerrorname_np(errno)); return 0; }
	show(mq_open(name, O_CREAT | O_EXCL | O_RDWR, 0600, &a));
	show(mq_open("/none.emu", O_RDWR));
	show(syscall(SYS_mq_open, "x", O_CREAT | O_RDWR, 0600, 8));
	show(mq_getattr(q, &b));
	printf("%ld %ld %ld %ld\n", b.mq_flags, b.mq_maxmsg, b.mq_msgsize, b.mq_curmsgs);
	show(mq_send(q, "low", 4, 1));
	show(mq_send(q, "high", 5, 9));
	show(mq_send(q, "middle", 7, 5));
	show(mq_send(q, buf, 21, 5));
	struct timespec t;
	clock_gettime(CLOCK_REALTIME, &t);
	t.tv_nsec = (t.tv_nsec + 20000000) % 1000000000;
	t.tv_sec += t.tv_nsec < 20000000;
	show(mq_timedsend(q, "full", 5, 1, &t));
	b.mq_flags = O_NONBLOCK;
	show(mq_setattr(q, &b, &a));
	show(mq_send(q, "full", 5, 1));
	unsigned prio;
	for (int i = 0; i < 4; i++) { show(mq_receive(q, buf, 100, &prio)); printf("%s %u\n", buf, prio); }
	show(mq_receive(q, buf, 10, &prio));
	show(mq_getattr(q, &b));
	printf("%lx %ld\n", b.mq_flags, b.mq_curmsgs);
	struct sigaction sa = {.sa_sigaction = handler, .sa_flags = SA_SIGINFO};
	sigaction(SIGUSR1, &sa, 0);
	struct sigevent ev = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGUSR1, .sigev_value = {.sival_int = 42}};
	show(mq_notify(q, &ev));
	show(mq_notify(q, &ev));
	if (!fork()) { mq_send(q, "child", 6, 3); _exit(0); }
	wait(0);
	printf("%d %d %d\n", got == SIGUSR1, code == SI_MESGQ, value);
	show(mq_receive(q, buf, 100, &prio));
	sem_init(&told, 0, 0);
	ev = (struct sigevent){.sigev_notify = SIGEV_THREAD, .sigev_notify_function = called, .sigev_value = {.sival_int = 43}};
	show(mq_notify(q, &ev));
	mq_send(q, "thread", 7, 3);
	show(sem_wait(&told));
	show(value);
	show(mq_notify(q, 0));
	show(syscall(SYS_mq_notify, q, 8));
	show(syscall(SYS_mq_timedreceive, q, 8, 100, 0, 0));
	struct pollfd pf = {q, POLLIN | POLLOUT};
	show(poll(&pf, 1, 0));
	printf("%x\n", pf.revents);
	show(mq_close(q));
	show(mq_unlink(name));
	show(mq_unlink(name));
}
