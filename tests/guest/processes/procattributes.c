// Descriptors of files of /proc are of /proc, those too that emu makes up.
#include "../syscalls/check.h"
#include <sys/vfs.h>
#include <sys/sysmacros.h>

static dev_t proc;

static void looks(const char *what, const struct stat *st, ino_t ino) {
	printf("%s: mode %o links %d size %d blocks %d, of /proc: %d, inode %d\n", what, st->st_mode, (int)st->st_nlink, (int)st->st_size, (int)st->st_blocks, st->st_dev == proc, st->st_ino == ino);
}

static void show_file(const char *name) {
	struct stat named, st;
	struct statx x;
	struct statfs fs;
	char path[64], link[256] = "", self[64];
	int fd = open(name, O_RDONLY);
	printf("%s\n", name);
	show(stat(name, &named));
	for (int i = 0; i < 3; i++) // generated code makes later ones
		fstat(fd, &st);
	looks("fstat", &st, named.st_ino);
	printf("owner %d %d\n", st.st_uid == named.st_uid, st.st_gid == named.st_gid);
	fstatat(fd, "", &st, AT_EMPTY_PATH);
	looks("fstatat", &st, named.st_ino);
	statx(fd, "", AT_EMPTY_PATH, STATX_BASIC_STATS, &x);
	printf("statx: mode %o links %d size %d of /proc: %d, inode %d\n", x.stx_mode, x.stx_nlink, (int)x.stx_size, x.stx_dev_minor == minor(proc), x.stx_ino == named.st_ino);
	snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
	stat(path, &st);
	looks("stat of the link", &st, named.st_ino);
	fstatfs(fd, &fs);
	printf("fstatfs: %lx %ld\n", (long)fs.f_type, (long)fs.f_blocks);
	statfs(path, &fs);
	printf("statfs: %lx %ld\n", (long)fs.f_type, (long)fs.f_blocks);
	int n = readlink(path, link, sizeof link), own = snprintf(self, sizeof self, "/proc/%d/", getpid());
	link[n] = 0;
	printf("readlink: %d %s\n", strncmp(link, self, own) == 0 || strcmp(link, name) == 0, strrchr(link, '/'));
	char part[12];
	show(readlink(path, part, sizeof part));
	printf("%.6s\n", part);
	int dir = open("/proc/self/fd", O_RDONLY | O_DIRECTORY);
	show(readlinkat(dir, path + 14, link, sizeof link) == n);
	close(dir);
	int twin = dup(fd);
	fstat(twin, &st);
	looks("a duplicate", &st, named.st_ino);
	close(twin);
	close(fd);
}

int main(int argc, char **argv) {
	struct stat st;
	stat("/proc/version", &st);
	proc = st.st_dev;
	if (argc > 1) { // executed with such a descriptor
		fstat(9, &st);
		looks("inherited", &st, st.st_ino);
		return 0;
	}
	setvbuf(stdout, 0, _IONBF, 0);
	static const char *names[] = {"/proc/self/maps", "/proc/self/status", "/proc/cpuinfo", "/proc/self/auxv", "/proc/thread-self/stat"};
	for (int i = 0; i < 5; i++)
		show_file(names[i]);
	char name[32];
	pid_t child = fork();
	if (child == 0)
		pause();
	snprintf(name, sizeof name, "/proc/%d/maps", child);
	int fd = open(name, O_RDONLY);
	fstat(fd, &st);
	looks("a child's", &st, st.st_ino);
	kill(child, SIGKILL);
	waitpid(child, 0, 0);
	fstat(fd, &st);
	looks("of one that has ended", &st, st.st_ino);
	dup2(open("/proc/self/maps", O_RDONLY), 9);
	execv("/proc/self/exe", (char *[]){argv[0], "again", 0});
	return 1;
}
