// The alignment of SP: accesses relative to it fault while it is not a multiple of 16, as
// Linux asks for; whatever sets it so, in whatever code, and nothing else does.
#include <signal.h>
#include <stdio.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

static volatile int faults, sig, code;
static volatile uintptr_t where, at, sp;

static void handler(int s, siginfo_t *info, void *context)
{
	ucontext_t *c = context;
	faults++;
	sig = s;
	code = info->si_code;
	where = (uintptr_t)info->si_addr;
	at = c->uc_mcontext.pc;
	sp = c->uc_mcontext.sp;
	c->uc_mcontext.pc = c->uc_mcontext.regs[9]; // goes on behind the sequence
}

static int bad;
#define CHECK(x) do { if (!(x) && bad++ < 30) printf("line %d: %s: %d faults, signal %d code %d\n", __LINE__, #x, faults, sig, code); } while (0)

// Saves SP in x10, runs a sequence whose label 1 is what faults, and restores it.
#define RUN(text) ({ \
	uintptr_t where_; \
	faults = sig = 0; \
	asm volatile("mov x10, sp\n\tadr x9, 2f\n\tadr %0, 1f\n\tsub x11, sp, #256\n\tmov x13, #0\n\tmov x12, #8\n\t" \
		text "\n2:\tmov sp, x10" \
		: "=&r"(where_) :: "x9", "x10", "x11", "x12", "x13", "x14", "x15", "v0", "v1", "memory", "cc"); \
	where_; })
#define FAULTS(text) do { \
		uintptr_t pc = RUN(text); \
		CHECK(faults == 1 && sig == SIGBUS && code == BUS_ADRALN && at == pc && where == sp && sp % 16); \
	} while (0)
#define RUNS(text) do { RUN(text "\n1:"); CHECK(faults == 0); } while (0)

int main(void)
{
	static char other[65536] __attribute__((aligned(16)));
	stack_t stack = {.ss_sp = other, .ss_size = sizeof other};
	struct sigaction act = {.sa_sigaction = handler, .sa_flags = SA_SIGINFO | SA_ONSTACK};
	sigaltstack(&stack, NULL);
	sigaction(SIGBUS, &act, NULL);
	sigaction(SIGSEGV, &act, NULL);
	for (int round = 0; round < 300; round++) { // until all of it is hot
		FAULTS("sub sp, sp, #264\n1: ldr x14, [sp]");
		FAULTS("add sp, x11, #8\n1: str x14, [sp, #8]");
		FAULTS("sub sp, sp, x12\n1: ldp x14, x15, [sp, #-16]");
		FAULTS("sub x11, x11, #4\n\tmov sp, x11\n1: ldr q0, [sp]");
		FAULTS("orr sp, x12, #1\n1: ldrb w14, [sp]");
		FAULTS("ldr x14, [sp], #-248\n1: ldr x14, [sp], #248");
		FAULTS("str x13, [sp, #-8]!\n1: str x13, [sp, #-8]!");
		FAULTS("sub sp, sp, #264\n1: ldr x14, [sp, x13]");
		FAULTS("sub sp, sp, #264\n1: ld1 {v0.16b}, [sp]");
		FAULTS("sub sp, sp, #264\n1: ldxr x14, [sp]");
		FAULTS("sub sp, sp, #264\n1: ldar x14, [sp]");
		FAULTS("sub sp, sp, #264\n1: stp x13, x13, [sp], #16");
		FAULTS("sub sp, sp, #264\n\tcbz x13, 3f\n\tnop\n3: add x14, x14, #1\n1: ldr x14, [sp]");
		FAULTS("mov x14, #40\n\tsub sp, sp, #256\n3: subs x14, x14, #1\n\tcsel x15, x12, x13, eq\n\tsub sp, sp, x15\n1: ldr x15, [sp]\n\tcbnz x14, 3b");
		RUNS("sub sp, sp, #264\n\tadd sp, sp, #8\n\tldr x14, [sp]");
		RUNS("sub sp, sp, #264\n\tldr x14, [x11]\n\tprfm pldl1keep, [sp]\n\tmov x14, sp");
		RUNS("sub sp, sp, #264\n\tand sp, x11, #-16\n\tldr x14, [sp]");
		RUNS("sub sp, sp, #264\n\tadd sp, sp, x12\n\tldr x14, [sp]\n\tstp x13, x14, [sp, #-32]!");
		RUNS("mov x14, #40\n3: sub sp, sp, #8\n\tadd sp, sp, #8\n\tldr x15, [sp]\n\tsubs x14, x14, #1\n\tcbnz x14, 3b");
	}
	// A system call and a handler come and go meanwhile.
	RUNS("sub sp, sp, #264\n\tmov x15, x8\n\tmov x8, #178\n\tmov x14, x0\n\tsvc #0\n\tmov x0, x14\n\tmov x8, x15");
	FAULTS("sub sp, sp, #264\n\tmov x15, x8\n\tmov x8, #178\n\tmov x14, x0\n\tsvc #0\n\tmov x0, x14\n\tmov x8, x15\n1: ldr x14, [sp]");
	// What is not mapped, with a misaligned SP: the alignment comes first.
	FAULTS("mov x14, #24\n\tmov sp, x14\n1: ldr x14, [sp]");
	RUN("mov x14, #32\n\tmov sp, x14\n1: ldr x14, [sp]");
	CHECK(faults == 1 && sig == SIGSEGV && where == 32);
	printf(bad ? "%d checks failed\n" : "ok\n", bad);
	return bad != 0;
}
