// process_vm_readv and process_vm_writev: the memory of a child, and one's own.
#include "../syscalls/check.h"

int main(void) {
	setvbuf(stdout, 0, _IONBF, 0);
	char *p = mmap(0, 4 * 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	munmap(p + 3 * 4096, 4096);
	strcpy(p, "parent's");
	int go[2], done[2];
	pipe(go), pipe(done);
	pid_t c = fork();
	if (!c) {
		char b;
		strcpy(p, "child's");
		strcpy(p + 3 * 4096 - 8, "the end");
		write(done[1], "x", 1);
		read(go[0], &b, 1);
		printf("%s, %s\n", p, p + 2 * 4096 + 10);
		_exit(0);
	}
	char b, buf[5000] = {0}, two[10] = {0};
	read(done[0], &b, 1);
	struct iovec l[2] = {{buf, 5}, {two, 3}}, r[2] = {{p, 8}, {p + 3 * 4096 - 8, 8}};
	show(process_vm_readv(c, l, 2, r, 1, 0));
	printf("%s|%s\n", buf, two);
	l[0].iov_len = 5000;
	r[0] = (struct iovec){p + 3 * 4096 - 8, 100};
	show(process_vm_readv(c, l, 1, r, 1, 0)); // as far as it goes
	puts(buf);
	r[0] = (struct iovec){p + 3 * 4096, 100};
	show(process_vm_readv(c, l, 1, r, 1, 0));
	r[0] = (struct iovec){p, 8}, r[1] = (struct iovec){(void *)8, 8};
	show(process_vm_readv(c, l, 1, r, 2, 0));
	show(process_vm_readv(c, l, 1, r, 2, 1));
	show(process_vm_readv(c, (void *)8, 1, r, 1, 0));
	show(process_vm_readv(c, l, 1, (void *)8, 1, 0));
	l[0].iov_base = (void *)8;
	show(process_vm_readv(c, l, 1, r, 1, 0));
	l[0] = (struct iovec){"written", 8};
	show(process_vm_writev(c, l, 1, r, 1, 0));
	r[0] = (struct iovec){p + 2 * 4096 + 10, 8};
	show(process_vm_writev(c, l, 1, r, 1, 0));
	write(go[1], "x", 1);
	waitpid(c, 0, 0);
	show(process_vm_writev(c, l, 1, r, 1, 0));
	show(process_vm_readv(99999999, l, 1, r, 1, 0));
	// One's own.
	l[0] = (struct iovec){buf, 100}, r[0] = (struct iovec){p, 9};
	show(process_vm_readv(getpid(), l, 1, r, 1, 0));
	puts(buf);
	show(process_vm_readv(getpid(), l, 2000, r, 1, 0));
	show(process_vm_readv(getpid(), l, 1, r, 0, 0));
	// /proc/PID/mem tells the same.
	char name[50];
	sprintf(name, "/proc/%d/mem", getpid());
	int fd = open(name, O_RDWR);
	show(pread(fd, buf, 9, (uintptr_t)p));
	puts(buf);
	show(pwrite(fd, "mem", 4, (uintptr_t)p));
	puts(p);
	show(pread(fd, buf, 9, 8));
}
