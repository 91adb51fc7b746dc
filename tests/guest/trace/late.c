// late.c executes itself with about as many bytes of arguments as there may be, and prints how often that works and fails.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

int main(int argc, char **argv) {
	if (argc > 1)
		return 0;
	setrlimit(RLIMIT_STACK, &(struct rlimit){512 << 10, 512 << 10});
	int worked = 0, failed = 0;
	for (int size = (128 << 10) - 3000; size < 128 << 10; size += 200) {
		char *first = calloc(1, size), *second = first + size / 2;
		memset(first, 'x', size - 1);
		second[-1] = 0;
		int status;
		pid_t child = fork();
		if (child == 0) {
			execve("/proc/self/exe", (char *[]){argv[0], first, second, NULL}, (char *[]){NULL});
			_exit(1);
		}
		waitpid(child, &status, 0);
		status ? failed++ : worked++;
	}
	printf("%d %d\n", worked, failed);
	return 0;
}
