// Enters a guarded and an unguarded page by each kind of indirect branch, from
// either, at each kind of instruction, and prints which raise SIGILL.
#include <signal.h>
#include <stdio.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <ucontext.h>

#ifndef PROT_BTI
#define PROT_BTI 0x10
#endif

typedef unsigned int u32;

static int btype; // that retarget sets
static volatile int sig, code, right, found;
static u32 *entry;

static void handler(int s, siginfo_t *info, void *context)
{
	ucontext_t *c = context;
	sig = s;
	code = info->si_code;
	right = info->si_addr == entry && c->uc_mcontext.pc == (unsigned long)entry;
	found = c->uc_mcontext.pstate >> 10 & 3;
	c->uc_mcontext.pc = c->uc_mcontext.regs[20];
	c->uc_mcontext.pstate &= ~0xc00UL;
}

static void retarget(int s, siginfo_t *info, void *context)
{
	ucontext_t *c = context;
	c->uc_mcontext.pc = (unsigned long)entry;
	c->uc_mcontext.pstate = (c->uc_mcontext.pstate & ~0xc00UL) | (unsigned long)btype << 10;
}

static const struct { const char *name; u32 word; } landings[] = {
	{"nop", 0xd503201f}, {"bti", 0xd503241f}, {"bti c", 0xd503245f}, {"bti j", 0xd503249f}, {"bti jc", 0xd50324df},
	{"paciasp", 0xd503233f}, {"pacibsp", 0xd503237f}, {"paciaz", 0xd503231f}, {"brk", 0xd4200000},
};

static const struct { const char *name; u32 word; } branches[] = {
	{"br x1", 0xd61f0020}, {"br x16", 0xd61f0200}, {"br x17", 0xd61f0220}, {"blr x1", 0xd63f0020}, {"blr x16", 0xd63f0200}, {"ret x1", 0xd65f0020},
};

static u32 *page(int prot)
{
	return mmap(0, 4096, PROT_READ | PROT_WRITE | PROT_EXEC | prot, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}

// enter goes to branch with the target in x1, x16 and x17, and is come back to
// through x20.
static void enter(u32 *branch, u32 *target)
{
	register u32 *x1 asm("x1") = target;
	register u32 *x16 asm("x16") = target;
	register u32 *x17 asm("x17") = target;
	register u32 *x2 asm("x2") = branch;
	asm volatile("adr x20, 1f\n\tbr x2\n1:" : "+r"(x1), "+r"(x16), "+r"(x17), "+r"(x2) :: "x20", "x30", "memory");
}

int main(void)
{
	struct sigaction action = {.sa_sigaction = handler, .sa_flags = SA_SIGINFO};
	sigaction(SIGILL, &action, 0);
	sigaction(SIGTRAP, &action, 0);
	printf("hwcap2 %d\n", !!(getauxval(AT_HWCAP2) & 1 << 17));
	u32 *from[2] = {page(0), page(PROT_BTI)}, *to[2] = {page(0), page(PROT_BTI)};
	for (int f = 0; f < 2; f++) {
		for (unsigned b = 0; b < sizeof branches / sizeof *branches; b++) {
			for (int t = 0; t < 2; t++) {
				printf("%s -> %s, %s:", f ? "guarded" : "plain", t ? "guarded" : "plain", branches[b].name);
				from[f][0] = 0xd50324df; // bti jc
				from[f][1] = branches[b].word;
				__builtin___clear_cache((char *)from[f], (char *)(from[f] + 2));
				for (unsigned l = 0; l < sizeof landings / sizeof *landings; l++) {
					entry = to[t] + 4 * l;
					entry[0] = landings[l].word;
					entry[1] = 0xd61f0280; // br x20
					__builtin___clear_cache((char *)entry, (char *)(entry + 2));
					for (int again = 0; again < 2; again++) {
						sig = 0;
						enter(from[f], entry);
					}
					if (sig == 0)
						printf(" %s", landings[l].name);
					else if (sig == SIGTRAP)
						printf(" (%s)", landings[l].name);
					else if (sig != SIGILL || code != ILL_ILLOPC || !right)
						printf(" [%s: signal %d code %d]", landings[l].name, sig, code);
				}
				printf("\n");
			}
		}
	}
	// Protection changes what has run already.
	entry = to[0];
	entry[0] = 0xd503201f;
	from[1][1] = branches[0].word;
	__builtin___clear_cache((char *)from[1], (char *)(from[1] + 2));
	__builtin___clear_cache((char *)entry, (char *)(entry + 2));
	for (int prot = 0; prot < 3; prot++) {
		mprotect(entry, 4096, PROT_READ | PROT_EXEC | (prot == 1 ? PROT_BTI : 0));
		sig = 0;
		enter(from[1], entry);
		printf("protection %d: signal %d\n", prot, sig);
	}
	// A handler finds the type of the branch in PSTATE.BTYPE, and can set it: what it
	// returns to is checked.
	action.sa_sigaction = retarget;
	sigaction(SIGTRAP, &action, 0);
	entry = to[1];
	for (btype = 0; btype < 4; btype++) {
		for (unsigned l = 0; l < 5; l++) {
			mprotect(entry, 4096, PROT_READ | PROT_WRITE | PROT_EXEC | PROT_BTI);
			entry[0] = landings[l].word;
			entry[1] = 0xd61f0280; // br x20
			__builtin___clear_cache((char *)entry, (char *)(entry + 2));
			sig = 0;
			asm volatile("adr x20, 1f\n\tbrk #1\n1:" ::: "x20", "memory");
			printf("return with type %d to %s: signal %d, type %d\n", btype, landings[l].name, sig, sig ? found : 0);
		}
	}
	return 0;
}
