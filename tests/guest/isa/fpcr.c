// Which bits of FPCR can be set, by MSR and by a signal handler in the frame of the
// interrupted program, and whether FPCR.AH has an effect: FNEG leaves a NaN alone then.

#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <ucontext.h>

#define LEN_AND_STRIDE (7u << 16 | 3u << 20) // mean nothing in AArch64; some keep them

static uint32_t value;

static void handler(int sig, siginfo_t *info, void *context)
{
	struct fpsimd_context *fp = (void *)((ucontext_t *)context)->uc_mcontext.__reserved;
	fp->fpcr = value;
}

static uint64_t negated(uint64_t x)
{
	asm volatile("fmov d0, %0\n\tfneg d0, d0\n\tfmov %0, d0" : "+r"(x) : : "v0");
	return x;
}

static void show(const char *how)
{
	uint64_t fpcr;
	asm volatile("mrs %0, fpcr" : "=r"(fpcr));
	uint64_t nan = negated(0x7ff8000000000001);
	asm volatile("msr fpcr, xzr");
	printf("%s %08x: fneg of a NaN %016lx\n", how, (uint32_t)fpcr & ~LEN_AND_STRIDE, nan);
}

int main(void)
{
	static const uint32_t values[] = {0, 1 << 1, 1 << 2 | 1, 1 << 13, 1 << 19, 0xffffffff};
	struct sigaction action;
	memset(&action, 0, sizeof action);
	action.sa_sigaction = handler;
	action.sa_flags = SA_SIGINFO;
	sigaction(SIGUSR1, &action, 0);
	for (unsigned i = 0; i < sizeof values / sizeof *values; i++) {
		value = values[i];
		asm volatile("msr fpcr, %0" : : "r"((uint64_t)value));
		show("msr  ");
		raise(SIGUSR1);
		show("frame");
	}
	return 0;
}
