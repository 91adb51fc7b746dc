// Prints the limits on memory, and how much there is to be had, in units of 16 MB. With an argument it sets limits and
// executes itself again first.
#include <stdio.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

int main(int argc, char **argv) {
	if (argc > 1) {
		setrlimit(RLIMIT_DATA, &(struct rlimit){120000000, 400000000});
		setrlimit(RLIMIT_AS, &(struct rlimit){200000000, 500000000});
		execl("/proc/self/exe", "again", (char *)0);
	}
	struct rlimit data, space;
	getrlimit(RLIMIT_DATA, &data);
	getrlimit(RLIMIT_AS, &space);
	int n = 0;
	while (n < 40 && mmap(0, 16 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) != MAP_FAILED) n++;
	printf("data %ld %ld, address space %ld %ld: %d\n", (long)data.rlim_cur, (long)data.rlim_max, (long)space.rlim_cur, (long)space.rlim_max, n);
}
