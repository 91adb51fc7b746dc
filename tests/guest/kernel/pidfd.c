// pidfd_open, pidfd_send_signal, pidfd_getfd, waitid with P_PIDFD, poll.
#include "../syscalls/check.h"

static volatile int got, code, value, from;
static void handler(int s, siginfo_t *i, void *u) { got = s, code = i->si_code, value = i->si_value.sival_int, from = i->si_pid == getpid(); }
#define report() (printf("got %d code %d value %d self %d\n", got, code, value, from), got = code = value = from = 0)

int main(void) {
	setvbuf(stdout, 0, _IONBF, 0);
	int self = syscall(SYS_pidfd_open, getpid(), 0);
	ok(self >= 0);
	ok(fcntl(self, F_GETFD) == FD_CLOEXEC);
	show(syscall(SYS_pidfd_open, 99999999, 0));
	show(syscall(SYS_pidfd_open, -1, 0));
	show(syscall(SYS_pidfd_open, getpid(), 1));
	struct sigaction sa = {.sa_sigaction = handler, .sa_flags = SA_SIGINFO};
	int sigs[] = {SIGUSR1, SIGURG, SIGIO, SIGCHLD, SIGSEGV, SIGRTMIN, SIGRTMIN + 3, SIGRTMAX};
	for (int i = 0; i < 8; i++) {
		sigaction(sigs[i], &sa, 0);
		show(syscall(SYS_pidfd_send_signal, self, sigs[i], 0, 0));
		report();
	}
	siginfo_t info = {.si_signo = SIGUSR1, .si_code = SI_QUEUE};
	info.si_value.sival_int = 77;
	show(syscall(SYS_pidfd_send_signal, self, SIGUSR1, &info, 0));
	report();
	info.si_signo = SIGURG;
	show(syscall(SYS_pidfd_send_signal, self, SIGURG, &info, 0));
	report();
	show(syscall(SYS_pidfd_send_signal, self, SIGUSR1, &info, 0)); // si_signo differs
	show(syscall(SYS_pidfd_send_signal, self, 0, 0, 0));
	show(syscall(SYS_pidfd_send_signal, self, 65, 0, 0));
	show(syscall(SYS_pidfd_send_signal, self, 0, 0, 64));
	show(syscall(SYS_pidfd_send_signal, 0, 0, 0, 0));
	show(syscall(SYS_pidfd_send_signal, self, SIGUSR1, 8, 0));

	int p[2];
	pipe(p);
	pid_t c = fork();
	if (!c) {
		dup2(p[1], 50);
		sa.sa_handler = SIG_DFL;
		write(p[1], "x", 1);
		for (;;) pause();
	}
	char b[10];
	read(p[0], b, 1);
	int fd = syscall(SYS_pidfd_open, c, 0);
	int stolen = syscall(SYS_pidfd_getfd, fd, 50, 0);
	ok(stolen >= 0);
	show(write(stolen, "through", 7));
	show(read(p[0], b, 10));
	show(syscall(SYS_pidfd_getfd, fd, 51, 0));
	show(syscall(SYS_pidfd_getfd, fd, 50, 1));
	show(syscall(SYS_pidfd_getfd, self, p[0], 0) >= 0);
	struct pollfd pf = {fd, POLLIN};
	show(poll(&pf, 1, 0));
	siginfo_t i = {0};
	show(waitid(P_PIDFD, fd, &i, WEXITED | WNOHANG));
	show(i.si_pid);
	show(syscall(SYS_pidfd_send_signal, fd, SIGKILL, 0, 0));
	show(poll(&pf, 1, 5000));
	show(waitid(P_PIDFD, fd, &i, WEXITED));
	ok(i.si_pid == c && i.si_code == CLD_KILLED && i.si_status == SIGKILL);
	show(syscall(SYS_pidfd_send_signal, fd, 0, 0, 0));
	show(waitid(P_PIDFD, fd, &i, WEXITED));
	show(waitid(P_PIDFD, 1, &i, WEXITED));
	int t = syscall(SYS_pidfd_open, getpid(), O_NONBLOCK);
	ok(t >= 0 && fcntl(t, F_GETFL) & O_NONBLOCK);
}
