// Litmus tests of the memory model (Arm ARM B2.3; the names are those of Alglave,
// Maranget and Tautschnig, "Herding cats", 2014): threads run a few instructions on
// many cells at once, and outcomes that the architecture forbids are counted. An Arm
// processor prints 0 in every line.
#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

typedef unsigned long u64;
typedef unsigned __int128 u128;

enum { CELLS = 4096, BATCH = 4, MAX_THREADS = 4 };

// Shared locations lie apart, as the threads' results do.
static volatile u64 x[CELLS * 8], y[CELLS * 8];
static u64 result[MAX_THREADS][CELLS][2];
static int rounds;

#define AT(v, k) (&(v)[(k) * 8])

static void str(volatile u64 *p, u64 v) { asm volatile("str %1, [%0]" ::"r"(p), "r"(v) : "memory"); }
static void stlr(volatile u64 *p, u64 v) { asm volatile("stlr %1, [%0]" ::"r"(p), "r"(v) : "memory"); }
static u64 ldr(volatile u64 *p) { u64 v; asm volatile("ldr %0, [%1]" : "=r"(v) : "r"(p) : "memory"); return v; }
static u64 ldar(volatile u64 *p) { u64 v; asm volatile("ldar %0, [%1]" : "=r"(v) : "r"(p) : "memory"); return v; }
static u64 ldapr(volatile u64 *p) { u64 v; asm volatile(".arch_extension rcpc\n\tldapr %0, [%1]" : "=r"(v) : "r"(p) : "memory"); return v; }
static u64 swpal(volatile u64 *p, u64 v) { u64 o; asm volatile(".arch_extension lse\n\tswpal %2, %0, [%1]" : "=&r"(o) : "r"(p), "r"(v) : "memory"); return o; }
static void dmb(void) { asm volatile("dmb ish" ::: "memory"); }
static void dmb_ld(void) { asm volatile("dmb ishld" ::: "memory"); }
static void dmb_st(void) { asm volatile("dmb ishst" ::: "memory"); }
static u64 zero_of(u64 v) { u64 z; asm volatile("eor %0, %1, %1" : "=r"(z) : "r"(v)); return z; } // depends on v

#define R(t, n) result[t][k][n]

// Message passing: the flag is seen, the data are not.
static void mp_st(int k) { str(AT(x, k), 1); dmb_st(); str(AT(y, k), 1); }
static void mp_rel(int k) { str(AT(x, k), 1); stlr(AT(y, k), 1); }
static void mp_ld(int k) { R(1, 0) = ldr(AT(y, k)); dmb_ld(); R(1, 1) = ldr(AT(x, k)); }
static void mp_acq(int k) { R(1, 0) = ldar(AT(y, k)); R(1, 1) = ldr(AT(x, k)); }
static void mp_acqpc(int k) { R(1, 0) = ldapr(AT(y, k)); R(1, 1) = ldr(AT(x, k)); }
static void mp_addr(int k) { // the address depends on the flag
	R(1, 0) = ldr(AT(y, k));
	R(1, 1) = ldr(AT(x, k) + zero_of(R(1, 0)));
}

static int mp(int k) { return R(1, 0) == 1 && R(1, 1) == 0; }

// The same for a reader that has read the data before: what it saw then is no answer to the
// load behind the flag's. An emulator that eliminates loads must know that. The assembly is
// one statement, so that no store stands between the loads, and divisions, whose result is 0
// and part of the flag's address, give the writer time between the first two.
#define AGAIN(name, flag, order, offset)                                                                       \
	static void name(int k)                                                                                \
	{                                                                                                      \
		u64 f, d, wait = 0;                                                                            \
		asm volatile(".arch_extension rcpc\n\t.arch_extension lse\n\t"                                \
			     "ldr %1, [%3]\n\tudiv %2, %1, %5\n\tudiv %2, %2, %5\n\tudiv %2, %2, %5\n\t"     \
			     "udiv %2, %2, %5\n\tadd %2, %4, %2\n\t" flag "\n\t" order "ldr %1, [%3" offset "]"  \
			     : "=&r"(f), "=&r"(d), "+&r"(wait) : "r"(AT(x, k)), "r"(AT(y, k)), "r"(1000UL)      \
			     : "memory", "cc");                                                                \
		R(1, 0) = f, R(1, 1) = d;                                                                      \
	}
AGAIN(again_ld, "ldr %0, [%2]", "dmb ishld\n\t", "")
AGAIN(again_dmb, "ldr %0, [%2]", "dmb ish\n\t", "")
AGAIN(again_acq, "ldar %0, [%2]", "", "")
AGAIN(again_acqpc, "ldapr %0, [%2]", "", "")
AGAIN(again_ex, "ldaxr %0, [%2]", "", "")
AGAIN(again_add, "ldaddal xzr, %0, [%2]", "", "")
AGAIN(again_isb, "ldr %0, [%2]", "cbz %0, 1f\n1:\tisb\n\t", "")
AGAIN(again_addr, "ldr %0, [%2]", "eor %2, %0, %0\n\t", ", %2")

// Store buffering: neither thread sees the other's store.
static void sb0(int k) { str(AT(x, k), 1); dmb(); R(0, 0) = ldr(AT(y, k)); }
static void sb1(int k) { str(AT(y, k), 1); dmb(); R(1, 0) = ldr(AT(x, k)); }
static void sb0_rel(int k) { stlr(AT(x, k), 1); R(0, 0) = ldar(AT(y, k)); } // RCsc
static void sb1_rel(int k) { stlr(AT(y, k), 1); R(1, 0) = ldar(AT(x, k)); }
static void sb0_swp(int k) { swpal(AT(x, k), 1); R(0, 0) = ldar(AT(y, k)); }
static void sb1_swp(int k) { swpal(AT(y, k), 1); R(1, 0) = ldar(AT(x, k)); }
static int sb(int k) { return R(0, 0) == 0 && R(1, 0) == 0; }

static void sb0_plain(int k) { str(AT(x, k), 1); R(0, 0) = ldr(AT(y, k)); }
static void sb1_plain(int k) { str(AT(y, k), 1); R(1, 0) = ldr(AT(x, k)); }

// Load buffering: each sees the store that comes after the other's load.
static void lb0(int k) { R(0, 0) = ldar(AT(x, k)); str(AT(y, k), 1); }
static void lb1(int k) { R(1, 0) = ldar(AT(y, k)); str(AT(x, k), 1); }
static int lb(int k) { return R(0, 0) == 1 && R(1, 0) == 1; }

// S: a store after an acquired flag is overtaken by the one before it.
static void s0(int k) { str(AT(x, k), 2); stlr(AT(y, k), 1); }
static void s1(int k) { R(1, 0) = ldar(AT(y, k)); str(AT(x, k), 1); }
static int s(int k) { return R(1, 0) == 1 && *AT(x, k) == 2; }

// R, 2+2W: stores to two locations in both orders.
static void w0(int k) { str(AT(x, k), 1); dmb(); str(AT(y, k), 2); }
static void w1(int k) { str(AT(y, k), 1); dmb(); str(AT(x, k), 2); }
static int w(int k) { return *AT(x, k) == 1 && *AT(y, k) == 1; }
static void r0(int k) { str(AT(x, k), 1); dmb(); str(AT(y, k), 1); }
static void r1(int k) { str(AT(y, k), 2); dmb(); R(1, 0) = ldr(AT(x, k)); }
static int r(int k) { return *AT(y, k) == 2 && R(1, 0) == 0; }

// CoRR: a location does not go back.
static void corr0(int k) { str(AT(x, k), 1); }
static void corr1(int k) { R(1, 0) = ldr(AT(x, k)); R(1, 1) = ldr(AT(x, k)); }
static int corr(int k) { return R(1, 0) == 1 && R(1, 1) == 0; }

// IRIW: two readers see two stores in different orders.
static void iriw0(int k) { str(AT(x, k), 1); }
static void iriw1(int k) { str(AT(y, k), 1); }
static void iriw2(int k) { R(2, 0) = ldar(AT(x, k)); R(2, 1) = ldr(AT(y, k)); }
static void iriw3(int k) { R(3, 0) = ldar(AT(y, k)); R(3, 1) = ldr(AT(x, k)); }
static int iriw(int k) { return R(2, 0) == 1 && R(2, 1) == 0 && R(3, 0) == 1 && R(3, 1) == 0; }

// ISA2: release and acquire through a third thread.
static void isa0(int k) { str(AT(x, k), 1); stlr(AT(y, k), 1); }
static void isa1(int k) { R(1, 0) = ldar(AT(y, k)); stlr(AT(y, k) + 1, 1); }
static void isa2(int k) { R(2, 0) = ldar(AT(y, k) + 1); R(2, 1) = ldr(AT(x, k)); }
static int isa(int k) { return R(1, 0) == 1 && R(2, 0) == 1 && R(2, 1) == 0; }

// meet is a barrier that is left by all threads at once, so that they run together.
static struct { int members, arrived, phase; } barrier;

static void meet(void)
{
	int phase = __atomic_load_n(&barrier.phase, __ATOMIC_ACQUIRE);
	if (__atomic_add_fetch(&barrier.arrived, 1, __ATOMIC_ACQ_REL) == barrier.members) {
		barrier.arrived = 0;
		__atomic_store_n(&barrier.phase, phase + 1, __ATOMIC_RELEASE);
		return;
	}
	for (int spin = 0; __atomic_load_n(&barrier.phase, __ATOMIC_ACQUIRE) == phase; spin++)
		if (spin > 2000)
			sched_yield();
}

// Threads that have a processor each also wait for each other every few cells: without it
// one has often run through all of them before the other is awake. at[t] is how far
// thread t is.
static struct { volatile long n; long pad[15]; } at[MAX_THREADS];
static volatile int close_by; // whether they do
static long met;              // how often thread 0 has not waited long for that

static void approach(int t, long n, unsigned *seed)
{
	int spin = 0;
	__atomic_store_n(&at[t].n, n, __ATOMIC_RELEASE);
	for (int other = 0; other < barrier.members; other++)
		for (; close_by && __atomic_load_n(&at[other].n, __ATOMIC_RELAXED) < n; spin++)
			if (spin > 200000)
				sched_yield();
	if (t == 0 && spin < 5000)
		met++;
	// Who sees the other last is behind: both wait a little, differently each time.
	*seed = *seed * 1664525 + 1013904223;
	for (unsigned k = (*seed >> 22) >> (*seed >> 19 & 7); k > 0; k--)
		asm volatile("");
}

static const struct test {
	const char *name;
	int (*forbidden)(int);
	void (*thread[MAX_THREADS])(int);
} tests[] = {
	{"MP+dmb.st+dmb.ld", mp, {mp_st, mp_ld}},
	{"MP+stlr+ldar", mp, {mp_rel, mp_acq}},
	{"MP+stlr+ldapr", mp, {mp_rel, mp_acqpc}},
	{"MP+dmb.st+addr", mp, {mp_st, mp_addr}},
	{"MP+dmb.st+again-dmb.ld", mp, {mp_st, again_ld}},
	{"MP+dmb.st+again-dmb", mp, {mp_st, again_dmb}},
	{"MP+stlr+again-ldar", mp, {mp_rel, again_acq}},
	{"MP+stlr+again-ldapr", mp, {mp_rel, again_acqpc}},
	{"MP+stlr+again-ldaxr", mp, {mp_rel, again_ex}},
	{"MP+dmb.st+again-ctrl-isb", mp, {mp_st, again_isb}},
	{"MP+dmb.st+again-addr", mp, {mp_st, again_addr}},
	{"MP+stlr+again-ldaddal", mp, {mp_rel, again_add}},
	{"SB+dmbs", sb, {sb0, sb1}},
	{"SB+stlr-ldars", sb, {sb0_rel, sb1_rel}},
	{"SB+swpal-ldars", sb, {sb0_swp, sb1_swp}},
	{"LB+ldars", lb, {lb0, lb1}},
	{"S+stlr+ldar", s, {s0, s1}},
	{"2+2W+dmbs", w, {w0, w1}},
	{"R+dmbs", r, {r0, r1}},
	{"CoRR", corr, {corr0, corr1}},
	{"IRIW+ldars", iriw, {iriw0, iriw1, iriw2, iriw3}},
	{"ISA2+stlr-ldars", isa, {isa0, isa1, isa2}},
};

// SB without barriers is allowed: it tells whether threads meet at all.
static const struct test witness = {"SB", sb, {sb0_plain, sb1_plain}};

static const struct test *current;

static volatile int over; // threads have met often enough, or the time is up
static long cells;        // that were run

static double now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec + t.tv_nsec * 1e-9;
}

// run is thread t. Thread 0 clears the cells before a round and looks at them behind it.
static long run(int t)
{
	void (*body)(int) = current->thread[t];
	long bad = 0, n = 0;
	unsigned seed = t;
	double end = now() + rounds * 0.02; // other processes may have the processors
	bool apart = !close_by; // the threads have no processor each
	for (int round = 1; !over; round++) {
		for (int k = 0; t == 0 && k < CELLS * 8; k++)
			x[k] = y[k] = 0;
		meet();
		for (int k = 0; k < CELLS; k++) {
			if (close_by && k % BATCH == 0)
				approach(t, ++n, &seed);
			if (t == 0 && k % 64 == 0 && now() > end)
				close_by = 0;
			body(k);
		}
		meet();
		for (int k = 0; t == 0 && k < CELLS; k++)
			bad += current->forbidden(k);
		if (t == 0) {
			cells = (long)round * CELLS;
			over = now() > end || (apart ? round >= rounds : met >= rounds * 1000);
		}
		meet();
	}
	return bad;
}

static void *start(void *arg)
{
	run((int)(long)arg);
	return 0;
}

// together prepares for n threads.
static void together(int n)
{
	barrier.members = n;
	over = 0, met = 0;
	close_by = n <= sysconf(_SC_NPROCESSORS_ONLN);
	for (int t = 0; t < n; t++)
		at[t].n = -1;
}

static long litmus(const struct test *test)
{
	int n = 1;
	pthread_t id[MAX_THREADS];
	current = test;
	while (n < MAX_THREADS && test->thread[n])
		n++;
	together(n);
	for (long t = 1; t < n; t++)
		pthread_create(&id[t], 0, start, (void *)t);
	long bad = run(0);
	for (int t = 1; t < n; t++)
		pthread_join(id[t], 0);
	return bad;
}

// Counters: every increment counts, whatever it is made of.
static volatile u64 counter[9];
static volatile unsigned char byte;

static void *count(void *arg)
{
	int t = (long)arg;
	unsigned seed = t;
	double end = now() + rounds * 0.1;
	for (int k = 0; k < rounds * 2000; k++) {
		if (close_by && k % 8 == 0)
			approach(t, k, &seed);
		if (k % 64 == 0 && now() > end)
			close_by = 0;
		u64 v, o;
		unsigned fail;
		asm volatile("1: ldxr %0, [%2]\n\tadd %0, %0, #1\n\tstxr %w1, %0, [%2]\n\tcbnz %w1, 1b" : "=&r"(v), "=&r"(fail) : "r"(&counter[0]) : "memory");
		asm volatile("1: ldaxr %w0, [%2]\n\tadd %w0, %w0, #1\n\tstlxr %w1, %w0, [%2]\n\tcbnz %w1, 1b" : "=&r"(v), "=&r"(fail) : "r"(&counter[1]) : "memory");
		u64 w; // compare-and-swap, and an operation that no instruction has
		do {
			w = counter[6];
			asm volatile("1: ldaxr %0, [%2]\n\tcmp %0, %3\n\tb.ne 2f\n\tstlxr %w1, %4, [%2]\n\tcbnz %w1, 1b\n2:" : "=&r"(v), "=&r"(fail) : "r"(&counter[6]), "r"(w), "r"(w + 1) : "cc", "memory");
		} while (v != w);
		asm volatile("1: ldxr %0, [%2]\n\tmadd %0, %0, %3, %3\n\tstxr %w1, %0, [%2]\n\tcbnz %w1, 1b" : "=&r"(v), "=&r"(fail) : "r"(&counter[7]), "r"(1UL) : "memory");
		asm volatile("1: ldxrh %w0, [%2]\n\tadd %w0, %w0, #1\n\tstxrh %w1, %w0, [%2]\n\tcbnz %w1, 1b" : "=&r"(v), "=&r"(fail) : "r"((char *)&counter[8] + 4) : "memory");
		asm volatile("ldadd %0, xzr, [%1]" ::"r"(1UL), "r"(&counter[2]) : "memory");
		asm volatile("ldaddal %1, %0, [%2]" : "=&r"(o) : "r"(1UL), "r"(&counter[3]) : "memory");
		do {
			o = counter[4];
			v = o;
			asm volatile("casal %0, %1, [%2]" : "+r"(v) : "r"(o + 1), "r"(&counter[4]) : "memory");
		} while (v != o);
		do { // a spin lock
			asm volatile("swpa %1, %0, [%2]" : "=&r"(o) : "r"(1UL), "r"(&counter[5]) : "memory");
		} while (o);
		byte++;
		stlr(&counter[5], 0);
	}
	return 0;
}

// A pair whose halves are always equal, changed and read 128 bits at a time.
static struct { u64 lo, hi; } pair __attribute__((aligned(16)));
static volatile int stop;
static int way, announced;

static void *change(void *arg)
{
	for (u64 n = 1; !stop; n++) {
		u64 lo, hi;
		unsigned fail;
		if (way == 0) {
			asm volatile("1: ldxp %0, %1, [%3]\n\tadd %0, %0, #1\n\tadd %1, %1, #1\n\tstxp %w2, %0, %1, [%3]\n\tcbnz %w2, 1b"
				     : "=&r"(lo), "=&r"(hi), "=&r"(fail) : "r"(&pair) : "memory");
		} else if (way == 1) {
			register u64 a asm("x4") = n - 1, b asm("x5") = n - 1, c asm("x6") = n, d asm("x7") = n;
			asm volatile("caspal x4, x5, x6, x7, [%2]" : "+r"(a), "+r"(b) : "r"(&pair), "r"(c), "r"(d) : "memory");
		} else {
			asm volatile("stp %0, %0, [%1]" ::"r"(n), "r"(&pair) : "memory");
		}
	}
	return 0;
}

// torn reads until it has seen the pair change often enough, or for a while.
static long torn(void)
{
	long bad = 0, changes = 0, reads = 0;
	u64 last = 0;
	double end = now() + rounds * 0.05;
	pthread_t id;
	stop = 0;
	pair.lo = pair.hi = 0;
	pthread_create(&id, 0, change, 0);
	while (changes < rounds * 500 && (++reads % 1024 || now() < end)) {
		u64 lo = 0, hi = 0;
		unsigned fail;
		if (way == 0) {
			asm volatile("1: ldxp %0, %1, [%3]\n\tstxp %w2, %0, %1, [%3]\n\tcbnz %w2, 1b" : "=&r"(lo), "=&r"(hi), "=&r"(fail) : "r"(&pair) : "memory");
		} else if (way == 1) {
			register u64 a asm("x4") = 0, b asm("x5") = 0;
			asm volatile("caspal x4, x5, x4, x5, [%2]" : "+r"(a), "+r"(b) : "r"(&pair) : "memory");
			lo = a, hi = b;
		} else if (way == 2) {
			asm volatile("ldp %0, %1, [%2]" : "=&r"(lo), "=&r"(hi) : "r"(&pair) : "memory");
		} else {
			asm volatile("ldr q0, [%2]\n\tfmov %0, d0\n\tfmov %1, v0.d[1]" : "=r"(lo), "=r"(hi) : "r"(&pair) : "v0", "memory");
		}
		bad += lo != hi;
		changes += lo != last;
		last = lo;
	}
	stop = 1;
	pthread_join(id, 0);
	return bad;
}

// A loop that waits for memory to change sees the change.
static void *raise_flag(void *arg)
{
	usleep(20000);
	str(AT(x, 0), 1);
	return 0;
}

static void wait_for_flag(void)
{
	pthread_t id;
	str(AT(x, 0), 0);
	pthread_create(&id, 0, raise_flag, 0);
	while (!ldr(AT(x, 0)))
		;
	pthread_join(id, 0);
}

int main(int argc, char **argv)
{
	rounds = atoi(argv[1]);
	setvbuf(stdout, 0, _IOLBF, 0);
	alarm(10); // if what is waited for never comes
	wait_for_flag();
	alarm(60);
	announced = argc > 2; // FEAT_LSE2: pairs and vectors are single-copy atomic
	for (unsigned n = 0; n < sizeof tests / sizeof *tests; n++)
		printf("%s %ld\n", tests[n].name, litmus(&tests[n]));

	long allowed = litmus(&witness);
	fprintf(stderr, "allowed: %s %ld of %ld\n", witness.name, allowed, cells);

	enum { COUNTERS = 2 };
	pthread_t id[COUNTERS];
	together(COUNTERS);
	for (long t = 0; t < COUNTERS; t++)
		pthread_create(&id[t], 0, count, (void *)t);
	for (int t = 0; t < COUNTERS; t++)
		pthread_join(id[t], 0);
	u64 want = rounds * 2000UL * COUNTERS;
	printf("counters %d\n", (counter[0] != want) + (counter[1] != want) + (counter[2] != want) + (counter[3] != want) + (counter[4] != want) + (counter[6] != want) + (counter[7] != want) + (counter[8] != (want & 0xffff) << 32) + (byte != (want & 255)));

	static const char *const ways[] = {"LDXP and STXP", "CASP", "LDP and STP", "LDR q and STP"};
	for (way = 0; way < (announced ? 4 : 2); way++)
		printf("%s torn %ld\n", ways[way], torn());
	return 0;
}
