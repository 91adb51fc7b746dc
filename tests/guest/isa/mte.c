// Memory tags, as Linux Documentation/arch/arm64/memory-tagging-extension.rst has
// them: each line tells what a program sees.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

enum { MTE = 0x20, PAGE = 4096, RW = PROT_READ | PROT_WRITE, ANON = MAP_PRIVATE | MAP_ANONYMOUS };
enum { ENABLE = 1, SYNC = 2, ASYNC = 4, INCLUDE = 8 }; // PR_SET_TAGGED_ADDR_CTRL
enum { SET = 55, GET = 56, EXPOSE = 0x800 };

typedef unsigned char u8;

static u8 *tagged(void *p, unsigned long tag) { return (u8 *)(((uintptr_t)p & ~(0xfful << 56)) | tag << 56); }
static unsigned tag_of(void *p) { return (uintptr_t)p >> 56; }
static void stg(void *p) { asm volatile("stg %0, [%0]" :: "r"(p) : "memory"); }
static unsigned ldg(void *p)
{
	uintptr_t t = 0;
	asm volatile("ldg %0, [%1]" : "+r"(t) : "r"(p) : "memory");
	return t >> 56;
}
static void paint(void *p, size_t n, unsigned long tag)
{
	for (size_t k = 0; k < n; k += 16)
		stg(tagged((u8 *)p + k, tag));
}
static int mode(unsigned long flags) { return prctl(SET, flags, 0, 0, 0); }
static u8 *pages(int n, int prot)
{
	u8 *p = mmap(0, n * PAGE, prot, ANON, -1, 0);
	return p == MAP_FAILED ? NULL : p;
}
static unsigned long tco(void)
{
	unsigned long v;
	asm volatile("mrs %0, s3_3_c4_c2_7" : "=r"(v));
	return v;
}

// Faults.
static volatile int faults, code;
static void *volatile where;
static volatile unsigned long esr, inside, at_fault;
static sigjmp_buf back;
static volatile int go_on; // asynchronous: return to where it came

static void handler(int sig, siginfo_t *info, void *context)
{
	ucontext_t *c = context;
	faults++;
	code = info->si_code;
	where = info->si_addr;
	inside = tco();
	at_fault = c->uc_mcontext.fault_address;
	esr = 0;
	struct _aarch64_ctx { unsigned magic, size; } *r = (void *)c->uc_mcontext.__reserved;
	for (; r->magic; r = (void *)((u8 *)r + r->size))
		if (r->magic == 0x45535201)
			esr = *(unsigned long *)(r + 1);
	if (!go_on)
		siglongjmp(back, 1);
}

static void catch(int flags)
{
	struct sigaction act = {.sa_sigaction = handler, .sa_flags = SA_SIGINFO | SA_NODEFER | flags};
	sigaction(SIGSEGV, &act, NULL);
}

static u8 *target;
#define TRY(name, statement) do { \
		faults = 0; \
		if (!sigsetjmp(back, 1)) { statement; } \
		show(name); \
	} while (0)

static void show(const char *name)
{
	printf("%s: %d", name, faults);
	long at = (uintptr_t)tagged(where, 0) - (uintptr_t)target;
	if (faults)
		printf(" code %d %s %ld tag %x esr %lx", code, at < PAGE && at > -PAGE ? "offset" : "address", at < PAGE && at > -PAGE ? at : (long)tagged(where, 0), tag_of(where), esr);
	puts("");
}

static void announced(void)
{
	unsigned long pfr1, hwcap2 = getauxval(AT_HWCAP2);
	asm("mrs %0, s3_0_c0_c4_1" : "=r"(pfr1));
	printf("mte %d mte3 %d field %lu\n", !!(hwcap2 & 1 << 18), !!(hwcap2 & 1 << 22), pfr1 >> 8 & 15);
	printf("at first %d\n", prctl(GET, 0, 0, 0, 0));
	printf("bad flags %d, bad argument %d, get with argument %d\n", mode(1ul << 19), prctl(SET, 1, 1, 0, 0), prctl(GET, 1, 0, 0, 0));
	mode(ENABLE | SYNC | ASYNC | 0x5a5aul * INCLUDE);
	printf("all of it %x\n", prctl(GET, 0, 0, 0, 0));
}

static void choosing(void)
{
	uintptr_t p = 0x1000, r;
	mode(ENABLE);
	asm volatile("irg %0, %1" : "=r"(r) : "r"(tagged((void *)p, 9)));
	printf("none included: %lx", r);
	asm volatile("addg %0, %1, #32, #5" : "=r"(r) : "r"(tagged((void *)p, 9)));
	printf(" %lx\n", r);
	mode(ENABLE | (1 << 3 | 1 << 7 | 1 << 12) * INCLUDE);
	unsigned seen = 0;
	for (int i = 0; i < 1000; i++) {
		asm volatile("irg %0, %1" : "=r"(r) : "r"(p));
		seen |= 1 << (r >> 56);
	}
	printf("three included: %x", seen);
	seen = 0;
	for (int i = 0; i < 1000; i++) {
		asm volatile("irg %0, %1, %2" : "=r"(r) : "r"(p), "r"(1ul << 7));
		seen |= 1 << (r >> 56);
	}
	printf(", without one of them %x\n", seen);
	// Whatever is included: no other tag comes, and each of them does. That one of 16 does not
	// come in 2,000 tries has a probability of 16 * (15/16)^2000 = 10^-55.
	unsigned wrong = 0, sets = 0;
	for (unsigned include = 1; include < 0x10000; include += 0x3f7, sets++) {
		mode(ENABLE | include * INCLUDE);
		seen = 0;
		for (int i = 0; i < 2000; i++) {
			asm volatile("irg %0, %1, xzr" : "=r"(r) : "r"(p));
			seen |= 1 << (r >> 56);
		}
		wrong += seen != include;
	}
	mode(ENABLE | (1 << 3 | 1 << 7 | 1 << 12) * INCLUDE);
	printf("other than what is included: in %u of %u sets\n", wrong, sets);
	asm volatile("addg %0, %1, #16, #0" : "=r"(r) : "r"(tagged((void *)p, 4)));
	printf("addg 4+0 %lx", r >> 56);
	asm volatile("addg %0, %1, #16, #2" : "=r"(r) : "r"(tagged((void *)p, 4)));
	printf(" 4+2 %lx", r >> 56);
	asm volatile("subg %0, %1, #16, #2" : "=r"(r) : "r"(tagged((void *)p, 12)));
	printf(" subg 12+2 %lx", r);
	asm volatile("gmi %0, %1, %2" : "=r"(r) : "r"(tagged((void *)p, 5)), "r"(1ul));
	printf(" gmi %lx\n", r);
}

static void mapping(void)
{
	mode(ENABLE | 0xffff * INCLUDE);
	u8 *p = pages(4, RW);
	paint(p, PAGE, 5);
	printf("without PROT_MTE %x", ldg(p));
	mprotect(p, 2 * PAGE, RW | MTE);
	printf(", with %x", ldg(p));
	paint(p, 2 * PAGE, 5);
	printf(", set %x %x", ldg(p + 48), ldg(p + 2 * PAGE));
	mprotect(p, 2 * PAGE, PROT_READ);
	mprotect(p, 2 * PAGE, RW);
	printf(", mprotect keeps %x", ldg(p + 48));
	paint(p + 32, 16, 6);
	printf(", and the attribute %x\n", ldg(p + 32));
	u8 *q = mremap(p, 2 * PAGE, 3 * PAGE, MREMAP_MAYMOVE | MREMAP_FIXED, pages(3, PROT_NONE));
	printf("mremap moves %x %x, new pages %x", ldg(q + 32), ldg(q + PAGE), ldg(q + 2 * PAGE));
	paint(q + 2 * PAGE, 16, 7);
	printf(" %x\n", ldg(q + 2 * PAGE));
	mmap(p, 2 * PAGE, RW | MTE, ANON | MAP_FIXED, -1, 0);
	printf("where it was %x", ldg(p + 32));
	madvise(q, PAGE, MADV_DONTNEED);
	printf(", MADV_DONTNEED %x %x", ldg(q + 32), ldg(q + PAGE));
	munmap(q, 3 * PAGE);
	mmap(q, 3 * PAGE, RW | MTE, ANON | MAP_FIXED, -1, 0);
	printf(", munmap %x\n", ldg(q + PAGE));
	int file = open("/proc/self/exe", O_RDONLY), mem = memfd_create("m", 0);
	ftruncate(mem, PAGE);
	printf("file %d", mmap(0, PAGE, PROT_READ | MTE, MAP_PRIVATE, file, 0) == MAP_FAILED ? errno : 0);
	void *f = mmap(0, PAGE, PROT_READ, MAP_PRIVATE, file, 0);
	printf(" %d", mprotect(f, PAGE, PROT_READ | MTE) ? errno : 0);
	u8 *m = mmap(0, PAGE, RW | MTE, MAP_PRIVATE, mem, 0);
	printf(", memfd %d", m == MAP_FAILED ? errno : 0);
	stg(tagged(m, 3));
	printf(" %x", ldg(m));
	u8 *b = (u8 *)((uintptr_t)sbrk(2 * PAGE) + PAGE - 1 & -PAGE);
	printf(", heap %d", mprotect(b, PAGE, RW | MTE));
	stg(tagged(b, 4));
	printf(" %x, stack", ldg(b));
	u8 *s = (u8 *)((uintptr_t)__builtin_frame_address(0) & -PAGE) - 8 * PAGE;
	printf(" %d\n", mprotect(s, PAGE, RW | MTE));
	int marked = 0;
	char line[4096];
	FILE *maps = fopen("/proc/self/smaps", "r");
	while (fgets(line, sizeof line, maps))
		marked += !strncmp(line, "VmFlags:", 8) && strstr(line, " mt");
	printf("smaps %s\n", marked >= 4 ? "mt" : "without");
}

static u8 *shared;
static pthread_mutex_t *mutex; // through a tagged address, which futex(2) gets
static volatile int turns;

static void *contend(void *arg)
{
	for (int i = 0; i < 3000; i++) {
		pthread_mutex_lock(mutex);
		turns++;
		pthread_mutex_unlock(mutex);
	}
	return NULL;
}

static void *thread(void *arg)
{
	printf("thread sees %x, mode %x\n", ldg(shared), prctl(GET, 0, 0, 0, 0));
	stg(tagged(shared, 11));
	return NULL;
}

static void inheriting(void)
{
	mode(ENABLE | SYNC | 0xff * INCLUDE);
	shared = pages(1, RW | MTE);
	stg(tagged(shared, 10));
	fflush(stdout);
	if (!fork()) {
		printf("child sees %x, mode %x\n", ldg(shared), prctl(GET, 0, 0, 0, 0));
		stg(tagged(shared, 12));
		fflush(stdout);
		_exit(0);
	}
	wait(NULL);
	printf("parent keeps %x\n", ldg(shared));
	fflush(stdout);
	if (!vfork()) {
		stg(tagged(shared, 13));
		_exit(0);
	}
	wait(NULL);
	printf("of vfork's child it sees %x\n", ldg(shared));
	stg(tagged(shared, 10));
	pthread_t t;
	pthread_create(&t, NULL, thread, NULL);
	pthread_join(t, NULL);
	printf("creator sees %x\n", ldg(shared));
	stg(tagged(shared, 10));
	for (int sync = 0; sync < 2; sync++) {
		mode(ENABLE | (sync ? SYNC : ASYNC) | 0xff * INCLUDE);
		mutex = (pthread_mutex_t *)tagged(shared, 10);
		paint(shared, 64, 10);
		pthread_mutex_init(mutex, NULL);
		pthread_t threads[4];
		turns = 0;
		for (int i = 0; i < 4; i++)
			pthread_create(&threads[i], NULL, contend, NULL);
		for (int i = 0; i < 4; i++)
			pthread_join(threads[i], NULL);
		printf("turns %d\n", turns);
	}
	mode(0);
}

static void synchronous(void)
{
	mode(ENABLE | SYNC | 0xffff * INCLUDE);
	catch(0);
	target = pages(2, RW | MTE);
	paint(target, 64, 5);
	u8 *p = tagged(target, 5), *q = tagged(target, 6);
	volatile u8 *v = p;
	TRY("right", v[0] = 1; v[63] = v[1]);
	TRY("load", *(volatile u8 *)(q + 3));
	TRY("store", *(volatile u8 *)(q + 3) = 9);
	printf("not stored %d\n", p[3] == 9);
	TRY("beyond", v[64] = 1);
	TRY("untagged", *(volatile u8 *)target);
	TRY("half", *(volatile uint64_t *)(p + 60) = -1);
	TRY("pair", asm volatile("ldp x1, x2, [%0, #56]" :: "r"(p) : "x1", "x2", "memory"));
	TRY("simd", asm volatile("ldr q1, [%0, #52]" :: "r"(p) : "v1", "memory"));
	TRY("structures", asm volatile("ld4 {v0.16b-v3.16b}, [%0]" :: "r"(p + 16) : "v0", "v1", "v2", "v3", "memory"));
	TRY("atomic", asm volatile("ldadd x1, x2, [%0]" :: "r"(q) : "x1", "x2", "memory"));
	TRY("exclusive", asm volatile("ldxr x1, [%0]" :: "r"(q) : "x1", "memory"));
	TRY("zva", asm volatile("dc zva, %0" :: "r"(q) : "memory"));
	TRY("prefetch", asm volatile("prfm pldl1keep, [%0]" :: "r"(q)));
	TRY("no tags there", *(volatile u8 *)tagged(&shared, 3));
	TRY("unmapped", *(volatile u8 *)tagged((void *)0x1000, 3));
	mprotect(target, PAGE, PROT_READ);
	TRY("read-only", *(volatile u8 *)q = 1);
	mprotect(target, PAGE, RW);
	catch(EXPOSE);
	TRY("exposed", *(volatile u8 *)tagged(target, 0xa6) = 1);
	printf("fault_address %d\n", at_fault == (uintptr_t)target);
	catch(0);
	asm volatile("msr s3_3_c4_c2_7, %0" :: "r"(1ul << 25));
	TRY("tco", v[64] = 1; *(volatile u8 *)q);
	printf("tco %lx\n", tco());
	TRY("null", *(volatile u8 *)NULL);
	printf("in the handler %lx, behind it %lx\n", inside, tco());
	asm volatile(".arch armv8.5-a+memtag\n\tmsr tco, #0");
	TRY("checked again", *(volatile u8 *)q);
	uintptr_t sum = 0; // in a loop that becomes hot
	TRY("loop", for (int i = 0; i < 3000; i++) sum += p[i % 64]);
	TRY("loop to the end", for (int i = 0;; i++) sum += *(volatile u8 *)(p + i));
	TRY("copy", memcpy(p + 32, target + 1024, 64));
	TRY("set", memset(p, 1, 65));
}

static void asynchronous(void)
{
	mode(ENABLE | ASYNC | 0xffff * INCLUDE);
	catch(0);
	target = pages(1, RW | MTE);
	paint(target, PAGE, 5);
	go_on = 1;
	faults = 0;
	*(volatile u8 *)target = 7;
	getpid();
	printf("async: %d code %d address %d, stored %d\n", faults, code, where != NULL, tagged(target, 5)[0]);
	sigset_t set;
	sigemptyset(&set);
	sigaddset(&set, SIGSEGV);
	sigprocmask(SIG_BLOCK, &set, NULL);
	faults = 0;
	for (int i = 0; i < 3; i++)
		*(volatile u8 *)target = i;
	getpid();
	printf("blocked: %d", faults);
	sigprocmask(SIG_UNBLOCK, &set, NULL);
	printf(", unblocked: %d\n", faults);
	go_on = 0;
	mode(ENABLE);
	TRY("none", *(volatile u8 *)target = 1; getpid());
}

static const char *error(long r)
{
	static char text[32];
	if (r >= 0)
		snprintf(text, sizeof text, "%ld", r);
	return r >= 0 ? text : errno == EFAULT ? "EFAULT" : strerror(errno);
}

static void calls(void)
{
	int fd[2], dir[2];
	pipe(fd);
	socketpair(AF_UNIX, SOCK_STREAM, 0, dir);
	target = pages(1, RW | MTE);
	mode(0);
	printf("tagged, not enabled: %s\n", error(write(fd[1], tagged(target, 1), 8)));
	mode(ENABLE | SYNC | 0xffff * INCLUDE);
	paint(target, PAGE, 5);
	paint(target + 32, 16, 6);
	u8 *p = tagged(target, 5);
	printf("write: %s", error(write(fd[1], p, 32)));
	printf(", wrong tag: %s", error(write(fd[1], target, 32)));
	printf(", part: %s", error(write(fd[1], p, 64)));
	printf(", read: %s", error(read(fd[0], p, 16)));
	printf(", wrong: %s", error(read(fd[0], tagged(target, 7), 16)));
	printf(", across: %s\n", error(read(fd[0], p + 16, 32)));
	struct iovec good = {p, 16}, bad = {target, 16};
	printf("writev: %s, wrong: %s", error(writev(fd[1], &good, 1)), error(writev(fd[1], &bad, 1)));
	memcpy(p, &good, sizeof good);
	printf(", tagged vector: %s", error(writev(fd[1], (void *)p, 1)));
	printf(", wrong vector: %s\n", error(writev(fd[1], (void *)target, 1)));
	struct msghdr m = {.msg_iov = (void *)p, .msg_iovlen = 1};
	memcpy(p + 128, &m, sizeof m);
	printf("sendmsg: %s", error(sendmsg(dir[0], (void *)(p + 128), 0)));
	printf(", recvmsg: %s, flags %x\n", error(recvmsg(dir[1], (void *)(p + 128), 0)), ((struct msghdr *)(p + 128))->msg_flags);
	strcpy((char *)p + 64, "/dev/null");
	printf("open: %d, wrong: %s\n", open((char *)p + 64, O_RDONLY) > 0, error(open((char *)target + 64, O_RDONLY)));
	struct timespec *ts = (void *)p;
	printf("clock: %s", error(syscall(SYS_clock_gettime, CLOCK_THREAD_CPUTIME_ID, ts)));
	printf(", wrong: %s\n", error(syscall(SYS_clock_gettime, CLOCK_THREAD_CPUTIME_ID, target)));
	printf("mprotect: %s, mmap: %d\n", error(mprotect(tagged(target, 9), PAGE, RW)), mmap(tagged(target, 9), PAGE, RW, ANON | MAP_FIXED, -1, 0) == MAP_FAILED);
	mode(ENABLE | ASYNC | 0xffff * INCLUDE);
	printf("async: %s\n", error(write(fd[1], target, 32)));
	asm volatile(".arch armv8.5-a+memtag\n\tmsr tco, #1");
	mode(ENABLE | SYNC | 0xffff * INCLUDE);
	printf("tco: %s\n", error(write(fd[1], target, 32)));
	asm volatile(".arch armv8.5-a+memtag\n\tmsr tco, #0");
	mode(0);
}

static void fatal(void)
{
	static const char *names[] = {"default", "ignored", "blocked", "async ignored"};
	for (int k = 0; k < 4; k++) {
		fflush(stdout);
		if (!fork()) {
			signal(SIGSEGV, k == 1 || k == 3 ? SIG_IGN : SIG_DFL);
			sigset_t set;
			sigemptyset(&set);
			sigaddset(&set, SIGSEGV);
			sigprocmask(k == 2 ? SIG_BLOCK : SIG_UNBLOCK, &set, NULL);
			mode(ENABLE | (k == 3 ? ASYNC : SYNC) | 0xffff * INCLUDE);
			u8 *p = pages(1, RW | MTE);
			stg(tagged(p, 1));
			*(volatile u8 *)p = 1;
			getpid();
			_exit(3);
		}
		int status;
		wait(&status);
		printf("%s: signal %d status %d\n", names[k], WTERMSIG(status), WEXITSTATUS(status));
	}
}

static void tracing(void)
{
	enum { PEEK = 33, POKE = 34, GETREGSET = 0x4204, SETREGSET = 0x4205, TAGGED = 0x409 };
	mode(ENABLE | SYNC | 0xff * INCLUDE);
	u8 *p = pages(2, RW | MTE);
	mprotect(p + PAGE, PAGE, PROT_NONE);
	munmap(p + PAGE, PAGE);
	for (int k = 0; k < 8; k++)
		stg(tagged(p + 16 * k, k));
	fflush(stdout);
	pid_t child = fork();
	if (!child) {
		syscall(SYS_ptrace, 0, 0, 0, 0); // PTRACE_TRACEME
		raise(SIGSTOP);
		printf("tracee: %x %x, mode %x\n", ldg(p + 32), ldg(p + 48), prctl(GET, 0, 0, 0, 0));
		fflush(stdout);
		_exit(0);
	}
	int status;
	waitpid(child, &status, 0);
	u8 tags[512] = {0};
	struct iovec v = {tags, 4};
	long r = syscall(SYS_ptrace, PEEK, child, tagged(p + 40, 3), &v);
	printf("peek %s: %zu tags %x %x %x %x", error(r), v.iov_len, tags[0], tags[1], tags[2], tags[3]);
	v.iov_len = sizeof tags;
	r = syscall(SYS_ptrace, PEEK, child, p, &v);
	printf(", all %s: %zu", error(r), v.iov_len);
	r = syscall(SYS_ptrace, PEEK, child, &child, &v);
	printf(", without tags: %s", r ? strerror(errno) : "0");
	v = (struct iovec){(void *)8, 4};
	printf(", bad buffer: %s\n", error(syscall(SYS_ptrace, PEEK, child, p, &v)));
	v = (struct iovec){"\x0b\x1c", 2};
	r = syscall(SYS_ptrace, POKE, child, p + 32, &v);
	printf("poke %s: %zu, ours %x\n", error(r), v.iov_len, ldg(p + 32));
	long control = 0;
	v = (struct iovec){&control, 8};
	r = syscall(SYS_ptrace, GETREGSET, child, TAGGED, &v);
	printf("control %s: %lx", error(r), control);
	control = ENABLE | ASYNC | 3 * INCLUDE;
	printf(", set %s", error(syscall(SYS_ptrace, SETREGSET, child, TAGGED, &v)));
	control = 1l << 40;
	printf(", bad %d\n", syscall(SYS_ptrace, SETREGSET, child, TAGGED, &v) ? errno : 0);
	fflush(stdout);
	syscall(SYS_ptrace, 7, child, 0, 0); // PTRACE_CONT
	waitpid(child, &status, 0);
	mode(0);
}

int main(int argc, char **argv)
{
	static const struct { const char *name; void (*run)(void); } parts[] = {
		{"announced", announced}, {"choosing", choosing}, {"mapping", mapping}, {"inheriting", inheriting},
		{"synchronous", synchronous}, {"asynchronous", asynchronous}, {"calls", calls}, {"fatal", fatal}, {"tracing", tracing},
	};
	for (unsigned k = 0; k < sizeof parts / sizeof *parts; k++)
		if (argc < 2 || !strcmp(argv[1], parts[k].name)) {
			printf("-- %s --\n", parts[k].name);
			parts[k].run();
		}
	return 0;
}
