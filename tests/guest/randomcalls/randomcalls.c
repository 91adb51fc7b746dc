// randomcalls SEED BATCHES CALLS [trace|threads|- [FIRST]]: makes system calls with random
// numbers and random arguments: small numbers, flags, descriptors, good, bad and misaligned
// pointers to random structures that again hold such pointers, paths, strings. Each batch of
// calls is made by a child with limits, which may die in any way that calls and signals can
// end it, except with the status of a crashed emulator (2); with trace its parent traces it,
// with threads four threads make calls. Batches that take too long are killed, and their last
// call is told.
//
// It is meant to be run as a user who owns nothing, in process id, mount, IPC and network
// namespaces of its own.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum {
	PAGE = 4096,
	ARENA = 16 * PAGE, // random contents; pages 12 and 13 are missing, 14 cannot be written
	LAST = 480,
	SECONDS = 4, // a batch
	CRASHED = 2,
};

// What is noted of the call being made, for who has to kill it.
struct note {
	long nr, a[6];
	unsigned long made;
};
static struct note *note;

static uint64_t state;
static uint64_t rnd(void) { // xorshift64*
	state ^= state >> 12;
	state ^= state << 25;
	state ^= state >> 27;
	return state * 0x2545f4914f6cdd1d;
}
static uint64_t below(uint64_t n) { return (rnd() >> 11) % n; }
static int one(int of) { return below(of) == 0; }

static char *arena;
static const char *const paths[] = {
	".", "..", "/", "/dev/null", "/dev/zero", "/proc/self/maps", "/proc/self/exe", "/proc/self/fd", "/proc/self/task", "/proc/self/stat",
	"/proc/self/mem", "/proc/thread-self/status", "/proc/self/smaps", "/proc/cpuinfo", "/etc/passwd", "/tmp", "none", "/none/none",
	"/proc/self/cwd/../..", "", "f", "d", "d/f", "l", "/proc/self/fd/3", "/proc/1/maps", "/proc/self/auxv", "/sys/kernel", "/bin/true",
};

// Calls that would end or block every batch, or that what checks this program needs.
static const short without[] = {
	SYS_exit, SYS_exit_group, SYS_rt_sigsuspend, SYS_rt_sigreturn, SYS_vhangup, SYS_reboot,
};

static uint64_t address(void) {
	switch (below(16)) {
	case 0:
		return 0;
	case 1:
		return below(PAGE);
	case 2:
		return (uint64_t)arena + below(ARENA / PAGE) * PAGE + (PAGE - below(64)); // across a boundary
	case 3:
		return 0x7e0000000000 + below(0x4000000); // where an emulator may be
	case 4:
		return 0xc000000000 + below(0x4000000);
	case 5:
		return 0xffff000000000000 + rnd() % 0x1000000000000;
	case 6:
		return (uint64_t)&state ^ rnd() << 56; // a tag
	case 7:
		return 0x7ffffffff000 - below(2) * PAGE;
	case 8:
		return rnd() & 0x7fffffffffff;
	case 9:
		return (uint64_t)arena + below(ARENA / PAGE + 4) * PAGE;
	default:
		return (uint64_t)arena + (below(10 * PAGE) & ~(one(8) ? 0 : 7));
	}
}
static uint64_t number(void) {
	static const uint64_t edge[] = {1ul << 31, 1ul << 32, 1ul << 63, (1ul << 31) - 1, (1ul << 32) - 1, (1ul << 47) - 1, 1ul << 47, -1ul, -2ul, -4096ul, -PAGE, 1ul << 40};
	switch (below(8)) {
	case 0:
		return edge[below(sizeof edge / sizeof *edge)];
	case 1:
		return rnd();
	case 2:
		return 1ul << below(64) | (one(2) ? 1ul << below(32) : 0);
	case 3:
		return below(8) * PAGE;
	case 4:
		return below(4096);
	default:
		return below(32);
	}
}
static uint64_t flags(void) {
	uint64_t f = 0;
	for (int n = below(5); n > 0; n--)
		f |= 1ul << below(one(8) ? 64 : 32);
	return f;
}
static uint64_t fd(void) { return one(12) ? -100 : one(12) ? (uint64_t)-1 : one(20) ? 256 + below(64) : below(24); }
static uint64_t path(void) {
	char *p = arena + 9 * PAGE + below(16) * 128;
	strcpy(p, paths[below(sizeof paths / sizeof *paths)]);
	return (uint64_t)p;
}
static uint64_t pid(void) { return one(4) ? 0 : one(6) ? (uint64_t)-1 : one(4) ? 1000 + below(20) : (uint64_t)getpid(); }

static uint64_t argument(char kind) {
	if (one(10))
		kind = "dpanftx"[below(7)];
	switch (kind) {
	case 'd':
		return fd();
	case 'p':
		return one(10) ? address() : path();
	case 'a':
		return address();
	case 'A': // of whole pages
		return address() & -PAGE;
	case 'n':
		return number();
	case 'z': // a size that fits
		return one(6) ? number() : below(512);
	case 'f':
		return flags();
	case 't':
		return pid();
	case 's':
		return below(70);
	case '8':
		return 8;
	case '4':
		return below(5);
	default:
		switch (below(5)) {
		case 0:
			return fd();
		case 1:
			return flags();
		case 2:
			return number();
		default:
			return address();
		}
	}
}

// The kinds of arguments of calls that random ones would seldom get through.
static const struct {
	short nr;
	const char *kinds;
} known[] = {
	{SYS_openat, "dpff"}, {SYS_read, "daz"}, {SYS_write, "daz"}, {SYS_readv, "da4"}, {SYS_writev, "da4"}, {SYS_pread64, "dazn"}, {SYS_preadv2, "da4nnf"},
	{SYS_newfstatat, "dpaf"}, {SYS_statx, "dpfna"}, {SYS_fstat, "da"}, {SYS_getdents64, "daz"}, {SYS_readlinkat, "dpaz"}, {SYS_mmap, "Anffdn"},
	{SYS_munmap, "An"}, {SYS_mprotect, "An4"}, {SYS_mremap, "Ann4A"}, {SYS_madvise, "An4"}, {SYS_brk, "a"}, {SYS_mincore, "Ana"}, {SYS_mlock, "an"},
	{SYS_rt_sigaction, "saa8"}, {SYS_rt_sigprocmask, "4aa8"}, {SYS_rt_sigpending, "a8"}, {SYS_rt_sigtimedwait, "aaa8"}, {SYS_rt_sigqueueinfo, "tsa"},
	{SYS_rt_tgsigqueueinfo, "ttsa"}, {SYS_kill, "ts"}, {SYS_tgkill, "tts"}, {SYS_tkill, "ts"}, {SYS_sigaltstack, "aa"}, {SYS_signalfd4, "da84"}, {SYS_ppoll, "a4aa8"},
	{SYS_pselect6, "zaaaaa"}, {SYS_epoll_ctl, "d4da"}, {SYS_epoll_pwait, "da44a8"}, {SYS_epoll_pwait2, "da4aa8"}, {SYS_socket, "444"}, {SYS_socketpair, "144a"}, {SYS_bind, "daz"}, {SYS_connect, "daz"},
	{SYS_sendto, "dazfaz"}, {SYS_recvfrom, "dazfaa"}, {SYS_sendmsg, "daf"}, {SYS_recvmsg, "daf"}, {SYS_sendmmsg, "da4f"}, {SYS_recvmmsg, "da4fa"}, {SYS_setsockopt, "d4saz"}, {SYS_getsockopt, "d4saa"},
	{SYS_clone, "fAaaa"}, {SYS_clone3, "az"}, {SYS_execve, "paa"}, {SYS_execveat, "dpaaf"}, {SYS_wait4, "ta4a"}, {SYS_waitid, "4ta4a"}, {SYS_futex, "aznana"}, {SYS_futex_waitv, "a4fa4"},
	{SYS_set_robust_list, "az"}, {SYS_prctl, "snaaa"}, {SYS_prlimit64, "tsaa"}, {SYS_setrlimit, "sa"}, {SYS_getrlimit, "sa"}, {SYS_sched_setaffinity, "tza"}, {SYS_sched_getaffinity, "tza"},
	{SYS_process_vm_readv, "ta4a44"}, {SYS_process_vm_writev, "ta4a44"}, {SYS_seccomp, "4fa"}, {SYS_bpf, "saz"}, {SYS_io_uring_setup, "sa"}, {SYS_io_uring_enter, "d44faz"}, {SYS_io_uring_register, "dsa4"},
	{SYS_io_setup, "sa"}, {SYS_io_submit, "a4a"}, {SYS_unshare, "f"}, {SYS_setns, "df"}, {SYS_ptrace, "stan"}, {SYS_ioctl, "dna"}, {SYS_fcntl, "dsa"}, {SYS_dup3, "ddf"}, {SYS_close_range, "ddf"},
	{SYS_timer_create, "4aa"}, {SYS_timer_settime, "44aa"}, {SYS_setitimer, "4aa"}, {SYS_nanosleep, "aa"}, {SYS_clock_nanosleep, "44aa"}, {SYS_getcwd, "an"}, {SYS_chdir, "p"}, {462 /* mseal */, "An0"},
	{SYS_shmget, "nnf"}, {SYS_shmat, "4Af"}, {SYS_shmctl, "4sa"}, {SYS_shmdt, "A"}, {SYS_semtimedop, "4a4a"}, {SYS_semctl, "44sa"}, {SYS_msgsnd, "4azf"}, {SYS_msgrcv, "4aznf"}, {SYS_process_madvise, "da44f"},
	{SYS_pidfd_open, "tf"}, {SYS_pidfd_send_signal, "dsaf"}, {SYS_pidfd_getfd, "dd0"}, {SYS_userfaultfd, "f"}, {SYS_memfd_create, "pf"}, {SYS_remap_file_pages, "An4n4"}, {SYS_mbind, "An4anf"},
	{SYS_get_mempolicy, "aanaf"}, {SYS_move_pages, "t4aaaf"}, {SYS_name_to_handle_at, "dpaaf"}, {SYS_open_by_handle_at, "daf"}, {SYS_openat2, "dpaz"}, {SYS_keyctl, "snnaa"}, {SYS_add_key, "paazn"},
	{SYS_perf_event_open, "at4df"}, {SYS_copy_file_range, "dadazf"}, {SYS_splice, "dadazf"}, {SYS_vmsplice, "da4f"}, {SYS_sendfile, "ddaz"}, {SYS_getrandom, "azf"}, {SYS_membarrier, "f44"}, {SYS_rseq, "azfn"},
	{SYS_personality, "f"}, {SYS_capset, "aa"}, {SYS_capget, "aa"}, {453 /* map_shadow_stack */, "Anf"}, {457 /* statmount */, "aazf"}, {458 /* listmount */, "aazf"},
};

static void call(void) {
	long nr, a[6];
	const char *kinds = "??????";
	if (one(3)) {
		nr = below(LAST + 1);
		for (unsigned i = 0; i < sizeof without / sizeof *without; i++)
			if (nr == without[i])
				return;
		for (unsigned i = 0; i < sizeof known / sizeof *known; i++)
			if (known[i].nr == nr)
				kinds = known[i].kinds;
	} else {
		int i = below(sizeof known / sizeof *known);
		nr = known[i].nr;
		kinds = known[i].kinds;
	}
	if (one(500))
		nr = rnd(); // no such call
	for (int i = 0; i < 6; i++)
		a[i] = argument(*kinds ? *kinds++ : '?');
	switch (nr) {
	case SYS_rt_sigprocmask:
		if (one(4))
			return; // else few signals would come
	case SYS_kill:
	case SYS_rt_sigqueueinfo:
	case SYS_pidfd_send_signal:
		if (a[1] == SIGKILL || a[1] == SIGSTOP)
			return;
		break;
	case SYS_clone:
		a[0] &= ~(long)(one(4) ? 0 : CLONE_VM | CLONE_VFORK); // else most would end it
		break;
	}
	for (int i = 0; i < 40; i++) { // structures
		uint64_t v = one(3) ? address() : one(3) ? path() : number();
		memcpy(arena + (below(9 * PAGE) & ~7), &v, 8);
	}
	note->nr = nr;
	memcpy(note->a, a, sizeof a);
	note->made++;
	pid_t before = getpid(), thread = syscall(SYS_gettid);
	register long x8 __asm__("x8") = nr, x0 __asm__("x0") = a[0], x1 __asm__("x1") = a[1], x2 __asm__("x2") = a[2],
				x3 __asm__("x3") = a[3], x4 __asm__("x4") = a[4], x5 __asm__("x5") = a[5];
	__asm__ volatile("svc #0" : "+r"(x0) : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4), "r"(x5) : "memory");
	if (getpid() != before || syscall(SYS_gettid) != thread)
		_exit(0); // a child
}

static void handler(int sig) {}

static void limit(int what, rlim_t to) { setrlimit(what, &(struct rlimit){to, to}); }

static void *more(void *calls) {
	for (int i = *(int *)calls; i > 0; i--)
		call();
	return NULL;
}

static void batch(int calls, int threads) {
	limit(RLIMIT_NPROC, 500);
	limit(RLIMIT_FSIZE, 1 << 20);
	limit(RLIMIT_CPU, 2 * SECONDS);
	limit(RLIMIT_CORE, 0);
	limit(RLIMIT_NOFILE, 512);
	limit(RLIMIT_MEMLOCK, 1 << 20);
	int null = open("/dev/null", O_RDWR), p[2], s[2];
	dup2(null, 0);
	dup2(null, 1);
	pipe2(p, O_NONBLOCK);
	socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, s);
	epoll_create1(0);
	eventfd(3, EFD_NONBLOCK);
	timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK);
	memfd_create("file", 0);
	open("/proc/self/maps", O_RDONLY);
	open("/proc/self/task", O_RDONLY | O_DIRECTORY);
	open("/dev/zero", O_RDWR);
	signal(SIGALRM, handler);
	signal(SIGUSR1, handler);
	signal(SIGSEGV, SIG_DFL);
	for (pthread_t t; threads > 0; threads--)
		pthread_create(&t, NULL, more, &calls);
	for (int i = 0; i < calls; i++) {
		if (i % 4 == 0) { // what blocks goes on
			sigset_t set;
			sigemptyset(&set);
			sigaddset(&set, SIGALRM);
			sigaction(SIGALRM, &(struct sigaction){.sa_handler = handler}, NULL);
			sigprocmask(SIG_UNBLOCK, &set, NULL);
		}
		alarm(1);
		call();
	}
	_exit(0);
}

// supervise waits for a batch and returns its status; -1 if it had to be killed.
static int supervise(pid_t pid, int trace) {
	struct timespec start, now, nap = {0, 200000};
	clock_gettime(CLOCK_MONOTONIC, &start);
	for (;;) {
		int st = 0;
		pid_t w = waitpid(-1, &st, WNOHANG | WUNTRACED | __WALL);
		if (w == pid && !WIFSTOPPED(st))
			return st;
		if (w > 0 && WIFSTOPPED(st)) { // or a thread that asked to be traced
			int sig = WSTOPSIG(st) & 0x7f;
			sig = st >> 16 || sig == SIGTRAP || sig == SIGSTOP ? 0 : sig;
			if (ptrace(trace ? PTRACE_SYSCALL : PTRACE_CONT, w, 0, sig) != 0)
				kill(w, SIGCONT);
		}
		clock_gettime(CLOCK_MONOTONIC, &now);
		if (now.tv_sec - start.tv_sec > SECONDS) {
			kill(pid, SIGKILL);
			do
				w = waitpid(-1, &st, __WALL);
			while (w > 0 && w != pid);
			return -1;
		}
		nanosleep(&nap, NULL);
	}
}

int main(int argc, char **argv) {
	uint64_t seed = strtoull(argv[1], NULL, 0);
	int threads = argc > 4 && strcmp(argv[4], "threads") == 0 ? 3 : 0;
	int batches = atoi(argv[2]), calls = atoi(argv[3]), trace = argc > 4 && strcmp(argv[4], "trace") == 0, from = argc > 5 ? atoi(argv[5]) : 0;
	unsigned long made = 0, killed = 0, crashed = 0;
	note = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	for (int b = from; b < from + batches; b++) {
		memset(note, 0, sizeof *note);
		fflush(stdout);
		pid_t pid = fork();
		if (pid == 0) {
			setpgid(0, 0);
			if (trace) {
				ptrace(PTRACE_TRACEME, 0, 0, 0);
				raise(SIGSTOP);
			}
			state = (seed << 20) + b + 1;
			for (int i = 0; i < 20; i++)
				rnd();
			arena = mmap(NULL, ARENA, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
			munmap(arena + 12 * PAGE, 2 * PAGE);
			mprotect(arena + 14 * PAGE, PAGE, PROT_READ);
			batch(calls, threads);
		}
		int st = supervise(pid, trace);
		made += note->made;
		if (st == -1) {
			killed++;
			printf("batch %d: killed in call %lu: %ld(%#lx, %#lx, %#lx, %#lx, %#lx, %#lx)\n", b, note->made, note->nr, note->a[0], note->a[1], note->a[2], note->a[3], note->a[4], note->a[5]);
		} else if (WIFEXITED(st) && WEXITSTATUS(st) == CRASHED) {
			crashed++;
			printf("batch %d: CRASHED in call %lu: %ld(%#lx, %#lx, %#lx, %#lx, %#lx, %#lx)\n", b, note->made, note->nr, note->a[0], note->a[1], note->a[2], note->a[3], note->a[4], note->a[5]);
		}
		kill(-pid, SIGKILL); // what it has left
		while (waitpid(-1, NULL, WNOHANG | __WALL) > 0)
			;
	}
	printf("calls %lu killed %lu crashed %lu\n", made, killed, crashed);
	return crashed != 0;
}
