// ptrace(2): stops, events, options, memory, what wait reports; the same on every
// architecture. Registers are in ../trace.
#include "../syscalls/check.h"
#include <linux/ptrace.h>
#include <sys/prctl.h>
#define pt(req, pid, addr, data) syscall(SYS_ptrace, (long)(req), (long)(pid), (long)(addr), (long)(data))

static int st;
static pid_t step_wait(pid_t p) {
	pid_t r = waitpid(p, &st, __WALL);
	if (r < 0) printf("wait: %s\n", strerrorname_np(errno));
	else if (WIFSTOPPED(st)) printf("stop %s event %d\n", WSTOPSIG(st) == (SIGTRAP | 0x80) ? "syscall" : sigabbrev_np(WSTOPSIG(st)), st >> 16);
	else if (WIFEXITED(st)) printf("exited %d\n", WEXITSTATUS(st));
	else printf("killed %s\n", sigabbrev_np(WTERMSIG(st)));
	return r;
}
static volatile long word = 1234;
static volatile int hits;
static void onsig(int s) { hits++; }

static pid_t traced(void (*f)(void)) {
	pid_t p = fork();
	if (!p) {
		pt(0, 0, 0, 0);
		raise(SIGSTOP);
		f();
		_exit(hits);
	}
	step_wait(p);
	return p;
}

static void signals(void) {
	signal(SIGUSR1, onsig);
	raise(SIGUSR1);
	raise(SIGUSR1);
	raise(SIGUSR2);
	raise(SIGCHLD);
}
static void nothing(void) {}
static void calls(void) {
	syscall(SYS_getppid);
	syscall(SYS_close, 99);
	syscall(SYS_getpid);
}
static void forks(void) {
	pid_t c = fork();
	if (!c) _exit(5);
	int s;
	waitpid(c, &s, 0);
	c = vfork();
	if (!c) _exit(6);
	waitpid(c, &s, 0);
}
static void *thread(void *a) { return 0; }
static void threads(void) {
	pthread_t t;
	pthread_create(&t, 0, thread, 0);
	pthread_join(t, 0);
}
static void spin(void) { for (;;) getppid(); }
static void sleeps(void) { for (;;) sleep(100); }
static void crash(void) { *(volatile int *)8 = 1; }
static void wordy(void) { _exit(word == 99 ? 42 : 1); }

static void info(pid_t p, const char *what) {
	siginfo_t i;
	memset(&i, 0, sizeof i);
	long r = pt(PTRACE_GETSIGINFO, p, 0, &i);
	if (r < 0) printf("%s: siginfo %s\n", what, strerrorname_np(errno));
	else printf("%s: signo %d code %x pid %s\n", what, i.si_signo, i.si_code, i.si_pid == p ? "its own" : i.si_pid == getpid() ? "ours" : "other");
}

static void callinfo(pid_t p) {
	struct ptrace_syscall_info s;
	memset(&s, 0, sizeof s);
	long r = pt(PTRACE_GET_SYSCALL_INFO, p, sizeof s, &s);
	if (s.op == PTRACE_SYSCALL_INFO_ENTRY)
		printf("info %ld entry %s arg0 %s\n", r, s.entry.nr == SYS_getppid ? "getppid" : s.entry.nr == SYS_close ? "close" : s.entry.nr == SYS_getpid ? "getpid" : s.entry.nr == SYS_exit_group ? "exit_group" : "?", s.entry.nr == SYS_close && s.entry.args[0] == 99 ? "99" : "-");
	else if (s.op == PTRACE_SYSCALL_INFO_EXIT)
		printf("info %ld exit error %d %s\n", r, s.exit.is_error, s.exit.rval == getpid() ? "our pid" : s.exit.rval == p ? "its pid" : s.exit.rval == -EBADF ? "EBADF" : "?");
	else printf("info %ld op %d\n", r, s.op);
}

int main(int argc, char **argv) {
	setvbuf(stdout, NULL, _IONBF, 0);
	if (argc > 1 && !strcmp(argv[1], "again")) { printf("executed\n"); return 9; }
	pid_t p;

	puts("- signals pass, vanish, change");
	p = traced(signals);
	show(pt(PTRACE_CONT, p, 0, 0)); step_wait(p); info(p, "usr1");
	show(pt(PTRACE_CONT, p, 0, SIGUSR1)); step_wait(p);
	show(pt(PTRACE_CONT, p, 0, 0)); step_wait(p);        // the second vanishes
	show(pt(PTRACE_CONT, p, 0, SIGUSR1)); step_wait(p);  // USR2 becomes USR1
	show(pt(PTRACE_CONT, p, 0, SIGCHLD)); step_wait(p);  // ignored signals are shown, too
	show(pt(PTRACE_CONT, p, 0, 0));

	puts("- bad requests");
	p = traced(nothing);
	show(pt(PTRACE_CONT, p, 0, 65));
	show(pt(PTRACE_LISTEN, p, 0, 0));
	show(pt(PTRACE_INTERRUPT, p, 0, 0));
	show(pt(PTRACE_SETOPTIONS, p, 0, 1 << 30));
	show(pt(PTRACE_PEEKDATA, p, 8, &hits));
	show(pt(PTRACE_POKEDATA, p, 8, 0));
	show(pt(PTRACE_GETREGSET, p, 0x7777, 0));
	show(pt(PTRACE_CONT, getppid(), 0, 0));
	show(pt(PTRACE_ATTACH, getpid(), 0, 0));
	show(pt(PTRACE_SEIZE, p, 0, 0));
	show(pt(PTRACE_ATTACH, p, 0, 0));
	show(pt(PTRACE_CONT, p, 0, 0)); step_wait(p);
	show(pt(PTRACE_CONT, p, 0, 0));

	puts("- system calls");
	p = traced(calls);
	show(pt(PTRACE_SETOPTIONS, p, 0, PTRACE_O_TRACESYSGOOD));
	for (int i = 0; i < 7; i++) { pt(PTRACE_SYSCALL, p, 0, 0); step_wait(p); callinfo(p); }
	info(p, "syscall");
	show(pt(PTRACE_CONT, p, 0, 0)); step_wait(p);

	puts("- fork, vfork, exit");
	p = traced(forks);
	unsigned long msg;
	show(pt(PTRACE_SETOPTIONS, p, 0, PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK | PTRACE_O_TRACEVFORKDONE | PTRACE_O_TRACEEXIT));
	for (int n = 0; n < 2; n++) {
		pt(PTRACE_CONT, p, 0, 0); step_wait(p); info(p, "event");
		show(pt(PTRACE_GETEVENTMSG, p, 0, &msg));
		pid_t c = msg;
		step_wait(c);
		ok(c != p);
		pt(PTRACE_CONT, p, 0, 0);
		pt(PTRACE_CONT, c, 0, 0); step_wait(c);
		show(pt(PTRACE_GETEVENTMSG, c, 0, &msg)); printf("exit %lx\n", msg);
		pt(PTRACE_CONT, c, 0, 0); step_wait(c);
		if (n == 1) {
			step_wait(p);
			show(pt(PTRACE_GETEVENTMSG, p, 0, &msg)); ok(msg == c);
			pt(PTRACE_CONT, p, 0, 0);
		}
		step_wait(p); info(p, "SIGCHLD is the kernel's");
	}
	pt(PTRACE_CONT, p, 0, 0); step_wait(p);
	pt(PTRACE_CONT, p, 0, 0); step_wait(p);

	puts("- threads");
	p = traced(threads);
	show(pt(PTRACE_SETOPTIONS, p, 0, PTRACE_O_TRACECLONE));
	pt(PTRACE_CONT, p, 0, 0); step_wait(p);
	show(pt(PTRACE_GETEVENTMSG, p, 0, &msg));
	pid_t t = msg;
	step_wait(t);
	info(t, "new thread");
	pt(PTRACE_CONT, t, 0, 0);
	pt(PTRACE_CONT, p, 0, 0);
	ok(step_wait(t) == t);
	step_wait(p);

	puts("- memory");
	p = traced(wordy);
	long w = 0;
	show(pt(PTRACE_PEEKDATA, p, &word, &w)); show(w);
	show(pt(PTRACE_POKEDATA, p, &word, 98));
	struct iovec l = { &w, 8 }, r = { (void *)&word, 8 };
	show(process_vm_readv(p, &l, 1, &r, 1, 0)); show(w);
	char mem[64];
	snprintf(mem, sizeof mem, "/proc/%d/mem", p);
	int fd = open(mem, O_RDWR);
	w = 99;
	show(pwrite(fd, &w, 8, (long)&word));
	close(fd);
	pt(PTRACE_CONT, p, 0, 0); step_wait(p);

	puts("- execve");
	p = fork();
	if (!p) { pt(0, 0, 0, 0); execl("/proc/self/exe", "x", "again", NULL); _exit(1); }
	step_wait(p); info(p, "exec");
	pt(PTRACE_CONT, p, 0, 0); step_wait(p);
	p = fork();
	if (!p) { pt(0, 0, 0, 0); raise(SIGSTOP); execl("/proc/self/exe", "x", "again", NULL); _exit(1); }
	step_wait(p);
	show(pt(PTRACE_SETOPTIONS, p, 0, PTRACE_O_TRACEEXEC | PTRACE_O_TRACESYSGOOD));
	pt(PTRACE_CONT, p, 0, 0); step_wait(p);
	show(pt(PTRACE_GETEVENTMSG, p, 0, &msg)); ok(msg == p);
	pt(PTRACE_SYSCALL, p, 0, 0); step_wait(p); callinfo(p); // the exit of execve
	pt(PTRACE_CONT, p, 0, 0); step_wait(p);

	puts("- a fault, and a death");
	p = traced(crash);
	pt(PTRACE_CONT, p, 0, 0); step_wait(p);
	siginfo_t i;
	show(pt(PTRACE_GETSIGINFO, p, 0, &i)); printf("code %d addr %p\n", i.si_code, i.si_addr);
	pt(PTRACE_CONT, p, 0, SIGSEGV); step_wait(p);

	puts("- attach, detach");
	for (int n = 0; n < 2; n++) {
		p = fork();
		if (!p) { signal(SIGUSR1, onsig); n ? sleeps() : spin(); }
		usleep(50000);
		show(pt(PTRACE_ATTACH, p, 0, 0));
		step_wait(p); info(p, "attached");
		show(pt(PTRACE_CONT, p, 0, 0));
		usleep(20000);
		kill(p, SIGUSR1); step_wait(p); info(p, "sent");
		show(pt(PTRACE_DETACH, p, 0, 0));
		usleep(20000);
		show(waitpid(p, &st, WNOHANG));
		kill(p, SIGUSR2); step_wait(p);
	}

	puts("- seize, interrupt, listen");
	p = fork();
	if (!p) sleeps();
	usleep(50000);
	show(pt(PTRACE_SEIZE, p, 0, PTRACE_O_TRACESYSGOOD));
	show(pt(PTRACE_CONT, p, 0, 0)); // not stopped
	show(pt(PTRACE_INTERRUPT, p, 0, 0));
	step_wait(p); info(p, "interrupted");
	show(pt(PTRACE_LISTEN, p, 0, 0)); // not a group-stop, but a stop all the same
	show(pt(PTRACE_INTERRUPT, p, 0, 0));
	step_wait(p);
	show(pt(PTRACE_CONT, p, 0, 0));
	usleep(50000); // it runs, and takes what comes for its process
	kill(p, SIGSTOP); step_wait(p); info(p, "stop signal");
	show(pt(PTRACE_CONT, p, 0, SIGSTOP)); step_wait(p);
	show(pt(PTRACE_LISTEN, p, 0, 0));
	show(waitpid(p, &st, WNOHANG));
	kill(p, SIGCONT); step_wait(p);
	show(pt(PTRACE_CONT, p, 0, 0)); step_wait(p); info(p, "cont");
	show(pt(PTRACE_CONT, p, 0, SIGCONT));
	kill(p, SIGKILL); step_wait(p);

	puts("- interrupted while it listens; a thread that goes on takes the signals of its process");
	p = fork();
	if (!p) sleeps();
	show(pt(PTRACE_SEIZE, p, 0, 0));
	int odd = 0;
	for (int n = 0; n < 10; n++) {
		pt(PTRACE_INTERRUPT, p, 0, 0);
		for (int m = 0; m < 2; m++) {
			odd += waitpid(p, &st, __WALL) != p || st != (PTRACE_EVENT_STOP << 16 | SIGTRAP << 8 | 0x7f);
			if (m == 0) odd += pt(PTRACE_LISTEN, p, 0, 0) != 0 || pt(PTRACE_INTERRUPT, p, 0, 0) != 0;
		}
		pt(PTRACE_CONT, p, 0, 0);
		usleep(500);
		kill(p, SIGSTOP);
		odd += waitpid(p, &st, __WALL) != p || st != (SIGSTOP << 8 | 0x7f) || pt(PTRACE_GETSIGINFO, p, 0, &i) != 0 || i.si_pid != getpid();
		pt(PTRACE_CONT, p, 0, 0);
	}
	show(odd);
	kill(p, SIGKILL); step_wait(p);

	puts("- two signals before the first stop");
	p = fork();
	if (!p) { pt(0, 0, 0, 0); raise(SIGUSR1); for (;;) pause(); }
	usleep(200000); // it has stopped by now
	kill(p, SIGSTOP);
	unsigned seen = 0;
	for (int n = 0; n < 2; n++) {
		if (waitpid(p, &st, 0) == p && WIFSTOPPED(st)) seen |= 1u << WSTOPSIG(st);
		show(pt(PTRACE_SETOPTIONS, p, 0, PTRACE_O_TRACESYSGOOD));
		show(pt(PTRACE_CONT, p, 0, 0));
	}
	printf("%x\n", seen);
	kill(p, SIGKILL); step_wait(p);

	puts("- waitid");
	p = fork();
	if (!p) { pt(0, 0, 0, 0); raise(SIGUSR1); _exit(3); }
	memset(&i, 0, sizeof i);
	show(waitid(P_PID, p, &i, WSTOPPED | WNOWAIT)); printf("code %d status %x %d\n", i.si_code, i.si_status, i.si_pid == p);
	show(waitid(P_PID, p, &i, WSTOPPED)); printf("code %d status %x %d\n", i.si_code, i.si_status, i.si_pid == p);
	pt(PTRACE_KILL, p, 0, 0); step_wait(p);

	puts("- a tracer that dies");
	int pp[2];
	pipe(pp);
	p = fork();
	if (!p) {
		pid_t c = fork();
		if (!c) { for (int n = 0; n < 3; n++) { usleep(20000); getppid(); } write(pp[1], "still here", 10); _exit(0); }
		pt(PTRACE_SEIZE, c, 0, 0);
		pt(PTRACE_INTERRUPT, c, 0, 0);
		waitpid(c, &st, __WALL);
		_exit(0);
	}
	step_wait(p);
	close(pp[1]);
	char buf[20] = "";
	show(read(pp[0], buf, 19)); puts(buf);

	puts("- PTRACE_O_EXITKILL");
	pipe(pp);
	p = fork();
	if (!p) {
		pid_t c = fork();
		if (!c) { sleep(20); write(pp[1], "alive", 5); _exit(0); }
		pt(PTRACE_SEIZE, c, 0, PTRACE_O_EXITKILL);
		_exit(0);
	}
	step_wait(p);
	close(pp[1]);
	show(read(pp[0], buf, 19));
	return 0;
}
