// /proc/PID/exe of another process leads to the program that it runs, for whoever looks at
// the program's symbols, as profilers do.
#define _GNU_SOURCE
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include "../syscalls/signalone.h"

int main(int argc, char **argv) {
	if (argc > 1) {
		write(1, "x", 1);
		pause();
	}
	char program[] = "/tmp/exeotherXXXXXX", dir[40], exe[48], target[64] = "", magic[20] = "", c;
	int own = open("/proc/self/exe", O_RDONLY), copy = mkostemp(program, O_CLOEXEC), p[2];
	while (sendfile(copy, own, 0, 1 << 20) > 0)
		;
	fchmod(copy, 0755);
	close(copy);
	pipe2(p, O_CLOEXEC);
	pid_t pid = fork();
	if (!pid) {
		dup2(p[1], 1);
		execl(program, "other", "wait", (char *)0);
		_exit(99);
	}
	read(p[0], &c, 1);
	sprintf(dir, "/proc/%d", pid);
	sprintf(exe, "/proc/%d/exe", pid);
	struct stat want, named = {0}, opened = {0}, beside = {0}, link = {0};
	stat(program, &want);
	int st = stat(exe, &named), fd = open(exe, O_RDONLY), at = open(dir, O_RDONLY | O_DIRECTORY);
	fstat(fd, &opened);
	fstat(openat(at, "exe", O_RDONLY), &beside);
	fstatat(at, "exe", &link, AT_SYMLINK_NOFOLLOW);
	read(fd, magic, sizeof magic);
	readlink(exe, target, sizeof target - 1);
	printf("stat %d %d, open %d %d, link %d %d, machine %d\n", st, named.st_ino == want.st_ino, opened.st_ino == want.st_ino, beside.st_ino == want.st_ino,
		   S_ISLNK(link.st_mode), !strcmp(target, program), !memcmp(magic, "\177ELF", 4));
	printf("access %d, write %d\n", access(exe, R_OK | X_OK), open(exe, O_WRONLY) >= 0);
	unlink(program);
	kill(pid, SIGKILL);
	waitpid(pid, 0, 0);
	printf("gone %d\n", open(exe, O_RDONLY));
	return 0;
}
