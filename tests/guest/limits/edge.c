// Forks again and again where there may be room for exactly one child: each child that there is
// lives for long enough to need threads, and lives on.
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

int main(void) {
	for (int i = 0; i < 5; i++) {
		pid_t pid = fork();
		if (pid == 0) {
			usleep(30000);
			_exit(3);
		}
		int status = 0;
		if (pid > 0)
			waitpid(pid, &status, 0);
		if (pid > 0 ? !WIFEXITED(status) || WEXITSTATUS(status) != 3 : errno != EAGAIN)
			printf("fork %d: %s, status %#x\n", i, pid > 0 ? "done" : strerror(errno), status);
	}
	puts("lived on");
	return 0;
}
