// Litmus tests of the memory model (Arm ARM B2.3; the names are those of Alglave,
// Maranget and Tautschnig, "Herding cats", 2014): threads run a few instructions on
// many cells at once, and outcomes that the architecture forbids are counted. An Arm
// processor prints 0 in every line.
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>

typedef unsigned long u64;
typedef unsigned __int128 u128;

enum { CELLS = 4096, MAX_THREADS = 4 };

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

#define R(t, n) result[t][k][n]

// Message passing: the flag is seen, the data are not.
static void mp_st(int k) { str(AT(x, k), 1); dmb_st(); str(AT(y, k), 1); }
static void mp_rel(int k) { str(AT(x, k), 1); stlr(AT(y, k), 1); }
static void mp_ld(int k) { R(1, 0) = ldr(AT(y, k)); dmb_ld(); R(1, 1) = ldr(AT(x, k)); }
static void mp_acq(int k) { R(1, 0) = ldar(AT(y, k)); R(1, 1) = ldr(AT(x, k)); }
static void mp_acqpc(int k) { R(1, 0) = ldapr(AT(y, k)); R(1, 1) = ldr(AT(x, k)); }
static void mp_addr(int k) { // the address depends on the flag
	R(1, 0) = ldr(AT(y, k));
	u64 zero;
	asm volatile("eor %0, %1, %1" : "=r"(zero) : "r"(R(1, 0)));
	R(1, 1) = ldr(AT(x, k) + zero);
}
static int mp(int k) { return R(1, 0) == 1 && R(1, 1) == 0; }

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

static const struct test {
	const char *name;
	int (*forbidden)(int);
	void (*thread[MAX_THREADS])(int);
} tests[] = {
	{"MP+dmb.st+dmb.ld", mp, {mp_st, mp_ld}},
	{"MP+stlr+ldar", mp, {mp_rel, mp_acq}},
	{"MP+stlr+ldapr", mp, {mp_rel, mp_acqpc}},
	{"MP+dmb.st+addr", mp, {mp_st, mp_addr}},
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

// run is thread t. Thread 0 clears the cells before a round and looks at them behind it.
static long run(int t)
{
	void (*body)(int) = current->thread[t];
	long bad = 0;
	for (int round = 0; round < rounds; round++) {
		for (int k = 0; t == 0 && k < CELLS * 8; k++)
			x[k] = y[k] = 0;
		meet();
		for (int k = 0; k < CELLS; k++)
			body(k);
		meet();
		for (int k = 0; t == 0 && k < CELLS; k++)
			bad += current->forbidden(k);
	}
	return bad;
}

static void *start(void *arg)
{
	run((int)(long)arg);
	return 0;
}

static long litmus(const struct test *test)
{
	int n = 1;
	pthread_t id[MAX_THREADS];
	current = test;
	while (n < MAX_THREADS && test->thread[n])
		n++;
	barrier.members = n;
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
	for (int k = 0; k < rounds * 2000; k++) {
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

static long torn(void)
{
	long bad = 0;
	pthread_t id;
	stop = 0;
	pair.lo = pair.hi = 0;
	pthread_create(&id, 0, change, 0);
	for (int k = 0; k < rounds * 2000; k++) {
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
	}
	stop = 1;
	pthread_join(id, 0);
	return bad;
}

int main(int argc, char **argv)
{
	rounds = atoi(argv[1]);
	announced = argc > 2; // FEAT_LSE2: pairs and vectors are single-copy atomic
	for (unsigned n = 0; n < sizeof tests / sizeof *tests; n++)
		printf("%s %ld\n", tests[n].name, litmus(&tests[n]));

	fprintf(stderr, "allowed: %s %ld of %d\n", witness.name, litmus(&witness), rounds * CELLS);

	pthread_t id[4];
	for (int t = 0; t < 4; t++)
		pthread_create(&id[t], 0, count, 0);
	for (int t = 0; t < 4; t++)
		pthread_join(id[t], 0);
	u64 want = rounds * 8000UL;
	printf("counters %d\n", (counter[0] != want) + (counter[1] != want) + (counter[2] != want) + (counter[3] != want) + (counter[4] != want) + (counter[6] != want) + (counter[7] != want) + (counter[8] != (want & 0xffff) << 32) + (byte != (want & 255)));

	static const char *const ways[] = {"LDXP and STXP", "CASP", "LDP and STP", "LDR q and STP"};
	for (way = 0; way < (announced ? 4 : 2); way++)
		printf("%s torn %ld\n", ways[way], torn());
	return 0;
}
