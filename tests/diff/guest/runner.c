// The guest side of the differential tests: executes the cases that it reads on
// standard input and writes the state in which each one ended. Built without a C
// library; the layouts are those of diff.go and of the arm64 kernel ABI.

typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned int u32;
typedef unsigned long u64;

struct state {
	u64 x[31], sp, pc;
	u32 nzcv, fpcr, fpsr, sig;
	u64 addr;
	u64 v[32][2];
	u8 mem[MEM_SIZE];
	u8 tags[MEM_SIZE / 16];
	u64 gcspr, gcs[GCS_ENTRIES];
	u16 p[20]; // P0 to P15, FFR, nothing
};

static struct test {
	u32 count, pad;
	u32 words[MAX_WORDS];
	struct state in;
} test;

static struct state out;
static u8 altstack[65536] __attribute__((aligned(16)));
static u8 mainstack[65536] __attribute__((aligned(16)));

// With an argument memory has tags, which accesses of the cases must match.
static int tagged;
enum { PROT_MTE = 0x20, TAG_MODE = 1 | 1 << 1 | TAG_SET << 3 }; // tagged addresses, synchronous checks

// With the argument gcs there is a guarded control stack, whose entries from GCS on are part
// of the state. The handler uses it too: what is below GCSPR_EL0 is not shown.
static int guarded;
enum { GCS_ALL = 7 };

// With the argument sve predicate registers are part of the state. Vectors have 128 bits.
static int scalable;
#define SVE_MAGIC 0x53564501u

static u32 *const code = (u32 *)CODE;
static u8 *const mem = (u8 *)MEM;
#define FILLER 0xd42b4b40u /* brk #0x5a5a */

static long call(long nr, long a, long b, long c, long d, long e, long f)
{
	register long x8 asm("x8") = nr;
	register long x0 asm("x0") = a;
	register long x1 asm("x1") = b;
	register long x2 asm("x2") = c;
	register long x3 asm("x3") = d;
	register long x4 asm("x4") = e;
	register long x5 asm("x5") = f;
	asm volatile("svc #0" : "+r"(x0) : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4), "r"(x5) : "memory");
	return x0;
}

enum { NR_read = 63, NR_write = 64, NR_exit = 93, NR_sigaltstack = 132, NR_rt_sigaction = 134, NR_prctl = 167, NR_mmap = 222, NR_map_shadow_stack = 453 };

static void die(int status)
{
	call(NR_exit, status, 0, 0, 0, 0, 0);
	__builtin_unreachable();
}

static void transfer(int nr, int fd, void *buf, u64 n)
{
	for (u64 done = 0; done < n;) {
		long r = call(nr, fd, (long)buf + done, n - done, 0, 0, 0);
		if (r <= 0)
			die(done == 0 && r == 0 ? 0 : 3);
		done += r;
	}
}

static void copy(volatile void *to, const void *from, u64 n) // n is a multiple of 8
{
	for (u64 k = 0; k < n / 8; k++)
		((volatile u64 *)to)[k] = ((const u64 *)from)[k];
}

static void publish(const u32 *p)
{
	asm volatile("dc cvau, %0\n\tdsb ish\n\tic ivau, %0\n\tdsb ish\n\tisb" :: "r"(p) : "memory");
}

// enter loads all registers and goes to the code under test. CODE_AT is defined
// on the linker's command line.
asm(".text\n.globl enter\nenter:\n"
    "	clrex\n"
    "	ldp q0, q1, [x0, #288]\n	ldp q2, q3, [x0, #320]\n	ldp q4, q5, [x0, #352]\n"
    "	ldp q6, q7, [x0, #384]\n	ldp q8, q9, [x0, #416]\n	ldp q10, q11, [x0, #448]\n"
    "	ldp q12, q13, [x0, #480]\n	ldp q14, q15, [x0, #512]\n	ldp q16, q17, [x0, #544]\n"
    "	ldp q18, q19, [x0, #576]\n	ldp q20, q21, [x0, #608]\n	ldp q22, q23, [x0, #640]\n"
    "	ldp q24, q25, [x0, #672]\n	ldp q26, q27, [x0, #704]\n	ldp q28, q29, [x0, #736]\n"
    "	ldp q30, q31, [x0, #768]\n"
    "	ldr w1, [x0, #268]\n	msr fpcr, x1\n	ldr w1, [x0, #272]\n	msr fpsr, x1\n"
    "	ldr w1, [x0, #264]\n	msr nzcv, x1\n	ldr x1, [x0, #248]\n	mov sp, x1\n"
    "	ldp x2, x3, [x0, #16]\n	ldp x4, x5, [x0, #32]\n	ldp x6, x7, [x0, #48]\n"
    "	ldp x8, x9, [x0, #64]\n	ldp x10, x11, [x0, #80]\n	ldp x12, x13, [x0, #96]\n"
    "	ldp x14, x15, [x0, #112]\n	ldp x16, x17, [x0, #128]\n	ldp x18, x19, [x0, #144]\n"
    "	ldp x20, x21, [x0, #160]\n	ldp x22, x23, [x0, #176]\n	ldp x24, x25, [x0, #192]\n"
    "	ldp x26, x27, [x0, #208]\n	ldp x28, x29, [x0, #224]\n	ldr x30, [x0, #240]\n"
    "	ldp x0, x1, [x0]\n	b CODE_AT\n");
extern void enter(const struct state *s) __attribute__((noreturn));

// enter_predicates loads the predicate registers from its second argument and goes to enter.
asm(".arch armv8.2-a+sve\n.globl enter_predicates\nenter_predicates:\n"
    "	ldr p0, [x1, #16, mul vl]\n	wrffr p0.b\n"
    "	ldr p0, [x1]\n	ldr p1, [x1, #1, mul vl]\n	ldr p2, [x1, #2, mul vl]\n	ldr p3, [x1, #3, mul vl]\n"
    "	ldr p4, [x1, #4, mul vl]\n	ldr p5, [x1, #5, mul vl]\n	ldr p6, [x1, #6, mul vl]\n	ldr p7, [x1, #7, mul vl]\n"
    "	ldr p8, [x1, #8, mul vl]\n	ldr p9, [x1, #9, mul vl]\n	ldr p10, [x1, #10, mul vl]\n	ldr p11, [x1, #11, mul vl]\n"
    "	ldr p12, [x1, #12, mul vl]\n	ldr p13, [x1, #13, mul vl]\n	ldr p14, [x1, #14, mul vl]\n	ldr p15, [x1, #15, mul vl]\n"
    "	b enter\n.arch armv8-a\n");
extern void enter_predicates(const struct state *s, const u16 *p) __attribute__((noreturn));

// install puts the words of the case into the code page. It leaves alone what is
// there already, so that an emulator can use its translation again.
static void install(void)
{
	for (u32 k = 0; k < MAX_WORDS; k++) {
		u32 word = k < test.count ? test.words[k] : FILLER;
		if (code[CODE_WORD + k] == word)
			continue;
		code[CODE_WORD + k] = word;
		publish(&code[CODE_WORD + k]);
	}
}

static void put_tags(const u8 *tags)
{
	for (u64 k = 0; k < MEM_SIZE / 16; k++)
		asm volatile(".arch armv8.5-a+memtag\n\tstg %0, [%0]" :: "r"(MEM + 16 * k | (u64)tags[k] << 56) : "memory");
}

static void get_tags(u8 *tags)
{
	for (u64 k = 0; k < MEM_SIZE / 16; k++) {
		u64 p = MEM + 16 * k;
		asm volatile(".arch armv8.5-a+memtag\n\tldg %0, [%0]" : "+r"(p) :: "memory");
		tags[k] = p >> 56 & 15;
	}
}

static inline __attribute__((always_inline)) void put_entry(u64 at, u64 v)
{
	register u64 x0 asm("x0") = at;
	register u64 x1 asm("x1") = v;
	asm volatile(".inst 0xd91f0c01" :: "r"(x0), "r"(x1) : "memory"); // gcsstr x1, [x0]
}

// put_stack switches to the state's stack, by way of a cap below its first entry. It must
// not be a function.
static inline __attribute__((always_inline)) void put_stack(void)
{
	u64 cap = test.in.gcspr - 8;
	put_entry(cap, (cap & ~0xffful) | 1);
	asm volatile("sys #3, c7, c7, #2, %0\n\tsysl xzr, #3, c7, c7, #3" :: "r"(cap) : "memory"); // gcsss1, gcsss2
	for (u64 k = 0; k < GCS_ENTRIES; k++)
		put_entry(GCS + 8 * k, test.in.gcs[k]);
}

static void get_stack(const u8 *records)
{
	for (; *(u32 *)records != 0x47435300; records += ((u32 *)records)[1])
		if (*(u32 *)records == 0)
			die(8);
	out.gcspr = ((u64 *)records)[1] + 8; // of the cap that the kernel has pushed
	for (u64 k = 0; k < GCS_ENTRIES; k++)
		out.gcs[k] = GCS + 8 * k < out.gcspr ? 0 : ((volatile u64 *)GCS)[k];
}

// get_predicates finds them in a signal frame: without registers in it they are all false.
static void get_predicates(const u8 *records)
{
	copy(out.p, (const u8 *)(const u64[sizeof out.p / 8]){0}, sizeof out.p);
	for (; *(u32 *)records != SVE_MAGIC; records += ((u32 *)records)[1])
		if (*(u32 *)records == 0)
			die(9);
	if (((u16 *)records)[4] != 16)
		die(10);
	if (((u32 *)records)[1] <= 16)
		return;
	for (u32 k = 0; k < 17; k++)
		out.p[k] = ((u16 *)(records + 16 + 32 * 16))[k];
}

static void __attribute__((noreturn, used)) serve(void)
{
	transfer(NR_read, 0, &test, sizeof test);
	copy(mem, test.in.mem, MEM_SIZE);
	copy(mem + 4096 - MEM_TAIL, test.in.mem, MEM_TAIL);
	install();
	if (tagged) {
		put_tags(test.in.tags);
		asm volatile(".arch armv8.5-a+memtag\n\tmsr tco, #0" ::: "memory");
	}
	if (guarded) {
		put_stack();
		register const struct state *x0 asm("x0") = &test.in;
		asm volatile("b enter" :: "r"(x0) : "memory");
		__builtin_unreachable();
	}
	if (scalable)
		enter_predicates(&test.in, test.in.p);
	enter(&test.in);
}

// Every case ends in a signal, at the latest in that of the filler.
static void handler(int sig, u8 *info, u8 *context)
{
	const u64 *mcontext = (u64 *)(context + 176); // fault_address, regs, sp, pc, pstate
	const u8 *fpsimd = context + 464;             // magic, size, fpsr, fpcr, vregs
	if (*(u32 *)fpsimd != 0x46508001)
		die(4);
	copy((u8 *)out.x, (u8 *)(mcontext + 1), sizeof out.x);
	out.sp = mcontext[32];
	out.pc = mcontext[33];
	out.nzcv = (u32)mcontext[34] & 0xf0000000;
	out.fpsr = ((u32 *)fpsimd)[2];
	out.fpcr = ((u32 *)fpsimd)[3];
	copy((u8 *)out.v, fpsimd + 16, sizeof out.v);
	out.sig = sig;
	out.addr = sig == 11 || sig == 7 ? *(u64 *)(info + 16) : 0;
	if (tagged) {
		asm volatile(".arch armv8.5-a+memtag\n\tmsr tco, #1" ::: "memory");
		out.addr &= (1ul << 56) - 1;
		get_tags(out.tags);
	}
	if (guarded)
		get_stack(fpsimd);
	if (scalable)
		get_predicates(fpsimd);
	copy(out.mem, mem, MEM_SIZE);
	transfer(NR_write, 1, &out, sizeof out);
	asm volatile("mov sp, %0\n\tb serve" :: "r"(mainstack + sizeof mainstack));
	__builtin_unreachable();
}

static void map(u64 at, int prot)
{
	if (call(NR_mmap, at, 4096, prot, 0x32, -1, 0) != (long)at) // private, fixed, anonymous
		die(5);
}

void __attribute__((noreturn, used)) start(const u64 *argc)
{
	static const int signals[] = {4, 5, 7, 8, 11};
	struct { void *sp; int flags; u64 size; } stack = {altstack, 0, sizeof altstack};
	struct { void *handler; u64 flags; void *restorer; u64 mask; } action = {handler, 0x48000004, 0, 0};

	for (u64 k = 1; k < *argc; k++) {
		char c = *(char *)argc[1 + k];
		guarded |= c == 'g';
		scalable |= c == 's';
		tagged |= c == 't';
	}
	if (tagged && call(NR_prctl, 55, TAG_MODE, 0, 0, 0, 0))
		die(6);
	map(MEM, tagged ? 3 | PROT_MTE : 3);
	map(CODE, 7);
	for (u32 k = 0; k < 1024; k++)
		code[k] = FILLER;
	call(NR_sigaltstack, (long)&stack, 0, 0, 0, 0, 0);
	for (u32 k = 0; k < sizeof signals / sizeof *signals; k++) // siginfo, onstack, nodefer
		call(NR_rt_sigaction, signals[k], (long)&action, 0, 8, 0, 0);
	if (tagged)
		asm volatile(".arch armv8.5-a+memtag\n\tmsr tco, #1" ::: "memory");
	if (guarded && call(NR_map_shadow_stack, GCS & ~4095ul, 4096, 0, 0, 0, 0) != (GCS & ~4095ul))
		die(7);
	if (guarded) {
		register long x8 asm("x8") = NR_prctl;
		register long x0 asm("x0") = 75; // PR_SET_SHADOW_STACK_STATUS
		register long x1 asm("x1") = GCS_ALL;
		register long x2 asm("x2") = 0;
		register long x3 asm("x3") = 0;
		register long x4 asm("x4") = 0;
		asm volatile("svc #0" : "+r"(x0) : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4) : "memory");
	}
	serve();
}

asm(".globl _start\n_start:\n	mov x0, sp\n	b start\n");
