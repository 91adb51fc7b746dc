// The name and arguments of a process that has just executed a program are that program's.
#include "../syscalls/check.h"

int main(int argc, char **argv) {
	if (argc > 1) {
		pause();
		return 0;
	}
	for (int n = 0; n < 20; n++) {
		int fds[2];
		char text[200], name[64], comm[32] = "";
		pipe2(fds, O_CLOEXEC);
		pid_t pid = fork();
		if (!pid) {
			execl("/proc/self/exe", "--", "one", "", "-0", "two", NULL);
			_exit(1);
		}
		close(fds[1]);
		read(fds[0], text, 1); // ends when it is executed
		close(fds[0]);
		sprintf(name, "/proc/%d/cmdline", pid);
		int fd;
		ssize_t got;
		do { // the kernel closes descriptors before it knows the arguments
			fd = open(name, O_RDONLY);
			got = read(fd, text, sizeof text);
			close(fd);
		} while (!got);
		for (int i = 0; i < got; i++)
			if (!text[i])
				text[i] = '|';
		sprintf(name, "/proc/%d/comm", pid);
		fd = open(name, O_RDONLY);
		read(fd, comm, sizeof comm - 1);
		close(fd);
		printf("%.*s %s", (int)got, text, comm);
		kill(pid, SIGKILL);
		waitpid(pid, NULL, 0);
	}
	return 0;
}
