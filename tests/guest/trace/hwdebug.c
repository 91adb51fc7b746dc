// Breakpoints and watchpoints of the debug registers, as arch/arm64/kernel/ptrace.c and
// hw_breakpoint.c have them: what can be written and is read back, what stops a thread and
// where, and what does not.
#include "../syscalls/check.h"
#include <asm/ptrace.h>
#include <elf.h>
#include <linux/ptrace.h>
#include <sys/wait.h>
#define pt(req, pid, addr, data) syscall(SYS_ptrace, (long)(req), (long)(pid), (long)(addr), (long)(data))

// Every access is one instruction with a name.
long store8(long *p, long v), load8(long *p), store1(char *p, long v), pair(long *p, long v), loadpair(long *p);
long add8(long *p, long v), swap8(long *p, long v), exclusive(long *p, long v), zero64(long *p), vector(long *p);
extern char store8_at[], load8_at[], store1_at[], pair_at[], loadpair_at[], add8_at[], swap8_at[], exclusive_at[], exclusive_st[], zero64_at[], vector_at[];
#define ONE(name, insn) ".globl " #name ", " #name "_at\n" #name ": nop\n" #name "_at: " insn "\nret\n"
__asm__(".arch armv8.1-a\n"
	ONE(store8, "str x1, [x0]")
	ONE(load8, "ldr x0, [x0]")
	ONE(store1, "strb w1, [x0]")
	ONE(pair, "stp x1, x1, [x0], #16")
	ONE(loadpair, "ldp x1, x2, [x0, #16]!")
	ONE(add8, "ldadd x1, x0, [x0]")
	ONE(swap8, "swp x1, x0, [x0]")
	ONE(zero64, "dc zva, x0")
	ONE(vector, "ld1 {v0.16b-v3.16b}, [x0], #64")
	".globl exclusive, exclusive_at, exclusive_st\n"
	"exclusive: nop\n"
	"exclusive_at: ldxr x2, [x0]\n"
	"add x2, x2, x1\n"
	"exclusive_st: stxr w3, x2, [x0]\n"
	"cbnz w3, exclusive\n"
	"ret\n");

static long words[32] __attribute__((aligned(256)));
static struct user_hwdebug_state d;
static struct user_pt_regs r;
static siginfo_t info;
static pid_t p;
static int st;

static long set(int write, int kind, void *buf, size_t n) {
	struct iovec v = { buf, n };
	long e = pt(write ? PTRACE_SETREGSET : PTRACE_GETREGSET, p, kind, &v);
	return e < 0 ? -errno : (long)v.iov_len;
}
static long slots(int kind, int n) { return set(1, kind, &d, 8 + 16 * n); }
enum { LOADS = 1 << 3, STORES = 2 << 3, ON = 1 | 2 << 1 };
#define BYTES(mask) ((mask) << 5)
static long watch(void *addr, unsigned ctrl) {
	d.dbg_regs[0].addr = (long)addr;
	d.dbg_regs[0].ctrl = ctrl;
	return slots(NT_ARM_HW_WATCH, 1);
}
static void readback(int kind, int i) {
	struct user_hwdebug_state is;
	set(0, kind, &is, sizeof is);
	printf("slot %d: words + %#llx, %#x\n", i, is.dbg_regs[i].addr ? is.dbg_regs[i].addr - (long)words : 0, is.dbg_regs[i].ctrl);
}
static int stopped(void) {
	waitpid(p, &st, __WALL);
	if (!WIFSTOPPED(st)) { printf("ended %#x\n", st); return 0; }
	pt(PTRACE_GETSIGINFO, p, 0, &info);
	set(0, NT_PRSTATUS, &r, sizeof r);
	return 1;
}
static long word(long *at) {
	long w = 0;
	pt(PTRACE_PEEKDATA, p, at, &w);
	return w;
}
// hit goes on and says where the next stop is.
static void hit(const char *what, char *at) {
	pt(PTRACE_CONT, p, 0, 0);
	if (!stopped()) return;
	if (info.si_code == TRAP_HWBKPT)
		printf("%s: signal %d before %s, address words + %#lx\n", what, info.si_signo, r.pc == (long)at ? "it" : "something else", (long)info.si_addr - (long)words);
	else printf("%s: signal %d code %d\n", what, info.si_signo, info.si_code);
}
// passes goes on to the tracee's own SIGSTOP.
static void passes(const char *what) { hit(what, 0); }
// over steps over an instruction with the watchpoint off.
static void over(void) {
	unsigned ctrl = d.dbg_regs[0].ctrl;
	watch((void *)d.dbg_regs[0].addr, ctrl & ~1);
	pt(PTRACE_SINGLESTEP, p, 0, 0);
	stopped();
	printf("stepped: code %d\n", info.si_code);
	watch((void *)d.dbg_regs[0].addr, ctrl);
}

static void *other(void *unused) { store8(words, 5); return 0; }
#define NEXT raise(SIGSTOP)
static void tracee(void) {
	int fds[2];
	pt(PTRACE_TRACEME, 0, 0, 0);
	for (int i = 0; i < 100; i++) store8(words + 8, load8(words + 8) + 1); // translated before anything is watched
	NEXT; // registers
	NEXT;
	store8(words, 1); NEXT;
	load8(words); NEXT;
	store8(words + 1, 2); store1((char *)words + 7, 1); load8(words); NEXT; // beside bytes 4 and 5
	store8((long *)((char *)words - 2), 0); NEXT; // words[-1] is not ours: bytes 0 to 5 of words
	pair(words, 3); NEXT;
	loadpair(words - 2); NEXT;
	add8(words, 1); NEXT;
	swap8(words, 1); NEXT;
	exclusive(words, 1); NEXT;
	zero64(words + 17); NEXT;
	vector(words); NEXT;
	pipe(fds);
	write(fds[1], "12345678", 8); read(fds[0], words, 8); NEXT; // the kernel's accesses
	store8((long *)((long)words | 0xabL << 56), 9); NEXT;
	pthread_t t;
	pthread_create(&t, 0, other, 0); pthread_join(t, 0); NEXT; // a thread has its own
	if (!fork()) { store8(words, 6); _exit(0); }
	wait(0); NEXT;
	store8(words, 7); load8(words); NEXT; // breakpoint
	for (;;) store8(words, 8);
}

int main(void) {
	setvbuf(stdout, NULL, _IONBF, 0);
	p = fork();
	if (!p) tracee();
	stopped();

	puts("- registers");
	show(set(0, NT_ARM_HW_WATCH, &d, sizeof d));
	printf("info %#x, slot 0 %#llx %#x\n", d.dbg_info, d.dbg_regs[0].addr, d.dbg_regs[0].ctrl);
	show(set(0, NT_ARM_HW_BREAK, &d, sizeof d));
	printf("info %#x\n", d.dbg_info);
	show(set(0, NT_ARM_HW_BREAK, &d, 12));
	show(set(0, NT_ARM_HW_BREAK, &d, 10));
	memset(&d, 0, sizeof d);
	show(set(1, NT_ARM_HW_WATCH, &d, 8));
	show(set(1, NT_ARM_HW_WATCH, &d, 12));
	show(watch(words, 0));
	readback(NT_ARM_HW_WATCH, 0);
	show(watch(words, BYTES(0xff) | STORES | ON));
	readback(NT_ARM_HW_WATCH, 0);
	show(watch((char *)words + 4, BYTES(0xf) | LOADS | 1)); // bytes from the address on
	readback(NT_ARM_HW_WATCH, 0);
	show(watch(words, BYTES(0xf0) | LOADS | 1));             // or of the double word
	readback(NT_ARM_HW_WATCH, 0);
	show(watch((char *)words + 6, BYTES(0xf) | LOADS | STORES | 1)); // its end is the double word's
	readback(NT_ARM_HW_WATCH, 0);
	show(watch(words, BYTES(0xff) | STORES));                // disabled: no more is looked at
	readback(NT_ARM_HW_WATCH, 0);
	show(watch(words, BYTES(0xa) | STORES | ON));
	show(watch(words, STORES | ON));
	show(watch(words, BYTES(0xff) | ON));
	show(watch((void *)(1L << 48), BYTES(0xff) | STORES | ON));
	show(watch(words, 0));
	for (int i = 0; i < 16; i++) { d.dbg_regs[i].addr = (long)(words + i); d.dbg_regs[i].ctrl = 0; }
	show(slots(NT_ARM_HW_WATCH, 4));
	show(slots(NT_ARM_HW_WATCH, 5));
	readback(NT_ARM_HW_WATCH, 3);
	readback(NT_ARM_HW_WATCH, 4);
	d.dbg_regs[0].ctrl = BYTES(0xf) | LOADS | ON;
	show(slots(NT_ARM_HW_BREAK, 1));
	d.dbg_regs[0].ctrl = BYTES(0xf) | ON;
	show(slots(NT_ARM_HW_BREAK, 6));
	readback(NT_ARM_HW_BREAK, 0);
	readback(NT_ARM_HW_BREAK, 1);
	show(slots(NT_ARM_HW_BREAK, 7));
	d.dbg_regs[0].ctrl = 0;
	show(slots(NT_ARM_HW_BREAK, 1));
	passes("nothing is watched");

	puts("- watchpoints");
	watch(words, BYTES(0xff) | STORES | ON);
	hit("store", store8_at);
	show(word(words));
	hit("again", store8_at);
	over();
	show(word(words));
	passes("store");
	passes("a load does not count");
	watch((char *)words + 4, BYTES(3) | STORES | ON);
	passes("beside");
	hit("across", store8_at);
	over();
	passes("across");
	watch(words + 1, BYTES(0xff) | STORES | ON);
	hit("second of a pair", pair_at);
	ok(r.regs[0] == (long)words); // not written back
	show(word(words + 1) == 3);
	over();
	show(word(words + 1));
	passes("pair");
	watch(words + 1, BYTES(0xff) | LOADS | ON);
	hit("loaded pair", loadpair_at);
	ok(r.regs[0] == (long)(words - 2));
	over();
	ok(r.regs[0] == (long)words && r.regs[1] == 3 && r.regs[2] == 3);
	passes("loaded pair");
	watch(words, BYTES(0xff) | LOADS | ON);
	hit("atomic addition", add8_at);
	over();
	show(word(words));
	passes("atomic addition");
	watch(words, BYTES(0xff) | STORES | ON);
	hit("swap", swap8_at);
	over();
	passes("swap");
	hit("store exclusive", exclusive_st);
	watch(words, 0);
	passes("store exclusive");
	watch(words + 20, BYTES(0xff) | STORES | ON);
	hit("zeroes", zero64_at);
	over();
	passes("zeroes");
	watch(words + 5, BYTES(0xff) | LOADS | ON);
	hit("vectors", vector_at);
	over();
	ok(r.regs[0] == (long)(words + 8));
	passes("vectors");
	watch(words, BYTES(0xff) | LOADS | STORES | ON);
	passes("the kernel's accesses");
	hit("tagged", store8_at);
	over();
	passes("tagged");
	passes("another thread");
	pt(PTRACE_SETOPTIONS, p, 0, PTRACE_O_TRACEFORK);
	pt(PTRACE_CONT, p, 0, 0);
	stopped();
	long child = 0;
	pt(PTRACE_GETEVENTMSG, p, 0, &child);
	pid_t parent = p;
	p = child;
	waitpid(p, &st, __WALL);
	readback(NT_ARM_HW_WATCH, 0);
	passes("a child");
	p = parent;
	hit("SIGCHLD", 0);
	passes("after a child");
	watch(words, 0);

	puts("- breakpoints");
	memset(&d, 0, sizeof d);
	d.dbg_regs[0].addr = (long)load8_at;
	d.dbg_regs[0].ctrl = BYTES(0xf) | ON;
	show(slots(NT_ARM_HW_BREAK, 1));
	pt(PTRACE_CONT, p, 0, 0);
	stopped();
	ok(info.si_code == TRAP_HWBKPT && info.si_addr == load8_at && r.pc == (long)load8_at && r.regs[0] == (long)words);
	pt(PTRACE_SINGLESTEP, p, 0, 0);
	stopped();
	ok(info.si_code == TRAP_HWBKPT && r.pc == (long)load8_at);
	d.dbg_regs[0].ctrl = 0;
	slots(NT_ARM_HW_BREAK, 1);
	pt(PTRACE_SINGLESTEP, p, 0, 0);
	stopped();
	ok(info.si_code == TRAP_TRACE && r.pc == (long)load8_at + 4 && r.regs[0] == 7);
	d.dbg_regs[0].ctrl = BYTES(0xf) | ON;
	slots(NT_ARM_HW_BREAK, 1);
	passes("behind it");

	puts("- detached");
	memset(&d, 0, sizeof d);
	slots(NT_ARM_HW_BREAK, 1);
	watch(words, BYTES(0xff) | STORES | ON);
	pt(PTRACE_DETACH, p, 0, 0);
	waitpid(p, &st, 0);
	printf("ended by signal %d\n", WTERMSIG(st)); // nobody takes it
	return 0;
}
