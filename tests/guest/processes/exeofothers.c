// /proc/PID/exe of a child from the moment at which its program begins: the same file,
// by whatever name it was executed. For a moment it was the name of a descriptor, and
// for programs executed by fexecve it stayed so.
#define _GNU_SOURCE
#include <fcntl.h>
#include <libgen.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "../syscalls/signalone.h"

extern char **environ;

static char self[4096];

static void child(int way, char **argv)
{
	char *args[] = {argv[0], "wait", 0};
	int fd;
	switch (way) {
	case 0:
		execv(self, args);
		break;
	case 1:
		fd = open(self, O_RDONLY | O_CLOEXEC);
		fexecve(fd, args, environ);
		break;
	case 2:
		chdir(dirname(strdup(self)));
		execv(basename(self), args);
	}
	_exit(99);
}

int main(int argc, char **argv)
{
	if (argc > 1) {
		pause();
		return 0;
	}
	readlink("/proc/self/exe", self, sizeof self - 1);
	for (int way = 0; way < 3; way++) {
		int wrong = 0;
		for (int round = 0; round < 8; round++) {
			int p[2];
			pipe2(p, O_CLOEXEC);
			pid_t pid = fork();
			if (!pid)
				child(way, argv);
			close(p[1]);
			char c, link[64], exe[4096];
			read(p[0], &c, 1); // ends as execve closes the other end
			close(p[0]);
			snprintf(link, sizeof link, "/proc/%d/exe", pid);
			for (int i = 0; i < 30; i++) {
				memset(exe, 0, sizeof exe);
				readlink(link, exe, sizeof exe - 1);
				if (strcmp(exe, self) && !wrong++)
					printf("way %d: %s\n", way, exe);
				usleep(500);
			}
			kill(pid, SIGKILL);
			waitpid(pid, 0, 0);
		}
		printf("way %d: %d wrong\n", way, wrong);
	}
	return 0;
}
