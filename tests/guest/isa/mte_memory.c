// What the kernel does about memory tags, area by area: buffers in each checking mode,
// memory of all kinds, children, the controls of threads, and the memory of system calls.
// Prints the checks that fail, and "ok".
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/shm.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

enum { MTE = 0x20, PAGE = 4096, GRANULE = 16, RW = PROT_READ | PROT_WRITE };
enum { NONE = 0, ENABLE = 1, SYNC = 2, ASYNC = 4, INCLUDE = 8, SET = 55, GET = 56 };
enum { SEGV_ASYNC = 8, SEGV_SYNC = 9 };

typedef unsigned char u8;

static int bad;
#define CHECK(x) do { if (!(x) && bad++ < 30) printf("line %d: %s [%s]\n", __LINE__, #x, about); fflush(stdout); } while (0)
static const char *about = "";

static u8 *tagged(void *p, unsigned long tag) { return (u8 *)(((uintptr_t)p & ~(0xfful << 56)) | tag << 56); }
static unsigned tag_of(void *p) { return (uintptr_t)p >> 56 & 15; }
static void stg(void *p) { asm volatile("stg %0, [%0]" :: "r"(p) : "memory"); }
static unsigned ldg(void *p)
{
	uintptr_t t = (uintptr_t)p;
	asm volatile("ldg %0, [%0]" : "+r"(t) :: "memory");
	return t >> 56 & 15;
}
static void *irg(void *p)
{
	asm volatile("irg %0, %0" : "+r"(p));
	return p;
}
static void *paint(void *p, size_t n)
{
	for (size_t k = 0; k < n; k += GRANULE)
		stg((u8 *)p + k);
	return p;
}
static int mode(unsigned long flags) { return prctl(SET, flags, 0, 0, 0); }

static volatile int faults, code;
static volatile uintptr_t where;
static void handler(int sig, siginfo_t *info, void *context)
{
	faults++;
	code = info->si_code;
	where = (uintptr_t)info->si_addr;
	if (code == SEGV_SYNC)
		((ucontext_t *)context)->uc_mcontext.pc += 4;
	else if (code != SEGV_ASYNC)
		_exit(66);
}

// The kinds of memory that can have tags.
enum { ANON, FILE_, SYSV, SHAPES };
static const char *names[] = {"anonymous", "file", "System V"};

static void *map(int shape, int sharing, size_t n, int protect_later, int *fd)
{
	int prot = RW | (protect_later ? 0 : MTE);
	u8 *p;
	*fd = -1;
	switch (shape) {
	case ANON:
		p = mmap(0, n, prot, sharing | MAP_ANONYMOUS, -1, 0);
		break;
	case FILE_:
		*fd = memfd_create("tags", 0);
		ftruncate(*fd, n);
		p = mmap(0, n, prot, sharing, *fd, 0);
		break;
	default:;
		int id = shmget(IPC_PRIVATE, n, 0600);
		p = shmat(id, 0, 0);
		*fd = id;
		shmctl(id, IPC_RMID, 0);
		protect_later = 1;
	}
	if (p == MAP_FAILED)
		return NULL;
	if (protect_later && mprotect(p, n, RW | MTE))
		return NULL;
	return p;
}

// Buffers: every byte before, in and behind one, in each mode.
static void fill(u8 *p, size_t n, int checking)
{
	mode(ENABLE | checking | 0xfffe * INCLUDE);
	u8 *buffer = paint(irg(p + GRANULE), n);
	size_t end = (n + GRANULE - 1) & -GRANULE;
	faults = 0;
	for (size_t k = 0; k < n; k++)
		((volatile u8 *)buffer)[k] = k;
	sched_yield();
	CHECK(faults == 0);
	for (size_t k = 0; k < n; k++)
		if (buffer[k] != (u8)k)
			CHECK(!"content");
	volatile u8 *outside[] = {buffer - 1, buffer - GRANULE, buffer + end, buffer + end + GRANULE - 1};
	for (int k = 0; k < 4; k++) {
		u8 *plain = tagged((void *)outside[k], 0);
		faults = 0;
		*outside[k] = 0xee;
		sched_yield();
		CHECK(faults == (checking != NONE));
		if (checking == SYNC) {
			CHECK(code == SEGV_SYNC && where == (uintptr_t)plain && *plain != 0xee);
		} else {
			CHECK(*plain == 0xee);
			CHECK(checking == NONE || code == SEGV_ASYNC && where == 0);
		}
		*plain = 0;
	}
	asm volatile("msr tco, #1");
	faults = 0;
	*outside[2] = 1;
	asm volatile("msr tco, #0");
	sched_yield();
	CHECK(faults == 0);
	paint(tagged(p, 0), end + 2 * GRANULE);
}

static void buffers(void)
{
	static const int sizes[] = {1, 555, 1033, GRANULE - 1, GRANULE, PAGE - 1, PAGE, PAGE + 1};
	for (int shape = 0; shape < SHAPES; shape++)
		for (int sharing = MAP_SHARED; sharing <= MAP_PRIVATE; sharing++)
			for (int later = 0; later < 2; later++) {
				int fd;
				if (shape == SYSV && sharing == MAP_PRIVATE)
					continue;
				about = names[shape];
				u8 *p = map(shape, sharing, 4 * PAGE, later, &fd);
				CHECK(p);
				for (int k = 0; k < 4 * PAGE; k += GRANULE)
					if (ldg(p + k))
						CHECK(!"new pages have tag 0");
				for (int k = 0; k < sizeof sizes / sizeof *sizes; k++) {
					fill(p, sizes[k], NONE);
					if (sharing == MAP_PRIVATE || sizes[k] < PAGE - 1) {
						fill(p, sizes[k], SYNC);
						fill(p, sizes[k], ASYNC);
					}
				}
				// mprotect without PROT_MTE keeps tags and attribute.
				mode(ENABLE | SYNC | 0xfffe * INCLUDE);
				u8 *q = paint(irg(p), 64);
				CHECK(!mprotect(p, PAGE, PROT_READ) && ldg(p) == tag_of(q));
				CHECK(!mprotect(p, PAGE, RW) && ldg(p + 48) == tag_of(q));
				faults = 0;
				*(volatile u8 *)tagged(p, tag_of(q) ^ 1) = 1;
				CHECK(faults == 1 && code == SEGV_SYNC);
				munmap(p, 4 * PAGE);
			}
}

// All mappings of a page show the same tags, mremap takes them along, and what has lost
// its contents has lost them.
static void mappings(void)
{
	int fd;
	mode(ENABLE | SYNC | 0xfffe * INCLUDE);
	about = "mappings";
	u8 *p = map(FILE_, MAP_SHARED, 4 * PAGE, 0, &fd);
	paint(tagged(p + PAGE, 5), 32);
	u8 *q = mmap(0, 2 * PAGE, RW | MTE, MAP_SHARED, fd, PAGE);
	CHECK(ldg(q) == 5 && ldg(q + 16) == 5 && ldg(q + 32) == 0);
	paint(tagged(q + PAGE, 9), 16);
	CHECK(ldg(p + 2 * PAGE) == 9);
	faults = 0;
	*(volatile u8 *)tagged(p + 2 * PAGE, 9) = 1;
	CHECK(faults == 0 && *tagged(q + PAGE, 9) == 1);
	*(volatile u8 *)tagged(p + 2 * PAGE, 8) = 2;
	CHECK(faults == 1 && *tagged(q + PAGE, 9) == 1);
	u8 *room = mmap(0, 8 * PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	u8 *r = mremap(q, 2 * PAGE, 2 * PAGE, MREMAP_MAYMOVE | MREMAP_FIXED, room);
	CHECK(r == room && ldg(r) == 5 && ldg(r + PAGE) == 9);
	stg(tagged(r + 64, 3));
	CHECK(ldg(p + PAGE + 64) == 3);
	u8 *twin = mremap(p, 0, 4 * PAGE, MREMAP_MAYMOVE);
	CHECK(twin != MAP_FAILED && ldg(twin + PAGE) == 5);
	stg(tagged(twin, 12));
	CHECK(ldg(p) == 12);
	munmap(p, 4 * PAGE);
	munmap(r, 2 * PAGE);
	CHECK(ldg(twin + PAGE + 64) == 3);
	CHECK(!madvise(twin, 4 * PAGE, MADV_DONTNEED) && ldg(twin + PAGE) == 5);
	CHECK(!madvise(twin + PAGE, PAGE, MADV_REMOVE) && ldg(twin + PAGE) == 0 && ldg(twin + 2 * PAGE) == 9);
	u8 *own = mmap(0, PAGE, RW | MTE, MAP_PRIVATE, fd, 2 * PAGE);
	stg(tagged(own, 2));
	CHECK(ldg(own) == 2 && ldg(twin + 2 * PAGE) == 9);
	munmap(twin, 4 * PAGE);
	munmap(own, PAGE);
	u8 *a = mmap(0, 4 * PAGE, RW | MTE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	stg(tagged(a + 3 * PAGE, 7));
	munmap(a, PAGE);
	munmap(a + 2 * PAGE, PAGE);
	CHECK(ldg(a + 3 * PAGE) == 7 && ldg(a + PAGE) == 0);
	munmap(a + PAGE, PAGE);
	munmap(a + 3 * PAGE, PAGE);
	p = map(ANON, MAP_PRIVATE, 2 * PAGE, 0, &fd);
	paint(tagged(p, 4), 2 * PAGE);
	CHECK(!madvise(p, PAGE, MADV_DONTNEED) && ldg(p) == 0 && ldg(p + PAGE) == 4);
	munmap(p, 2 * PAGE);
}

// Children have the tags, share those of shared memory, and find none in what
// MADV_WIPEONFORK has taken from them.
static void children(void)
{
	for (int shape = 0; shape < SHAPES; shape++)
		for (int sharing = MAP_SHARED; sharing <= MAP_PRIVATE; sharing++)
			for (int checking = SYNC; checking <= ASYNC; checking += ASYNC - SYNC) {
				int fd, status;
				if (shape == SYSV && sharing == MAP_PRIVATE)
					continue;
				about = names[shape];
				mode(ENABLE | checking | 0xfffe * INCLUDE);
				u8 *p = map(shape, sharing, 3 * PAGE, 0, &fd);
				u8 *q = paint(irg(p + GRANULE), 1269);
				unsigned other = tag_of(q) % 15 + 1;
				fflush(stdout);
				pid_t child = fork();
				if (!child) {
					faults = bad = 0;
					memset(q, '1', 1269);
					sched_yield();
					CHECK(faults == 0 && ldg(q + 1264) == tag_of(q) && ldg(p) == 0);
					*(volatile u8 *)(q - 1) = 1;
					sched_yield();
					CHECK(faults == 1 && code == (checking == SYNC ? SEGV_SYNC : SEGV_ASYNC));
					stg(tagged(q + 32, other));
					stg(tagged(p + 2 * PAGE, 9));
					_exit(bad);
				}
				waitpid(child, &status, 0);
				CHECK(status == 0);
				int shared = sharing == MAP_SHARED;
				CHECK(ldg(q + 32) == (shared ? other : tag_of(q)) && ldg(p + 2 * PAGE) == (shared ? 9 : 0));
				CHECK(q[0] == (shared ? '1' : 0));
				faults = 0;
				*(volatile u8 *)(q + 32) = 1;
				sched_yield();
				CHECK(faults == shared);
				munmap(p, 3 * PAGE);
			}
	int fd, status;
	about = "advice";
	u8 *p = map(ANON, MAP_PRIVATE, 4 * PAGE, 0, &fd);
	paint(tagged(p, 6), 4 * PAGE);
	CHECK(!madvise(p, PAGE, MADV_WIPEONFORK) && !madvise(p + PAGE, PAGE, MADV_WIPEONFORK) && !madvise(p + PAGE, PAGE, MADV_KEEPONFORK));
	fflush(stdout);
	if (!fork()) {
		bad = 0;
		CHECK(ldg(p) == 0 && ldg(p + PAGE - 16) == 0 && ldg(p + PAGE) == 6);
		stg(tagged(p, 5));
		CHECK(ldg(p) == 5);
		_exit(bad);
	}
	wait(&status);
	CHECK(status == 0 && ldg(p) == 6);
	CHECK(!madvise(p + 2 * PAGE, PAGE, MADV_DONTFORK));
	fflush(stdout);
	if (!fork()) {
		bad = 0;
		CHECK(msync(p + 2 * PAGE, PAGE, MS_ASYNC) == -1 && errno == ENOMEM);
		u8 *again = mmap(p + 2 * PAGE, PAGE, RW | MTE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
		CHECK(again == p + 2 * PAGE && ldg(again) == 0 && ldg(p + 3 * PAGE) == 6);
		_exit(bad);
	}
	wait(&status);
	CHECK(status == 0 && ldg(p + 2 * PAGE) == 6);
	munmap(p, 4 * PAGE);
}

// A tracer reads and writes the tags of shared memory, too.
static void tracing(void)
{
	enum { PEEK = 33, POKE = 34 };
	int fd, status;
	about = "tracing";
	u8 *p = map(ANON, MAP_SHARED, 2 * PAGE, 0, &fd), tags[4] = {0}, others[] = {4, 3};
	stg(tagged(p + PAGE - 16, 2));
	stg(tagged(p + PAGE + 16, 8));
	pid_t child = fork();
	if (!child) {
		ptrace(PTRACE_TRACEME, 0, 0, 0);
		raise(SIGSTOP);
		_exit(ldg(p + PAGE) != 4 || ldg(p + PAGE + 16) != 3);
	}
	waitpid(child, &status, 0);
	struct iovec v = {tags, 4}, w = {others, 2};
	CHECK(!ptrace(PEEK, child, p + PAGE - 16, &v) && v.iov_len == 4 && !memcmp(tags, "\2\0\10\0", 4));
	CHECK(!ptrace(POKE, child, p + PAGE, &w) && w.iov_len == 2 && ldg(p + PAGE) == 4);
	ptrace(PTRACE_CONT, child, 0, 0);
	waitpid(child, &status, 0);
	CHECK(status == 0);
	munmap(p, 2 * PAGE);
}

// The control of a thread: what is set is what is read, and only the tags that it
// includes are chosen, whatever other threads do.
static void inclusion(unsigned *seen)
{
	void *p = (void *)0x1000;
	for (int k = 0; k < 400; k++)
		*seen |= 1u << tag_of(irg(p));
}

static void controls(void)
{
	about = "controls";
	static const int modes[] = {NONE, SYNC, ASYNC, SYNC | ASYNC};
	for (int k = 0; k < 4; k++)
		for (unsigned set = 0; set < 0x10000; set = set * 2 + 1) {
			unsigned long control = ENABLE | modes[k] | (unsigned long)set * INCLUDE;
			CHECK(!mode(control) && prctl(GET, 0, 0, 0, 0) == control);
			if (set == 0xffff)
				break;
		}
	for (int tag = 0; tag < 16; tag++) {
		unsigned one = 0, rest = 0, none = 0;
		mode(ENABLE | (1ul << tag) * INCLUDE);
		inclusion(&one);
		CHECK(one == 1u << tag);
		mode(ENABLE | (0xffff & ~(1ul << tag)) * INCLUDE);
		inclusion(&rest);
		CHECK(!(rest >> tag & 1) && rest & (rest - 1));
		mode(ENABLE);
		inclusion(&none);
		CHECK(none == 1);
	}
}

static void *switching(void *argument)
{
	unsigned seed = (unsigned)(uintptr_t)argument;
	for (int k = 0; k < 40; k++) {
		unsigned set = (rand_r(&seed) & 0xffff) | 2, seen = 0;
		unsigned long control = ENABLE | (k & 1 ? SYNC : ASYNC) | (unsigned long)set * INCLUDE;
		mode(control);
		inclusion(&seen);
		sched_yield();
		inclusion(&seen);
		if (seen & ~set || prctl(GET, 0, 0, 0, 0) != control)
			return (void *)1;
	}
	return NULL;
}

static void threads(void)
{
	about = "threads";
	pthread_t t[4];
	for (long k = 0; k < 4; k++)
		pthread_create(&t[k], NULL, switching, (void *)(k + 1));
	for (int k = 0; k < 4; k++) {
		void *failed;
		pthread_join(t[k], &failed);
		CHECK(!failed);
	}
}

// System calls access memory by its tags in synchronous mode, as far as they match.
static void user_memory(int sharing, int checking)
{
	about = checking == SYNC ? "calls, synchronous" : "calls, asynchronous";
	int memory, ends[2], fd = memfd_create("data", 0);
	static char data[2 * PAGE];
	write(fd, data, sizeof data);
	mode(ENABLE | checking | 0xfffe * INCLUDE);
	u8 *p = map(ANON, sharing, 2 * PAGE, 0, &memory);
	for (int offset = 0; offset <= PAGE; offset += PAGE / 4) {
		u8 *q = paint(irg(tagged(p, 0)), 2 * PAGE);
		if (offset < PAGE)
			paint(tagged(p + offset, tag_of(q) % 15 + 1), 2 * PAGE - offset);
		long can = offset < PAGE && checking == SYNC ? offset : PAGE, got[4];
		faults = 0;
		got[0] = pread(fd, q, PAGE, 0);
		got[1] = pwrite(fd, q, PAGE, 0);
		struct iovec v[2] = {{q, PAGE / 2}, {q + PAGE / 2, PAGE / 2}};
		got[2] = preadv(fd, v, 2, 0);
		got[3] = pwritev(fd, v, 2, 0);
		for (int k = 0; k < 4; k++)
			CHECK(got[k] == (can ? can : -1));
		CHECK(can || errno == EFAULT);
		pipe(ends);
		CHECK(write(ends[1], q, PAGE) == (can ? can : -1));
		if (can)
			CHECK(read(ends[0], q, can) == can);
		close(ends[0]);
		close(ends[1]);
		sched_yield();
		CHECK(faults == 0);
		paint(tagged(p, 0), 2 * PAGE);
	}
	munmap(p, 2 * PAGE);
	close(fd);
}

int main(void)
{
	struct sigaction act = {.sa_sigaction = handler, .sa_flags = SA_SIGINFO};
	sigaction(SIGSEGV, &act, NULL);
	buffers();
	mappings();
	children();
	tracing();
	controls();
	threads();
	for (int sharing = MAP_SHARED; sharing <= MAP_PRIVATE; sharing++) {
		user_memory(sharing, SYNC);
		user_memory(sharing, ASYNC);
	}
	printf(bad ? "%d checks failed\n" : "ok\n", bad);
	return bad != 0;
}
