// execve in all its forms: arguments, environment, names, descriptors, signals, scripts, errors.
#include "../syscalls/check.h"
#include <sys/auxv.h>
#include <sys/prctl.h>

extern char **environ;

static void report(int argc, char **argv) {
	for (int i = 0; i < argc; i++) printf(" argv[%d] %s\n", i, argv[i]);
	for (char **e = environ; *e; e++) printf(" env %s\n", *e);
	char buf[300];
	prctl(PR_GET_NAME, buf);
	printf(" comm %s, execfn %s\n", buf, (char *)getauxval(AT_EXECFN));
	ssize_t n = readlink("/proc/self/exe", buf, sizeof buf - 1);
	buf[n < 0 ? 0 : n] = 0;
	printf(" exe %s\n", strrchr(buf, '/'));
	for (int fd = 3; fd < 40; fd++) if (fcntl(fd, F_GETFD) >= 0) printf(" fd %d\n", fd);
	sigset_t set;
	sigprocmask(SIG_BLOCK, NULL, &set);
	for (int s = 1; s < 65; s++) {
		struct sigaction sa;
		int ignored = !sigaction(s, NULL, &sa) && sa.sa_handler == SIG_IGN;
		int caught = sa.sa_handler != SIG_IGN && sa.sa_handler != SIG_DFL;
		if (s == 32 || s == 33) continue;
		if (sigismember(&set, s) || ignored || caught) printf(" signal %d%s%s%s\n", s, sigismember(&set, s) ? " blocked" : "", ignored ? " ignored" : "", caught ? " caught" : "");
	}
	sigpending(&set);
	printf(" pending %d, umask %o\n", sigismember(&set, SIGUSR1), umask(0));
}

static char *env[] = {"A=1", "A=2", "NAME", "", "GODEBUG=gctrace=1", "EMU_STRACE=1", "LAST=x y", 0};

// try executes in a child and reports how that ended.
static void try_(const char *what, const char *path, char **argv) {
	fflush(stdout);
	printf("%s:\n", what);
	fflush(stdout);
	pid_t p = fork();
	if (!p) {
		execve(path, argv, env);
		printf(" %s\n", strerrorname_np(errno));
		fflush(stdout);
		_exit(0);
	}
	int st;
	waitpid(p, &st, 0);
	if (st) printf(" status %x\n", st);
}

static void file(const char *name, const char *text, int mode) {
	int fd = open(name, O_CREAT | O_TRUNC | O_WRONLY, mode);
	write(fd, text, strlen(text));
	fchmod(fd, mode);
	close(fd);
}

static void *sleeper(void *a) { pause(); return a; }
static void *execer(void *a) { char *argv[] = {"threaded", "report", 0}; execve("./prog", argv, env); return a; }

int main(int argc, char **argv) {
	setvbuf(stdout, NULL, _IOFBF, 1 << 16);
	if (argc > 1 || !argv[0][0]) { report(argc, argv); return 0; }
	char dir[] = "/tmp/execXXXXXX", self[300], cmd[400];
	mkdtemp(dir);
	self[readlink("/proc/self/exe", self, sizeof self - 1)] = 0;
	snprintf(cmd, sizeof cmd, "cp %s %s/prog", self, dir);
	system(cmd);
	chdir(dir);
	char *args[] = {"zero", "report", "", "last arg", 0}, *none[] = {0};
	try_("program", "./prog", args);
	symlink("prog", "link");
	try_("link", "./link", args);
	try_("absent", "./absent", args);
	try_("directory", ".", args);
	try_("through a file", "./prog/x", args);
	try_("empty name", "", args);
	try_("bad pointer", (char *)8, args);
	try_("bad arguments", "./prog", (char **)8);
	file("plain", "hello\n", 0644);
	try_("not executable", "./plain", args);
	chmod("plain", 0755);
	try_("no format", "./plain", args);
	file("empty", "", 0755);
	try_("empty file", "./empty", args);
	char half[64] = {0x7f, 'E', 'L', 'F', 2, 1, 1};
	file("half", half, 0755);
	try_("part of a header", "./half", args);
	mkfifo("fifo", 0755);
	try_("fifo", "./fifo", args);
	int fd = open("./prog", O_RDWR);
	try_("busy", "./prog", args);
	close(fd);
	char *huge = malloc(200000);
	memset(huge, 'x', 199999);
	huge[199999] = 0;
	char *big[] = {"zero", huge, 0};
	try_("argument too long", "./prog", big);
	char **many = malloc(300001 * sizeof *many);
	for (int i = 0; i < 300000; i++) many[i] = "0123456789012345678901234567890";
	many[300000] = 0;
	try_("too many arguments", "./prog", many);

	file("script", "#!./prog\n", 0755);
	try_("script", "./script", args);
	file("script", "#! \t./prog  one argument \t \n", 0755);
	try_("script with argument", "./script", args);
	file("script", "#!./prog report", 0755);
	try_("no newline", "./script", args);
	file("script", "#!\n", 0755);
	try_("no interpreter", "./script", args);
	file("script", "#!./absent\n", 0755);
	try_("interpreter absent", "./script", args);
	file("script", "#!./plain\n", 0755);
	try_("interpreter in no format", "./script", args);
	chmod("plain", 0644);
	try_("interpreter not executable", "./script", args);
	file("script", "#!/bin/echo from\n", 0755);
	try_("host's interpreter", "./script", args);
	char name[300], text[300];
	file("s0", "#!./prog report\n", 0755);
	for (int i = 1; i < 7; i++) {
		snprintf(name, sizeof name, "s%d", i);
		snprintf(text, sizeof text, "#!./s%d\n", i - 1);
		file(name, text, 0755);
		if (i >= 3) try_(name, strcat(strcpy(text, "./"), name), args);
	}
	memset(text, 'a', sizeof text);
	memcpy(text, "#!./", 4);
	strcpy(text + 280, "\n");
	file("script", text, 0755);
	try_("long interpreter", "./script", args);
	memset(text, ' ', 280);
	memcpy(text, "#!./prog x", 10);
	file("script", text, 0755);
	try_("long first line", "./script", args);
	try_("of the host", "/bin/true", args);

	// what survives
	int keep = open("/dev/null", O_RDONLY), lose = open("/dev/null", O_RDONLY | O_CLOEXEC);
	dup2(keep, 30);
	dup3(keep, 31, O_CLOEXEC);
	signal(SIGHUP, SIG_IGN);
	signal(SIGSEGV, SIG_IGN);
	signal(SIGURG, SIG_IGN);
	signal(SIGTERM, (void (*)(int))exit);
	sigset_t set;
	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	sigaddset(&set, SIGBUS);
	sigaddset(&set, 64);
	sigprocmask(SIG_BLOCK, &set, NULL);
	umask(027);
	fflush(stdout);
	pid_t p = fork();
	int st;
	if (!p) { raise(SIGUSR1); execve("./prog", args, env); _exit(99); }
	waitpid(p, &st, 0);
	printf("survivors: %x\n", st);

	// descriptors
	fflush(stdout);
	fd = open("./prog", O_RDONLY | O_CLOEXEC);
	if (!(p = fork())) { fexecve(fd, args, env); _exit(99); }
	waitpid(p, &st, 0);
	printf("fexecve: %x\n", st);
	file("script", "#!./prog report\n", 0755);
	int s = open("./script", O_RDONLY | O_CLOEXEC);
	if (!(p = fork())) { syscall(SYS_execveat, s, "", args, env, AT_EMPTY_PATH); printf(" %s\n", strerrorname_np(errno)); fflush(stdout); _exit(0); }
	waitpid(p, &st, 0);
	int d = open(".", O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (!(p = fork())) { chdir("/"); syscall(SYS_execveat, d, "prog", args, env, 0); _exit(99); }
	waitpid(p, &st, 0);
	printf("execveat: %x\n", st);
	fflush(stdout);
	if (!(p = fork())) { syscall(SYS_execveat, d, "link", args, env, AT_SYMLINK_NOFOLLOW); printf(" %s\n", strerrorname_np(errno)); fflush(stdout); _exit(0); }
	waitpid(p, &st, 0);
	if (!(p = fork())) { syscall(SYS_execveat, d, "", args, env, 0); printf(" %s\n", strerrorname_np(errno)); fflush(stdout); _exit(0); }
	waitpid(p, &st, 0);
	// a program without a name
	int mem = memfd_create("anonymous", MFD_CLOEXEC);
	char buf[65536];
	for (ssize_t n; (n = read(fd, buf, sizeof buf)) > 0;) write(mem, buf, n);
	fcntl(mem, F_GETFD);
	if (!(p = fork())) { syscall(SYS_execveat, mem, "", none, none, AT_EMPTY_PATH); _exit(99); }
	waitpid(p, &st, 0);
	printf("no arguments: %x\n", WIFEXITED(st));

	// execve ends the other threads, whichever calls it
	fflush(stdout);
	if (!(p = fork())) {
		pthread_t t;
		for (int i = 0; i < 4; i++) pthread_create(&t, 0, sleeper, 0);
		pthread_create(&t, 0, execer, 0);
		pthread_join(t, 0);
		_exit(99);
	}
	ok(waitpid(p, &st, 0) == p);
	printf("threaded: %x\n", st);
	fflush(stdout);
	snprintf(cmd, sizeof cmd, "rm -rf %s", dir);
	close(lose);
	system(cmd);
}
