// crash dies in one of several ways, with known values in registers and memory, and says
// where things are: a test looks for them in the core file.
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define PAGE 4096
#define THREADS 100

volatile int answer = 42;
int spinning[THREADS];
static int pipes[2];

static void say(const char *what, uint64_t value) { printf("%s %#llx\n", what, (unsigned long long)value); }

#ifdef __aarch64__
// Known values in all registers but X18, X29, SP, and a store to address X0 + 1.
__attribute__((noinline, noclone)) void crash_here(uint64_t base) {
	__asm__ volatile(
		"mov x0, %0\n"
		"add x1, x0, #0x101\n add x2, x0, #0x202\n add x3, x0, #0x303\n add x19, x0, #0x190\n add x28, x0, #0x280\n"
		"dup v0.2d, x1\n dup v31.2d, x28\n mov v31.d[1], x19\n fmov d15, #1.0\n"
		"cmp x0, x0\n" // NZCV = 0110
		"mov x9, #8\n"
		".global crash_pc\ncrash_pc: str x1, [x9]\n"
		::"r"(base) : "x0", "x1", "x2", "x3", "x9", "x19", "x28", "v0", "v15", "v31", "memory", "cc");
}
#else
__attribute__((noinline, noclone)) void crash_here(uint64_t base) { *(volatile uint64_t *)8 = base; }
#endif

static void *spin(void *arg) {
	int n = (int)(long)arg;
	__atomic_store_n(&spinning[n], syscall(SYS_gettid), __ATOMIC_SEQ_CST);
	char c;
	switch (n % 3) {
	case 0: // in generated code
		for (;;)
			__asm__ volatile("" ::: "memory");
	case 1: // in a system call
		read(pipes[0], &c, 1);
		break;
	default:
		for (;;)
			usleep(100);
	}
	return NULL;
}

static void start_threads(int count) {
	pthread_attr_t attr;
	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, 64 << 10);
	for (long i = 0; i < count; i++) {
		pthread_t t;
		if (pthread_create(&t, &attr, spin, (void *)i) != 0)
			exit(3);
		while (!__atomic_load_n(&spinning[i], __ATOMIC_SEQ_CST))
			usleep(100);
		say("thread", spinning[i]);
	}
}

// area maps two pages, marks the first unless it is to stay as it is, and says where.
static char *area(const char *name, int prot, int flags, int fd, int mark) {
	char *p = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE, flags, fd, 0);
	if (p == MAP_FAILED) {
		printf("SKIP %s\n", name);
		return NULL;
	}
	if (mark)
		memset(p, 0x5a, PAGE);
	mprotect(p, 2 * PAGE, prot);
	say(name, (uint64_t)p);
	return p;
}

static int file(const char *name, const void *content, int size) {
	int fd = open(name, O_RDWR | O_CREAT | O_TRUNC, 0644);
	write(fd, content, size);
	ftruncate(fd, 2 * PAGE);
	return fd;
}

// areas makes one mapping of each kind that core(5) tells apart.
static void areas(void) {
	char text[PAGE], elf[PAGE];
	memset(text, 0x33, PAGE);
	memset(elf, 0x33, PAGE);
	memcpy(elf, "\177ELF", 4);
	int plain = file("plain", text, PAGE), gone = file("gone", text, PAGE), magic = file("magic", elf, PAGE);
	unlink("gone");
	int rw = PROT_READ | PROT_WRITE, anon = MAP_PRIVATE | MAP_ANONYMOUS;
	area("anon_private", rw, anon, -1, 1);
	area("anon_untouched", rw, anon, -1, 0);
	area("anon_inaccessible", PROT_NONE, anon, -1, 1);
	area("anon_readonly", PROT_READ, anon, -1, 1);
	area("anon_shared", rw, MAP_SHARED | MAP_ANONYMOUS, -1, 1);
	area("memfd_shared", rw, MAP_SHARED, ({ int fd = memfd_create("memfd", 0); ftruncate(fd, 2 * PAGE); fd; }), 1);
	area("file_private", PROT_READ, MAP_PRIVATE, plain, 0);
	area("file_written", rw, MAP_PRIVATE, plain, 1);
	area("file_shared", rw, MAP_SHARED, plain, 0);
	area("gone_shared", rw, MAP_SHARED, gone, 0);
	area("elf_header", PROT_READ, MAP_PRIVATE, magic, 0);
	char *p = area("dont_dump", rw, anon, -1, 1);
	madvise(p, 2 * PAGE, MADV_DONTDUMP);
	p = area("half_dumped", rw, anon, -1, 1);
	memset(p + PAGE, 0x5a, PAGE);
	madvise(p + PAGE, PAGE, MADV_DONTDUMP);
}

static void filter(const char *value) {
	int fd = open("/proc/self/coredump_filter", O_WRONLY);
	if (fd < 0 || write(fd, value, strlen(value)) < 0)
		perror("coredump_filter");
	close(fd);
}

static void *crasher(void *arg) {
	crash_here(0x1122334455667788);
	return NULL;
}

int main(int argc, char **argv) {
	const char *how = argc > 1 ? argv[1] : "segv";
	setvbuf(stdout, NULL, _IOLBF, 0);
	prctl(PR_SET_NAME, "a/crash");
	pipe(pipes);
	if (!strcmp(how, "segv")) {
		say("tls", (uint64_t)__builtin_thread_pointer());
		crash_here(0x1122334455667788);
	}
	if (!strcmp(how, "abort"))
		abort();
	if (!strcmp(how, "areas")) {
		if (argc > 2)
			filter(argv[2]);
		areas();
		abort();
	}
	if (!strcmp(how, "threads")) {
		start_threads(atoi(argv[2]));
		pthread_t t;
		pthread_create(&t, NULL, crasher, NULL);
		pthread_join(t, NULL);
	}
	if (!strcmp(how, "all")) { // all threads at once
		for (int i = 0; i < 8; i++) {
			pthread_t t;
			pthread_create(&t, NULL, crasher, NULL);
		}
		pause();
	}
	if (!strcmp(how, "undumpable")) {
		prctl(PR_SET_DUMPABLE, 0);
		abort();
	}
	if (!strcmp(how, "fsize")) { // the core does not fit
		struct rlimit l = {8192, 8192};
		setrlimit(RLIMIT_FSIZE, &l);
		raise(SIGXFSZ);
	}
	if (!strcmp(how, "files")) { // no descriptor is left
		while (dup(1) >= 0)
			;
		abort();
	}
	if (!strcmp(how, "wait")) { // for whoever looks at it
		say("pid", getpid());
		for (;;)
			pause();
	}
	if (!strcmp(how, "suspend")) { // a signal comes while it waits
		static sigset_t set;
		sigaddset(&set, SIGQUIT);
		sigprocmask(SIG_BLOCK, &set, NULL);
		raise(SIGQUIT);
		sigemptyset(&set);
		say("mask", (uint64_t)&set);
		syscall(SYS_rt_sigsuspend, &set, 8);
	}
	if (!strcmp(how, "vfork")) {
		pid_t pid = vfork();
		if (pid == 0)
			crash_here(1);
		int status;
		waitpid(pid, &status, 0);
		printf("child: signal %d\n", WTERMSIG(status));
		return 0;
	}
#ifdef __aarch64__
	if (!strcmp(how, "tags")) { // FEAT_MTE: granule n of the second page has tag n
		const int prot_mte = 0x20;
		char *p = mmap(NULL, 4 * PAGE, PROT_READ | PROT_WRITE | prot_mte, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		if (p == MAP_FAILED)
			return 3;
		for (uint64_t n = 0; n < PAGE / 16; n++)
			__asm__ volatile(".arch armv8.5-a+memtag\n stg %0, [%1]" ::"r"(n << 56), "r"(p + PAGE + 16 * n) : "memory");
		p[PAGE] = 0x5a;
		say("tagged", (uint64_t)p);
		abort();
	}
#endif
	if (!strcmp(how, "big")) { // 8 GiB, of which little is there
		char *p = mmap(NULL, 8ull << 30, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
		memset(p + (3ull << 30), 0x5a, PAGE);
		say("big", (uint64_t)p);
		abort();
	}
	return 2;
}
