// Where the top byte of an address does not count beyond loads and stores: a
// store-exclusive through a tagged pointer pairs with a load-exclusive through
// the same address without the tag, and the other way round; branches take the
// address without it.
#include <stdio.h>

static unsigned long cell = 1;

static int add(unsigned long *load, unsigned long *store)
{
	for (int tries = 0; tries < 1000; tries++) {
		unsigned long v;
		unsigned fail;
		asm volatile("ldxr %0, [%2]\n\tadd %0, %0, #1\n\tstxr %w1, %0, [%3]"
			: "=&r"(v), "=&r"(fail) : "r"(load), "r"(store) : "memory");
		if (!fail)
			return 1;
	}
	return 0;
}

static int called(void) { return 42; }

int main(void)
{
	unsigned long *tagged = (unsigned long *)((unsigned long)&cell | 0x5aul << 56);
	printf("plain %d\n", add(&cell, &cell));
	printf("store tagged %d\n", add(&cell, tagged));
	printf("load tagged %d\n", add(tagged, &cell));
	printf("both tagged %d\n", add(tagged, tagged));
	printf("%lu\n", cell);
	int (*volatile f)(void) = (int (*)(void))((unsigned long)called | 0x5aul << 56);
	printf("call tagged %d\n", f());
	return 0;
}
