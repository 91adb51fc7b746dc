// The register set NT_ARM_SVE of a tracee at a vector length of 128 bits, as asm/ptrace.h and Linux
// Documentation/arch/arm64/sve.rst have it.
#include "state.h"

enum { HEAD = 16, FP = 528, P = HEAD + 512, FFR = P + 32, STATUS = FFR + 16, SIZE = STATUS + 16 };

struct header { u32 size, max_size; u16 vl, max_vl, flags, _; };

static char set[16384];
static struct header *const header = (struct header *)set;
static pid_t child;
static int status;

static long get(long kind, u64 room)
{
	struct iovec io = {set, room};
	memset(set, 0x55, sizeof set);
	long r = ptrace(PTRACE_GETREGSET, child, kind, &io);
	return r ? -errno : io.iov_len;
}

static long put(long kind, u64 length)
{
	struct iovec io = {set, length};
	long r = ptrace(PTRACE_SETREGSET, child, kind, &io);
	return r ? -errno : io.iov_len;
}

static void show(const char *what)
{
	long n = get(NT_ARM_SVE, sizeof set);
	printf("%s: %ld, size %u of %u vl %d of %d flags %d", what, n, header->size, header->max_size, header->vl, header->max_vl, header->flags);
	printf(" z3 %lx:%lx", *(u64 *)(set + HEAD + 3 * 16 + 8), *(u64 *)(set + HEAD + 3 * 16));
	if (header->flags & 1)
		printf(" p1 %x p15 %x ffr %x fpsr %x fpcr %x", *(u16 *)(set + P + 2), *(u16 *)(set + P + 30), *(u16 *)(set + FFR), *(u32 *)(set + STATUS), *(u32 *)(set + STATUS + 4));
	else
		printf(" fpsr %x fpcr %x", *(u32 *)(set + HEAD + 512), *(u32 *)(set + HEAD + 516));
	printf(" behind %x\n", (unsigned char)set[header->size]);
}

// shorten makes the form without predicates of the set.
static void shorten(void)
{
	header->flags &= ~1;
	memcpy(set + HEAD + 512, set + STATUS, 8);
	memset(set + HEAD + 520, 0, 8);
}

// stop lets the tracee go on to its next breakpoint, where it prints what it has found at the last one.
static void stop(void)
{
	ptrace(PTRACE_CONT, child, 0, 0);
	waitpid(child, &status, 0);
	u64 regs[34];
	struct iovec io = {regs, sizeof regs};
	if (ptrace(PTRACE_GETREGSET, child, NT_PRSTATUS, &io))
		return;
	regs[32] += 4;
	ptrace(PTRACE_SETREGSET, child, NT_PRSTATUS, &io);
}

static void tracee(void)
{
	struct state before, is;
	fill(&before);
	ptrace(PTRACE_TRACEME, 0, 0, 0);
	raise(SIGSTOP);
	for (int n = 0; n < 12; n++) {
		is = before;
		around_breakpoint(&is);
		compare("tracee", &is, &before);
	}
	is = before;
	memset(is.p, 0, 34);
	around_breakpoint(&is);
	is = before;
	is.call[6] = SYS_getppid;
	around_call(&is);
	compare("call", &is, &before);
	_exit(0);
}

int main(void)
{
	setvbuf(stdout, NULL, _IOLBF, 0);
	child = fork();
	if (!child)
		tracee();
	waitpid(child, &status, 0);
	get(NT_ARM_SVE, HEAD);
	printf("in a call: size %u flags %d\n", header->size, header->flags);

	stop();
	show("filled");
	printf("short: %ld", get(NT_ARM_SVE, 16));
	printf(" %x, %ld", (unsigned char)set[16], get(NT_ARM_SVE, 544));
	printf(" %lx, %ld, %ld\n", *(u64 *)(set + 544), get(NT_ARM_SVE, 584), get(NT_ARM_SVE, 0));

	get(NT_ARM_SVE, SIZE);
	*(u16 *)(set + P + 2) = 0xbeef;
	*(u16 *)(set + FFR) = 0xfff;
	*(u64 *)(set + HEAD + 48) = 99;
	*(u32 *)(set + STATUS) = 0x11;
	printf("changed: %ld\n", put(NT_ARM_SVE, SIZE));
	show("changed");

	stop();
	get(NT_ARM_SVE, SIZE);
	printf("half: %ld\n", put(NT_ARM_SVE, 272));
	show("half");

	stop();
	get(NT_ARM_SVE, SIZE);
	printf("head: %ld\n", put(NT_ARM_SVE, HEAD));
	show("head");

	stop();
	get(NT_ARM_SVE, SIZE);
	shorten();
	*(u64 *)(set + HEAD + 48) = 98;
	printf("vectors only: %ld\n", put(NT_ARM_SVE, HEAD + FP));
	show("vectors only");

	stop();
	get(NT_PRFPREG, FP);
	*(u64 *)(set + 48) = 97;
	printf("NT_PRFPREG: %ld\n", put(NT_PRFPREG, FP));
	show("NT_PRFPREG");

	stop();
	get(NT_ARM_SVE, SIZE);
	header->vl = 64;
	printf("other length: %ld\n", put(NT_ARM_SVE, SIZE));
	show("other length");

	stop();
	get(NT_ARM_SVE, SIZE);
	header->vl = 64;
	shorten();
	printf("vectors of other length: %ld\n", put(NT_ARM_SVE, HEAD + FP));
	show("vectors of other length");

	stop();
	get(NT_ARM_SVE, SIZE);
	header->flags |= 2;
	printf("inherit: %ld\n", put(NT_ARM_SVE, SIZE));
	show("inherit");
	header->flags &= ~2;
	put(NT_ARM_SVE, SIZE);
	show("not any more");

	stop();
	get(NT_ARM_SVE, SIZE);
	header->flags |= 8;
	printf("flag 8: %ld\n", put(NT_ARM_SVE, SIZE));
	header->flags &= ~8, header->vl = 0;
	printf("no length: %ld, less than a head: %ld, unaligned: %ld\n", put(NT_ARM_SVE, SIZE), put(NT_ARM_SVE, 0), put(NT_ARM_SVE, 20));
	header->vl = 16;
	printf("too long: %ld\n", put(NT_ARM_SVE, sizeof set));
	show("same");

	stop();
	stop();
	stop();
	stop();
	show("no predicates");

	ptrace(PTRACE_SETOPTIONS, child, 0, PTRACE_O_TRACESYSGOOD);
	do {
		ptrace(PTRACE_SYSCALL, child, 0, 0);
		waitpid(child, &status, 0);
		get(NT_ARM_SYSTEM_CALL, 4);
	} while (*(int *)set != SYS_getppid);
	show("entry of a call");
	header->flags |= 1, header->vl = 16;
	memset(set + P, 0, SIZE - P);
	*(u16 *)(set + P + 6) = 0x7777;
	printf("set at the entry: %ld\n", put(NT_ARM_SVE, SIZE));
	ptrace(PTRACE_SYSCALL, child, 0, 0);
	waitpid(child, &status, 0);
	show("exit of a call");
	ptrace(PTRACE_CONT, child, 0, 0);
	waitpid(child, &status, 0);
	printf("exited %d\n", WIFEXITED(status));
	return 0;
}
