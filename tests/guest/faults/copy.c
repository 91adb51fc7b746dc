// The loops of memcpy and memmove that store what they have loaded an iteration before, at all distances, while a page
// faults or a timer interrupts them: memory and registers are those of the iteration and the
// instruction, which a model tells that does one access after the other.
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <ucontext.h>

typedef unsigned long u64;

enum { PAGE = 4096, SIZE = 32 * PAGE, GUARD = 1024 };

// X0 is unused here; X1 is the source, X2 what is left, X3 the destination, X6 to X13 what is stored next.
struct registers { u64 x[14]; };

void up(struct registers *), down(struct registers *);
extern const unsigned loop_up[], loop_down[];
asm(".text\n"
    ".macro copy name, a, b, c, d, step\n"
    ".global \\name, loop_\\name\n"
    "\\name:	mov x16, x0\n"
    "	ldp x6, x7, [x16, #48]\n"
    "	ldp x8, x9, [x16, #64]\n"
    "	ldp x10, x11, [x16, #80]\n"
    "	ldp x12, x13, [x16, #96]\n"
    "	ldp x1, x2, [x16, #8]\n"
    "	ldr x3, [x16, #24]\n"
    "loop_\\name:\n"
    "	stp x6, x7, [x3, #\\a]\n"
    "	ldp x6, x7, [x1, #\\a]\n"
    "	stp x8, x9, [x3, #\\b]\n"
    "	ldp x8, x9, [x1, #\\b]\n"
    "	stp x10, x11, [x3, #\\c]\n"
    "	ldp x10, x11, [x1, #\\c]\n"
    "	stp x12, x13, [x3, #\\d]!\n"
    "	ldp x12, x13, [x1, #\\d]!\n"
    "	subs x2, x2, #64\n"
    "	b.hi loop_\\name\n"
    "	stp x6, x7, [x16, #48]\n"
    "	stp x8, x9, [x16, #64]\n"
    "	stp x10, x11, [x16, #80]\n"
    "	stp x12, x13, [x16, #96]\n"
    "	stp x1, x2, [x16, #8]\n"
    "	str x3, [x16, #24]\n"
    "	ret\n"
    ".endm\n"
    "	copy up, 16, 32, 48, 64, 64\n"
    "	copy down, -16, -32, -48, -64, -64\n");

static unsigned char *mem, first[SIZE], model[SIZE];
static struct registers start;
static int upwards, locked; // locked: the page that faults, -1 if none does
static volatile long faults, signals, wrong, expected;
static sigjmp_buf back;

static unsigned char *in_model(u64 at) { return model + (at - (u64)mem); }
static int faulting(u64 at) { return locked >= 0 && (at - (u64)mem) / PAGE == (u64)locked; }

// simulate leaves in r, and in model, what the loop has done when it comes to instruction at with stop left to
// copy, to an access that faults, or to its end. It returns the instruction.
static int simulate(struct registers *r, u64 stop, int at)
{
	memcpy(model, first, SIZE);
	*r = start;
	int sign = upwards ? 1 : -1;
	for (;;) {
		for (int n = 0; n < 8; n++) {
			if (r->x[2] == stop && n == at)
				return n;
			u64 place = r->x[n % 2 ? 1 : 3] + sign * 16 * (n / 2 + 1);
			if (faulting(place))
				return n;
			if (n % 2)
				memcpy(&r->x[6 + n / 2 * 2], in_model(place), 16);
			else
				memcpy(in_model(place), &r->x[6 + n / 2 * 2], 16);
			if (n == 6)
				r->x[3] = place;
			if (n == 7)
				r->x[1] = place;
		}
		if (r->x[2] == stop && at == 8)
			return 8;
		u64 left = r->x[2];
		r->x[2] -= 64;
		if (r->x[2] == stop && at == 9)
			return 9;
		if (left <= 64)
			return 10;
	}
}

static void expect(const char *what, int n, u64 have, u64 want)
{
	if (have != want && wrong++ < 5)
		printf("%s%d is %#lx, not %#lx, %s\n", what, n, have, want, upwards ? "up" : "down");
}

static void compare(const struct registers *have, const struct registers *want)
{
	for (int n = 1; n < 14; n++)
		if (n < 4 || n > 5)
			expect("x", n, have->x[n], want->x[n]);
	for (u64 n = 0; n < SIZE; n++) {
		if (locked >= 0 && n / PAGE == (u64)locked)
			continue;
		if (mem[n] != model[n]) {
			expect("memory at ", (int)n, mem[n], model[n]);
			break;
		}
	}
}

static void check(const mcontext_t *m, u64 stop, int at)
{
	struct registers have, want;
	for (int n = 0; n < 14; n++)
		have.x[n] = m->regs[n];
	expect("instruction ", 0, at, simulate(&want, stop, at));
	compare(&have, &want);
}

static long place(const mcontext_t *m) { return (long)(m->pc - (u64)(upwards ? loop_up : loop_down)) / 4; }

static void alarmed(int sig, siginfo_t *info, void *context)
{
	const mcontext_t *m = &((ucontext_t *)context)->uc_mcontext;
	(void)sig, (void)info;
	if (place(m) < 0 || place(m) > 9)
		return;
	signals++;
	check(m, m->regs[2], place(m));
}

static void faulted(int sig, siginfo_t *info, void *context)
{
	const mcontext_t *m = &((ucontext_t *)context)->uc_mcontext;
	(void)sig;
	faults++;
	expect("page ", 0, ((u64)info->si_addr - (u64)mem) / PAGE, locked);
	check(m, m->regs[2], place(m));
	siglongjmp(back, 1);
}

static u64 below(u64 n) { return (u64)random() % n; }

// choose makes registers for a copy that stays in memory, but where it faults.
static void choose(void)
{
	u64 n = below(8) ? below(SIZE / 2) : below(600), d, s, unit = locked >= 0 ? 16 : 1;
	d = GUARD + below(SIZE - 2 * GUARD - n);
	s = GUARD + below(SIZE - 2 * GUARD - n);
	if (below(3))
		s = d + below(400) - 200;
	if (s < GUARD || s + n > SIZE - GUARD)
		s = d;
	if (!upwards)
		d += n, s += n;
	start.x[1] = (u64)mem + s / unit * unit;
	start.x[2] = n;
	start.x[3] = (u64)mem + d / unit * unit;
	for (int k = 6; k < 14; k++)
		start.x[k] = (u64)random() << 32 ^ random();
}

int main(int argc, char **argv)
{
	(void)argc;
	mem = mmap(0, SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct sigaction action = {.sa_sigaction = faulted, .sa_flags = SA_SIGINFO};
	sigaction(SIGSEGV, &action, 0);
	action.sa_sigaction = alarmed;
	sigaction(SIGALRM, &action, 0);
	int rounds = atoi(argv[1]);
	for (volatile int k = 0; k < rounds; k++) {
		struct registers have, want;
		for (u64 n = 0; n < SIZE; n += 8)
			*(u64 *)(first + n) = (u64)random() << 40 ^ (u64)random() << 20 ^ random();
		memcpy(mem, first, SIZE);
		upwards = below(2), locked = below(2) ? (int)below(SIZE / PAGE) : -1;
		choose();
		expected += simulate(&want, start.x[2] + 1, 0) < 8;
		have = start;
		if (locked >= 0)
			mprotect(mem + locked * PAGE, PAGE, PROT_NONE);
		setitimer(ITIMER_REAL, &(struct itimerval){.it_value.tv_usec = 1 + below(20)}, 0);
		if (!sigsetjmp(back, 1)) {
			(upwards ? up : down)(&have);
			setitimer(ITIMER_REAL, &(struct itimerval){0}, 0);
			simulate(&want, start.x[2] + 1, 0);
			compare(&have, &want);
		}
		setitimer(ITIMER_REAL, &(struct itimerval){0}, 0);
		if (locked >= 0)
			mprotect(mem + locked * PAGE, PAGE, PROT_READ | PROT_WRITE);
	}
	expect("faults", 0, faults, expected);
	printf("%ld wrong\n", wrong);
	fprintf(stderr, "%ld faults, %ld signals\n", faults, signals);
	return 0;
}
