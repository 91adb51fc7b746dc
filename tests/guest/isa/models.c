// Prints what a program can learn of the processor, and which instructions raise
// SIGILL. The same as under qemu-aarch64 with the same -cpu. With an argument, the
// features in /proc/cpuinfo.
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/auxv.h>
#include <ucontext.h>

#define ID(reg) ({ unsigned long v; asm volatile("mrs %0, " reg : "=r"(v)); v; })

// The identification registers of AArch64 with a CRm.
#define ROW(crm) printf("crm " #crm ": %lx %lx %lx %lx %lx %lx %lx %lx\n", ID("S3_0_C0_C" #crm "_0"), \
	ID("S3_0_C0_C" #crm "_1"), ID("S3_0_C0_C" #crm "_2"), ID("S3_0_C0_C" #crm "_3"), ID("S3_0_C0_C" #crm "_4"), \
	ID("S3_0_C0_C" #crm "_5"), ID("S3_0_C0_C" #crm "_6"), ID("S3_0_C0_C" #crm "_7"))

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

// The features of /proc/cpuinfo's first processor.
static int features(void)
{
	static char line[4096];
	FILE *f = fopen("/proc/cpuinfo", "r");
	while (fgets(line, sizeof line, f))
		if (!strncmp(line, "Features", 8))
			return fputs(strchr(line, ':') + 2, stdout) < 0;
	return 1;
}

int main(int argc, char **argv)
{
	if (argc > 1)
		return features();
	struct sigaction action = {.sa_sigaction = handler, .sa_flags = SA_SIGINFO};
	sigaction(SIGILL, &action, 0);
	// qemu has the event stream and SSBS, but does not tell.
	printf("hwcap %lx hwcap2 %lx\n", getauxval(AT_HWCAP) & ~(unsigned long)(HWCAP_EVTSTRM | HWCAP_SSBS), getauxval(AT_HWCAP2));
	printf("midr %lx mpidr %lx revidr %lx\n", ID("S3_0_C0_C0_0"), ID("S3_0_C0_C0_5"), ID("S3_0_C0_C0_6"));
	ROW(4);
	ROW(5);
	ROW(6);
	ROW(7);
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
	TRY("mrs dit", 0xd53b42a0);
	TRY("mrs cntvctss", 0xd53be0c0);
	TRY("mrs pmuserenr", 0xd53b9e00);
	printf("\n");
	return 0;
}
