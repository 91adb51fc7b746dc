// The guarded control stack, as Linux Documentation/arch/arm64/gcs.rst has it: each line
// tells what a program sees. Every test runs in a child, which switches the stack on
// for itself and ends without returning. With an argument those that need memory that
// ordinary stores cannot write are left out.
#define _GNU_SOURCE
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

typedef uint64_t u64;

enum { GET = 74, SET = 75, LOCK = 76, ENABLE = 1, WRITE = 2, PUSH = 4, TOKEN = 1, MARKER = 2, PAGE = 4096 };
enum { MAP_SHADOW_STACK = 453, GCS_MAGIC = 0x47435300, REGSET = 0x410, HWCAP_GCS_BIT = 32 };

#define INLINE static inline __attribute__((always_inline))
#define NOINLINE __attribute__((noinline))

// A call that returns behind SVC: a function that switches the stack on cannot return.
INLINE long call5(long nr, u64 a, u64 b, u64 c, u64 d, u64 e)
{
	register long x8 asm("x8") = nr;
	register u64 x0 asm("x0") = a;
	register u64 x1 asm("x1") = b;
	register u64 x2 asm("x2") = c;
	register u64 x3 asm("x3") = d;
	register u64 x4 asm("x4") = e;
	asm volatile("svc #0" : "+r"(x0) : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4) : "memory");
	return x0;
}
INLINE long set(u64 mode) { return call5(__NR_prctl, SET, mode, 0, 0, 0); }
INLINE long lock(u64 mode) { return call5(__NR_prctl, LOCK, mode, 0, 0, 0); }
INLINE long get(void)
{
	u64 mode = -1;
	long r = call5(__NR_prctl, GET, (u64)&mode, 0, 0, 0);
	return r ? r : (long)mode;
}
INLINE long map(u64 at, u64 size, u64 flags) { return call5(MAP_SHADOW_STACK, at, size, flags, 0, 0); }
INLINE u64 gcspr(void)
{
	u64 v;
	asm volatile("mrs %0, s3_3_c2_c5_1" : "=r"(v) :: "memory");
	return v;
}
INLINE u64 chkfeat(u64 x)
{
	register u64 v asm("x16") = x;
	asm volatile("hint #0x28" : "+r"(v));
	return v;
}
INLINE void pushm(u64 v) { asm volatile("sys #3, c7, c7, #0, %0" :: "r"(v) : "memory"); }
INLINE u64 popm(u64 v)
{
	asm volatile("sysl %0, #3, c7, c7, #1" : "+r"(v) :: "memory");
	return v;
}
INLINE void ss1(u64 to) { asm volatile("sys #3, c7, c7, #2, %0" :: "r"(to) : "memory"); }
INLINE u64 ss2(u64 v)
{
	asm volatile("sysl %0, #3, c7, c7, #3" : "+r"(v) :: "memory");
	return v;
}
INLINE void gcsstr(u64 at, u64 v)
{
	register u64 x0 asm("x0") = at;
	register u64 x1 asm("x1") = v;
	asm volatile(".inst 0xd91f0c01" :: "r"(x0), "r"(x1) : "memory"); // gcsstr x1, [x0]
}
INLINE void gcssttr(u64 at, u64 v)
{
	register u64 x0 asm("x0") = at;
	register u64 x1 asm("x1") = v;
	asm volatile(".inst 0xd91f1c01" :: "r"(x0), "r"(x1) : "memory");
}
INLINE u64 entry(u64 at) { return *(volatile u64 *)at; }

// The end of a test, which cannot return.
INLINE void done(void) { call5(__NR_exit_group, 0, 0, 0, 0, 0); }

static NOINLINE int depth(int n)
{
	int r = n == 0 ? 0 : depth(n - 1) + 1;
	asm volatile("" : "+r"(r));
	return r;
}

// Faults end the child.
static const char *volatile what = "?";
static volatile u64 expected; // an address, or 0 for that of a bad frame or the instruction
static volatile u64 frame;
static void fault(int sig, siginfo_t *info, void *context)
{
	ucontext_t *u = context;
	u64 at = (u64)info->si_addr, want = expected ? expected : frame ? frame : u->uc_mcontext.pc;
	printf("%s: signal %d code %d address %s\n", what, sig, info->si_code, at == want ? "right" : "wrong");
	fflush(stdout);
	_exit(0);
}

static void catch_faults(void)
{
	static char alt[65536];
	stack_t ss = {.ss_sp = alt, .ss_size = sizeof alt};
	struct sigaction a = {.sa_sigaction = fault, .sa_flags = SA_SIGINFO | SA_ONSTACK};
	sigaltstack(&ss, 0);
	sigaction(SIGSEGV, &a, 0);
	sigaction(SIGBUS, &a, 0);
	sigaction(SIGILL, &a, 0);
}

// What is off does nothing, or is undefined.
static void off(void)
{
	printf("hwcap %lu status %ld gcspr %lu chkfeat %lu\n", getauxval(AT_HWCAP) >> HWCAP_GCS_BIT & 1, get(), gcspr(), chkfeat(3));
	ss1(1);
	printf("popm %lu ss2 %lu gcspr %lu\n", popm(7), ss2(8), gcspr());
	asm volatile("hint #19"); // gcsb dsync
	done();
}
static void off_pushm(void) { pushm(4); done(); }
static void off_gcsstr(void) { gcsstr((u64)&expected, 4); done(); }
static void off_push_mode(void)
{
	printf("set %ld\n", set(PUSH | WRITE));
	pushm(4); // enabled, but there is no stack
	printf("status %ld gcspr %lu chkfeat %lu\n", get(), gcspr(), chkfeat(1));
	expected = 16;
	gcsstr(16, 4);
	done();
}
static void write_gcspr(void) { asm volatile("msr s3_3_c2_c5_1, xzr"); done(); }
static void pushx(void) { asm volatile("sys #0, c7, c7, #4"); done(); }
static void popcx(void) { asm volatile("sys #0, c7, c7, #5"); done(); }
static void popx(void) { asm volatile("sys #0, c7, c7, #6"); done(); }

static void status(void)
{
	printf("unknown %ld more arguments %ld %ld %ld\n", set(8), call5(__NR_prctl, SET, ENABLE, 1, 0, 0),
	       call5(__NR_prctl, GET, (u64)&expected, 0, 1, 0), call5(__NR_prctl, LOCK, 1, 0, 0, 1));
	printf("bad pointer %ld\n", call5(__NR_prctl, GET, 8, 0, 0, 0));
	long r = set(ENABLE);
	u64 top = gcspr();
	printf("set %ld status %ld chkfeat %lu aligned %lu top %lu\n", r, get(), chkfeat(3), top % PAGE, entry(top));
	printf("all %ld status %ld same %d\n", set(ENABLE | WRITE | PUSH), get(), gcspr() == top);
	printf("off %ld chkfeat %lu same %d\n", set(0), chkfeat(1), gcspr() == top);
	printf("again %ld\n", set(ENABLE));
	done();
}
static void locks(void)
{
	printf("lock %ld set %ld\n", lock(ENABLE | 1ul << 40), set(ENABLE));
	printf("others %ld status %ld\n", set(WRITE), get());
	done();
}
static void locked_on(void)
{
	long on = set(ENABLE | PUSH), locked = lock(-1), off = set(0), less = set(ENABLE), same = set(ENABLE | PUSH);
	printf("%ld %ld %ld %ld %ld\n", on, locked, off, less, same);
	done();
}

// Calls and returns.
static NOINLINE u64 below(void) { return gcspr(); }
static NOINLINE u64 top_entry(void) { return entry(gcspr()); }
static NOINLINE u64 link_register(void) { return (u64)__builtin_return_address(0); }
static void calls(void)
{
	set(ENABLE);
	u64 (*volatile p)(void) = below;
	u64 at = gcspr();
	printf("bl %ld blr %ld depth %d\n", below() - at, p() - at, depth(20000));
	u64 pushed, link;
	asm volatile("bl 1f\n\tb 2f\n1:\tmrs x0, s3_3_c2_c5_1\n\tldr %0, [x0]\n\tmov %1, x30\n\tret\n2:" : "=&r"(pushed), "=&r"(link) :: "x0", "x30", "memory");
	printf("pushed %d same %d\n", pushed == link, gcspr() == at);
	asm volatile("adr x0, 1f\n\tblr x0\n\tb 2f\n1:\tmov x1, x30\n\tret x1\n2:" ::: "x0", "x1", "x30", "memory");
	printf("ret x1 same %d\n", gcspr() == at);
	asm volatile(".arch armv8.3-a\n\tadr x0, 1f\n\tpaciza x0\n\tblraaz x0\n\tb 2f\n1:\tpaciasp\n\tretaa\n2:" ::: "x0", "x30", "memory");
	asm volatile(".arch armv8.3-a\n\tbl 1f\n\tb 2f\n1:\tpacibsp\n\tretab\n2:" ::: "x30", "memory");
	printf("authenticated same %d\n", gcspr() == at);
	asm volatile("adr x0, 1f\n\tbr x0\n1:" ::: "x0");
	printf("br same %d\n", gcspr() == at);
	done();
}
static void wrong_return(void)
{
	set(ENABLE);
	asm volatile("bl 1f\n\tb 2f\n1:\tadr x30, 2f\n\tret\n2:" ::: "x30", "memory");
	printf("returned\n");
	done();
}
static void wrong_retaa(void)
{
	set(ENABLE);
	asm volatile(".arch armv8.3-a\n\tbl 1f\n\tb 2f\n1:\tadr x30, 2f\n\tpaciasp\n\tretaa\n2:" ::: "x30", "memory");
	printf("returned\n");
	done();
}
static NOINLINE void overwrite(u64 *fp) // the caller's caller gets another return address
{
	fp[1] = (u64)fault;
	asm volatile("" ::: "memory");
}
static NOINLINE void smashed(void)
{
	overwrite(__builtin_frame_address(0));
	asm volatile("" ::: "memory");
}
static void hot(void) // a leaf function that is inlined once its loop is hot
{
	set(ENABLE);
	u64 at = gcspr(), n;
	asm volatile("mov x1, #0\n\tmov x2, #0x40000\n1:\tbl 2f\n\tsubs x2, x2, #1\n\tb.ne 1b\n\tb 3f\n2:\tadd x1, x1, #1\n\tret\n3:\tmov %0, x1"
	             : "=r"(n) :: "x1", "x2", "x30", "cc", "memory");
	printf("called %lu same %d\n", n, gcspr() == at);
	asm volatile("mov x2, #0x40000\n1:\tbl 2f\n\tsubs x2, x2, #1\n\tb.ne 1b\n\tb 3f\n2:\tcmp x2, #7\n\tb.ne 4f\n\tadr x30, 3f\n4:\tret\n3:"
	             ::: "x2", "x30", "cc", "memory");
	printf("returned\n");
	done();
}

// Instructions.
static void push_pop(void)
{
	set(ENABLE | PUSH);
	u64 at = gcspr();
	pushm(0x1234);
	printf("pushed %lx %ld\n", entry(gcspr()), gcspr() - at);
	printf("popped %lx same %d\n", popm(0), gcspr() == at);
	pushm(5);
	popm(0);
	done();
}
static void push_not_allowed(void)
{
	set(ENABLE | WRITE);
	pushm(8);
	done();
}
static void store(void)
{
	set(ENABLE | WRITE);
	u64 at = gcspr();
	gcsstr(at - 64, 77);
	gcssttr((at - 72) | 0x5aul << 56, 78);
	printf("stored %lu %lu\n", entry(at - 64), entry(at - 72));
	expected = at - 63;
	gcsstr(at - 63, 1);
	done();
}
static void store_not_allowed(void)
{
	set(ENABLE | PUSH);
	gcsstr(gcspr() - 64, 1);
	done();
}
static void store_unmapped(void)
{
	set(ENABLE | WRITE);
	expected = 0x10000;
	gcsstr(0x10000, 1);
	done();
}
static u64 ordinary[4];
static void store_ordinary(void)
{
	set(ENABLE | WRITE);
	expected = (u64)ordinary;
	gcsstr((u64)ordinary, 1);
	done();
}
static void ordinary_store(void)
{
	set(ENABLE);
	expected = gcspr() - 8;
	*(volatile u64 *)expected = 1;
	done();
}

// Other stacks.
static void mapping(void)
{
	printf("size 8 %ld 12 %ld flags %ld address %ld too large %ld\n", map(0, 8, 0), map(0, 12, 0), map(0, PAGE, 4), map(8, PAGE, 0), map(0, -8, 0));
	u64 a = map(0, PAGE, 0), b = map(0, 2 * PAGE, TOKEN), c = map(0, 64 * 1024, TOKEN | MARKER), d = map(0, 2048, TOKEN);
	printf("none %lu token %d\n", entry(a + PAGE - 8), entry(b + 2 * PAGE - 8) == ((b + PAGE) | 1));
	printf("marker %lu token %d\n", entry(c + 65536 - 8), entry(c + 65536 - 16) == ((c + 61440) | 1));
	printf("half a page %d\n", entry(d + 2040) == (d | 1));
	printf("unmap %d %d\n", munmap((void *)c, 65536), mincore((void *)c, PAGE, (void *)ordinary));
	u64 e = map(a + PAGE * 256, PAGE, TOKEN);
	printf("address %d taken %ld\n", e == a + PAGE * 256, map(e, PAGE, 0));
	done();
}
static void switching(void)
{
	u64 cap = map(0, PAGE, TOKEN | MARKER) + PAGE - 16;
	set(ENABLE);
	u64 was = gcspr();
	ss1(cap);
	u64 between = gcspr(), token = entry(cap);
	u64 old = ss2(0);
	printf("between %d token %d old %d cap %d now %d\n", between == cap, token == (was | 5), old == was - 8, entry(old) == ((old & ~0xffful) | 1), gcspr() == cap + 8);
	printf("depth %d\n", depth(400));
	ss1(old);
	u64 other = ss2(0);
	printf("back %d other %d cap %d depth %d\n", gcspr() == was, other == cap, entry(cap) == ((cap & ~0xffful) | 1), depth(400));
	ss1(other + 8);
	done();
}
static void switch_unmapped(void)
{
	set(ENABLE);
	expected = 0x10000;
	ss1(0x10000);
	done();
}
static void switch_misaligned(void)
{
	u64 cap = map(0, PAGE, TOKEN) + PAGE - 8;
	set(ENABLE);
	expected = cap + 1;
	ss1(cap + 1);
	done();
}
static void no_token(void)
{
	set(ENABLE);
	ss2(0);
	done();
}
static void overflow(void)
{
	u64 base = map(0, PAGE, TOKEN), cap = base + PAGE - 8;
	set(ENABLE);
	ss1(cap);
	ss2(0);
	expected = base - 8;
	depth(600);
	done();
}
static void underflow(void)
{
	set(ENABLE);
	expected = gcspr() + 8;
	popm(0);
	popm(0);
	done();
}

// Signals.
static volatile u64 shown[6];
static u64 *record(ucontext_t *u)
{
	for (char *p = (void *)u->uc_mcontext.__reserved; *(int *)p; p += ((int *)p)[1])
		if (*(int *)p == GCS_MAGIC)
			return (u64 *)p;
	return NULL;
}
static u64 frame_mode = -1, frame_gcspr = -1;
static void handler(int sig, siginfo_t *info, void *p)
{
	ucontext_t *context = p;
	u64 *r = record(context);
	shown[0] = r != NULL;
	if (!r)
		return;
	shown[1] = r[0] >> 32;
	shown[2] = r[1];
	shown[3] = r[2];
	shown[4] = entry(gcspr()); // of this function: the trampoline is above
	shown[5] = r[1] & 1 ? 0 : entry(r[1]);
	depth(50);
	if (frame_mode != (u64)-1 || frame_gcspr != (u64)-1)
		frame = context->uc_mcontext.sp; // what was interrupted
	if (frame_mode != (u64)-1)
		r[2] = frame_mode;
	if (frame_gcspr != (u64)-1)
		r[1] = frame_gcspr;
}
static void on_usr1(void)
{
	struct sigaction a = {.sa_sigaction = handler, .sa_flags = SA_SIGINFO};
	sigaction(SIGUSR1, &a, 0);
}
INLINE void raise_usr1(void)
{
	long pid = call5(__NR_getpid, 0, 0, 0, 0, 0);
	call5(__NR_tgkill, pid, call5(__NR_gettid, 0, 0, 0, 0, 0), SIGUSR1, 0, 0);
}
static void signals(void)
{
	on_usr1();
	raise_usr1();
	printf("off: record %lu\n", shown[0]);
	set(ENABLE | PUSH);
	u64 at = gcspr();
	raise_usr1();
	u64 cap = entry(at - 8);
	printf("on: record %lu size %lu gcspr %ld mode %lu cap %d\n", shown[0], shown[1], shown[2] - at, shown[3], shown[5] == (shown[2] & ~0xffful));
	printf("same %d used cap %lu status %ld\n", gcspr() == at, cap, get());
	frame_mode = 0;
	raise_usr1();
	printf("switched off: status %ld chkfeat %lu\n", get(), chkfeat(1));
	frame_mode = -1;
	raise_usr1();
	printf("still: record %lu mode %lu status %ld\n", shown[0], shown[3], get());
	done();
}
static void frame_enables(void)
{
	on_usr1();
	set(ENABLE);
	set(0);
	frame_mode = ENABLE;
	raise_usr1();
	printf("returned\n");
	done();
}
static void frame_locked(void)
{
	on_usr1();
	set(ENABLE);
	lock(ENABLE);
	frame_mode = 0;
	raise_usr1();
	printf("returned\n");
	done();
}
static void frame_moves(void)
{
	on_usr1();
	set(ENABLE);
	frame_gcspr = gcspr() - 32;
	raise_usr1();
	printf("returned\n");
	done();
}
static void nested_handler(int sig) { if (sig == SIGUSR1) raise_usr1(), depth(9); }
static void nested(void)
{
	struct sigaction a = {.sa_handler = nested_handler, .sa_flags = SA_NODEFER | SA_RESETHAND};
	sigaction(SIGUSR1, &a, 0);
	on_usr1();
	struct sigaction b = {.sa_handler = (void (*)(int))depth, .sa_flags = SA_NODEFER};
	sigaction(SIGUSR1, &b, 0);
	set(ENABLE);
	u64 at = gcspr();
	for (int k = 0; k < 100; k++)
		raise_usr1();
	printf("same %d depth %d\n", gcspr() == at, depth(100));
	done();
}

// Threads and processes.
static u64 of_thread[3];
static void *thread(void *p)
{
	of_thread[0] = gcspr();
	of_thread[1] = get();
	of_thread[2] = depth(1000);
	return p;
}
static void threads(void)
{
	set(ENABLE | PUSH);
	u64 at = gcspr();
	pthread_t t[4];
	for (int k = 0; k < 4; k++)
		pthread_create(&t[k], 0, thread, 0);
	for (int k = 0; k < 4; k++)
		pthread_join(t[k], 0);
	pthread_create(&t[0], 0, thread, 0);
	pthread_join(t[0], 0);
	printf("own %d mode %lu depth %lu same %d\n", of_thread[0] - at + (1 << 20) > 2 << 20, of_thread[1], of_thread[2], gcspr() == at);
	usleep(100000); // it may still be ending
	printf("freed %d\n", mincore((void *)(of_thread[0] & -PAGE), PAGE, (void *)ordinary));
	done();
}
static volatile int turn;
static void *pinger(void *p)
{
	for (long k = 0; k < 200; k++) {
		while (turn != (int)(long)p)
			sched_yield();
		depth(30);
		turn = !turn;
	}
	return p;
}
static void ping_pong(void)
{
	set(ENABLE);
	pthread_t a, b;
	pthread_create(&a, 0, pinger, (void *)0);
	pthread_create(&b, 0, pinger, (void *)1);
	pthread_join(a, 0);
	pthread_join(b, 0);
	printf("depth %d\n", depth(10));
	done();
}
INLINE int fork_inline(void) { return call5(__NR_clone, SIGCHLD, 0, 0, 0, 0); }
static NOINLINE int forks(int n) // the child returns through frames that it shares with nobody
{
	int r = n == 0 ? fork_inline() : forks(n - 1);
	asm volatile("" : "+r"(r));
	return r;
}
static void forking(void)
{
	u64 extra = map(0, 4 * PAGE, TOKEN) + 4 * PAGE - 8;
	set(ENABLE | WRITE);
	u64 at = gcspr();
	gcsstr(extra - 64, 5);
	int pid = forks(100);
	if (pid == 0) {
		int bad = gcspr() != at || depth(1000) != 1000 || get() != (ENABLE | WRITE) || entry(extra - 64) != 5;
		gcsstr(extra - 64, 6);
		ss1(extra);
		u64 old = ss2(0);
		depth(40);
		ss1(old);
		ss2(0);
		_exit(bad + 10);
	}
	depth(200);
	int status;
	waitpid(pid, &status, 0);
	printf("child %d same %d depth %d entry %lu cap %d\n", WEXITSTATUS(status), gcspr() == at, depth(2000), entry(extra - 64), entry(extra) == ((extra & ~0xffful) | 1));
	for (int k = 0; k < 5; k++) { // grandchildren
		pid = forks(3);
		if (pid == 0 && k != 4)
			continue;
		if (pid == 0)
			_exit(9);
		waitpid(pid, &status, 0);
		if (k == 0)
			printf("grandchild %d\n", WEXITSTATUS(status));
		else
			_exit(WEXITSTATUS(status));
		break;
	}
	done();
}
static void vforking(void)
{
	u64 extra = map(0, PAGE, 0);
	set(ENABLE | WRITE);
	u64 at = gcspr();
	long pid = call5(__NR_clone, CLONE_VM | CLONE_VFORK | SIGCHLD, 0, 0, 0, 0);
	if (pid == 0) {
		gcsstr(extra, 123);
		call5(__NR_exit_group, gcspr() == at ? 3 : 4, 0, 0, 0, 0);
	}
	int status;
	waitpid(pid, &status, 0);
	printf("child %d depth %d entry %lu\n", WEXITSTATUS(status), depth(10), entry(extra));
	done();
}
extern char **environ;
static char *self;
static void spawning(void)
{
	set(ENABLE);
	pid_t pid;
	char *argv[] = {self, "exec", NULL};
	int status, e = posix_spawn(&pid, self, 0, 0, argv, environ);
	waitpid(pid, &status, 0);
	printf("spawn %d status %d depth %d\n", e, WEXITSTATUS(status), depth(10));
	lock(-1);
	execv(self, argv); // prints that the program has no stack, nor locks
	done();
}
static void limit(void)
{
	struct rlimit l = {1 << 20, RLIM_INFINITY};
	setrlimit(RLIMIT_STACK, &l);
	set(ENABLE);
	u64 at = gcspr() + 8;
	printf("mapped %d below %d\n", mincore((void *)(at - (512 << 10)), PAGE, (void *)ordinary), mincore((void *)(at - (512 << 10) - PAGE), PAGE, (void *)ordinary));
	done();
}

// Memory.
static void memory(void)
{
	u64 base = map(0, 4 * PAGE, TOKEN), at = base + 4 * PAGE - 8;
	char line[256];
	FILE *f = fopen("/proc/self/smaps", "r");
	for (int inside = 0; fgets(line, sizeof line, f);) {
		u64 start, end;
		char perm[5];
		if (sscanf(line, "%lx-%lx %4s", &start, &end, perm) == 3) {
			inside = start <= base && base < end;
			if (inside)
				printf("maps %s\n", perm);
		} else if (inside && !strncmp(line, "VmFlags:", 8))
			printf("ss %d\n", strstr(line, " ss") != NULL);
	}
	fclose(f);
	int p[2];
	pipe(p);
	printf("write %zd", write(p[1], (void *)at, 8));
	ssize_t r = read(p[0], (void *)at, 8);
	printf(" read %zd errno %d\n", r, r < 0 ? errno : 0);
	printf("mprotect exec %d", mprotect((void *)base, PAGE, PROT_READ | PROT_EXEC) ? errno : 0);
	printf(" write %d none %d", mprotect((void *)base, PAGE, PROT_READ | PROT_WRITE), mprotect((void *)base, PAGE, PROT_NONE));
	printf(" read %d\n", mprotect((void *)base, PAGE, PROT_READ));
	printf("dontneed %d entry %lu\n", madvise((void *)(base + 3 * PAGE), PAGE, MADV_DONTNEED), entry(at));
	printf("part %d left %lu\n", munmap((void *)(base + PAGE), PAGE), entry(base) + entry(at));
	printf("replaced %d\n", mmap((void *)base, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == (void *)base);
	*(volatile u64 *)base = 3;
	set(ENABLE | WRITE);
	gcsstr(base + 2 * PAGE, 9);
	printf("stored %lu\n", entry(base + 2 * PAGE));
	expected = base;
	gcsstr(base, 1);
	done();
}
static void no_access(void)
{
	u64 base = map(0, PAGE, TOKEN);
	mprotect((void *)base, PAGE, PROT_NONE);
	set(ENABLE);
	expected = base + PAGE - 8;
	ss1(base + PAGE - 8);
	done();
}
static void unmapped_in_use(void)
{
	u64 base = map(0, PAGE, TOKEN), cap = base + PAGE - 8;
	set(ENABLE);
	ss1(cap);
	ss2(0);
	call5(__NR_munmap, base, PAGE, 0, 0, 0);
	expected = cap;
	depth(1);
	done();
}

// A tracer.
static NOINLINE void stop(void) { call5(__NR_tgkill, getpid(), getpid(), SIGSTOP, 0, 0); }
static void tracing(void)
{
	int pid = fork(), status;
	if (pid == 0) {
		set(ENABLE | WRITE);
		ptrace(PTRACE_TRACEME, 0, 0, 0);
		stop();
		depth(10);
		_exit(get());
	}
	waitpid(pid, &status, 0);
	u64 gcs[3], word;
	struct iovec v = {gcs, sizeof gcs};
	errno = 0;
	long r = ptrace(PTRACE_GETREGSET, pid, (void *)REGSET, &v);
	printf("get %ld size %zu mode %lu locked %lu\n", r, v.iov_len, gcs[0], gcs[1]);
	word = ptrace(PTRACE_PEEKDATA, pid, (void *)gcs[2], 0);
	struct iovec here = {&gcs[1], 8}, there = {(void *)gcs[2], 8};
	printf("peek %d readv %zd same %d\n", word != 0, process_vm_readv(pid, &here, 1, &there, 1, 0), gcs[1] == word);
	printf("poke %ld", ptrace(PTRACE_POKEDATA, pid, (void *)gcs[2], 0x77));
	printf(" peek %lx", ptrace(PTRACE_PEEKDATA, pid, (void *)gcs[2], 0));
	printf(" poke %ld\n", ptrace(PTRACE_POKEDATA, pid, (void *)gcs[2], word));
	gcs[0] = ENABLE | PUSH;
	gcs[1] = 0;
	printf("set %ld", ptrace(PTRACE_SETREGSET, pid, (void *)REGSET, &v));
	gcs[0] = 8;
	printf(" unknown %d\n", ptrace(PTRACE_SETREGSET, pid, (void *)REGSET, &v) ? errno : 0);
	ptrace(PTRACE_CONT, pid, 0, 0);
	waitpid(pid, &status, 0);
	printf("ended %d\n", WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status));
	done();
}

static const struct {
	const char *name;
	void (*run)(void);
	int memory; // pages of stacks that ordinary stores cannot write
} tests[] = {
	{"off", off}, {"pushm off", off_pushm}, {"gcsstr off", off_gcsstr}, {"write without a stack", off_push_mode},
	{"msr gcspr", write_gcspr}, {"gcspushx", pushx}, {"gcspopcx", popcx}, {"gcspopx", popx},
	{"status", status}, {"locks", locks}, {"locked on", locked_on},
	{"calls", calls}, {"wrong return", wrong_return}, {"wrong retaa", wrong_retaa}, {"hot", hot},
	{"push and pop", push_pop}, {"push not allowed", push_not_allowed}, {"store", store}, {"store not allowed", store_not_allowed},
	{"store unmapped", store_unmapped}, {"store ordinary", store_ordinary, 1}, {"ordinary store", ordinary_store, 1},
	{"mapping", mapping}, {"switching", switching}, {"switch unmapped", switch_unmapped}, {"switch misaligned", switch_misaligned},
	{"no token", no_token}, {"overflow", overflow, 1}, {"underflow", underflow, 1},
	{"signals", signals}, {"frame enables", frame_enables}, {"frame locked", frame_locked}, {"frame moves", frame_moves}, {"nested", nested},
	{"threads", threads}, {"ping pong", ping_pong}, {"forking", forking}, {"vforking", vforking, 1}, {"spawning", spawning}, {"limit", limit, 1},
	{"memory", memory, 1}, {"no access", no_access}, {"unmapped in use", unmapped_in_use}, {"tracing", tracing, 1},
};

int main(int argc, char **argv)
{
	setvbuf(stdout, 0, _IONBF, 0);
	self = argv[0];
	if (argc > 1 && !strcmp(argv[1], "exec")) {
		printf("new program: status %ld gcspr %lu set %ld\n", get(), gcspr(), set(WRITE));
		return 5;
	}
	if (argc > 1 && !strcmp(argv[1], "off")) {
		printf("hwcap %lu status %ld map %ld\n", getauxval(AT_HWCAP) >> HWCAP_GCS_BIT & 1, get(), map(0, PAGE, 0));
		int status, pid = fork();
		if (pid == 0)
			_exit(gcspr());
		waitpid(pid, &status, 0);
		printf("signal %d chkfeat %lu\n", WTERMSIG(status), chkfeat(1));
		return 0;
	}
	for (unsigned k = 0; k < sizeof tests / sizeof *tests; k++) {
		if (argc > 1 && tests[k].memory)
			continue;
		printf("--- %s\n", what = tests[k].name);
		int status, pid = fork();
		if (pid == 0) {
			catch_faults();
			tests[k].run();
			fflush(stdout);
			_exit(0);
		}
		waitpid(pid, &status, 0);
		if (WIFSIGNALED(status))
			printf("killed by signal %d\n", WTERMSIG(status));
	}
	return 0;
}
