// Two threads store next to code that a third one has just run. The page is guarded
// since the code was translated, and both stores may fault before either of them is
// repeated: neither may be taken for a fault of the guest.
#include <pthread.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

enum { rounds = 3000, half = 2048 };

static uint32_t round_, done;

static uint32_t load(uint32_t *p) { return __atomic_load_n(p, __ATOMIC_SEQ_CST); }

static void *stores(void *at) {
	volatile uint32_t *slot = at;
	for (uint32_t n = 1; n <= rounds; n++) {
		for (int spin = 0; load(&round_) < n; spin++)
			if (spin > 1000)
				sched_yield();
		*slot = n;
		if (*slot != n)
			printf("lost store %u\n", n);
		__atomic_fetch_add(&done, 1, __ATOMIC_SEQ_CST);
	}
	return 0;
}

int main(void) {
	static const uint32_t code[] = {0x528000e0, 0xd65f03c0}; // mov w0, #7; ret
	char *page = mmap(0, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	memcpy(page, code, sizeof code);
	__builtin___clear_cache(page, page + sizeof code);
	pthread_t t[2];
	for (int i = 0; i < 2; i++)
		pthread_create(&t[i], 0, stores, page + half + 64 * i);
	for (uint32_t n = 1; n <= rounds; n++) {
		if (((int (*)(void))page)() != 7)
			puts("wrong result");
		__atomic_store_n(&round_, n, __ATOMIC_SEQ_CST);
		while (load(&done) < 2 * n)
			sched_yield();
	}
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], 0);
	puts("ok");
}
