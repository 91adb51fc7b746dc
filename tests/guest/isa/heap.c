// Misuses of the heap that glibc finds by memory tags, if its tunable
// glibc.mem.tagging asks for them and there are any.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	volatile char *p = malloc(24);
	volatile char *after = malloc(24);
	int tagged = (unsigned long)p >> 56 != 0;
	printf("%s\n", tagged ? "tagged" : "plain");
	fflush(stdout);
	memset((void *)p, 1, 24);
	switch (argc > 1 ? argv[1][0] : 0) {
	case 'o': // overflow
		p[40] = 1;
		break;
	case 'u': // use after free
		free((void *)p);
		p[0] = 1;
		break;
	}
	getpid();
	puts("survived");
	free((void *)after);
	return 0;
}
