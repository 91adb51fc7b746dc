// Signals after calls that make no process, or change no namespace: they arrive as before.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static volatile int alarms;
static void alarmed(int sig) { alarms++; }

static void check(const char *what, long result) {
	int e = errno;
	sigset_t now;
	sigprocmask(SIG_BLOCK, NULL, &now);
	setitimer(ITIMER_REAL, &(struct itimerval){.it_value.tv_usec = 20000}, NULL);
	int slept = nanosleep(&(struct timespec){2, 0}, NULL);
	printf("%s: %ld %s; then %s, %d alarms, SIGALRM blocked: %d\n", what, result, result < 0 ? strerrorname_np(e) : "", slept ? strerrorname_np(errno) : "slept", alarms, sigismember(&now, SIGALRM));
	alarms = 0;
}

int main(void) {
	sigaction(SIGALRM, &(struct sigaction){.sa_handler = alarmed}, NULL);
	check("clone", syscall(SYS_clone, CLONE_NEWUSER | CLONE_FS | SIGCHLD, 0, 0, 0, 0));
	check("clone", syscall(SYS_clone, CLONE_NEWUSER | CLONE_FS | SIGCHLD, 0, 0, 0, 0));
	check("setns", setns(open("/proc/self/ns/user", O_RDONLY), CLONE_NEWUSER));
	check("unshare", unshare(0x10));
	return 0;
}
