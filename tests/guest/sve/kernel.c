// SVE at a vector length of 128 bits as Linux Documentation/arch/arm64/sve.rst has it: each line tells
// what a program sees of its registers, where the kernel comes in between.
#include "state.h"

enum { SVE_BIT = 22, SVE = 0x53564501, FPSIMD = 0x46508001, ESR = 0x45535201, REGS = 16, P = REGS + 512, FFR = P + 32 };

static struct state before;

// The records of a frame, as asm/sigcontext.h has them.
struct record { u32 magic, size; u16 vl, flags; u32 _; };

static struct record *find(ucontext_t *c, u32 magic)
{
	char *r = (char *)c->uc_mcontext.__reserved;
	for (; ((struct record *)r)->magic; r += ((struct record *)r)->size)
		if (((struct record *)r)->magic == magic)
			return (struct record *)r;
	return 0;
}

static u16 *predicate(struct record *r, int n) { return (u16 *)((char *)r + P) + n; }

// What the handler is to do with the frame.
static enum { LEAVE, SHOW, PREDICATES, VECTORS, V, HEADER, NO_RECORD, LENGTH, STREAMING, SHORT, TWICE } way;
static volatile u32 came;
static u16 p3_in_handler;

static void handler(int sig, siginfo_t *info, void *context)
{
	asm volatile("str p3, [%0]" :: "r"(&p3_in_handler) : "memory");
	ucontext_t *c = context;
	struct record *r = find(c, SVE);
	came = 1;
	if (sig == SIGILL)
		c->uc_mcontext.pc += 4;
	switch (way) {
	case LEAVE:
		break;
	case SHOW:
		printf("records");
		for (char *r = (char *)c->uc_mcontext.__reserved; ((struct record *)r)->magic; r += ((struct record *)r)->size)
			printf(" %x:%u", ((struct record *)r)->magic, ((struct record *)r)->size);
		printf("\n");
		if (r) {
			printf("vl %d flags %d", r->vl, r->flags);
			if (r->size > REGS)
				printf(" p1 %x p15 %x ffr %x z31 %lx", *predicate(r, 1), *predicate(r, 15), *predicate(r, 16), *(u64 *)((char *)r + REGS + 31 * 16));
			printf(", p3 in the handler %x\n", p3_in_handler);
		}
		break;
	case PREDICATES:
		*predicate(r, 3) = 0xaaaa;
		*predicate(r, 16) = 0xf;
		break;
	case VECTORS: // they come from the other record
		*(u64 *)((char *)r + REGS + 3 * 16) = 99;
		break;
	case V:
		((u64 *)((char *)find(c, FPSIMD) + 16))[2 * 3] = 99;
		break;
	case HEADER:
		r->size = REGS;
		memset((char *)r + REGS, 0, 16);
		break;
	case NO_RECORD:
		memset(r, 0, 16);
		break;
	case LENGTH:
		r->vl = 32;
		break;
	case STREAMING:
		r->flags = 1;
		break;
	case SHORT:
		r->size = 560;
		memset((char *)r + 560, 0, 16);
		break;
	case TWICE:
		memcpy((char *)r + r->size, r, 16);
		((struct record *)((char *)r + r->size))->size = 16;
		memset((char *)r + r->size + 16, 0, 16);
	}
}

static void after(const char *what, void (*around)(struct state *), struct state s)
{
	struct state is = s;
	around(&is);
	compare(what, &is, &s);
}

static void call(const char *what, long nr, u64 a, u64 b, u64 c, u64 d)
{
	struct state s = before;
	s.call[0] = a, s.call[1] = b, s.call[2] = c, s.call[3] = d, s.call[6] = nr;
	after(what, around_call, s);
}

static long set(u64 arg)
{
	long r = prctl(PR_SVE_SET_VL, arg);
	return r < 0 ? -errno : r;
}

static void length(void)
{
	u64 vl;
	asm("rdvl %0, #1" : "=r"(vl));
	printf("hwcap %lu, rdvl %lu, minsigstksz %lu, get %x\n", getauxval(AT_HWCAP) >> SVE_BIT & 1, vl, getauxval(AT_MINSIGSTKSZ), prctl(PR_SVE_GET_VL));
	printf("set 16: %lx 256: %lx 8192: %lx 0: %lx 8: %lx 24: %lx 8208: %lx flag 16: %lx flag 19: %lx\n",
	       set(16), set(256), set(8192), set(0), set(8), set(24), set(8208), set(16 | 1 << 16), set(16 | 1 << 19));
	printf("inherit %lx", set(16 | PR_SVE_VL_INHERIT));
	printf(" get %x", prctl(PR_SVE_GET_VL));
	printf(" on exec %lx", set(32 | PR_SVE_SET_VL_ONEXEC));
	printf(" get %x\n", prctl(PR_SVE_GET_VL));
}

// Threads and programs keep the flag, and nothing else.
static void inherit(char *self)
{
	set(16 | PR_SVE_VL_INHERIT);
	fflush(stdout);
	if (!fork()) {
		printf("child %x\n", prctl(PR_SVE_GET_VL));
		fflush(stdout);
		execl(self, self, "length", NULL);
		_exit(1);
	}
	wait(0);
	set(16);
	if (!fork()) {
		execl(self, self, "length", NULL);
		_exit(1);
	}
	wait(0);
}

static void calls(void)
{
	static char name[64];
	struct timespec t;
	after("nothing", around_nothing, before);
	call("getpid", SYS_getpid, 0, 0, 0, 0);
	call("prctl", SYS_prctl, PR_GET_NAME, (u64)name, 0, 0);
	call("clock_gettime", SYS_clock_gettime, CLOCK_MONOTONIC, (u64)&t, 0, 0);
	call("clock_gettime again", SYS_clock_gettime, CLOCK_MONOTONIC, (u64)&t, 0, 0);
	call("failing", SYS_close, -1, 0, 0, 0);
	call("unknown", 9999, 0, 0, 0, 0);
	call("openat", SYS_openat, -100, (u64)"/", 0, 0);
	// Where generated code makes it many times.
	struct state s = before, is;
	int bad = 0;
	for (int n = 0; n < 2000; n++) {
		is = s, is.call[6] = SYS_getppid;
		around_call(&is);
		bad += is.p[3] != 0 || is.ffr != 0 || is.z[3][0] != 3;
	}
	printf("of 2000 calls %d left predicates\n", bad);
}

static void forks(void)
{
	struct state s = before;
	fflush(stdout);
	s.call[0] = SIGCHLD, s.call[6] = SYS_clone;
	struct state is = s;
	around_call(&is);
	if (is.call[0])
		wait(0);
	compare(is.call[0] ? "parent" : "child", &is, &s);
	fflush(stdout);
	if (!is.call[0])
		_exit(0);
}

static void frames(void)
{
	way = SHOW;
	after("undefined instruction", around_undefined, before);
	struct state s = before;
	memset(s.p, 0, 34);
	after("without predicates", around_undefined, s);
	s = before;
	s.call[0] = getpid(), s.call[1] = syscall(SYS_gettid), s.call[2] = SIGUSR1, s.call[6] = SYS_tgkill;
	after("in a call", around_call, s);
}

static void returns(void)
{
	way = LEAVE;
	after("leave", around_undefined, before);
	way = PREDICATES;
	after("predicates", around_undefined, before);
	way = LEAVE;
	came = 0;
	struct state s = before, is;
	s.flag = &came;
	struct itimerval timer = {.it_value = {.tv_usec = 20000}};
	setitimer(ITIMER_REAL, &timer, 0);
	after("any time", around_wait, s);
}

static void vectors(void)
{
	way = VECTORS;
	after("vectors", around_undefined, before);
	way = V;
	after("v", around_undefined, before);
	way = HEADER;
	after("header", around_undefined, before);
	way = NO_RECORD;
	after("no record", around_undefined, before);
}

static void refused(void)
{
	static const char *const names[] = {"length", "streaming", "short", "twice"};
	for (way = LENGTH; way <= TWICE; way++) {
		fflush(stdout);
		pid_t child = fork();
		if (!child) {
			after("not refused", around_undefined, before);
			fflush(stdout);
			_exit(1);
		}
		int status;
		waitpid(child, &status, 0);
		printf("%s: signal %d\n", names[way - LENGTH], WTERMSIG(status));
	}
}

int main(int argc, char **argv)
{
	if (argc > 1 && !strcmp(argv[1], "length")) {
		printf("program %x\n", prctl(PR_SVE_GET_VL));
		return 0;
	}
	struct sigaction a = {.sa_sigaction = handler, .sa_flags = SA_SIGINFO};
	sigaction(SIGILL, &a, 0);
	sigaction(SIGUSR1, &a, 0);
	sigaction(SIGALRM, &a, 0);
	fill(&before);
	puts("--- length");
	length();
	puts("--- inherit");
	inherit(argv[0]);
	puts("--- calls");
	calls();
	puts("--- forks");
	forks();
	puts("--- frames");
	frames();
	puts("--- returns");
	returns();
	puts("--- vectors");
	vectors();
	puts("--- refused");
	refused();
	return 0;
}
