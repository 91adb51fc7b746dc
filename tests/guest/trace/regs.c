// The register sets that ptrace(2) shows of an arm64 tracee, single steps and
// software breakpoints. Each line of output is a fact of the Linux ABI (asm/ptrace.h,
// linux/elf.h) or of the instructions in work.
#include "../syscalls/check.h"
#include <asm/ptrace.h>
#include <elf.h>
#include <linux/ptrace.h>
#define pt(req, pid, addr, data) syscall(SYS_ptrace, (long)(req), (long)(pid), (long)(addr), (long)(data))

long work(long a, long b);
extern char work_add[], work_mul[], work_ret[];
__asm__(".globl work, work_add, work_mul, work_ret\n"
	"work: nop\n"
	"work_add: add x0, x0, x1\n"
	"work_mul: mul x0, x0, x1\n"
	"fmov d8, x0\n"
	"work_ret: ret\n");

static int st;
static struct user_pt_regs r;
static pid_t p;
static long set(int write, int kind, void *buf, size_t n) {
	struct iovec v = { buf, n };
	long e = pt(write ? PTRACE_SETREGSET : PTRACE_GETREGSET, p, kind, &v);
	return e < 0 ? -errno : (long)v.iov_len;
}
static void stop(const char *what) {
	waitpid(p, &st, 0);
	if (WIFEXITED(st)) { printf("%s: exited %d\n", what, WEXITSTATUS(st)); return; }
	siginfo_t i;
	pt(PTRACE_GETSIGINFO, p, 0, &i);
	set(0, NT_PRSTATUS, &r, sizeof r);
	printf("%s: stop %x code %d addr %s\n", what, WSTOPSIG(st), i.si_code, i.si_addr == (void *)r.pc ? "pc" : "other");
}
static void poke(char *at, unsigned word, unsigned *old) {
	long w = 0;
	pt(PTRACE_PEEKDATA, p, at, &w);
	if (old) *old = w;
	w = w & ~0xffffffffL | word;
	pt(PTRACE_POKEDATA, p, at, w);
}

int main(void) {
	setvbuf(stdout, NULL, _IONBF, 0);
	p = fork();
	if (!p) {
		pt(PTRACE_TRACEME, 0, 0, 0);
		long sum = 0;
		for (int i = 0; i < 100; i++) sum += work(i, 3); // translated before anybody writes there
		raise(SIGSTOP);
		long x = work(5, 7);              // breakpoint, registers changed
		long y = work(1, 2);              // stepped
		long z = syscall(SYS_getppid);    // made into another call
		long q = syscall(SYS_close, -1);  // skipped
		_exit(sum != 3 * 4950 + 900 ? 1 : x != 2100 ? 2 : y != 6 ? 3 : z != getpid() ? 4 : q != 77 ? 5 : 50);
	}
	stop("start");
	unsigned old;
	poke(work_add, 0xd4200000, &old);     // brk #0
	pt(PTRACE_CONT, p, 0, 0); stop("breakpoint");
	ok(r.pc == (long)work_add && r.regs[0] == 5 && r.regs[1] == 7 && r.regs[30] != 0 && r.sp % 16 == 0);
	r.regs[0] = 14; r.regs[1] = 0x96;     // 20 * 150 - 900 = 2100 is made below
	show(set(1, NT_PRSTATUS, &r, sizeof r));
	poke(work_add, old, 0);
	for (int i = 0; i < 2; i++) { pt(PTRACE_SINGLESTEP, p, 0, 0); stop("step"); }
	ok(r.pc == (long)work_mul + 4 && r.regs[0] == (14 + 0x96) * 0x96);
	r.regs[0] = 2100;
	set(1, NT_PRSTATUS, &r, sizeof r);
	struct user_pt_regs bad = r;
	bad.pstate |= 5;
	show(set(1, NT_PRSTATUS, &bad, sizeof bad)); // not EL0
	show(set(0, NT_PRSTATUS, &bad, 16));          // part of the set
	show(set(0, NT_PRSTATUS, &bad, 12));          // no whole registers
	char mem[64];
	snprintf(mem, sizeof mem, "/proc/%d/mem", p);
	int fd = open(mem, O_RDWR);
	unsigned brk = 0xd4200000;
	show(pread(fd, &old, 4, (long)work_ret));
	show(pwrite(fd, &brk, 4, (long)work));
	pt(PTRACE_CONT, p, 0, 0); stop("breakpoint through /proc/pid/mem");
	ok(r.pc == (long)work && r.regs[0] == 1);
	unsigned nop = 0xd503201f;
	show(pwrite(fd, &nop, 4, (long)work));
	int n = 0;
	do { pt(PTRACE_SINGLESTEP, p, 0, 0); waitpid(p, &st, 0); set(0, NT_PRSTATUS, &r, sizeof r); n++; } while (r.pc != (long)work_ret);
	printf("%d steps\n", n);

	struct user_fpsimd_state f;
	show(set(0, NT_PRFPREG, &f, sizeof f));
	ok((long)f.vregs[8] == 6 && f.fpcr == 0);
	f.vregs[9] = ((__uint128_t)1 << 64) | 2;
	show(set(1, NT_PRFPREG, &f, sizeof f));
	memset(&f, 0, sizeof f);
	set(0, NT_PRFPREG, &f, sizeof f);
	ok(f.vregs[9] == (((__uint128_t)1 << 64) | 2));
	long tls = 0, own;
	__asm__("mrs %0, tpidr_el0" : "=r"(own));
	show(set(0, NT_ARM_TLS, &tls, 8));
	ok(tls == own);
	struct user_hwdebug_state d;
	show(set(0, NT_ARM_HW_BREAK, &d, sizeof d)); printf("%d breakpoints\n", d.dbg_info & 0xff);
	show(set(0, NT_ARM_HW_WATCH, &d, sizeof d)); printf("%d watchpoints\n", d.dbg_info & 0xff);
	int nr = 0;
	show(set(0, 0x404, &nr, 4)); show(nr);
	show(set(0, NT_ARM_SVE, &f, 16));

	pt(PTRACE_SYSCALL, p, 0, 0); stop("entry");
	ok(r.regs[8] == SYS_getppid && r.regs[7] == 0);
	show(set(0, 0x404, &nr, 4)); ok(nr == SYS_getppid);
	nr = SYS_getpid;
	set(1, 0x404, &nr, 4);
	pt(PTRACE_SYSCALL, p, 0, 0); stop("exit");
	ok(r.regs[0] == p && r.regs[7] == 1);
	pt(PTRACE_SYSCALL, p, 0, 0); stop("entry");
	nr = -1;
	set(1, 0x404, &nr, 4);
	pt(PTRACE_SYSCALL, p, 0, 0); stop("exit");
	r.regs[0] = 77;
	set(1, NT_PRSTATUS, &r, sizeof r);
	pt(PTRACE_CONT, p, 0, 0); stop("end");
	return 0;
}
