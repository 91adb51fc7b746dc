// perf_event_open(2): software counters, groups, sampling into a ring.
#include "../syscalls/check.h"
#include <linux/perf_event.h>
#include <sys/ioctl.h>

static int event(struct perf_event_attr *a, int group) { return syscall(SYS_perf_event_open, a, 0, -1, group, PERF_FLAG_FD_CLOEXEC); }

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
}
