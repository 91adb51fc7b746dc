// Memory whose pages another thread of the process supplies, which maps memory itself before it
// does: by userfaultfd(2) and as the server of a file system (fuse(4)). The kernel holds no lock that
// this thread needs while it makes pages present, and mmap asks the server nothing.
#include "../syscalls/check.h"
#include "fuse.h"
#include <linux/userfaultfd.h>
#include <sys/ioctl.h>

enum { SIZE = 4 * 4096 };

static int attributes;

static void *maps(void *p, int fill) {
	char *page = mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	memset(page, fill, 4096);
	if (p) memcpy(p, page, 4096);
	return page;
}

static void *faults(void *a) {
	for (struct uffd_msg m; read(fd, &m, sizeof m) == sizeof m;) {
		char *page = maps(0, 'u');
		struct uffdio_copy c = {.dst = m.arg.pagefault.address & ~4095UL, .src = (uintptr_t)page, .len = 4096};
		ioctl(fd, UFFDIO_COPY, &c);
		munmap(page, 4096);
	}
	return 0;
}

static void lockAll(void) {
	fd = syscall(SYS_userfaultfd, O_CLOEXEC);
	struct uffdio_api api = {.api = UFFD_API};
	if (fd < 0 || ioctl(fd, UFFDIO_API, &api)) { printf("SKIP userfaultfd: %s\n", strerrorname_np(errno)); return; }
	char *area = mmap(0, SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct uffdio_register r = {{(uintptr_t)area, SIZE}, UFFDIO_REGISTER_MODE_MISSING};
	show(ioctl(fd, UFFDIO_REGISTER, &r));
	pthread_t t;
	pthread_create(&t, 0, faults, 0);
	show(mlockall(MCL_CURRENT));
	unsigned char present[SIZE / 4096];
	mincore(area, SIZE, present);
	ok(present[0] & present[3] & 1);
	printf("%c\n", area[SIZE - 1]);
	show(munlockall());
}

static void *serves(void *a) {
	static char request[1 << 17], data[SIZE];
	while (read(fd, request, sizeof request) > 0) {
		struct fuse_in_header *in = (void *)request;
		switch (in->opcode) {
		case FUSE_INIT:
			answer(in, 0, &(struct fuse_init_out){.major = 7, .minor = 31, .max_readahead = SIZE, .max_write = 4096}, sizeof(struct fuse_init_out));
			break;
		case FUSE_LOOKUP:
			answer(in, 0, &(struct fuse_entry_out){.nodeid = 2, .attr = attr(1, SIZE), .entry_valid = 60, .attr_valid = 0}, sizeof(struct fuse_entry_out));
			break;
		case FUSE_GETATTR:
			attributes++;
			answer(in, 0, &(struct fuse_attr_out){.attr = attr(in->nodeid == 2, SIZE)}, sizeof(struct fuse_attr_out));
			break;
		case FUSE_OPEN:
			answer(in, 0, &(struct fuse_open_out){.fh = 1}, sizeof(struct fuse_open_out));
			break;
		case FUSE_READ:
			for (int at = 0; at < SIZE; at += 4096) munmap(maps(data + at, 'f'), 4096);
			answer(in, 0, data, ((struct fuse_read_in *)(in + 1))->size);
			break;
		case FUSE_FORGET: case FUSE_BATCH_FORGET: case FUSE_INTERRUPT:
			break;
		default:
			answer(in, in->opcode == FUSE_RELEASE || in->opcode == FUSE_FLUSH ? 0 : -ENOSYS, 0, 0);
		}
	}
	return 0;
}

static void populate(void) {
	char dir[] = "/tmp/suppliedXXXXXX", path[64], options[64];
	unshare(CLONE_NEWNS);
	fd = open("/dev/fuse", O_RDWR | O_CLOEXEC);
	sprintf(options, "fd=%d,rootmode=40000,user_id=0,group_id=0", fd);
	mkdtemp(dir);
	if (fd < 0 || mount(0, "/", 0, MS_REC | MS_PRIVATE, 0) || mount("supplied", dir, "fuse.supplied", 0, options)) {
		printf("SKIP fuse: %s\n", strerrorname_np(errno));
		rmdir(dir);
		return;
	}
	sprintf(path, "%s/file", dir);
	pid_t guard = freeLater(dir);
	pthread_t t;
	pthread_create(&t, 0, serves, 0);
	int f = open(path, O_RDONLY), before = attributes;
	char *p = mmap(0, SIZE, PROT_READ, MAP_SHARED | MAP_POPULATE, f, 0);
	ok(attributes == before);
	printf("%c\n", p[SIZE - 1]);
	munmap(p, SIZE);
	p = mmap(0, SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_POPULATE, f, 0);
	p[0]++;
	printf("%c%c\n", p[0], p[1]);
	munmap(p, SIZE);
	close(f);
	kill(guard, SIGKILL);
	waitpid(guard, 0, 0);
	umount2(dir, MNT_DETACH);
	rmdir(dir);
}

int main(void) {
	setvbuf(stdout, 0, _IONBF, 0);
	populate();
	alarm(30);
	lockAll();
	return 0;
}
