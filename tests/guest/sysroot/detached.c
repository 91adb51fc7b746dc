// Names of directories in a mount that is nowhere any more begin at its root, which is not the guest's: ".." there leads no further.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

// put writes text to a file of /proc/self.
static int put(const char *name, const char *text) {
	int fd = open(name, O_WRONLY), n = write(fd, text, strlen(text));
	close(fd);
	return n < 0;
}

int main(int argc, char **argv) {
	char uids[32], gids[32];
	sprintf(uids, "0 %d 1", getuid());
	sprintf(gids, "0 %d 1", getgid());
	if (unshare(CLONE_NEWUSER | CLONE_NEWNS) || put("/proc/self/setgroups", "deny") || put("/proc/self/uid_map", uids) || put("/proc/self/gid_map", gids) || mount("", "/", NULL, MS_REC | MS_PRIVATE, NULL) || mount("x", argv[1], "tmpfs", 0, NULL) || chdir(argv[1])) {
		printf("no mounts: %s\n", strerror(errno));
		return 0;
	}
	mkdir("sub", 0755);
	close(open("file", O_CREAT | O_RDWR, 0600));
	int sub = open("sub", O_DIRECTORY);
	umount2(".", MNT_DETACH);
	chdir("/");
	int up = openat(sub, "..", O_DIRECTORY);
	printf("up %d, file %d, further %d\n", up >= 0, openat(up, "file", O_RDONLY) >= 0, openat(openat(up, "..", O_DIRECTORY), "file", O_RDONLY) >= 0);
	printf("through %d\n", faccessat(sub, "../sub/../file", F_OK, 0));
	return 0;
}
