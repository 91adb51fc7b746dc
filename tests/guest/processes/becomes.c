// What a forked child that executes a program keeps and what it loses: the state is set in the child, or before it is
// forked, and shown by the program.
#include "../syscalls/check.h"
#include <pthread.h>
#include <sched.h>
#include <spawn.h>
#include <linux/capability.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/shm.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <time.h>

extern char **environ;

static char self[300];
static void on(int s) { (void)s; }

// mapped reports whether there is a mapping of the file or address that a line of maps has in it.
static int mapped(const char *what) {
	char line[600];
	int n = 0;
	FILE *f = fopen("/proc/self/maps", "r");
	while (fgets(line, sizeof line, f)) n += strstr(line, what) != NULL;
	fclose(f);
	return n;
}

// roundUp changes the rounding of the calling thread's floating point operations.
static void roundUp(void) {
#ifdef __aarch64__
	__asm__ volatile("msr fpcr, %0" : : "r"(1L << 22));
#else
	unsigned mxcsr = 0x5f80;
	__asm__ volatile("ldmxcsr %0" : : "m"(mxcsr));
#endif
}

static int roundsUp(void) {
	volatile double one = 1, tiny = 1e-30;
	return one + tiny != 1;
}

static void *thread(void *a) { return (char *)a + 1; }

static int state(int argc, char **argv) {
	char text[400] = "";
	int n = open("/proc/self/cmdline", O_RDONLY);
	ssize_t len = read(n, text, sizeof text - 1);
	for (ssize_t i = 0; i < len; i++) if (!text[i]) text[i] = ' ';
	close(n);
	printf(" cmdline %s, last %s, environ %s\n", text, argv[argc - 1], environ[0] ? environ[0] : "-");
	prctl(PR_GET_NAME, text);
	printf(" comm %.7s, round %d, brk grows %d\n", text, roundsUp(), sbrk(4096) != (void *)-1);
	for (int fd = 3; fd < 30; fd++) if (fcntl(fd, F_GETFD) >= 0) printf(" fd %d at %ld\n", fd, (long)lseek(fd, 0, SEEK_CUR));
	for (int s = 1; s < 65; s++) {
		struct { void *handler; unsigned long flags; void *restorer; unsigned long mask; } a = {0};
		syscall(SYS_rt_sigaction, s, NULL, &a, 8);
		if (s != 32 && s != 33 && (a.handler || a.mask)) printf(" action %d %lx %lx\n", s, (long)a.handler, a.mask);
	}
	sigset_t m, p;
	sigprocmask(SIG_BLOCK, NULL, &m);
	sigpending(&p);
	stack_t alt;
	sigaltstack(NULL, &alt);
	printf(" blocked %d %d, pending %d %d, alternate stack %x\n", sigismember(&m, SIGUSR1), sigismember(&m, SIGTERM), sigismember(&p, SIGUSR1), sigismember(&p, SIGTERM), alt.ss_flags);
	struct itimerval it;
	getitimer(ITIMER_REAL, &it);
	struct rlimit l, d;
	getrlimit(RLIMIT_NOFILE, &l);
	getrlimit(RLIMIT_STACK, &d);
	printf(" alarm %d, limits %ld %ld, nice %d, umask %o\n", it.it_value.tv_sec > 10, (long)l.rlim_cur, (long)d.rlim_cur, getpriority(PRIO_PROCESS, 0), umask(0));
	int sig = 0;
	prctl(PR_GET_PDEATHSIG, &sig);
	printf(" pdeathsig %d, no new privileges %d, dumpable %d, keepcaps %d, slack %d\n", sig, prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0), prctl(PR_GET_DUMPABLE), prctl(PR_GET_KEEPCAPS), prctl(PR_GET_TIMERSLACK));
	uid_t r, e, v;
	getresuid(&r, &e, &v);
	struct __user_cap_header_struct h = {_LINUX_CAPABILITY_VERSION_3, 0};
	struct __user_cap_data_struct c[2] = {0};
	syscall(SYS_capget, &h, c);
	printf(" users %d %d %d, capable %d %d\n", r, e, v, c[0].effective != 0, c[0].permitted != 0);
	printf(" leader %d, group %d, session %d\n", getpid() == (int)syscall(SYS_gettid), getpgid(0) == getpid(), getsid(0) == getpid());
	printf(" locked %d, zero mapped %d, of the parent %d, heaps %d\n", mapped("lo lo"), mapped("10000000-"), mapped("becomes.shared"), mapped("[heap]"));
	unsigned long robust = 0, size = 0;
	syscall(SYS_get_robust_list, 0, &robust, &size);
	errno = 0;
	printf(" robust list %d, file size %d\n", robust != 0, (int)size);
	if (!strcmp(argv[argc - 1], "a timer")) usleep(300000); // until it would end the process
	pthread_t t;
	void *got = NULL;
	pthread_create(&t, NULL, thread, (void *)41);
	pthread_join(t, &got);
	fflush(stdout);
	pid_t child = fork();
	if (!child) _exit(7);
	int st = 0;
	waitpid(child, &st, 0);
	printf(" thread %ld, child %d\n", (long)got, WEXITSTATUS(st));
	if (argc > 3 && atoi(argv[2]) > 0) { // once more, and deeper
		char depth[20];
		snprintf(depth, sizeof depth, "%d", atoi(argv[2]) - 1);
		fflush(stdout);
		if (!(child = fork())) execl(self, "deeper", "show", depth, argv[3], (char *)NULL);
		waitpid(child, &st, 0);
		printf(" deeper %x\n", st);
	}
	return 0;
}

typedef void (*setter)(void);

// child forks one that does as set says and executes the program.
static void child(const char *what, setter set, const char *depth) {
	printf("%s:\n", what);
	fflush(stdout);
	pid_t p = fork();
	if (!p) {
		if (set) set();
		execl(self, "becomes", "show", depth, what, (char *)NULL);
		printf("%s\n", strerrorname_np(errno));
		fflush(stdout);
		_exit(1);
	}
	int st;
	waitpid(p, &st, 0);
	printf(" status %x\n", st);
}

static void signals(void) {
	struct sigaction a = {.sa_handler = on, .sa_flags = SA_RESTART | SA_NODEFER};
	sigaddset(&a.sa_mask, SIGHUP);
	sigaction(SIGUSR2, &a, NULL);
	sigaction(SIGSEGV, &a, NULL);
	a.sa_handler = SIG_IGN;
	a.sa_flags = SA_NOCLDWAIT;
	sigaction(SIGQUIT, &a, NULL);
	sigset_t m;
	sigemptyset(&m);
	sigaddset(&m, SIGUSR1);
	sigaddset(&m, SIGTERM);
	sigprocmask(SIG_BLOCK, &m, NULL);
	raise(SIGUSR1);
	kill(getpid(), SIGTERM);
	static char room[65536];
	stack_t alt = {.ss_sp = room, .ss_size = sizeof room};
	sigaltstack(&alt, NULL);
}

static void descriptors(void) {
	int a = open(self, O_RDONLY | O_CLOEXEC), b = open(self, O_RDONLY), d = open("/", O_RDONLY | O_DIRECTORY);
	lseek(b, 5, SEEK_SET);
	fcntl(d, F_SETFD, FD_CLOEXEC);
	int p[2];
	pipe2(p, O_CLOEXEC);
	dup2(p[0], 20);
	dup3(p[1], 21, O_CLOEXEC);
	fcntl(a, F_DUPFD, 25);
}

static void kept(void) {
	setpgid(0, 0);
	umask(027);
	alarm(100);
	struct rlimit l = {200, 300}, s = {16 << 20, RLIM_INFINITY};
	setrlimit(RLIMIT_NOFILE, &l);
	setrlimit(RLIMIT_STACK, &s);
	prctl(PR_SET_PDEATHSIG, SIGHUP);
	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	prctl(PR_SET_NAME, "renamed");
	prctl(PR_SET_TIMERSLACK, 70000);
	nice(3);
	roundUp();
}

static void dumpable(void) { prctl(PR_SET_DUMPABLE, 0); prctl(PR_SET_KEEPCAPS, 1); }
static void user(void) { setresuid(65534, 65534, 65534); }
static void userKeepingSaved(void) { setresuid(-1, 65534, -1); }
static void locked(void) { mlockall(MCL_CURRENT | MCL_FUTURE); }
static void timer(void) {
	timer_t t;
	struct itimerspec ts = {{0, 0}, {0, 200000000}};
	struct sigevent e = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGKILL};
	timer_create(CLOCK_MONOTONIC, &e, &t);
	timer_settime(t, 0, &ts, NULL);
}
static void memory(void) {
	mmap((void *)0x10000000, 1 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
	sbrk(1 << 20);
	memset(malloc(3 << 20), 1, 3 << 20);
}

// released is whether a robust mutex is that the child held, and what it had attached.
static void released(void) {
	int id = shmget(IPC_PRIVATE, 4096, 0600);
	char *at = shmat(id, NULL, 0);
	pthread_mutex_t *m = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	pthread_mutexattr_t attr;
	pthread_mutexattr_init(&attr);
	pthread_mutexattr_setpshared(&attr, PTHREAD_PROCESS_SHARED);
	pthread_mutexattr_setrobust(&attr, PTHREAD_MUTEX_ROBUST);
	pthread_mutex_init(m, &attr);
	int out[2], lock = open(self, O_RDONLY);
	pipe(out);
	fflush(stdout);
	pid_t p = fork();
	if (!p) {
		close(out[0]);
		fcntl(out[1], F_SETFD, FD_CLOEXEC);
		pthread_mutex_lock(m);
		execl(self, "becomes", "sleep", (char *)NULL);
		_exit(1);
	}
	close(out[1]);
	char c;
	printf("a pipe ends with execve %d\n", (int)read(out[0], &c, 1));
	struct shmid_ds ds;
	shmctl(id, IPC_STAT, &ds);
	int e = pthread_mutex_lock(m);
	printf("attached %d, mutex %s\n", (int)ds.shm_nattch, e ? strerrorname_np(e) : "0");
	kill(p, SIGKILL);
	waitpid(p, NULL, 0);
	shmdt(at);
	shmctl(id, IPC_RMID, NULL);
	close(lock);
}

// childEnds has a child end, as the program that was executed sees it.
static void childEnds(void) {
	sigset_t m;
	sigemptyset(&m);
	sigaddset(&m, SIGCHLD);
	sigprocmask(SIG_BLOCK, &m, NULL);
	pid_t p = fork();
	if (!p) {
		raise(SIGSTOP);
		_exit(5);
	}
	int st = 0, stopped = sigtimedwait(&m, NULL, &(struct timespec){0, 300000000}) == SIGCHLD;
	kill(p, SIGCONT);
	p = waitpid(p, &st, 0);
	printf("stops are told %d, a child is left %d %x\n", stopped, p > 0, st);
}

static void flagged(int flag, int ignored) {
	struct sigaction a = {.sa_handler = ignored ? SIG_IGN : SIG_DFL, .sa_flags = flag};
	sigaction(SIGCHLD, &a, NULL);
	execl(self, "becomes", "child", (char *)NULL);
}
static void noStops(void) { flagged(SA_NOCLDSTOP, 0); }
static void noZombies(void) { flagged(SA_NOCLDWAIT, 0); }
static void noStopsIgnored(void) { flagged(SA_NOCLDSTOP, 1); }

// earlierChild executes a program where a child is left that sends another signal at its end.
static void earlierChild(void) {
	int go[2];
	pipe(go);
	if (!syscall(SYS_clone, SIGUSR2, 0, 0, 0, 0)) {
		char c;
		close(go[1]);
		read(go[0], &c, 1);
		_exit(3);
	}
	close(go[0]);
	fcntl(go[1], F_SETFD, FD_CLOEXEC); // execve has it end
	execl(self, "becomes", "earlier", (char *)NULL);
}

// exitSignal is which signal the end of a child sends that was to send another one, and has executed a program.
static void exitSignal(void) {
	sigset_t m;
	sigemptyset(&m);
	sigaddset(&m, SIGCHLD);
	sigaddset(&m, SIGUSR2);
	sigprocmask(SIG_BLOCK, &m, NULL);
	fflush(stdout);
	pid_t p = syscall(SYS_clone, SIGUSR2, 0, 0, 0, 0);
	if (!p) {
		execl(self, "becomes", "nothing", (char *)NULL);
		_exit(1);
	}
	int s = sigtimedwait(&m, NULL, &(struct timespec){5, 0});
	printf("the end sends SIGCHLD %d, wait %d\n", s == SIGCHLD, waitpid(p, NULL, 0) == p);
	sigprocmask(SIG_UNBLOCK, &m, NULL);
}

// groups is whose process group a parent may set.
static void groups(void) {
	for (int executes = 0; executes < 2; executes++) {
		int at[2], st;
		pipe(at);
		fflush(stdout);
		pid_t p = fork();
		if (!p) {
			close(at[0]);
			fcntl(at[1], F_SETFD, FD_CLOEXEC);
			if (executes) execl(self, "becomes", "sleep", (char *)NULL);
			close(at[1]);
			sleep(20);
			_exit(1);
		}
		close(at[1]);
		char c;
		read(at[0], &c, 1);
		close(at[0]);
		int r = setpgid(p, p);
		printf("group of a child that executes %d: %s\n", executes, r ? strerrorname_np(errno) : "0");
		kill(p, SIGKILL);
		waitpid(p, &st, 0);
	}
}

static void spawned(void) {
	char *args[] = {"spawned", "show", "0", "of posix_spawn", NULL}, *none[] = {"absent", NULL}, *env[] = {"ONLY=this", NULL};
	pid_t p;
	int st = -1;
	fflush(stdout);
	printf("spawned:\n");
	fflush(stdout);
	printf(" %d\n", posix_spawn(&p, self, NULL, NULL, args, env));
	waitpid(p, &st, 0);
	printf(" status %x, absent %d\n", st, posix_spawn(&p, "/absent", NULL, NULL, none, env));
	volatile int seen = 0;
	if (!(p = vfork())) {
		seen = 1;
		execl(self, "becomes", "nothing", (char *)NULL);
		_exit(1);
	}
	waitpid(p, &st, 0);
	printf(" of vfork %d, %x\n", seen, st);
}

static void large(void) {
	static char big[100000];
	memset(big, 'x', sizeof big - 1);
	fflush(stdout);
	pid_t p = fork();
	if (!p) {
		execl(self, "becomes", "length", big, (char *)NULL);
		_exit(1);
	}
	int st;
	waitpid(p, &st, 0);
	printf("long argument %x\n", st);
}

int main(int argc, char **argv) {
	setvbuf(stdout, NULL, _IOFBF, 1 << 16);
	self[readlink("/proc/self/exe", self, sizeof self - 1)] = 0;
	if (argc > 1) {
		if (!strcmp(argv[1], "show")) return state(argc, argv);
		if (!strcmp(argv[1], "length")) return strlen(argv[2]) == 99999 ? 3 : 4;
		if (!strcmp(argv[1], "sleep")) sleep(20);
		if (!strcmp(argv[1], "child")) childEnds();
		if (!strcmp(argv[1], "earlier")) {
			int st = -1, found = waitpid(-1, &st, __WALL) > 0;
			printf("earlier child %d %x\n", found, st);
		}
		return 0;
	}
	int fd = open("/tmp/becomes.shared", O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	ftruncate(fd, 4096);
	char *shared = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	child("as it is", NULL, "3");
	child("signals", signals, "1");
	child("descriptors", descriptors, "1");
	child("what is kept", kept, "0");
	child("memory", memory, "0");
	child("a timer", timer, "0");
	child("stops of children were not to be told", noStops, "0");
	child("children were to leave no zombies", noZombies, "0");
	child("stops were not to be told, and ends ignored", noStopsIgnored, "0");
	child("a child from before", earlierChild, "0");
	if (getuid() == 0) {
		child("undumpable", dumpable, "0");
		child("another user", user, "0");
		child("another user for now", userKeepingSaved, "0");
		child("locked memory", locked, "0");
	} else printf("SKIP other users: only root can become them\n");
	released();
	exitSignal();
	groups();
	spawned();
	large();
	shared[0] = 1;
	unlink("/tmp/becomes.shared");
	return 0;
}
