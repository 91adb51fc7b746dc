// A signal that its parent has blocked waits for a program that ignores it: also while
// the program starts, at whatever moment of that it comes. Emu's own start let such a
// signal through to its own runtime, and the program died of it before it began
// (Python's resource tracker, of which a part of the tests of multiprocessing consists).
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "signalone.h"

static const int signals[] = {SIGHUP, SIGINT, SIGTERM, SIGPIPE, SIGUSR1, SIGCHLD, SIGWINCH, SIGQUIT, 34, 63};

static int caught;

static void handler(int sig) { caught = sig; }

// The program: it waits for the signal to be pending, ignores or handles it, and lets it come.
static int begun(int sig, sigset_t *blocked)
{
	sigset_t pending;
	do
		sigpending(&pending);
	while (!sigismember(&pending, sig));
	int handle = sig != SIGINT && sig != SIGTERM;
	signal(sig, handle ? handler : SIG_IGN);
	sigprocmask(SIG_UNBLOCK, blocked, 0);
	return caught == (handle ? sig : 0) ? 0 : 1;
}

int main(int argc, char **argv)
{
	sigset_t blocked;
	sigemptyset(&blocked);
	for (unsigned i = 0; i < sizeof signals / sizeof *signals; i++)
		sigaddset(&blocked, signals[i]);
	alarm(60);
	if (argc > 1)
		return begun(*argv[1], &blocked);
	sigprocmask(SIG_BLOCK, &blocked, 0);
	for (unsigned i = 0; i < sizeof signals / sizeof *signals; i++) {
		for (int round = 0; round < 6; round++) {
			char arg[2] = {signals[i], 0};
			pid_t child = fork();
			if (!child) {
				execl("/proc/self/exe", argv[0], arg, (char *)0);
				_exit(100 + errno);
			}
			nanosleep(&(struct timespec){.tv_nsec = round * 1000000}, 0);
			kill(child, signals[i]);
			int status;
			waitpid(child, &status, 0);
			if (status)
				printf("signal %d after %d ms: status %x\n", signals[i], round, status);
		}
	}
	puts("done");
	return 0;
}
