// Pointer authentication, whatever the algorithm: what is signed authenticates,
// what is forged raises SIGILL, keys are inherited and can be changed.
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

#define ARCH ".arch armv8.3-a\n\t"

typedef unsigned long u64;

static u64 pac(int key, u64 p, u64 m)
{
	switch (key) {
	case 0: asm volatile(ARCH "pacia %0, %1" : "+r"(p) : "r"(m)); break;
	case 1: asm volatile(ARCH "pacib %0, %1" : "+r"(p) : "r"(m)); break;
	case 2: asm volatile(ARCH "pacda %0, %1" : "+r"(p) : "r"(m)); break;
	case 3: asm volatile(ARCH "pacdb %0, %1" : "+r"(p) : "r"(m)); break;
	}
	return p;
}

static u64 aut(int key, u64 p, u64 m)
{
	switch (key) {
	case 0: asm volatile(ARCH "autia %0, %1" : "+r"(p) : "r"(m)); break;
	case 1: asm volatile(ARCH "autib %0, %1" : "+r"(p) : "r"(m)); break;
	case 2: asm volatile(ARCH "autda %0, %1" : "+r"(p) : "r"(m)); break;
	case 3: asm volatile(ARCH "autdb %0, %1" : "+r"(p) : "r"(m)); break;
	}
	return p;
}

static u64 xpaci(u64 p)
{
	asm volatile(ARCH "xpaci %0" : "+r"(p));
	return p;
}

static u64 pacga(u64 p, u64 m)
{
	u64 r;
	asm volatile(ARCH "pacga %0, %1, %2" : "=r"(r) : "r"(p), "r"(m));
	return r;
}

static volatile int sig, code;
static volatile u64 fault_addr, fault_pc;

static void handler(int s, siginfo_t *info, void *context)
{
	ucontext_t *c = context;
	sig = s;
	code = info->si_code;
	fault_addr = (u64)info->si_addr;
	fault_pc = c->uc_mcontext.pc;
	c->uc_mcontext.pc += 4;
}

static int bad;
#define CHECK(x) do { if (!(x) && bad++ < 20) printf("line %d: %s\n", __LINE__, #x); } while (0)

__attribute__((noinline, target("branch-protection=pac-ret+leaf"))) static int hints(int x) { return x + 1; }
__attribute__((noinline, target("arch=armv8.3-a,branch-protection=pac-ret+leaf"))) static int retaa(int x) { return x + 2; }

static void pointers(int key)
{
	const u64 ptr = 0x0000aabbccddeef0;
	int unsigned_ = 0, faults = 0, same_as_ia = 0;
	for (u64 n = 0; n < 1000; n++) {
		u64 p = ptr + n * 16, m = n * 0x9e3779b9;
		u64 s = pac(key, p, m);
		sig = 0;
		CHECK((s & ~(0x7ful << 48)) == p && xpaci(s) == p && aut(key, s, m) == p && sig == 0);
		unsigned_ += s == p;
		same_as_ia += pac(0, p, m) == s;
		aut(key, s ^ 1ul << 50, m);
		if (sig == SIGILL && code == ILL_ILLOPN && fault_addr == fault_pc)
			faults++;
	}
	CHECK(faults == 1000);
	CHECK(unsigned_ < 60); // 7 bits: about 8 by chance
	CHECK(key == 0 || same_as_ia < 60);
	const u64 tagged = 0x5a00aabbccddeef0, kernel = 0xffff800012345678;
	u64 s = pac(key, tagged, 1);
	sig = 0;
	CHECK(s >> 56 == 0x5a && aut(key, s, 1) == tagged && sig == 0);
	s = pac(key, kernel, 1);
	CHECK(xpaci(s) == kernel && aut(key, s, 1) == kernel && sig == 0);
}

static void combined(void)
{
	u64 v[2] = {0x1234, 0x5678}, r, b, t;
	b = pac(2, (u64)v, 0);
	asm volatile(ARCH "ldraa %0, [%1, #8]" : "=r"(r) : "r"(b));
	CHECK(r == 0x5678);
	b = pac(3, (u64)v, 0);
	asm volatile(ARCH "ldrab %0, [%1, #8]!" : "=&r"(r), "+r"(b));
	CHECK(r == 0x5678 && b == (u64)&v[1]);
	b = pac(2, (u64)(v + 2), 0);
	asm volatile(ARCH "ldraa %0, [%1, #-16]" : "=r"(r) : "r"(b));
	CHECK(r == 0x1234);
	asm volatile(ARCH "adr %0, 1f\n\tpacia %0, %2\n\tmov %1, #0\n\tbraa %0, %2\n\tmov %1, #7\n1:	add %1, %1, #1"
		: "=&r"(t), "=&r"(r) : "r"(77ul));
	CHECK(r == 1);
	asm volatile(ARCH "adr %0, 1f\n\tpacizb %0\n\tmov %1, #0\n\tb 2f\n1:	add %1, %1, #3\n\tret\n2:	blrabz %0\n\tadd %1, %1, #1"
		: "=&r"(t), "=&r"(r) :: "x30");
	CHECK(r == 4);
	sig = 0; // a forged target faults at the branch
	asm volatile(ARCH "adr %0, 1f\n\tpacizb %0\n\teor %0, %0, #1 << 49\n2:	brabz %0\n\tadr %1, 2b\n1:" : "=&r"(t), "=&r"(r) :: "x30");
	CHECK(sig == SIGILL && fault_pc == r);
	CHECK(hints(1) == 2 && retaa(1) == 3);
	CHECK((pacga(1, 2) & 0xffffffff) == 0 && pacga(1, 2) != pacga(1, 3));
}

static void keys(void)
{
	const u64 ptr = 0x0000aabbccddeef0;
	u64 mine[8], childs[8];
	int fd[2], changed = 0;
	for (u64 n = 0; n < 8; n++)
		mine[n] = pac(0, ptr, n);
	CHECK(pipe(fd) == 0);
	if (fork() == 0) {
		for (u64 n = 0; n < 8; n++)
			mine[n] = pac(0, ptr, n);
		_exit(write(fd[1], mine, sizeof mine) != sizeof mine);
	}
	CHECK(read(fd[0], childs, sizeof childs) == sizeof childs && memcmp(mine, childs, sizeof mine) == 0);
	wait(0);
	CHECK(prctl(PR_PAC_GET_ENABLED_KEYS, 0, 0, 0, 0) == 15);
	CHECK(prctl(PR_PAC_SET_ENABLED_KEYS, PR_PAC_APDAKEY, 0, 0, 0) == 0);
	CHECK(prctl(PR_PAC_GET_ENABLED_KEYS, 0, 0, 0, 0) == 11);
	sig = 0;
	CHECK(pac(2, ptr, 5) == ptr && aut(2, ptr | 1ul << 50, 5) == (ptr | 1ul << 50) && sig == 0);
	CHECK(prctl(PR_PAC_SET_ENABLED_KEYS, PR_PAC_APGAKEY, 0, 0, 0) == -1);
	CHECK(prctl(PR_PAC_SET_ENABLED_KEYS, PR_PAC_APDAKEY, PR_PAC_APDBKEY, 0, 0) == -1);
	CHECK(prctl(PR_PAC_SET_ENABLED_KEYS, PR_PAC_APDAKEY, PR_PAC_APDAKEY, 0, 0) == 0);
	CHECK(prctl(PR_PAC_RESET_KEYS, PR_PAC_APIAKEY, 0, 0, 0) == 0);
	for (u64 n = 0; n < 8; n++)
		changed += pac(0, ptr, n) != mine[n];
	CHECK(changed > 0);
	CHECK(prctl(PR_PAC_RESET_KEYS, 0, 0, 0, 0) == 0);
	CHECK(prctl(PR_PAC_RESET_KEYS, 32, 0, 0, 0) == -1);
}

// Not called by anything whose return address is signed: it changes the key.
int main(void)
{
	struct sigaction action = {.sa_sigaction = handler, .sa_flags = SA_SIGINFO};
	sigaction(SIGILL, &action, 0);
	for (int key = 0; key < 4; key++)
		pointers(key);
	combined();
	keys();
	printf(bad ? "bad\n" : "ok\n");
	return bad != 0;
}
