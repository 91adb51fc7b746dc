// Where the top byte of an address does not count beyond loads and stores: a
// store-exclusive through a tagged pointer pairs with a load-exclusive through
// the same address without the tag, and the other way round; branches take the
// address without it. System calls take such addresses from threads that have said so,
// whose loads and stores then work without faults on the host.
#include <errno.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/uio.h>
#include <unistd.h>

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

	int fd[2];
	pipe(fd);
	printf("write %zd %d\n", write(fd[1], tagged, 8), errno == EFAULT);
	printf("enable %d", prctl(PR_SET_TAGGED_ADDR_CTRL, PR_TAGGED_ADDR_ENABLE, 0, 0, 0));
	printf(" %d\n", prctl(PR_GET_TAGGED_ADDR_CTRL, 0, 0, 0, 0));
	unsigned long back = 0, *there = (unsigned long *)((unsigned long)&back | 0xc3ul << 56);
	struct iovec v = {there, 8};
	printf("write %zd", write(fd[1], tagged, 8));
	printf(" readv %zd", readv(fd[0], (struct iovec *)((unsigned long)&v | 0x11ul << 56), 1));
	printf(" %lu\n", back);
	for (int i = 0; i < 100000; i++)
		(*(volatile unsigned long *)there)++;
	printf("%d %lu\n", add(tagged, &cell), back);
	return 0;
}
