// Code that stores to its own page, as SBCL's allocator takes a lock that lies next to
// it: the page is guarded whenever the code has been translated, and each store must be
// done all the same.
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

// uint64_t add(uint64_t *p): adds 1 by a plain store, by exclusives and by LDADD, and
// 1 to the word behind by STP.
extern const char add[], end[];
asm(".arch armv8-a+lse\n"
    ".global add, end\n"
    "add: ldp x1, x2, [x0]\n"
    "	add x1, x1, #1\n"
    "	str x1, [x0]\n"
    "0:	ldaxr x1, [x0]\n"
    "	add x1, x1, #1\n"
    "	stxr w3, x1, [x0]\n"
    "	cbnz w3, 0b\n"
    "	mov x4, #1\n"
    "	ldadd x4, x1, [x0]\n"
    "	ldr x1, [x0]\n"
    "	add x2, x2, #1\n"
    "	stp x1, x2, [x0]\n"
    "	ldr x0, [x0]\n"
    "	ret\n"
    "end:\n");

int main(void) {
	enum { rounds = 200 };
	char *page = mmap(0, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	memcpy(page, add, end - add);
	__builtin___clear_cache(page, page + 4096);
	uint64_t *p = (uint64_t *)(page + 2048);
	for (uint64_t n = 1; n <= rounds; n++)
		if (((uint64_t(*)(uint64_t *))page)(p) != 3 * n || p[1] != n)
			printf("round %lu: %lu, %lu\n", n, p[0], p[1]);
	puts("ok");
}
