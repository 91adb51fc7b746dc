// seccomp(2): filters, their actions and precedence, inheritance, TSYNC, supervisors.
#include "../syscalls/check.h"
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#ifdef __aarch64__
#define ARCH AUDIT_ARCH_AARCH64
#else
#define ARCH AUDIT_ARCH_X86_64
#endif
#define LOAD(f) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, f))
#define RET(x) BPF_STMT(BPF_RET | BPF_K, x)
#define EQ(k, t, f) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, k, t, f)
#define COUNT(a) (sizeof(a) / sizeof *(a))

static long install(struct sock_filter *f, size_t n, unsigned flags) {
	struct sock_fprog p = { n, f };
	return syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, flags, &p);
}
#define FILTER(...) ({ struct sock_filter f_[] = { __VA_ARGS__ }; install(f_, COUNT(f_), 0); })
// on returns action for one call, and allows all others.
static long on(int nr, unsigned action, unsigned flags) {
	struct sock_filter f[] = { LOAD(arch), EQ(ARCH, 1, 0), RET(SECCOMP_RET_KILL_PROCESS), LOAD(nr), EQ(nr, 0, 1), RET(action), RET(SECCOMP_RET_ALLOW) };
	return install(f, COUNT(f), flags);
}
static void tsyncprivs(void);
static void child(const char *what, void (*f)(void)) {
	printf("- %s\n", what);
	pid_t p = fork();
	if (!p) {
		if (f != tsyncprivs) prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
		f();
		_exit(0);
	}
	int st;
	waitpid(p, &st, 0);
	if (WIFEXITED(st)) printf("exited %d\n", WEXITSTATUS(st));
	else printf("killed %s\n", sigabbrev_np(WTERMSIG(st)));
}

static void bad(void) {
	show(syscall(SYS_seccomp, 99, 0, 0));
	show(syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, 0));
	show(syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 1 << 20, 0));
	show(syscall(SYS_seccomp, SECCOMP_SET_MODE_STRICT, 1, 0));
	show(install(0, 0, 0));
	show(install((void *)8, 3, 0));
	show(FILTER(LOAD(nr)));                                                      // no end
	show(FILTER(BPF_STMT(BPF_LD | BPF_W | BPF_ABS, 2), RET(0)));                 // not aligned
	show(FILTER(BPF_STMT(BPF_LD | BPF_W | BPF_ABS, 64), RET(0)));                // behind the data
	show(FILTER(BPF_STMT(BPF_LD | BPF_B | BPF_ABS, 0), RET(0)));                 // a byte
	show(FILTER(BPF_STMT(BPF_ALU | BPF_DIV | BPF_K, 0), RET(0)));
	show(FILTER(BPF_STMT(BPF_ALU | BPF_LSH | BPF_K, 32), RET(0)));
	show(FILTER(BPF_STMT(BPF_ALU | BPF_MOD | BPF_K, 2), RET(SECCOMP_RET_ALLOW)));
	show(FILTER(BPF_STMT(BPF_LD | BPF_MEM, 3), RET(0)));                         // never stored
	show(FILTER(BPF_STMT(BPF_LD | BPF_MEM, 16), RET(0)));
	show(FILTER(EQ(1, 5, 0), RET(0)));                                           // jumps out
	show(FILTER(BPF_JUMP(BPF_JMP | BPF_JA, -1u, 0, 0), RET(0)));                 // backwards
	unsigned a[] = { SECCOMP_RET_KILL_PROCESS, SECCOMP_RET_KILL_THREAD, SECCOMP_RET_TRAP, SECCOMP_RET_ERRNO, SECCOMP_RET_USER_NOTIF, SECCOMP_RET_TRACE, SECCOMP_RET_LOG, SECCOMP_RET_ALLOW, 0x12340000 };
	for (int i = 0; i < COUNT(a); i++) show(syscall(SYS_seccomp, SECCOMP_GET_ACTION_AVAIL, 0, &a[i]));
	struct seccomp_notif_sizes z;
	show(syscall(SYS_seccomp, SECCOMP_GET_NOTIF_SIZES, 0, &z));
	printf("%d %d %d\n", z.seccomp_notif, z.seccomp_notif_resp, z.seccomp_data);
	show(prctl(PR_GET_SECCOMP, 0, 0, 0, 0));
}
// status prints what /proc says about the filters.
static void status(void) {
	char line[200];
	FILE *f = fopen("/proc/self/status", "r");
	while (fgets(line, sizeof line, f))
		if (!strncmp(line, "Seccomp", 7) || !strncmp(line, "NoNewPrivs", 10)) fputs(line, stdout);
	fclose(f);
}
static void errnos(void) {
	status();
	show(on(SYS_getppid, SECCOMP_RET_ERRNO | 5, 0));
	show(syscall(SYS_getppid));
	show(on(SYS_getppid, SECCOMP_RET_ERRNO | 7, 0)); // the newest of equals wins
	show(syscall(SYS_getppid));
	show(on(SYS_getppid, SECCOMP_RET_LOG, 0));       // weaker than an errno
	show(syscall(SYS_getppid));
	show(on(SYS_getpgid, SECCOMP_RET_ERRNO | 0xffff, 0));
	printf("%ld\n", (long)syscall(SYS_getpgid, 0)); printf("%d\n", errno);
	show(on(SYS_getsid, SECCOMP_RET_ERRNO, 0));
	show(syscall(SYS_getsid, 0));
	status();
	show(prctl(PR_GET_SECCOMP, 0, 0, 0, 0));
	show(syscall(SYS_seccomp, SECCOMP_SET_MODE_STRICT, 0, 0));
	pid_t p = fork();
	if (!p) { show(syscall(SYS_getppid)); _exit(0); }
	wait(0);
}
// arguments: close(77) fails with the sum of what a program computes
static void arithmetic(void) {
	show(FILTER(LOAD(nr), EQ(SYS_close, 1, 0), RET(SECCOMP_RET_ALLOW), LOAD(args[0]), EQ(77, 1, 0), RET(SECCOMP_RET_ALLOW),
		BPF_STMT(BPF_MISC | BPF_TAX, 0), BPF_STMT(BPF_STX, 2), BPF_STMT(BPF_LD | BPF_IMM, 100), BPF_STMT(BPF_ALU | BPF_SUB | BPF_X, 0),
		BPF_STMT(BPF_ALU | BPF_MUL | BPF_K, 3), BPF_STMT(BPF_ST, 1), BPF_STMT(BPF_LDX | BPF_MEM, 2), BPF_STMT(BPF_LD | BPF_MEM, 1),
		BPF_STMT(BPF_ALU | BPF_AND | BPF_K, 0x3f), BPF_STMT(BPF_ALU | BPF_RSH | BPF_K, 1), BPF_STMT(BPF_ALU | BPF_OR | BPF_K, 0x40), BPF_STMT(BPF_ALU | BPF_XOR | BPF_K, 1),
		BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, 0x40, 0, 1), BPF_JUMP(BPF_JMP | BPF_JGT | BPF_X, 0, 0, 1), BPF_STMT(BPF_ALU | BPF_ADD | BPF_K, 1),
		BPF_STMT(BPF_ALU | BPF_OR | BPF_K, SECCOMP_RET_ERRNO), BPF_STMT(BPF_RET | BPF_A, 0)));
	close(77);
	printf("%d\n", errno);
	show(close(78));
}
static void onsys(int s, siginfo_t *i, void *u) {
	printf("SIGSYS code %d errno %d call %s arch %s\n", i->si_code, i->si_errno, i->si_syscall == SYS_getppid ? "getppid" : "?", i->si_arch == ARCH ? "ours" : "?");
}
static void trap(void) {
	struct sigaction sa = { .sa_sigaction = onsys, .sa_flags = SA_SIGINFO };
	sigaction(SIGSYS, &sa, 0);
	show(on(SYS_getppid, SECCOMP_RET_TRAP | 9, 0));
	syscall(SYS_getppid);
	puts("after");
	signal(SIGSYS, SIG_IGN);
	syscall(SYS_getppid);
}
static void killprocess(void) { on(SYS_getppid, SECCOMP_RET_KILL_PROCESS, 0); syscall(SYS_getppid); }
static void killalone(void) { on(SYS_getppid, SECCOMP_RET_KILL_THREAD, 0); syscall(SYS_getppid); }
static void *caller(void *a) { syscall(SYS_getppid); puts("not killed"); return 0; }
static void killthread(void) {
	pthread_t t;
	on(SYS_getppid, SECCOMP_RET_KILL_THREAD, 0);
	pthread_create(&t, 0, caller, 0);
	pthread_join(t, 0);
	puts("joined");
}
static void strict(void) {
	show(prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT, 0, 0, 0));
	write(1, "written\n", 8);
	syscall(SYS_getppid);
}
static void strictexit(void) { prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT, 0, 0, 0); syscall(SYS_exit, 4); }
static void untraced(void) { on(SYS_getppid, SECCOMP_RET_TRACE | 3, 0); show(syscall(SYS_getppid)); }
static void orphan(void) { on(SYS_getppid, SECCOMP_RET_USER_NOTIF, 0); show(syscall(SYS_getppid)); }
static volatile int go;
static void *waiter(void *a) { while (!go) usleep(1000); show(syscall(SYS_getppid)); return 0; }
static void tsync(void) {
	pthread_t t;
	pthread_create(&t, 0, waiter, 0);
	usleep(20000);
	show(on(SYS_getppid, SECCOMP_RET_ERRNO | 11, SECCOMP_FILTER_FLAG_TSYNC));
	go = 1;
	pthread_join(t, 0);
}
static void *privs(void *a) {
	while (!go) usleep(1000);
	show(prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0));
	show(syscall(SYS_getppid));
	return 0;
}
static void tsyncprivs(void) { // the caller's no_new_privs goes to the threads that get its filter
	pthread_t th;
	pthread_create(&th, 0, privs, 0);
	show(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0));
	show(on(SYS_getppid, SECCOMP_RET_ERRNO | 7, SECCOMP_FILTER_FLAG_TSYNC));
	go = 1;
	pthread_join(th, 0);
}
static void *diverge(void *a) { on(SYS_getsid, SECCOMP_RET_ERRNO | 1, 0); while (!go) usleep(1000); return 0; }
static void tsyncfails(void) {
	pthread_t t;
	pthread_create(&t, 0, diverge, 0);
	usleep(50000);
	ok(on(SYS_getppid, SECCOMP_RET_ERRNO | 11, SECCOMP_FILTER_FLAG_TSYNC) > 0);
	show(on(SYS_getppid, SECCOMP_RET_ERRNO | 11, SECCOMP_FILTER_FLAG_TSYNC | SECCOMP_FILTER_FLAG_TSYNC_ESRCH));
	go = 1;
	pthread_join(t, 0);
}
// Threads that are being made meanwhile get the filters too.
static volatile int escaped;
static void *late(void *a) { while (!go) sched_yield(); if (syscall(SYS_getppid) != -1) escaped++; return 0; }
static void *makes(void *a) {
	pthread_t t[20];
	for (int i = 0; i < 20; i++) pthread_create(&t[i], 0, late, 0);
	for (int i = 0; i < 20; i++) pthread_join(t[i], 0);
	return 0;
}
static void tsyncrace(void) {
	pthread_t t;
	pthread_create(&t, 0, makes, 0);
	for (int i = 0; i < 3; i++) {
		usleep(300);
		ok(on(SYS_getppid, SECCOMP_RET_ERRNO | 11, SECCOMP_FILTER_FLAG_TSYNC) == 0);
	}
	go = 1;
	pthread_join(t, 0);
	show(escaped);
}
static void executes(void) {
	on(SYS_getppid, SECCOMP_RET_ERRNO | 13, 0);
	execl("/proc/self/exe", "x", "again", NULL);
}
static void vforks(void) {
	on(SYS_getppid, SECCOMP_RET_ERRNO | 13, 0);
	pid_t p = vfork();
	if (!p) { execl("/proc/self/exe", "x", "again", NULL); _exit(1); }
	wait(0);
}
static void supervised(void) {
	pid_t group = getpgrp();
	int fd = on(SYS_getpgid, SECCOMP_RET_USER_NOTIF, SECCOMP_FILTER_FLAG_NEW_LISTENER);
	ok(fd >= 0);
	show(on(SYS_getsid, SECCOMP_RET_USER_NOTIF, SECCOMP_FILTER_FLAG_NEW_LISTENER)); // one is enough
	pid_t p = fork();
	if (!p) {
		show(syscall(SYS_getpgid, 5, 6, 7));
		show(syscall(SYS_getpgid, 8));
		ok(syscall(SYS_getpgid, 0) == group);
		show(syscall(SYS_getpgid, 9));
		_exit(0);
	}
	for (int n = 0; n < 4; n++) {
		struct seccomp_notif r;
		memset(&r, 0, sizeof r);
		struct pollfd pf = { fd, POLLIN };
		poll(&pf, 1, -1);
		int e = ioctl(fd, SECCOMP_IOCTL_NOTIF_RECV, &r);
		printf("notified %d: call %s arch %s args %lld %s pid %s ip %s\n", e, r.data.nr == SYS_getpgid ? "getpgid" : "?", r.data.arch == ARCH ? "ours" : "?", (long long)r.data.args[0], n == 0 && r.data.args[1] == 6 && r.data.args[2] == 7 ? "6 7" : "", r.pid == p ? "ok" : "?", r.data.instruction_pointer ? "set" : "0");
		show(ioctl(fd, SECCOMP_IOCTL_NOTIF_ID_VALID, &r.id));
		struct seccomp_notif_resp a = { r.id };
		if (n == 0) a.val = 1234;
		if (n == 1) a.error = -ENOTTY;
		if (n == 2) { a.flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE; a.val = 1; show(ioctl(fd, SECCOMP_IOCTL_NOTIF_SEND, &a)); a.val = 0; }
		if (n == 3) a.error = -ENOSYS;
		ioctl(fd, SECCOMP_IOCTL_NOTIF_SEND, &a);
		while (n < 3) { pf.revents = 0; if (poll(&pf, 1, 1000) >= 0) break; }
	}
	int st;
	waitpid(p, &st, 0);
}

static void kernelerrors(void) { // the kernel's own errors for restarting reach the call, if no signal waits
	int fd = on(SYS_getpgid, SECCOMP_RET_USER_NOTIF, SECCOMP_FILTER_FLAG_NEW_LISTENER), st;
	pid_t p = fork();
	if (!p) {
		for (int e = 511; e < 518; e++) { errno = 0; printf("%ld", syscall(SYS_getpgid, e)); printf(" %d\n", errno); }
		_exit(0);
	}
	for (int e = 511; e < 518; e++) {
		struct seccomp_notif r = {};
		if (ioctl(fd, SECCOMP_IOCTL_NOTIF_RECV, &r)) break;
		struct seccomp_notif_resp a = { .id = r.id, .error = -(int)r.data.args[0] };
		if (ioctl(fd, SECCOMP_IOCTL_NOTIF_SEND, &a)) break;
	}
	waitpid(p, &st, 0);
	show(st);
}
static void restarts(void) { // a stop that is sent before a sleep begins: the filter sees restart_syscall
	struct sock_filter f[] = { LOAD(nr), EQ(SYS_nanosleep, 0, 1), RET(SECCOMP_RET_TRACE | 1), EQ(SYS_restart_syscall, 0, 1), RET(SECCOMP_RET_TRACE | 2), RET(SECCOMP_RET_ALLOW) };
	int st;
	pid_t p = fork();
	if (!p) {
		struct timespec t = {0, 300000000};
		ptrace(PTRACE_TRACEME, 0, 0, 0);
		raise(SIGSTOP);
		install(f, COUNT(f), 0);
		show(syscall(SYS_nanosleep, &t, NULL));
		_exit(0);
	}
	waitpid(p, &st, 0);
	ptrace(PTRACE_SETOPTIONS, p, 0, PTRACE_O_TRACESECCOMP | PTRACE_O_EXITKILL);
	for (int stops = 0;; stops++) {
		ptrace(PTRACE_CONT, p, 0, 0);
		if (waitpid(p, &st, 0) < 0 || !WIFSTOPPED(st) || stops > 9) break;
		unsigned long m = 0;
		if (st >> 16) ptrace(PTRACE_GETEVENTMSG, p, 0, &m);
		printf("stopped %s %d %lu\n", sigabbrev_np(WSTOPSIG(st)), st >> 16, m);
		if (stops < 2) kill(p, stops ? SIGCONT : SIGSTOP);
	}
	show(st);
}
int main(int argc, char **argv) {
	setvbuf(stdout, NULL, _IONBF, 0);
	if (argc > 1) { show(syscall(SYS_getppid)); show(prctl(PR_GET_SECCOMP, 0, 0, 0, 0)); return 0; }
	child("bad", bad);
	child("errno", errnos);
	child("arithmetic", arithmetic);
	child("trap", trap);
	child("kill process", killprocess);
	child("kill thread, alone", killalone);
	child("kill thread", killthread);
	child("strict", strict);
	child("strict, exit", strictexit);
	child("trace without tracer", untraced);
	child("notify without supervisor", orphan);
	child("tsync", tsync);
	child("tsync, privileges", tsyncprivs);
	child("tsync fails", tsyncfails);
	for (int i = 0; i < 10; i++) child("tsync while threads are made", tsyncrace);
	child("exec", executes);
	child("vfork and exec", vforks);
	child("supervisor", supervised);
	child("supervisor, errors of the kernel's own", kernelerrors);
	child("restarted under a tracer", restarts);
	return 0;
}
