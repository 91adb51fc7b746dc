// What the vDSO answers itself is no system call: no tracer sees it and no filter
// (vdso(7)). Clocks of CPU time are calls all the same.
#include "../syscalls/check.h"
#include <linux/filter.h>
#include <linux/ptrace.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/time.h>
#include <time.h>

static struct timespec at;
static struct timeval day;
static void by_vdso(void) {
	clock_gettime(CLOCK_REALTIME, &at);
	clock_gettime(CLOCK_MONOTONIC, &at);
	clock_gettime(CLOCK_MONOTONIC_RAW, &at);
	clock_gettime(CLOCK_MONOTONIC_COARSE, &at);
	clock_gettime(CLOCK_BOOTTIME, &at);
	clock_gettime(CLOCK_TAI, &at);
	clock_getres(CLOCK_MONOTONIC, &at);
	gettimeofday(&day, 0);
}
static void by_call(void) {
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &at);
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &at);
	clock_gettime(CLOCK_REALTIME_ALARM, &at);
	syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &at);
	syscall(SYS_clock_getres, CLOCK_MONOTONIC, &at);
	syscall(SYS_gettimeofday, &day, 0);
}

// stops counts the stops of f's calls between two of getppid. PTRACE_GET_SYSCALL_INFO
// tells of stops only with PTRACE_O_TRACESYSGOOD.
static int stops(void (*f)(void), int sysgood) {
	pid_t p = fork();
	if (!p) {
		syscall(SYS_ptrace, PTRACE_TRACEME, 0, 0, 0);
		raise(SIGSTOP);
		syscall(SYS_getppid);
		f();
		syscall(SYS_getppid);
		_exit(0);
	}
	int st, n = 0, between = 0;
	waitpid(p, &st, 0);
	syscall(SYS_ptrace, PTRACE_SETOPTIONS, p, 0, sysgood ? PTRACE_O_TRACESYSGOOD : 0);
	for (;;) {
		syscall(SYS_ptrace, PTRACE_SYSCALL, p, 0, 0);
		if (waitpid(p, &st, 0) < 0 || !WIFSTOPPED(st)) return n;
		struct ptrace_syscall_info i = {0};
		syscall(SYS_ptrace, PTRACE_GET_SYSCALL_INFO, p, sizeof i, &i);
		if (i.op == PTRACE_SYSCALL_INFO_ENTRY && i.entry.nr == SYS_getppid) between = !between;
		else if (i.op == PTRACE_SYSCALL_INFO_ENTRY) n += between;
	}
}

static int forbidden[] = {SYS_clock_gettime, SYS_clock_getres, SYS_gettimeofday};
static void forbid(void) {
	struct sock_filter f[16] = {BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr))};
	int n = 1;
	for (int i = 0; i < 3; i++) {
		f[n++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, forbidden[i], 0, 1);
		f[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EXDEV);
	}
	f[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
	struct sock_fprog prog = {n, f};
	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	show(syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &prog));
}

int main(void) {
	by_vdso();
	by_call();
	printf("stops: %d by the vDSO, %d by calls, %d without TRACESYSGOOD\n", stops(by_vdso, 1), stops(by_call, 1), stops(by_call, 0));
	forbid();
	show(clock_gettime(CLOCK_MONOTONIC, &at));
	show(clock_getres(CLOCK_REALTIME, &at));
	show(gettimeofday(&day, 0));
	show(clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &at));
	show(clock_getres(CLOCK_THREAD_CPUTIME_ID, &at));
	show(syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &at));
	show(syscall(SYS_gettimeofday, &day, 0));
	return 0;
}
