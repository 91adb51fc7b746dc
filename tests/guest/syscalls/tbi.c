// Loads, stores and atomics through tagged pointers work (top byte ignore); the
// same pointers without the tag work natively, where the tag is left out.
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#ifdef __aarch64__
#define TAG(p, t) ((void *)((uintptr_t)(p) | (uintptr_t)(t) << 56))
#else
#define TAG(p, t) ((void *)(p))
#endif
static uint64_t words[64];
static _Atomic uint32_t counter;

int main(void) {
	uint64_t sum = 0;
	for (int i = 0; i < 2000; i++) {
		volatile uint64_t *p = TAG(&words[i % 64], i % 256);
		*p += i;
		sum = sum * 31 + *p;
	}
	_Atomic uint32_t *c = TAG(&counter, 0xa5);
	for (int i = 0; i < 1000; i++)
		__atomic_fetch_add(c, i, __ATOMIC_SEQ_CST);
	char buf[100], *q = TAG(buf, 0x7f);
	memset(q, 'x', 99);
	q[99] = 0;
	printf("%llu %u %zu\n", (unsigned long long)sum, counter, strlen(q));
	return 0;
}
