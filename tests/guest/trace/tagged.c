// Has memory with tags, for a debugger: the status is the tag of the second granule, as it finds it.
#include <stdint.h>
#include <sys/mman.h>
#include <sys/prctl.h>

__attribute__((noinline)) void look(char *p)
{
	__asm__ volatile("" : : "r"(p) : "memory");
}

int main(void)
{
	prctl(55 /* PR_SET_TAGGED_ADDR_CTRL */, 1 | 1 << 1 | 0xfffe << 3, 0, 0, 0);
	char *p = mmap(0, 4096, PROT_READ | PROT_WRITE | 0x20 /* PROT_MTE */, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	char *tagged = (char *)((uintptr_t)p | 5ull << 56);
	uintptr_t second = (uintptr_t)p + 16;
	__asm__ volatile(".arch armv8.5-a+memtag\n\tstg %0, [%0]" : : "r"(tagged) : "memory");
	look(tagged);
	__asm__ volatile(".arch armv8.5-a+memtag\n\tldg %0, [%0]" : "+r"(second));
	return second >> 56;
}
