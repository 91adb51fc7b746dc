// A process whose children will be in another namespace of process ids executes programs (unshare -p
// without -f), makes the first of them, others beside it, and none after its end.
#include "../syscalls/check.h"
#include <signal.h>

static void *thread(void *a) { return a; }
static const char *self;

// fork_ makes a child that says its number and, if it is told to, waits for the end of in.
static pid_t fork_(const char *what, int in) {
	fflush(stdout);
	pid_t p = fork();
	if (p < 0) printf(" %s: %s\n", what, strerrorname_np(errno));
	if (p) return p;
	pthread_t t;
	int rc = pthread_create(&t, 0, thread, 0);
	if (!rc) pthread_join(t, 0);
	printf(" %s: first %d, parent %d, thread %d\n", what, getpid() == 1, getppid(), rc);
	fflush(stdout);
	if (in >= 0) {
		char c;
		read(in, &c, 1);
	}
	_exit(7);
}

static void wait_(pid_t p) {
	int st = -1;
	if (p > 0) {
		pid_t r = waitpid(p, &st, 0);
		printf(" waited %d %x\n", r == p, st);
	}
}

static void exec_(const char *stage, int out, pid_t init) {
	char a[12], b[12];
	sprintf(a, "%d", out);
	sprintf(b, "%d", init);
	fflush(stdout);
	execl(self, self, stage, a, b, (char *)0);
	printf(" execl %s\n", strerrorname_np(errno));
}

// asked is the program that a process executes that has asked for a namespace.
static void asked(const char *next) {
	pthread_t t;
	int io[2], said[2];
	printf(" again %ld", (long)unshare(CLONE_NEWPID));
	printf(" %s, thread %s\n", strerrorname_np(errno), strerrorname_np(pthread_create(&t, 0, thread, 0)));
	execl("/nonexistent", "", (char *)0);
	pipe(io);
	pipe(said);
	fcntl(io[1], F_SETFD, FD_CLOEXEC);
	fflush(stdout);
	pid_t p = fork();
	if (!p) {
		close(io[1]);
		p = fork_("grandchild", -1);
		wait_(p);
		printf(" first: pid %d\n", getpid());
		fflush(stdout);
		kill(getppid(), 0);
		close(said[1]);
		char c;
		read(io[0], &c, 1);
		_exit(9);
	}
	close(io[0]);
	close(said[1]);
	fcntl(io[1], F_SETFD, 0);
	char c;
	read(said[0], &c, 1); // what the child prints comes first
	close(said[0]);
	if (!strcmp(next, "many")) wait_(fork_("second", -1));
	exec_("going on", io[1], p);
}

static void map(const char *file, const char *text) {
	int fd = open(file, O_WRONLY);
	if (write(fd, text, strlen(text)) < 0) printf(" %s: %s\n", file, strerrorname_np(errno));
	close(fd);
}

// mapRoot makes the process root in its user namespace, which programs that it executes stay.
static void mapRoot(int uid, int gid) {
	char text[40];
	map("/proc/self/setgroups", "deny");
	sprintf(text, "0 %d 1", uid);
	map("/proc/self/uid_map", text);
	sprintf(text, "0 %d 1", gid);
	map("/proc/self/gid_map", text);
}

static void with_(const char *what, int flags, const char *stage) {
	printf("%s\n", what);
	fflush(stdout);
	pid_t p = fork();
	if (!p) {
		int uid = getuid(), gid = getgid();
		long r = unshare(flags);
		printf(" unshare %ld %s\n", r, r ? strerrorname_np(errno) : "");
		if (!r && !strcmp(what, "root of its own")) mapRoot(uid, gid);
		if (!r && *stage == '/') {
			fflush(stdout);
			execl(stage, stage, "-c", "(exec /bin/sh -c 'echo \" the host program'\\''s child: $$\"'); :", (char *)0);
		}
		if (!r) exec_(stage, 0, 0);
		fflush(stdout);
		_exit(1);
	}
	wait_(p);
}

int main(int argc, char **argv) {
	self = argv[0];
	if (argc > 1 && !strcmp(argv[1], "going on")) {
		wait_(fork_("next", -1));
		close(atoi(argv[2]));
		wait_(atoi(argv[3]));
		wait_(fork_("after the end", -1));
		fflush(stdout);
		_exit(3);
	}
	if (argc > 1) {
		asked(argv[1]);
		fflush(stdout);
		return 1;
	}
	with_("nobody", CLONE_NEWUSER | CLONE_NEWPID, "few");
	with_("root of its own", CLONE_NEWUSER | CLONE_NEWPID, "few");
	with_("privileged", CLONE_NEWPID, "many");
	with_("host", CLONE_NEWUSER | CLONE_NEWPID, "/bin/sh");
	pid_t p = fork();
	if (!p) {
		if (setuid(65534)) _exit(0);
		with_("unprivileged", CLONE_NEWPID, "few");
		fflush(stdout);
		_exit(0);
	}
	wait_(p);
	fflush(stdout);
}
