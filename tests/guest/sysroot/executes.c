// A process changes its working directory, or its root, and has a child execute a program with a dynamic linker.
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

int main(int argc, char **argv) {
	if (argc < 2) {
		puts("executed");
		return 0;
	}
	int e = strcmp(argv[1], "cd") ? chroot("/jail") : chdir("/");
	pid_t p = fork();
	if (!p) {
		if (!e) execl("/dynamic", "dynamic", (char *)NULL);
		perror(argv[1]);
		_exit(1);
	}
	int st;
	waitpid(p, &st, 0);
	printf("status %x\n", st);
	return 0;
}
