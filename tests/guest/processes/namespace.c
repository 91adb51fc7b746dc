// unshare, setns and clone into namespaces. Machines that forbid them say so the same way to both.
#include "../syscalls/check.h"
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/prctl.h>

static void *thread(void *a) { return a; }

static void child(const char *what, long (*f)(void)) {
	int st;
	fflush(stdout);
	pid_t p = fork();
	if (!p) {
		errno = 0;
		long r = f();
		printf("%s: %ld %s\n", what, r, r < 0 ? strerrorname_np(errno) : "");
		// the process still works: a thread, a child
		pthread_t t;
		int rc = pthread_create(&t, 0, thread, 0);
		if (!rc) pthread_join(t, 0);
		printf(" thread %d\n", rc != 0);
		fflush(stdout);
		pid_t q = fork();
		if (!q) { printf(" child: pid 1 %d, root %d, nodename %d\n", getpid() == 1, getuid() == 0, (int)gethostid() != -2); fflush(stdout); _exit(7); }
		waitpid(q, &st, 0);
		printf(" status %x\n", st);
		fflush(stdout);
		_exit(0);
	}
	waitpid(p, &st, 0);
	printf(" ends %x\n", st);
}

static long user(void) { return unshare(CLONE_NEWUSER); }
static long many(void) { return unshare(CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWUTS | CLONE_NEWIPC); }
static long thread_(void) { return unshare(CLONE_THREAD); }
static long vm(void) { return unshare(CLONE_VM | CLONE_SIGHAND); }
static long files(void) { return unshare(CLONE_FILES | CLONE_FS); }
static long uts(void) { long r = unshare(CLONE_NEWUTS); return r ? r : sethostname("inside", 6); }
static long setns_mnt(void) {
	int fd = open("/proc/self/ns/mnt", O_RDONLY);
	return setns(fd, CLONE_NEWNS);
}
static long setns_user(void) { // one's own user namespace cannot be entered again
	int fd = open("/proc/self/ns/user", O_RDONLY);
	return setns(fd, CLONE_NEWUSER);
}
static long setns_time(void) {
	int io[2];
	char c, name[64];
	if (unshare(CLONE_NEWUSER) || pipe(io)) return -1;
	pid_t p = fork();
	if (!p) {
		unshare(CLONE_NEWTIME);
		write(io[1], "x", 1);
		for (;;) pause();
	}
	read(io[0], &c, 1);
	sprintf(name, "/proc/%d/ns/time_for_children", p);
	int fd = open(name, O_RDONLY), e;
	struct stat before, after;
	stat("/proc/self/ns/time", &before);
	long r = setns(fd, CLONE_NEWTIME);
	e = errno;
	stat("/proc/self/ns/time", &after);
	printf("moved %d\n", before.st_ino != after.st_ino);
	kill(p, SIGKILL);
	waitpid(p, 0, 0);
	errno = e;
	return r;
}
// setns_all enters another process's namespaces in nsenter(1)'s order: that of mounts, which
// may show other processes in /proc, and that of time after the one of process ids. That process
// lives as long as the caller does: no other can be made in a namespace whose first one has died.
static long setns_all(void) {
	int io[2], fds[3];
	char name[64];
	const char *kinds[] = { "pid", "mnt", "time" };
	pid_t p, target = 0;
	struct stat owner, user;
	int ns = open("/proc/self/ns/pid", O_RDONLY);
	if (fstat(ioctl(ns, 0xb701 /* NS_GET_USERNS */), &owner) || stat("/proc/self/ns/user", &user) || owner.st_ino != user.st_ino || pipe(io))
		return -1; // not root of the one it is in, which it could not enter again
	p = fork();
	if (!p) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		alarm(60); // should this test die
		unshare(CLONE_NEWPID | CLONE_NEWNS | CLONE_NEWTIME);
		target = fork();
		if (!target) {
			prctl(PR_SET_PDEATHSIG, SIGKILL);
			alarm(60);
			mount("none", "/", 0, MS_REC | MS_PRIVATE, 0);
			mount("proc", "/proc", "proc", 0, 0);
			write(io[1], &target, sizeof target);
			for (;;) pause();
		}
		pid_t ready;
		read(io[0], &ready, sizeof ready);
		write(io[1], &target, sizeof target);
		for (;;) pause();
	}
	for (target = 0; !target; usleep(1000)) {
		read(io[0], &target, sizeof target);
		if (!target) write(io[1], &target, sizeof target); // it was for the other
	}
	for (int i = 0; i < 3; i++) {
		sprintf(name, "/proc/%d/ns/%s", target, kinds[i]);
		fds[i] = open(name, O_RDONLY);
	}
	long r = 0;
	for (int i = 0; i < 3; i++) {
		errno = 0;
		r |= setns(fds[i], 0);
		printf("%s %s\n", kinds[i], strerrorname_np(errno));
	}
	int st;
	fflush(stdout);
	pid_t q = fork();
	if (!q) { printf("child %d\n", (int)getpid() > 1); fflush(stdout); _exit(3); }
	waitpid(q, &st, 0);
	return r;
}
static long threads(void) {
	pthread_t t;
	sem_t *s = malloc(sizeof *s);
	sem_init(s, 0, 0);
	pthread_create(&t, 0, (void *(*)(void *))sem_wait, s);
	long r = unshare(CLONE_NEWUSER);
	int e = errno;
	sem_post(s);
	pthread_join(t, 0);
	errno = e;
	return r;
}

int main(void) {
	child("user", user);
	child("many", many);
	child("thread", thread_);
	child("vm", vm);
	child("files", files);
	child("uts", uts);
	child("setns mnt", setns_mnt);
	child("setns user", setns_user);
	child("setns time", setns_time);
	child("setns all", setns_all);
	child("with threads", threads);
	int st;
	fflush(stdout);
	long p = syscall(SYS_clone, CLONE_NEWPID | CLONE_NEWUSER | SIGCHLD, 0, 0, 0, 0);
	if (p == 0) {
		pid_t q = fork();
		if (!q) _exit(getppid() == 1);
		waitpid(q, &st, 0);
		_exit(getpid() == 1 && WEXITSTATUS(st) == 1 ? 11 : 12);
	}
	if (p < 0) printf("clone %s\n", strerrorname_np(errno));
	else { waitpid(p, &st, 0); printf("clone: %x\n", st); }
}
