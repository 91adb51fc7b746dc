// The root directory of a program whose sysroot has libraries only: the host's, with what is made in it.
// Prints how it is found, which must be the same as on the host.
#include "../syscalls/check.h"
#include <dirent.h>
#include <sys/stat.h>

static int names(const char *path) {
	int n = 0;
	DIR *d = opendir(path);
	while (d && readdir(d)) n++;
	if (d) closedir(d);
	return n;
}

int main(int argc, char **argv) {
	struct stat st;
	char cwd[100];
	for (int i = 0; i < 3; i++) { // the first one is not like those that follow
		printf("%d %d %d\n", names("/"), names("/."), names("/tmp/.."));
		show(stat("/", &st));
		printf("%lu\n", (long)st.st_ino);
		show(access("/etc/passwd", R_OK));
	}
	show(chdir("/"));
	printf("%d %d %s\n", names("."), names("../.."), getcwd(cwd, sizeof cwd));
	show(stat(".", &st));
	printf("%lu\n", (long)st.st_ino);
	show(access("etc/passwd", R_OK));
	fflush(stdout);
	system("pwd; ls -di .");
	if (argc > 1) { // as root: where the name comes to be
		show(mkdir("/emu-top-test", 0700));
		show(access("/proc/1/root/emu-top-test", F_OK));
		show(rmdir("/emu-top-test"));
		show(chroot("/"));
		fflush(stdout);
		execl("/proc/self/exe", argv[0], (char *)0);
		perror("execl");
	}
	return 0;
}
