// Has a child of fork and one of vfork that executes this program, waits for both, and executes
// it itself.
#include <sys/wait.h>
#include <unistd.h>

int main(int argc, char **argv) {
	char *again[] = {argv[0], "again", 0}, *none[] = {0};
	int status;
	if (argc > 1) {
		usleep(100000);
		return 3;
	}
	if (!fork()) {
		usleep(100000);
		_exit(4);
	}
	wait(&status);
	if (!vfork()) {
		execve("/nonexistent", again, none);
		execve(argv[0], again, none);
		_exit(5);
	}
	wait(&status);
	execve(argv[0], again, none);
	return 6;
}
