// Arguments of more than the kernel takes, of which each is the same string: to read them all first would take 100 GB.
#include "../syscalls/check.h"

enum { COUNT = 1000000, LENGTH = 100000 };
static char big[LENGTH + 1], *list[COUNT + 1];

static void is(const char *what, int err) { printf("%s: %d %s\n", what, err, strerror(err)); }

int main(void) {
	char *none[] = {"x", 0};
	memset(big, 'x', LENGTH);
	for (int i = 0; i < COUNT; i++) list[i] = big;
	execve("/proc/self/exe", list, none);
	is("arguments", errno);
	execve("/proc/self/exe", none, list);
	is("environment", errno);
	execve("/nowhere", list, none);
	is("no file", errno);
	return 0;
}
