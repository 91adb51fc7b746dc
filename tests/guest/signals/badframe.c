// Handlers return through frames that rt_sigreturn(2) refuses: by their pstate, or by a record
// that no processor writes. It has restored the mask and the general registers by then, as
// restore_sigframe in the kernel does, and SIGSEGV comes there.
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <ucontext.h>

static sigjmp_buf again;
static unsigned long pc, sp;
static int way;

static void mangle(int sig, siginfo_t *info, void *context)
{
	mcontext_t *m = &((ucontext_t *)context)->uc_mcontext;
	pc = m->pc, sp = m->sp;
	m->regs[19] = 0x1234;
	if (way < 32)
		m->pstate |= way;
	else if (way < 0x3c0 + 1)
		m->pstate |= 0x3c0 & way;
	else
		*(unsigned *)m->__reserved = way;
}

static void refused(int sig, siginfo_t *info, void *context)
{
	mcontext_t *m = &((ucontext_t *)context)->uc_mcontext;
	sigset_t now;
	sigprocmask(SIG_SETMASK, 0, &now);
	printf("%x: code %d at sp %d, pc %d sp %d x19 %llx pstate %llx, SIGUSR1 blocked %d\n", way, info->si_code, info->si_addr == (void *)sp,
	       m->pc == pc, m->sp == sp, m->regs[19], m->pstate & 0x3ff, sigismember(&now, SIGUSR1));
	siglongjmp(again, 1);
}

int main(void)
{
	static const int ways[] = {0x05, 0x09, 0x10, 0x40, 0x80, 0x200, 0x53564500, 0x12345678};
	static char stack[65536];
	stack_t alt = {.ss_sp = stack, .ss_size = sizeof stack};
	sigaltstack(&alt, 0);
	struct sigaction usr1 = {.sa_sigaction = mangle, .sa_flags = SA_SIGINFO}, segv = {.sa_sigaction = refused, .sa_flags = SA_SIGINFO | SA_ONSTACK};
	sigaction(SIGUSR1, &usr1, 0);
	sigaction(SIGSEGV, &segv, 0);
	for (volatile unsigned n = 0; n < sizeof ways / sizeof *ways; n++) {
		way = ways[n];
		if (!sigsetjmp(again, 1)) {
			raise(SIGUSR1);
			printf("%x: not refused\n", way);
		}
	}
	return 0;
}
