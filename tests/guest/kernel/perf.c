// perf_event_open(2): software counters, groups, sampling into a ring.
#include "../syscalls/check.h"
#include <linux/hw_breakpoint.h>
#include <linux/perf_event.h>
#include <sys/ioctl.h>

static int event(struct perf_event_attr *a, int group) { return syscall(SYS_perf_event_open, a, 0, -1, group, PERF_FLAG_FD_CLOEXEC); }

static volatile int hits, touched;
static siginfo_t first;
static void trapped(int sig, siginfo_t *info, void *uc) { if (!hits++) first = *info; }
static void *touch(void *n) {
	for (int i = 0; i < (long)n; i++) touched = i;
	double t = now();
	while (now() - t < 0.05) ;
	return 0;
}
// threads has events that new threads inherit: one counts their time, the other sends SIGTRAP for each store to a word.
static void threads(void) {
	enum { count = 3, stores = 100 };
	pthread_t t[count];
	struct perf_event_attr a = {.type = PERF_TYPE_SOFTWARE, .size = sizeof a, .config = PERF_COUNT_SW_TASK_CLOCK, .inherit = 1};
	int fd = event(&a, -1);
	uint64_t before = 0, after = 0;
	read(fd, &before, 8);
	for (int i = 0; i < count; i++) pthread_create(&t[i], 0, touch, 0);
	for (int i = 0; i < count; i++) pthread_join(t[i], 0);
	usleep(10000);
	read(fd, &after, 8);
	ok(after - before > 20000000); // they ran as long, or nearly, if nothing else did
	close(fd);
	struct sigaction sa = {.sa_sigaction = trapped, .sa_flags = SA_SIGINFO};
	sigaction(SIGTRAP, &sa, 0);
	a = (struct perf_event_attr){.type = PERF_TYPE_BREAKPOINT, .size = sizeof a, .sample_period = 1, .bp_type = HW_BREAKPOINT_W, .bp_addr = (uint64_t)&touched, .bp_len = 4,
		.inherit = 1, .inherit_thread = 1, .remove_on_exec = 1, .sigtrap = 1, .sig_data = 77, .exclude_kernel = 1, .exclude_hv = 1};
	fd = event(&a, -1);
	if (fd < 0) { printf("SKIP breakpoint: %s\n", strerrorname_np(errno)); return; }
	for (int i = 0; i < count; i++) pthread_create(&t[i], 0, touch, (void *)stores);
	for (int i = 0; i < count; i++) pthread_join(t[i], 0);
	printf("%d hits, code %d\n", hits > 0, first.si_code);
	ok(first.si_addr == (void *)&touched);
	close(fd);
}

int main(void) {
	setvbuf(stdout, 0, _IONBF, 0);
	struct perf_event_attr a = {.type = PERF_TYPE_SOFTWARE, .size = sizeof a, .config = PERF_COUNT_SW_TASK_CLOCK, .disabled = 1, .read_format = PERF_FORMAT_GROUP | PERF_FORMAT_ID};
	int clock = event(&a, -1);
	if (clock < 0) { printf("SKIP perf_event_open: %s\n", strerrorname_np(errno)); return 0; }
	a.config = PERF_COUNT_SW_PAGE_FAULTS, a.disabled = 0;
	int faults = event(&a, clock);
	ok(faults >= 0);
	uint64_t ids[2];
	show(ioctl(clock, PERF_EVENT_IOC_ID, &ids[0]));
	show(ioctl(faults, PERF_EVENT_IOC_ID, &ids[1]));
	show(ioctl(clock, PERF_EVENT_IOC_ENABLE, PERF_IOC_FLAG_GROUP));
	volatile char *p = mmap(0, 64 * 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	for (int i = 0; i < 64; i++) p[i * 4096] = 1;
	volatile long x = 0;
	for (int i = 0; i < 300000; i++) x += i;
	show(ioctl(clock, PERF_EVENT_IOC_DISABLE, PERF_IOC_FLAG_GROUP));
	struct { uint64_t n; struct { uint64_t value, id; } v[2]; } r;
	show(read(clock, &r, sizeof r));
	printf("%ld\n", (long)r.n);
	ok(r.v[0].id == ids[0] && r.v[1].id == ids[1]);
	ok(r.v[0].value > 1000 && r.v[1].value >= 64);
	show(read(clock, &r, 8));
	show(read(clock, (void *)8, sizeof r));
	a = (struct perf_event_attr){.type = PERF_TYPE_SOFTWARE, .size = sizeof a, .config = PERF_COUNT_SW_CPU_CLOCK, .sample_period = 100000, .sample_type = PERF_SAMPLE_TID, .wakeup_events = 1};
	int fd = event(&a, -1);
	ok(fd >= 0);
	struct perf_event_mmap_page *ring = mmap(0, 9 * 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	ok(ring != MAP_FAILED);
	struct pollfd pf = {fd, POLLIN};
	double t = now();
	while (ring->data_head < 1000 && now() - t < 10) for (int i = 0; i < 1000; i++) x += i;
	ok(poll(&pf, 1, 1000) == 1);
	struct perf_event_header *h = (void *)((char *)ring + 4096);
	uint32_t *tid = (void *)(h + 1);
	while ((char *)h < (char *)ring + 4096 + 1000 && h->type != PERF_RECORD_SAMPLE) h = (void *)((char *)h + h->size);
	tid = (void *)(h + 1);
	ok(tid[0] == getpid() && tid[1] == syscall(SYS_gettid));
	show(munmap(ring, 9 * 4096));
	a.type = 9999;
	show(event(&a, -1));
	show(event((void *)8, -1));
	a = (struct perf_event_attr){.type = PERF_TYPE_SOFTWARE, .size = 4000};
	show(event(&a, -1));
	show(a.size > 64);
	threads();
}
