// A sandbox's process looks through its descriptors in a /proc whose numbers are another
// namespace's, also when its root directory is empty, as Chromium's zygote does.
#include "../syscalls/check.h"
#include <dirent.h>

static void list(int proc, const char *dir)
{
	int d = openat(proc, dir, O_RDONLY | O_DIRECTORY), n = 0, directories = 0;
	DIR *s = d < 0 ? 0 : fdopendir(d);
	if (!s) {
		printf(" %s: %s\n", dir, strerrorname_np(errno));
		return;
	}
	for (struct dirent *e; (e = readdir(s)); ) {
		struct stat st;
		int fd = atoi(e->d_name);
		if (e->d_name[0] == '.') continue;
		n++;
		if (fd != d && fd != proc && !fstat(fd, &st) && S_ISDIR(st.st_mode)) directories++;
	}
	printf(" %s: %d entries, %d other directories\n", dir, n, directories);
	closedir(s);
}

static void lists(int proc)
{
	list(proc, "self/fd");
	list(proc, "self/fdinfo");
	list(proc, "thread-self/fd");
	fflush(stdout);
}

int main(void)
{
	int proc = open("/proc", O_RDONLY | O_DIRECTORY), st;
	lists(proc);
	if (unshare(CLONE_NEWUSER | CLONE_NEWPID)) {
		printf("unshare: %s\n", strerrorname_np(errno));
		return 0;
	}
	fflush(stdout);
	pid_t p = fork();
	if (!p) {
		printf("pid %d\n", getpid());
		lists(proc);
		printf("chroot %d", chroot("/proc/self/fdinfo"));
		printf(" chdir %d\n", chdir("/"));
		lists(proc);
		p = fork();
		if (!p) {
			lists(proc);
			_exit(0);
		}
		waitpid(p, &st, 0);
		_exit(0);
	}
	waitpid(p, &st, 0);
	printf("status %x\n", st);
}
