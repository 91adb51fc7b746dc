// Guarded pages of a file that are entered by all kinds of indirect branches in turn, at the same targets again and
// again, and loops of indirect calls and jumps that get hot before they lead astray.
#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>
#include <ucontext.h>

#ifndef PROT_BTI
#define PROT_BTI 0x10
#endif

// What is guarded. Branches have 16 bytes each, and so have targets, which go back by x20.
asm(".text\n.balign 4096\n"
    ".globl guarded, branches, targets, calls, one, two, none, jumps, case1, case2, nocase\nguarded:\n"
    "branches: bti jc\n br x1\n nop\n nop\n"
    "bti jc\n br x16\n nop\n nop\n"
    "bti jc\n blr x1\n nop\n nop\n"
    "bti jc\n ret x1\n nop\n nop\n"
    "targets: nop\n ret x20\n nop\n nop\n"
    "bti c\n ret x20\n nop\n nop\n"
    "bti j\n ret x20\n nop\n nop\n"
    "bti jc\n ret x20\n nop\n nop\n"
    // calls(n, table): calls table[n & 3] for n, n-1...
    "calls: bti c\n mov x20, x30\n"
    "1: and x3, x0, #3\n ldr x3, [x1, x3, lsl #3]\n blr x3\n subs x0, x0, #1\n b.ne 1b\n"
    "mov x30, x20\n ret\n nop\n"
    "one: bti c\n add x2, x2, #1\n ret\n nop\n"
    "two: bti c\n add x2, x2, #2\n ret\n nop\n"
    "none: add x2, x2, #3\n ret\n nop\n nop\n"
    // jumps(n, table): the same for jumps to cases
    "jumps: bti c\n mov x20, x30\n"
    "2: and x3, x0, #3\n ldr x3, [x1, x3, lsl #3]\n br x3\n"
    "3: subs x0, x0, #1\n b.ne 2b\n mov x30, x20\n ret\n"
    "case1: bti j\n add x2, x2, #1\n b 3b\n"
    "case2: bti j\n add x2, x2, #2\n b 3b\n"
    "nocase: bti c\n add x2, x2, #3\n b 3b\n"
    ".balign 4096\n");

extern char guarded[], branches[], targets[], calls[], one[], two[], none[], jumps[], case1[], case2[], nocase[];

static volatile int sig;
static volatile unsigned long at, type, left;

// handler goes back to x20, as targets and loops would.
static void handler(int s, siginfo_t *info, void *context)
{
	ucontext_t *c = context;
	sig = info->si_code == ILL_ILLOPC && info->si_addr == (void *)c->uc_mcontext.pc ? s : -1;
	at = c->uc_mcontext.pc - (unsigned long)guarded;
	type = c->uc_mcontext.pstate >> 10 & 3;
	left = c->uc_mcontext.regs[0];
	c->uc_mcontext.pc = c->uc_mcontext.regs[20];
	c->uc_mcontext.pstate &= ~0xc00UL;
}

static void enter(char *branch, char *target)
{
	register char *x1 asm("x1") = target;
	register char *x16 asm("x16") = target;
	register char *x2 asm("x2") = branch;
	asm volatile("adr x20, 1f\n\tbr x2\n1:" : "+r"(x1), "+r"(x16), "+r"(x2) :: "x20", "x30", "memory");
}

static unsigned long loop(char *f, unsigned long n, char **table)
{
	register unsigned long x0 asm("x0") = n;
	register char **x1 asm("x1") = table;
	register unsigned long x2 asm("x2") = 0;
	register char *x3 asm("x3") = f;
	sig = 0;
	asm volatile("blr x3" : "+r"(x0), "+r"(x1), "+r"(x2), "+r"(x3) :: "x4", "x20", "x30", "cc", "memory");
	return x2;
}

static void report(const char *name, unsigned long sum)
{
	printf("%s: %lu", name, sum);
	if (sig)
		printf(", signal %d at %#lx, type %lu, %lu to go", sig, at, type, left);
	printf("\n");
}

int main(void)
{
	struct sigaction action = {.sa_sigaction = handler, .sa_flags = SA_SIGINFO};
	sigaction(SIGILL, &action, 0);
	mprotect(guarded, 4096, PROT_READ | PROT_EXEC | PROT_BTI);
	static int times[4][4], faults[4][4], wrong;
	unsigned seed = 1;
	for (int n = 0; n < 20000; n++) {
		seed = seed * 1103515245 + 12345;
		int b = seed >> 16 & 3, t = seed >> 20 & 3;
		sig = 0;
		enter(branches + 16 * b, targets + 16 * t);
		times[b][t]++;
		faults[b][t] += sig == SIGILL;
		wrong += sig && (sig != SIGILL || at != (unsigned long)(targets - guarded) + 16 * t);
	}
	for (int b = 0; b < 4; b++)
		for (int t = 0; t < 4; t++)
			printf("branch %d to target %d: %d of %d times SIGILL\n", b, t, faults[b][t], times[b][t]);
	printf("%d at wrong places\n", wrong);
	char *table[4] = {one, two, one, two};
	for (int n = 0; n < 3; n++)
		report("calls", loop(calls, 300000, table));
	table[1] = none;
	for (int n = 0; n < 3; n++)
		report("calls astray", loop(calls, 300000, table));
	table[1] = case1;
	report("calls of a case", loop(calls, 300000, table));
	char *cases[4] = {case1, case2, case1, case2};
	for (int n = 0; n < 3; n++)
		report("jumps", loop(jumps, 300000, cases));
	cases[2] = nocase;
	for (int n = 0; n < 3; n++)
		report("jumps astray", loop(jumps, 300000, cases));
	return 0;
}
