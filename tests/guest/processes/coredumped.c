// Who waits for a process that dumped core is told so.
#define _GNU_SOURCE
#include <fcntl.h>
#include <glob.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static void limit(rlim_t to) {
	struct rlimit l;
	getrlimit(RLIMIT_CORE, &l);
	l.rlim_cur = to < l.rlim_max ? to : l.rlim_max;
	setrlimit(RLIMIT_CORE, &l);
}

static void *faults(void *arg) { return (void *)(long)*(volatile int *)8; }

static void aborts(void) { abort(); }
static void thread(void) {
	pthread_t t;
	pthread_create(&t, 0, faults, 0);
	pthread_join(t, 0);
}
static void unlimited(void) { raise(SIGQUIT); }
static void none(void) { limit(0); raise(SIGQUIT); }
static void secret(void) { prctl(PR_SET_DUMPABLE, 0); raise(SIGQUIT); }
static void terminated(void) { raise(SIGTERM); }

static int files(void) {
	glob_t g = {0};
	glob("core*", 0, 0, &g);
	int n = g.gl_pathc;
	for (int i = 0; i < n; i++)
		unlink(g.gl_pathv[i]);
	globfree(&g);
	return n;
}

int main(void) {
	char pattern[128] = "", dir[] = "/tmp/coredumpedXXXXXX";
	int fd = open("/proc/sys/kernel/core_pattern", O_RDONLY), status;
	read(fd, pattern, sizeof pattern - 1);
	close(fd);
	struct rlimit l;
	getrlimit(RLIMIT_CORE, &l);
	if (strpbrk(pattern, "/|@") || strncmp(pattern, "core", 4) || l.rlim_max < 64 << 20) {
		puts("SKIP cores go elsewhere, or are limited: sysctl kernel.core_pattern=core; ulimit -c unlimited");
		return 0;
	}
	chdir(mkdtemp(dir));
	limit(RLIM_INFINITY);
	static const struct { const char *name; void (*do_)(void); } ends[] = {
		{"aborts", aborts}, {"thread", thread}, {"unlimited", unlimited}, {"none", none}, {"secret", secret}, {"terminated", terminated},
	};
	for (unsigned i = 0; i < sizeof ends / sizeof *ends; i++) {
		pid_t p = fork();
		if (!p) {
			ends[i].do_();
			_exit(0);
		}
		waitpid(p, &status, 0);
		printf("%s: signal %d, dumped %d", ends[i].name, WTERMSIG(status), !!WCOREDUMP(status));
		if (!(p = fork())) {
			ends[i].do_();
			_exit(0);
		}
		siginfo_t info = {0};
		waitid(P_PID, p, &info, WEXITED);
		printf(", code %d status %d, files %d\n", info.si_code, info.si_status, files() > 0);
	}
	chdir("/");
	return rmdir(dir);
}
