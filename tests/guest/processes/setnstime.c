// setns into the namespace of time that unshare has made for children, and back; and into several namespaces of a
// process at once, that of process ids among them. Needs a single thread, which emu is not.
#include "../syscalls/check.h"
#include <sched.h>
#include <sys/prctl.h>
#ifndef CLONE_NEWTIME
#define CLONE_NEWTIME 0x80
#endif

static long uptime(void) {
	struct timespec t;
	clock_gettime(CLOCK_BOOTTIME, &t);
	return t.tv_sec;
}
static long start;
static const char *where(void) { return uptime() - start > 500000 ? "later" : "now"; }
static void *thread(void *what) { printf("thread %s: %s\n", (char *)what, where()); return 0; }
static void threads(char *what) {
	pthread_t th;
	int e = pthread_create(&th, 0, thread, what);
	if (e) printf("no thread %s: %s\n", what, strerrorname_np(e));
	else pthread_join(th, 0);
}
static void child(const char *what) {
	pid_t p = fork();
	if (!p) { printf("child %s: %s\n", what, where()); _exit(0); }
	waitpid(p, 0, 0);
}

static void inTime(void) {
	int own = open("/proc/self/ns/time", O_RDONLY), fd = open("/proc/self/timens_offsets", O_WRONLY);
	show(setns(own, CLONE_NEWTIME));
	if (unshare(CLONE_NEWTIME)) { printf("SKIP no namespace of time: %s\n", strerrorname_np(errno)); return; }
	show(dprintf(fd, "boottime 1000000 0\n"));
	child("behind unshare");
	int its = open("/proc/self/ns/time_for_children", O_RDONLY);
	show(setns(its, CLONE_NEWNET));
	show(setns(its, CLONE_NEWTIME));
	printf("entered: %s\n", where());
	child("behind setns");
	threads("behind setns");
	pid_t p = fork();
	if (!p) {
		show(setns(own, 0));
		printf("child back: %s\n", where());
		show(setns(its, 0));
		printf("child there again: %s\n", where());
		_exit(0);
	}
	waitpid(p, 0, 0);
	show(setns(own, 0));
	printf("back: %s\n", where());
	threads("back");
	show(unshare(CLONE_NEWTIME));
	p = fork();
	if (!p) {
		show(setns(its, 0));
		printf("grandchild: %s\n", where());
		show(setns(own, 0));
		printf("grandchild back: %s\n", where());
		_exit(0);
	}
	waitpid(p, 0, 0);
}

static void atOnce(void) {
	int flags = CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNS | CLONE_NEWUTS | CLONE_NEWNET, ready[2];
	char c;
	pipe(ready);
	pid_t p = syscall(SYS_clone, flags | SIGCHLD, 0, 0, 0, 0);
	if (p < 0) { printf("SKIP no namespaces: %s\n", strerrorname_np(errno)); return; }
	if (!p) {
		prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
		sethostname("inside", 6);
		write(ready[1], "x", 1);
		for (;;) pause();
	}
	read(ready[0], &c, 1);
	int fd = syscall(SYS_pidfd_open, p, 0);
	show(setns(fd, flags));
	char name[65] = "";
	gethostname(name, sizeof name);
	puts(name);
	pid_t k = fork();
	if (!k) { printf("child of %s in there\n", getppid() ? "one" : "none"); _exit(0); }
	waitpid(k, 0, 0);
	kill(p, SIGKILL);
}

int main(void) {
	setvbuf(stdout, NULL, _IONBF, 0);
	start = uptime();
	pid_t p = fork();
	if (!p) { inTime(); _exit(0); }
	waitpid(p, 0, 0);
	p = fork();
	if (!p) { atOnce(); _exit(0); }
	waitpid(p, 0, 0);
	return 0;
}
