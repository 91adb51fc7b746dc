// Processes that share memory: clone with CLONE_VM, without CLONE_VFORK and CLONE_THREAD.
// The last part does what LeakSanitizer does with one: it attaches to all threads of its
// parent and reads their registers and memory.
#define _GNU_SOURCE
#include <dirent.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>
#include "../syscalls/signalone.h"

static volatile int word, go;
static int parent;
static char stack[256 << 10] __attribute__((aligned(16)));
#define TOP (stack + sizeof stack)

static void handler(int sig) {}

static int writes(void *arg) {
	word = getppid() == parent ? 5 : -1;
	while (!go)
		sched_yield();
	word += go;
	signal(SIGUSR1, SIG_IGN); // its own
	return (long)arg;
}
static int waits(void *arg) {
	for (;;)
		pause();
	return 0;
}
static int faults(void *arg) {
	signal(SIGSEGV, SIG_DFL);
	*(volatile int *)8 = 1;
	return 0;
}
static int sleeps(void *arg) {
	while (!go)
		usleep(1000);
	return 4;
}
static int execs(void *arg) {
	execl("/bin/sh", "sh", "-c", "exit 6", NULL);
	return 9;
}

static volatile int number; // the child's, as its maker is told it

static void answers(int sig) { word = number == getpid() ? 7 : -1; }
static int handles(void *arg) {
	struct sigaction action;
	sigaction(SIGUSR1, 0, &action);
	signal(SIGUSR2, answers); // its parent's too
	if (action.sa_handler != handler || number != getpid())
		return 1;
	go = 2;
	while (go == 2)
		sched_yield();
	return word == 7 ? 8 : 2;
}

// The parent's threads.
enum { THREADS = 3 };
static volatile unsigned long stacks[THREADS]; // an address on each one's stack
static volatile int stop;
static void *idle(void *arg) {
	volatile unsigned long here = 0x1234500 + (long)arg;
	stacks[(long)arg] = (unsigned long)&here;
	while (!stop)
		usleep(500);
	return NULL;
}
static void *busy(void *arg) {
	volatile unsigned long here = 0x1234500 + (long)arg;
	stacks[(long)arg] = (unsigned long)&here;
	while (!stop)
		;
	return NULL;
}

static volatile int attached, onStack, values, listed;

static unsigned long stackPointer(int tid) {
	struct user_regs_struct regs;
	struct iovec v = {&regs, sizeof regs};
	if (ptrace(PTRACE_GETREGSET, tid, (void *)NT_PRSTATUS, &v))
		return 0;
#ifdef __aarch64__
	return regs.sp;
#else
	return regs.rsp;
#endif
}

static int inspects(void *arg) {
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	while (!go)
		sched_yield();
	char name[64];
	int tids[16], n = 0;
	snprintf(name, sizeof name, "/proc/%d/task", getppid());
	DIR *d = opendir(name);
	for (struct dirent *e; (e = readdir(d));) {
		int tid = atoi(e->d_name), status;
		if (!tid || n == 16)
			continue;
		if (ptrace(PTRACE_ATTACH, tid, 0, 0))
			continue;
		if (waitpid(tid, &status, __WALL) == tid && WIFSTOPPED(status) && WSTOPSIG(status) == SIGSTOP)
			attached++;
		tids[n++] = tid;
	}
	closedir(d);
	listed = n;
	for (int i = 0; i < n; i++) {
		unsigned long sp = stackPointer(tids[i]);
		for (int k = 0; k < THREADS; k++)
			if (stacks[k] + 256 - sp < 8192) { // with x86-64's red zone
				onStack++;
				values += *(unsigned long *)stacks[k] == 0x1234500 + k;
			}
	}
	for (int i = 0; i < n; i++)
		ptrace(PTRACE_DETACH, tids[i], 0, 0);
	word = 99;
	return 0;
}

// looks finds files where its parent does.
static int looks(void *arg) {
	struct stat st;
	int good = 0;
	for (int i = 0; i < 3; i++) {
		int fd = open("/etc/passwd", O_RDONLY);
		good += fd >= 0 && !fstat(fd, &st) && S_ISREG(st.st_mode) && !close(fd) && !stat("/etc", &st) && S_ISDIR(st.st_mode) && !access("/etc/passwd", R_OK) && access("/etc/none", F_OK);
	}
	return good;
}

int main(void) {
	int status, pid, other;
	parent = getpid();
	signal(SIGUSR1, handler);

	pid = clone(writes, TOP, CLONE_VM | CLONE_FS | CLONE_FILES | SIGCHLD, (void *)7L);
	while (!word)
		sched_yield();
	int first = word;
	go = 10;
	int waited = waitpid(pid, &status, 0) == pid;
	struct sigaction action;
	sigaction(SIGUSR1, 0, &action);
	printf("%d %d, waited %d, status %d, handler kept %d\n", first, word, waited, WEXITSTATUS(status), action.sa_handler == handler);

	pid = clone(looks, TOP, CLONE_VM | SIGCHLD, 0);
	waitpid(pid, &status, 0);
	printf("files found %d\n", WEXITSTATUS(status));

	pid = clone(waits, TOP, CLONE_VM | SIGCHLD, 0);
	usleep(1000);
	kill(pid, SIGTERM);
	waitpid(pid, &status, 0);
	printf("signal %d\n", WTERMSIG(status));
	pid = clone(faults, TOP, CLONE_VM | SIGCHLD, 0);
	waitpid(pid, &status, 0);
	printf("signal %d\n", WTERMSIG(status));

	pid = clone(faults, TOP, CLONE_VM, 0); // without an exit signal: wait needs __WALL
	errno = 0;
	waited = waitpid(pid, &status, 0);
	printf("%d %s\n", waited, strerror(errno));
	waited = waitpid(pid, &status, __WALL) == pid;
	printf("waited %d, signal %d\n", waited, WTERMSIG(status));

	go = 0;
	pid = clone(sleeps, TOP, CLONE_VM | SIGCHLD, 0);
	if (!(other = fork()))
		_exit(3);
	waitpid(other, &status, 0);
	printf("fork beside it: %d\n", WEXITSTATUS(status));
	go = 1;
	waitpid(pid, &status, 0);
	printf("status %d\n", WEXITSTATUS(status));

	pid = clone(execs, TOP, CLONE_VM | SIGCHLD, 0);
	waitpid(pid, &status, 0);
	printf("executed: %d\n", WEXITSTATUS(status));

	number = word = go = 0;
	pid = clone(handles, TOP, CLONE_VM | CLONE_SIGHAND | CLONE_PARENT_SETTID | SIGCHLD, 0, &number);
	while (go != 2 && !waitpid(pid, &status, WNOHANG))
		sched_yield();
	sigaction(SIGUSR2, 0, &action);
	printf("number %d, handler of the child's %d\n", number == pid, action.sa_handler == answers);
	kill(pid, SIGUSR2);
	while (!word && !waitpid(pid, &status, WNOHANG))
		sched_yield();
	go = 3;
	waitpid(pid, &status, 0);
	printf("status %d\n", WEXITSTATUS(status));
	pid = clone(faults, TOP, CLONE_VM | CLONE_SIGHAND | SIGCHLD, 0);
	waitpid(pid, &status, 0);
	printf("signal %d\n", WTERMSIG(status));
	pid = clone(execs, TOP, CLONE_VM | CLONE_SIGHAND | SIGCHLD, 0);
	waitpid(pid, &status, 0);
	sigaction(SIGUSR2, 0, &action);
	printf("executed: %d, handler kept %d\n", WEXITSTATUS(status), action.sa_handler == answers);

	for (int i = 0; i < 20; i++) {
		pid = clone(writes, TOP, CLONE_VM | SIGCHLD, (void *)(long)i);
		waitpid(pid, &status, 0);
		if (WEXITSTATUS(status) != i)
			printf("%d: %x\n", i, status);
	}

	pthread_t threads[THREADS];
	for (long i = 0; i < THREADS; i++) {
		pthread_create(&threads[i], 0, i == 0 ? busy : idle, (void *)i);
		while (!stacks[i])
			sched_yield();
	}
	for (int round = 0; round < 3; round++) {
		go = word = attached = listed = onStack = values = 0;
		pid = clone(inspects, TOP, CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_UNTRACED, 0);
		prctl(PR_SET_PTRACER, pid);
		go = 1;
		while (word != 99)
			sched_yield();
		waited = waitpid(pid, &status, __WALL) == pid;
		printf("waited %d, listed %d, attached %d, stacks %d, values %d\n", waited, listed, attached, onStack, values);
	}
	stop = 1;
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], 0);
	if (!(other = fork()))
		_exit(2);
	waitpid(other, &status, 0);
	printf("fork after all: %d\n", WEXITSTATUS(status));
	return 0;
}
