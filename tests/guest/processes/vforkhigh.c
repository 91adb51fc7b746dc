// A child of vfork writes to memory of its parent's that lies where emu would see shadow
// stacks, if there were any: Go's heap is there in one start of 32.
#include <stdint.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

int main(void)
{
	volatile uint32_t *p = mmap((void *)0x5d0000000000, 8192, PROT_READ | PROT_WRITE,
				    MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
	if ((uintptr_t)p != 0x5d0000000000)
		return 1;
	p[0] = 1;
	pid_t child = vfork();
	if (child == 0) {
		p[0] = 2;
		p[1024] = 3;
		_exit(7);
	}
	int status;
	waitpid(child, &status, 0);
	printf("%u %u %x\n", p[0], p[1024], status);
	return 0;
}
