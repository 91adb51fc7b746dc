#include <stdio.h>
#include <stdlib.h>
#include <string.h>
int main(int argc, char **argv) {
	char *p = malloc(10);
	strcpy(p, "fine");
	puts(p);
	fflush(stdout);
	if (argc > 1) p[10] = 1;
	free(p);
	return 0;
}
