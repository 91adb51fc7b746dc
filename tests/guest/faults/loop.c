// A loop that changes every register in each iteration and walks through memory to where
// there is none, at a random iteration, while a timer interrupts it: whenever a handler
// looks, the registers are those of the iteration and the instruction that it is at.
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <ucontext.h>

typedef unsigned long u64;

struct registers { u64 x[32]; u64 v[32][2]; };

// X0 to X25, X29 and X30 grow by their number and 1, V0 to V30 by V31; X27 is loaded
// through X28, X26 counts down.
void run(const struct registers *);
extern const unsigned loop[];
asm(".text\n"
    ".global run, loop\n"
    "run:	sub sp, sp, #160\n"
    "	stp x29, x30, [sp]\n"
    "	stp x27, x28, [sp, #16]\n"
    "	stp x25, x26, [sp, #32]\n"
    "	stp x23, x24, [sp, #48]\n"
    "	stp x21, x22, [sp, #64]\n"
    "	stp x19, x20, [sp, #80]\n"
    "	stp d8, d9, [sp, #96]\n"
    "	stp d10, d11, [sp, #112]\n"
    "	stp d12, d13, [sp, #128]\n"
    "	stp d14, d15, [sp, #144]\n"
    "	add x1, x0, #256\n"
    "	.irp n, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31\n"
    "	ldr q\\n, [x1, #16 * \\n]\n"
    "	.endr\n"
    "	.irp n, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30\n"
    "	ldr x\\n, [x0, #8 * \\n]\n"
    "	.endr\n"
    "	ldr x0, [x0]\n"
    "loop:	ldr x27, [x28], #8\n"
    "	.irp n, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 29, 30\n"
    "	add x\\n, x\\n, #\\n + 1\n"
    "	.endr\n"
    "	.irp n, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30\n"
    "	add v\\n\\().2d, v\\n\\().2d, v31.2d\n"
    "	.endr\n"
    "	subs x26, x26, #1\n"
    "	b.ne loop\n"
    "	ldp x29, x30, [sp]\n"
    "	ldp x27, x28, [sp, #16]\n"
    "	ldp x25, x26, [sp, #32]\n"
    "	ldp x23, x24, [sp, #48]\n"
    "	ldp x21, x22, [sp, #64]\n"
    "	ldp x19, x20, [sp, #80]\n"
    "	ldp d8, d9, [sp, #96]\n"
    "	ldp d10, d11, [sp, #112]\n"
    "	ldp d12, d13, [sp, #128]\n"
    "	ldp d14, d15, [sp, #144]\n"
    "	add sp, sp, #160\n"
    "	ret\n");

enum { LOAD, FIRST_X, FIRST_V = 29, SUBS = 60, BRANCH };

static struct registers start;
static volatile long signals, faults, wrong;
static u64 end; // of the memory
static sigjmp_buf back;

static void expect(const char *what, int n, u64 have, u64 want, u64 at)
{
	if (have == want)
		return;
	if (wrong++ < 5)
		printf("%s%d is %#lx, not %#lx, at instruction %lu\n", what, n, have, want, at);
}

// check compares the registers of an interrupted loop with those that it should have.
static void check(const mcontext_t *m)
{
	u64 at = (m->pc - (u64)loop) / 4;
	u64 loads = (m->regs[28] - start.x[28]) / 8, before = loads - (at > LOAD);
	const struct fpsimd_context *fp = (const void *)m->__reserved;
	while (fp->head.magic != FPSIMD_MAGIC)
		fp = (const void *)((const char *)fp + fp->head.size);
	int place = FIRST_X;
	for (int n = 0; n < 31; n++) {
		if (n >= 26 && n <= 28)
			continue;
		expect("x", n, m->regs[n], start.x[n] + (before + (at > place)) * (n + 1), at);
		place++;
	}
	for (int n = 0; n < 31; n++) {
		u64 times = before + (at > FIRST_V + n);
		expect("low half of v", n, (u64)fp->vregs[n], start.v[n][0] + times * start.v[31][0], at);
		expect("high half of v", n, (u64)(fp->vregs[n] >> 64), start.v[n][1] + times * start.v[31][1], at);
	}
	expect("x", 26, m->regs[26], start.x[26] - before - (at > SUBS), at);
	expect("x", 27, m->regs[27], loads ? m->regs[28] - 8 : start.x[27], at);
	if (before)
		expect("nzcv", 0, m->pstate >> 28, 2, at);
}

static int in_loop(const mcontext_t *m) { return m->pc >= (u64)loop && m->pc <= (u64)(loop + BRANCH); }

static void alarmed(int n, siginfo_t *info, void *context)
{
	const mcontext_t *m = &((ucontext_t *)context)->uc_mcontext;
	if (!in_loop(m))
		return;
	signals++;
	check(m);
}

static void faulted(int n, siginfo_t *info, void *context)
{
	const mcontext_t *m = &((ucontext_t *)context)->uc_mcontext;
	faults++;
	expect("pc", 0, m->pc, (u64)loop, 0);
	expect("address", 0, (u64)info->si_addr, end, 0);
	expect("x", 28, m->regs[28], end, 0);
	check(m);
	siglongjmp(back, 1);
}

int main(int argc, char **argv)
{
	enum { SIZE = 1 << 20 };
	char *memory = mmap(0, SIZE + 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	mprotect(memory + SIZE, 4096, PROT_NONE);
	end = (u64)memory + SIZE;
	for (u64 at = (u64)memory; at < end; at += 8) // each word holds its address
		*(u64 *)at = at;
	struct sigaction action = {.sa_sigaction = faulted, .sa_flags = SA_SIGINFO};
	sigaction(SIGSEGV, &action, 0);
	action.sa_sigaction = alarmed;
	sigaction(SIGALRM, &action, 0);
	struct itimerval often = {{0, 100}, {0, 100}};
	setitimer(ITIMER_REAL, &often, 0);
	int rounds = atoi(argv[1]), most = atoi(argv[2]);
	for (volatile int k = 0; k < rounds; k++) {
		for (unsigned n = 0; n < sizeof start / 8; n++)
			((u64 *)&start)[n] = (u64)random() << 40 ^ (u64)random() << 20 ^ random();
		start.x[28] = end - 8 * (random() % most);
		start.x[26] = 1UL << 40;
		if (!sigsetjmp(back, 1))
			run(&start);
	}
	printf("%ld faults, %ld wrong\n", faults, wrong);
	fprintf(stderr, "%ld signals\n", signals);
	return 0;
}
