// Children of vfork live in their parent's memory and nowhere else of its process: they fork, spawn, wait, are
// killed and change what is theirs, while other threads of the parent fork, spawn and allocate.
#include "../syscalls/check.h"
#include <dirent.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>

static char *truth[] = {"true", NULL};
extern char **environ;
static volatile int word, caught, stop;

// ended waits for a child, and returns how it ended: a status, or 1000 and a signal.
static int ended(pid_t p) {
	int st = -1;
	if (waitpid(p, &st, 0) != p) return -1;
	return WIFSIGNALED(st) ? 1000 + WTERMSIG(st) : WEXITSTATUS(st);
}

static int descriptors(void) {
	int n = 0;
	DIR *d = opendir("/proc/self/fd");
	while (readdir(d)) n++;
	closedir(d);
	return n;
}

static void handler(int sig) { caught = caught * 100 + sig; }

static int slept(int ms) {
	struct timespec t = {0, ms * 1000000L};
	return nanosleep(&t, NULL);
}

// What the child changes about its process is not the parent's.
static void own(void) {
	char before[4096], after[4096];
	getcwd(before, sizeof before);
	umask(022);
	int fds = descriptors(), pgrp = getpgrp();
	sigset_t set, was;
	sigemptyset(&set);
	signal(SIGUSR1, handler);
	pid_t p = vfork();
	if (!p) {
		word = chdir("/proc") == 0;
		word += umask(077) == 022;
		for (int i = 0; i < 30; i++) open("/dev/null", O_RDONLY);
		close(0);
		word += setpgid(0, 0) == 0;
		sigfillset(&set);
		sigprocmask(SIG_SETMASK, &set, NULL);
		signal(SIGUSR2, SIG_IGN);
		struct rlimit l = {64, 64};
		word += setrlimit(RLIMIT_NOFILE, &l) == 0;
		word += getppid() > 0 && getpid() == syscall(SYS_gettid);
		execv("/absent", truth);
		_exit(errno);
	}
	printf("own: %d, ended %d", word, ended(p));
	sigprocmask(SIG_BLOCK, NULL, &was);
	struct rlimit l;
	getrlimit(RLIMIT_NOFILE, &l);
	struct sigaction a;
	sigaction(SIGUSR2, NULL, &a);
	printf(", mask %d, umask %o, descriptors %d, cwd %d, group %d, limit %d, ignored %d\n", sigismember(&was, SIGTERM), umask(022),
	       descriptors() == fds, !strcmp(before, getcwd(after, sizeof after)), getpgrp() == pgrp, l.rlim_cur != 64, a.sa_handler == SIG_IGN);
}

// Signals: of its own, from itself, at its end.
static void signals(void) {
	caught = 0;
	pid_t p = vfork();
	if (!p) {
		raise(SIGUSR1);
		signal(SIGUSR1, SIG_DFL); // the child's alone
		_exit(caught == SIGUSR1);
	}
	printf("signals: %d", ended(p));
	raise(SIGUSR1);
	printf(", caught %d\n", caught);
	const int deadly[] = {SIGKILL, SIGTERM, SIGABRT, SIGSEGV, SIGUSR2, 40};
	for (int i = 0; i < 6; i++) {
		if (!(p = vfork())) {
			kill(getpid(), deadly[i]);
			_exit(1);
		}
		printf("raised %d: %d\n", deadly[i], ended(p));
	}
	if (!(p = vfork())) {
		*(volatile int *)8 = 1;
		_exit(1);
	}
	printf("a fault: %d\n", ended(p));
	if (!(p = vfork())) {
		struct itimerval soon = {.it_value = {.tv_usec = 10000}};
		setitimer(ITIMER_REAL, &soon, NULL);
		pause();
		_exit(1);
	}
	printf("an alarm: %d\n", ended(p));
}

// Children of the child.
static void children(void) {
	word = 0;
	pid_t p = vfork();
	if (!p) {
		pid_t q = fork();
		if (!q) {
			word = 1000; // nobody else's
			pid_t r = fork();
			if (!r) _exit(word == 1000);
			int forked = ended(r);
			if (!(r = vfork())) {
				word++;
				execv("/bin/true", truth);
				_exit(9);
			}
			_exit(forked + ended(r) + (word == 1001) + 1);
		}
		int first = ended(q);
		if (!(q = vfork())) {
			word = 7;
			pid_t r = vfork();
			if (!r) {
				word *= 2;
				_exit(3);
			}
			_exit(ended(r));
		}
		int second = ended(q), spawned = posix_spawn(&q, "/bin/true", NULL, NULL, truth, environ);
		word += 100 * first + 10 * second + spawned + ended(q);
		_exit(word % 256);
	}
	int st = ended(p);
	printf("children: %d, %d\n", st, word);
}

static void *forks(void *a) {
	long bad = 0;
	while (!stop) {
		pid_t p = fork();
		if (!p) _exit(6);
		bad += ended(p) != 6;
		free(malloc(1000));
	}
	return (void *)bad;
}

static void *spawns(void *a) {
	long bad = 0;
	for (int i = 0; i < 30; i++) {
		pid_t p;
		if (posix_spawn(&p, i % 3 ? "/bin/true" : "/absent", NULL, NULL, truth, environ)) {
			bad += i % 3 != 0;
			continue;
		}
		bad += i % 3 == 0 || ended(p) != 0;
	}
	return (void *)bad;
}

static volatile pid_t victim;

// kills ends children of the other thread while they wait, sooner or later.
static void *kills(void *a) {
	while (!stop) {
		pid_t v = victim;
		if (v) {
			slept(1);
			kill(v, *(int *)a);
			__sync_bool_compare_and_swap(&victim, v, 0);
		}
		sched_yield();
	}
	return NULL;
}

static void threads(void) {
	pthread_t t[3], f;
	void *bad;
	long all = 0;
	pthread_create(&f, NULL, forks, NULL);
	for (int i = 0; i < 3; i++) pthread_create(&t[i], NULL, spawns, NULL);
	for (int i = 0; i < 3; i++) pthread_join(t[i], &bad), all += (long)bad;
	stop = 1;
	pthread_join(f, &bad);
	printf("threads: %ld bad\n", all + (long)bad);
	int signals[] = {SIGKILL, SIGTERM};
	for (int s = 0; s < 2; s++) {
		int killed = 0;
		stop = 0;
		pthread_create(&f, NULL, kills, &signals[s]);
		for (int i = 0; i < 20; i++) {
			pid_t p = vfork();
			if (!p) {
				victim = getpid();
				if (i % 2)
					for (;;) pause();
				for (volatile long n = 0;; n++) {}
			}
			killed += ended(p) == 1000 + signals[s];
		}
		stop = 1;
		pthread_join(f, NULL);
		printf("killed by %d: %d\n", signals[s], killed);
	}
}

int main(void) {
	setvbuf(stdout, NULL, _IOFBF, 1 << 16);
	own();
	signals();
	children();
	threads();
	return 0;
}
