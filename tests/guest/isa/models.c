// Prints what a program can learn of the processor, and which instructions raise
// SIGILL. The same as under qemu-aarch64 with the same -cpu.
#include <signal.h>
#include <stdio.h>
#include <sys/auxv.h>
#include <ucontext.h>

#define ID(reg) ({ unsigned long v; asm volatile("mrs %0, " reg : "=r"(v)); v; })

static volatile int illegal;

static void handler(int sig, siginfo_t *info, void *context)
{
	ucontext_t *c = context;
	illegal = sig == SIGILL && info->si_code == ILL_ILLOPC && info->si_addr == (void *)c->uc_mcontext.pc;
	c->uc_mcontext.pc += 4;
}

static unsigned long cell[4] __attribute__((aligned(32)));

#define TRY(name, word) do { \
	illegal = 0; \
	asm volatile("mov x1, #1\n\tmov x2, %0\n\t.inst " #word :: "r"(cell) \
		: "x0", "x1", "x2", "x3", "v0", "v1", "v2", "memory", "cc"); \
	printf("%s%s", illegal ? "-" : "+", name " "); \
} while (0)

int main(void)
{
	struct sigaction action = {.sa_sigaction = handler, .sa_flags = SA_SIGINFO};
	sigaction(SIGILL, &action, 0);
	printf("hwcap %lx hwcap2 %lx\n", getauxval(AT_HWCAP), getauxval(AT_HWCAP2));
	printf("midr %lx pfr0 %lx isar0 %lx isar1 %lx isar2 %lx mmfr2 %lx\n", ID("S3_0_C0_C0_0"), ID("S3_0_C0_C4_0"),
		ID("S3_0_C0_C6_0"), ID("S3_0_C0_C6_1"), ID("S3_0_C0_C6_2"), ID("S3_0_C0_C7_2"));
	TRY("ldadd", 0xb8200040);
	TRY("crc32w", 0x1ac24820);
	TRY("aese", 0x4e284820);
	TRY("pmull 64", 0x0ee2e020);
	TRY("pmull 8", 0x0e22e020);
	TRY("sha1h", 0x5e280820);
	TRY("sha256su0", 0x5e282820);
	TRY("sha512su0", 0xcec08020);
	TRY("eor3", 0xce020c20);
	TRY("sm3partw1", 0xce62c020);
	TRY("sm4e", 0xcec08420);
	TRY("fadd h", 0x1ee22820);
	TRY("fadd 4h", 0x0e421420);
	TRY("scvtf 4h", 0x0f1fe420);
	TRY("scvtf 2s", 0x0f3fe420);
	TRY("sqrdmlah", 0x2e828420);
	TRY("fjcvtzs", 0x1e7e0020);
	TRY("fcadd", 0x2e82e420);
	TRY("ldapr", 0xb8bfc040);
	TRY("ldapur", 0x99400040);
	TRY("udot", 0x2e829420);
	TRY("fmlal", 0x0e22ec20);
	TRY("rmif", 0xba000400);
	TRY("axflag", 0xd500405f);
	TRY("frint32z", 0x1e284020);
	TRY("usdot", 0x0e829c20);
	TRY("bfdot", 0x2e42fc20);
	TRY("bfcvt", 0x1e634020);
	TRY("rndr", 0xd53b2400);
	TRY("sb", 0xd50330ff);
	TRY("pacga", 0x9ac23020);
	TRY("xpaci", 0xdac143e0);
	TRY("bti", 0xd503245f);
	printf("\n");
	return 0;
}
