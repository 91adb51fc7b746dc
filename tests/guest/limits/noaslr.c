// Prints where the stack, the program and the first byte of the heap lie.
#include <stdio.h>
#include <unistd.h>

int main(void)
{
	int local;
	printf("%p %p %p\n", (void *)&local, (void *)main, sbrk(0));
	return 0;
}
