// memfd_create(2): seals, huge pages' refusal, execution; memfd_secret(2).
#include "../syscalls/check.h"

int main(void) {
	setvbuf(stdout, 0, _IONBF, 0);
	int fd = memfd_create("name", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	ok(fd >= 0);
	char link[100] = {0}, path[50];
	sprintf(path, "/proc/self/fd/%d", fd);
	show(readlink(path, link, 99));
	puts(link);
	show(fcntl(fd, F_GET_SEALS));
	show(ftruncate(fd, 8192));
	show(write(fd, "content", 7));
	char *w = mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	show(fcntl(fd, F_ADD_SEALS, F_SEAL_WRITE));
	show(fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW));
	show(ftruncate(fd, 4096));
	show(ftruncate(fd, 16384));
	w[0] = 'C';
	show(fcntl(fd, F_ADD_SEALS, F_SEAL_FUTURE_WRITE));
	show(write(fd, "x", 1));
	w[1] = 'O';
	munmap(w, 4096);
	show(mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0));
	char *r = mmap(0, 4096, PROT_READ, MAP_SHARED, fd, 0);
	ok(r != MAP_FAILED);
	printf("%.7s\n", r);
	show(mprotect(r, 4096, PROT_READ | PROT_WRITE));
	show(fcntl(fd, F_ADD_SEALS, F_SEAL_SEAL));
	show(fcntl(fd, F_ADD_SEALS, F_SEAL_WRITE));
	show(fcntl(fd, F_GET_SEALS));
	char *c = mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE, fd, 0);
	ok(c != MAP_FAILED);
	c[0] = 'x';
	ok(r[0] == 'C');
	int plain = memfd_create("plain", 0);
	show(fcntl(plain, F_GET_SEALS));
	show(fcntl(plain, F_ADD_SEALS, F_SEAL_GROW));
	show(fcntl(0, F_GET_SEALS));
	show(memfd_create((char *)8, 0));
	show(memfd_create("x", 0x8000));
	char longname[300];
	memset(longname, 'n', 299);
	longname[299] = 0;
	show(memfd_create(longname, 0));
	int s = syscall(447, 0); // memfd_secret
	if (s < 0) { printf("SKIP memfd_secret: %s\n", strerrorname_np(errno)); return 0; }
	show(ftruncate(s, 4096));
	char *x = mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, s, 0);
	ok(x != MAP_FAILED);
	strcpy(x, "secret");
	puts(x);
	int p[2];
	pipe(p);
	show(write(p[1], x, 6));
	show(read(s, link, 6));
}
