// Prints how it was executed.
#include <stdio.h>
#include <stdlib.h>
int main(int argc, char **argv) {
	for (int i = 0; i < argc; i++) printf("[%s]", argv[i]);
	printf(" E=%s\n", getenv("E"));
	return argc;
}
