// Asks for a child that has not ended, and waits for it.
#include <sys/wait.h>
#include <unistd.h>

int main(void) {
	int status = 0, fd[2];
	char c;
	pipe(fd);
	pid_t pid = fork();
	if (!pid) {
		close(fd[1]);
		read(fd[0], &c, 1);
		_exit(7);
	}
	waitpid(pid, &status, WNOHANG);
	close(fd[1]);
	waitpid(pid, &status, 0);
	return WEXITSTATUS(status);
}
