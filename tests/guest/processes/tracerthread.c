// A debugger whose requests all come from one thread while another waits, as delve does it: the
// kernel lets any thread wait for what one of the process traces, and only the tracer make requests.
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>
#include "../syscalls/signalone.h"

static struct { long (*f)(void); long r; int e; } job;
static pthread_barrier_t begin, end;
static pid_t pid;
static char *self;

// tracer makes the requests that the main thread has for it.
static void *tracer(void *a) {
	for (;;) {
		pthread_barrier_wait(&begin);
		if (!job.f) return 0;
		errno = 0;
		job.r = job.f();
		job.e = errno;
		pthread_barrier_wait(&end);
	}
}

static void ask(const char *what, long (*f)(void)) {
	job.f = f;
	pthread_barrier_wait(&begin);
	if (!f) return;
	pthread_barrier_wait(&end);
	if (job.r < 0) printf("%s: %s\n", what, strerrorname_np(job.e));
	else printf("%s: ok\n", what);
}

static void await_(const char *what) {
	int st = 0;
	pid_t p = waitpid(pid, &st, __WALL);
	printf("%s: waited %d status %x\n", what, p == pid, st);
	errno = 0;
	long r = ptrace(PTRACE_CONT, pid, 0, 0);
	printf("  not the tracer: %ld %s\n", r, strerrorname_np(errno));
}

static void ended(void) {
	int st = 0;
	pid_t p = waitpid(pid, &st, __WALL);
	printf("end: %d %x\n", p == pid, st);
}

static long start(void) {
	pid = fork();
	if (pid == 0) {
		ptrace(PTRACE_TRACEME, 0, 0, 0);
		execl(self, self, "child", NULL);
		_exit(9);
	}
	return pid;
}
static long start_vfork(void) {
	pid = vfork();
	if (pid == 0) {
		ptrace(PTRACE_TRACEME, 0, 0, 0);
		execl(self, self, "child", NULL);
		_exit(9);
	}
	return pid;
}
static long start_alone(void) {
	pid = fork();
	if (pid == 0) for (;;) pause();
	return pid;
}
static long seize(void) { return ptrace(PTRACE_SEIZE, pid, 0, 0); }
static long attach(void) { return ptrace(PTRACE_ATTACH, pid, 0, 0); }
static long interrupt(void) { return ptrace(PTRACE_INTERRUPT, pid, 0, 0); }
static long options(void) { return ptrace(PTRACE_SETOPTIONS, pid, 0, PTRACE_O_EXITKILL | PTRACE_O_TRACEEXIT); }
static long siginfo(void) { siginfo_t si; return ptrace(PTRACE_GETSIGINFO, pid, 0, &si); }
static long cont(void) { return ptrace(PTRACE_CONT, pid, 0, 0); }
static long syscall_(void) { return ptrace(PTRACE_SYSCALL, pid, 0, 0); }
static long detach(void) { return ptrace(PTRACE_DETACH, pid, 0, 0); }

static void followed(const char *how, long (*f)(void)) {
	ask(how, f);
	await_("execve");
	ask("options", options);
	ask("siginfo", siginfo);
	ask("cont", cont);
	await_("raise");
	ask("siginfo", siginfo);
	ask("syscall", syscall_);
	await_("a call");
	ask("cont", cont);
	await_("exit");
	ask("cont", cont);
	ended();
}

int main(int argc, char **argv) {
	if (argc > 1) {
		raise(SIGUSR1);
		getppid();
		return 7;
	}
	setvbuf(stdout, 0, _IONBF, 0);
	self = argv[0];
	pthread_barrier_init(&begin, 0, 2);
	pthread_barrier_init(&end, 0, 2);
	pthread_t th;
	pthread_create(&th, 0, tracer, 0);
	for (int i = 0; i < 4; i++) {
		followed("fork", start);
		followed("vfork", start_vfork);
	}
	ask("start", start_alone);
	ask("seize", seize);
	ask("interrupt", interrupt);
	await_("interrupt");
	ask("siginfo", siginfo);
	ask("detach", detach);
	ask("attach", attach);
	await_("attach");
	ask("siginfo", siginfo);
	ask("cont", cont);
	kill(pid, SIGTERM);
	await_("SIGTERM");
	ask("detach", detach);
	kill(pid, SIGKILL);
	ended();
	ask("", 0);
	pthread_join(th, 0);
}
