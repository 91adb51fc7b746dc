// Exceptions of EL0 as signals: each line of output names what happened, the
// signal, its si_code, and where si_addr and the context's pc were.
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <ucontext.h>

static sigjmp_buf back;
static volatile int sig, code;
static volatile unsigned long addr, pc, x0, esr, fault_address;

static void handler(int n, siginfo_t *info, void *context)
{
	ucontext_t *u = context;
	sig = n;
	code = info->si_code;
	addr = (unsigned long)info->si_addr;
	pc = u->uc_mcontext.pc;
	x0 = u->uc_mcontext.regs[0];
	fault_address = u->uc_mcontext.fault_address;
	esr = 0;
	struct record { unsigned magic, size; } *r = (void *)u->uc_mcontext.__reserved;
	for (; r->magic; r = (void *)((char *)r + r->size))
		if (r->magic == 0x45535201)
			esr = *(unsigned long *)(r + 1);
	siglongjmp(back, 1);
}

static char data[64] __attribute__((aligned(16)));

static void report(const char *name, unsigned long want)
{
	printf("%s: signal %d code %d, address %s, pc %s, syndrome %lx%s\n", name, sig, code,
	       addr == want ? "right" : addr == pc ? "pc" : "wrong", addr == pc ? "is the address" : "apart",
	       esr, !fault_address ? "" : fault_address == addr ? " and the address" : " and another address");
}

#define TRY(name, want, what)            \
	do {                             \
		sig = code = 0;          \
		if (!sigsetjmp(back, 1)) \
			what;            \
		report(name, (unsigned long)(want)); \
	} while (0)

#define CALL(to) ((void (*)(void))(to))()

int main(void)
{
	static const int signals[] = {SIGILL, SIGTRAP, SIGBUS, SIGSEGV};
	struct sigaction action = {.sa_sigaction = handler, .sa_flags = SA_SIGINFO};
	for (int n = 0; n < 4; n++)
		sigaction(signals[n], &action, 0);

	TRY("call of null", 0, CALL(0));
	TRY("call of a misaligned address", (char *)main + 2, CALL((char *)main + 2));
	TRY("call of data", data, CALL(data));
	TRY("call into the kernel", 0xffff000000000000, CALL(0xffff000000000000));
	TRY("load from null", 16, asm volatile("ldr x1, [%0, #16]" ::"r"(0L) : "x1"));
	TRY("store to code", main, asm volatile("str x1, [%0]" ::"r"(main) : "memory"));
	TRY("misaligned exclusive", data + 1, asm volatile("ldxr x1, [%0]" ::"r"(data + 1) : "x1"));
	TRY("misaligned atomic", data + 4, asm volatile(".arch_extension lse\n\tldadd x1, x1, [%0]" ::"r"(data + 4) : "x1", "memory"));
	TRY("misaligned acquire", data + 2, asm volatile("ldar w1, [%0]" ::"r"(data + 2) : "x1"));
	TRY("misaligned release", data + 2, asm volatile("stlr w1, [%0]" ::"r"(data + 2) : "memory"));
	static char *here;
	TRY("misaligned stack", here, asm volatile("mov x2, sp\n\tsub x1, sp, #24\n\tstr x1, [%0]\n\tmov sp, x1\n\tldr x1, [sp]\n\tmov sp, x2" ::"r"(&here) : "x1", "x2", "memory"));
	TRY("load from the kernel", 0xffff000000000010, asm volatile("ldr x1, [%0, #16]" ::"r"(0xffff000000000000) : "x1"));
	TRY("dc cvau of null", 0, asm volatile("dc cvau, %0" ::"r"(0L)));
	TRY("udf", pc, asm volatile("udf #1"));
	TRY("hvc", pc, asm volatile(".inst 0xd4000002"));
	TRY("brk", pc, asm volatile("brk #1"));

	sig = 0;
	if (!sigsetjmp(back, 1)) // the load of a pair that faults leaves its base alone
		asm volatile("mov x0, %0\n\tldp x1, x2, [x0, #16]!" ::"r"(8L) : "x0", "x1", "x2");
	printf("pair: signal %d, base %lu\n", sig, x0);

	// A loop of exclusives faults at its load or at its store, with the registers that each has.
	unsigned long *const where[] = {0, (unsigned long *)((unsigned long)main & ~15)};
	for (int n = 0; n < 2; n++) {
		unsigned long *p = where[n];
		sig = 0;
		if (!sigsetjmp(back, 1))
			asm volatile("mov x0, #7\n1:\tldaxr x0, [%0]\n\tadd x1, x0, #1\n\tstlxr w2, x1, [%0]\n\tcbnz w2, 1b" ::"r"(p) : "x0", "x1", "x2", "memory");
		unsigned at = *(unsigned *)pc;
		printf("exclusives of %s: signal %d at the %s, syndrome %lx, x0 %s\n", n ? "code" : "null", sig,
		       at >> 22 == 0x321 ? "load" : at >> 22 == 0x320 ? "store" : "wrong place", esr, x0 == (n ? *p : 7) ? "right" : "wrong");
	}
	unsigned long seen = 0, *p = where[1];
	sig = 0;
	if (!sigsetjmp(back, 1))
		asm volatile("1:\tldaxr x0, [%1]\n\tcmp x0, %2\n\tb.ne 2f\n\tstlxr w2, x1, [%1]\n\tcbnz w2, 1b\n2:\tmov %0, x0" : "=r"(seen) : "r"(p), "r"(*p + 1) : "x0", "x1", "x2", "cc", "memory");
	printf("compare and swap that differs: signal %d, %s\n", sig, seen == *p ? "right" : "wrong");
	return 0;
}
