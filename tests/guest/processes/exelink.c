// /proc/self/exe opens the program where its name does not: executed from memory, as
// programs that clone themselves (container runtimes) and those that unpack themselves do;
// removed; replaced by another file of that name; and from there executes it again.
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static off_t size;

static void look(const char *what) {
	struct stat named, opened = {0};
	int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC), first = open("/proc/self/fd/../exe", O_RDONLY | O_CLOEXEC);
	char magic[4] = {0};
	read(fd, magic, 4);
	fstat(fd, &opened);
	int status = stat("/proc/self/exe", &named);
	printf("%s: ELF %d, size %d, stat %d, same %d, seals %d, low %d\n", what, !memcmp(magic, "\177ELF", 4), opened.st_size == size, status, named.st_ino == opened.st_ino, fcntl(fd, F_GET_SEALS) >= 0, first == fd + 1);
	close(first);
	close(fd);
}

// copy writes the program to fd.
static void copy(int fd) {
	int self = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	while (sendfile(fd, self, 0, 1 << 20) > 0)
		;
	close(self);
}

int main(int argc, char **argv) {
	setvbuf(stdout, 0, _IONBF, 0);
	struct stat st;
	stat("/proc/self/exe", &st);
	size = st.st_size;
	char path[] = "/tmp/exelinkXXXXXX", other[64];
	if (argc > 1) {
		look(argv[1]);
		if (!strcmp(argv[1], "memory"))
			execl("/proc/self/exe", argv[0], "memory again", argv[2], (char *)0);
		return size != atoi(argv[2]);
	}
	char bytes[20];
	sprintf(bytes, "%d", (int)size);
	look("named");
	int fd = memfd_create("clone", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	copy(fd);
	fcntl(fd, F_ADD_SEALS, F_SEAL_WRITE | F_SEAL_SHRINK | F_SEAL_GROW);
	int status;
	if (!fork()) {
		fexecve(fd, (char *[]){"m", "memory", bytes, 0}, environ);
		_exit(99);
	}
	wait(&status);
	printf("status %x\n", status);
	fd = mkostemp(path, O_CLOEXEC);
	copy(fd);
	fchmod(fd, 0755);
	close(fd);
	if (!fork()) {
		fd = open(path, O_RDONLY | O_CLOEXEC);
		unlink(path);
		fexecve(fd, (char *[]){"r", "removed", bytes, 0}, environ);
		_exit(99);
	}
	wait(&status);
	printf("status %x\n", status);
	fd = mkostemp(strcpy(path, "/tmp/exelinkXXXXXX"), O_CLOEXEC);
	copy(fd);
	fchmod(fd, 0755);
	close(fd);
	if (!fork()) {
		fd = open(path, O_RDONLY | O_CLOEXEC);
		sprintf(other, "%s.other", path);
		close(creat(other, 0755));
		rename(other, path);
		fexecve(fd, (char *[]){"r", "replaced", bytes, 0}, environ);
		_exit(99);
	}
	wait(&status);
	printf("status %x\n", status);
	unlink(path);
}
