// io_uring(7) without liburing: entries whose structures differ between the ABIs.
#include "check.h"
#include <linux/io_uring.h>
#include <linux/openat2.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>

static struct io_uring_params p;
static int fd;
static unsigned *head, *tail, *mask, *array, *chead, *ctail, *cmask;
static struct io_uring_sqe *sqes;
static struct io_uring_cqe *cqes;

static struct io_uring_sqe *next(int op) {
	unsigned i = *tail & *mask;
	struct io_uring_sqe *s = &sqes[i];
	memset(s, 0, sizeof *s);
	s->opcode = op;
	array[i] = i;
	__atomic_store_n(tail, *tail + 1, __ATOMIC_RELEASE);
	return s;
}
static int submit(const char *what) {
	long n = syscall(SYS_io_uring_enter, fd, *tail - *head, 1, IORING_ENTER_GETEVENTS, NULL, 0);
	if (n < 0) { printf("%s: enter %s\n", what, strerrorname_np(errno)); return -1; }
	unsigned h = *chead;
	while (h == __atomic_load_n(ctail, __ATOMIC_ACQUIRE)) usleep(100);
	int r = cqes[h & *cmask].res;
	__atomic_store_n(chead, h + 1, __ATOMIC_RELEASE);
	if (what) printf("%s: submitted %ld, %s\n", what, n, r < 0 ? strerrorname_np(-r) : "ok");
	return r;
}

// selected receives into a buffer that the kernel chooses: of the iovec only its length counts.
static void selected(void) {
	static char buffers[2048], text[1024];
	int pair[2];
	socketpair(AF_UNIX, SOCK_STREAM, 0, pair);
	write(pair[0], text, sizeof text);
	struct io_uring_sqe *s = next(IORING_OP_PROVIDE_BUFFERS);
	s->fd = 2, s->addr = (long)buffers, s->len = 1024, s->buf_group = 7;
	submit("provide buffers");
	struct iovec v = {0, sizeof text};
	struct msghdr m = {.msg_iov = &v, .msg_iovlen = 1};
	for (int op = 0; op < 2; op++) {
		s = next(op ? IORING_OP_READV : IORING_OP_RECVMSG);
		s->fd = pair[1], s->addr = op ? (long)&v : (long)&m, s->len = 1, s->flags = IOSQE_BUFFER_SELECT, s->buf_group = 7;
		ok(submit("into a chosen buffer") == sizeof text);
		write(pair[0], text, sizeof text);
	}
	s = next(IORING_OP_RECVMSG);
	s->fd = pair[1], s->addr = (long)&m, s->len = 1;
	submit("into none");
}

// probed uses an operation only if the ring says that it is there.
static void probed(void) {
	enum { EPOLL_WAIT = 59, OPERATIONS = 128 };
	static struct { struct io_uring_probe p; struct io_uring_probe_op ops[OPERATIONS]; } probe;
	ok(syscall(SYS_io_uring_register, fd, IORING_REGISTER_PROBE, &probe, OPERATIONS) == 0);
	ok(probe.ops[IORING_OP_NOP].flags & IO_URING_OP_SUPPORTED);
	int ep = epoll_create1(0), ready = eventfd(1, 0);
	struct epoll_event e = {.events = EPOLLIN};
	epoll_ctl(ep, EPOLL_CTL_ADD, ready, &e);
	if (!(probe.ops[EPOLL_WAIT].flags & IO_URING_OP_SUPPORTED)) return;
	struct io_uring_sqe *s = next(EPOLL_WAIT);
	s->fd = ep, s->addr = (long)&e, s->len = 1;
	if (submit(0) != 1) printf("announced, and refused\n");
}

int main(void) {
	setvbuf(stdout, NULL, _IONBF, 0);
	show(syscall(SYS_io_uring_setup, 0, &p));
	memset(&p, 0, sizeof p);
	fd = syscall(SYS_io_uring_setup, 8, &p);
	if (fd < 0) { printf("setup: %s\n", strerrorname_np(errno)); return 0; }
	char *ring = mmap(0, p.sq_off.array + p.sq_entries * 4 + p.cq_off.cqes + p.cq_entries * sizeof *cqes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, fd, IORING_OFF_SQ_RING);
	sqes = mmap(0, p.sq_entries * sizeof *sqes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, fd, IORING_OFF_SQES);
	ok(ring != MAP_FAILED && (void *)sqes != MAP_FAILED);
	head = (void *)(ring + p.sq_off.head), tail = (void *)(ring + p.sq_off.tail), mask = (void *)(ring + p.sq_off.ring_mask), array = (void *)(ring + p.sq_off.array);
	chead = (void *)(ring + p.cq_off.head), ctail = (void *)(ring + p.cq_off.tail), cmask = (void *)(ring + p.cq_off.ring_mask), cqes = (void *)(ring + p.cq_off.cqes);

	next(IORING_OP_NOP);
	submit("nop");
	struct io_uring_sqe *s = next(IORING_OP_OPENAT);
	s->fd = AT_FDCWD, s->addr = (long)"/etc", s->open_flags = O_DIRECTORY | O_RDONLY;
	int d = submit("open a directory");
	ok(s->open_flags == (O_DIRECTORY | O_RDONLY)); // the entry is as it was
	s = next(IORING_OP_OPENAT);
	s->fd = AT_FDCWD, s->addr = (long)"/etc/passwd", s->open_flags = O_DIRECTORY | O_RDONLY;
	submit("open a file as a directory");
	s = next(IORING_OP_OPENAT);
	s->fd = AT_FDCWD, s->addr = (long)"/proc/self", s->open_flags = O_NOFOLLOW;
	submit("open a link");
	s = next(IORING_OP_OPENAT);
	s->fd = AT_FDCWD, s->addr = (long)"/nonexistent", s->open_flags = 0;
	submit("open nothing");
	struct open_how how = { .flags = O_DIRECTORY };
	s = next(IORING_OP_OPENAT2);
	s->fd = AT_FDCWD, s->addr = (long)"/etc", s->len = sizeof how, s->off = (long)&how;
	submit("openat2");
	how.flags = O_NOFOLLOW;
	s = next(IORING_OP_OPENAT2);
	s->fd = AT_FDCWD, s->addr = (long)"/proc/self", s->len = sizeof how, s->off = (long)&how;
	submit("openat2 of a link");
	s = next(IORING_OP_OPENAT);
	s->fd = d, s->addr = (long)"passwd", s->open_flags = O_RDONLY | O_LARGEFILE;
	int f = submit("open below");
	char buf[5] = "";
	s = next(IORING_OP_READ);
	s->fd = f, s->addr = (long)buf, s->len = 4;
	submit("read");
	puts(buf);
	struct statx sx;
	s = next(IORING_OP_STATX);
	s->fd = AT_FDCWD, s->addr = (long)"/etc/passwd", s->len = STATX_SIZE, s->off = (long)&sx;
	submit("statx");
	struct stat st;
	stat("/etc/passwd", &st);
	ok(sx.stx_size == st.st_size);

	int pp[2], ep = epoll_create1(0);
	pipe(pp);
	struct epoll_event ev = { EPOLLIN, { .u64 = 0x123456789abcdef0 } }, got = {};
	s = next(IORING_OP_EPOLL_CTL);
	s->fd = ep, s->off = pp[0], s->len = EPOLL_CTL_ADD, s->addr = (long)&ev;
	submit("epoll_ctl");
	write(pp[1], "x", 1);
	show(epoll_wait(ep, &got, 1, 1000));
	ok(got.data.u64 == ev.data.u64 && got.events == EPOLLIN);
	s = next(IORING_OP_EPOLL_CTL);
	s->fd = ep, s->off = pp[0], s->len = EPOLL_CTL_DEL;
	submit("epoll_ctl del");

	// Several entries at once, one done by a worker of the kernel, then a fork.
	for (int i = 0; i < 3; i++) {
		s = next(IORING_OP_OPENAT);
		s->fd = AT_FDCWD, s->addr = (long)"/etc", s->open_flags = O_DIRECTORY | O_CLOEXEC, s->flags = IOSQE_ASYNC;
	}
	show(syscall(SYS_io_uring_enter, fd, 3, 3, IORING_ENTER_GETEVENTS, NULL, 0));
	int good = 0;
	while (*chead != *ctail) { good += cqes[*chead & *cmask].res >= 0; ++*chead; }
	show(good);
	pid_t c = fork();
	if (!c) _exit(3);
	int w;
	waitpid(c, &w, 0);
	show(WEXITSTATUS(w));
	s = next(0xee);
	submit("unknown operation");

	// The ring by a duplicate of its descriptor and by a registered index; open flags
	// still have to be converted.
	int ring_fd = fd;
	fd = dup(fd);
	s = next(IORING_OP_OPENAT);
	s->fd = AT_FDCWD, s->addr = (long)"/etc", s->open_flags = O_DIRECTORY | O_RDONLY;
	submit("by a duplicate");
	close(fd);
	fd = ring_fd;
	struct io_uring_rsrc_update reg = {.offset = -1U, .data = fd};
	show(syscall(SYS_io_uring_register, fd, IORING_REGISTER_RING_FDS, &reg, 1));
	s = next(IORING_OP_OPENAT);
	s->fd = AT_FDCWD, s->addr = (long)"/etc/passwd", s->open_flags = O_DIRECTORY | O_RDONLY;
	show(syscall(SYS_io_uring_enter, reg.offset, 1, 1, IORING_ENTER_GETEVENTS | IORING_ENTER_REGISTERED_RING, NULL, 0));
	printf("by index: %s\n", strerrorname_np(-cqes[*chead & *cmask].res));
	++*chead;
	reg.data = 0;
	show(syscall(SYS_io_uring_register, fd, IORING_UNREGISTER_RING_FDS, &reg, 1));
	show(syscall(SYS_io_uring_enter, reg.offset, 0, 0, IORING_ENTER_REGISTERED_RING, NULL, 0));
	// Registered buffers and files.
	char *area = mmap(0, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct iovec buffers[2] = {{area, 4096}, {area + 4096, 4096}};
	show(syscall(SYS_io_uring_register, fd, IORING_REGISTER_BUFFERS, buffers, 2));
	show(syscall(SYS_io_uring_register, fd, IORING_REGISTER_FILES, &f, 1));
	lseek(f, 0, SEEK_SET);
	s = next(IORING_OP_READ_FIXED);
	s->fd = 0, s->flags = IOSQE_FIXED_FILE, s->addr = (long)area + 4096, s->len = 4, s->buf_index = 1;
	submit("fixed read");
	puts(area + 4096);
	s = next(IORING_OP_READ_FIXED);
	s->fd = 0, s->flags = IOSQE_FIXED_FILE, s->addr = (long)area + 4094, s->len = 4, s->buf_index = 1;
	submit("outside of its buffer");
	show(syscall(SYS_io_uring_register, fd, IORING_UNREGISTER_BUFFERS, NULL, 0));
	show(syscall(SYS_io_uring_register, fd, IORING_UNREGISTER_FILES, NULL, 0));
	int events = eventfd(0, 0);
	uint64_t n;
	show(syscall(SYS_io_uring_register, fd, IORING_REGISTER_EVENTFD, &events, 1));
	next(IORING_OP_NOP);
	submit("nop with an eventfd");
	show(read(events, &n, 8));
	char probe[sizeof(struct io_uring_probe) + 64 * sizeof(struct io_uring_probe_op)] = {0};
	show(syscall(SYS_io_uring_register, fd, IORING_REGISTER_PROBE, probe, 64));
	ok(((struct io_uring_probe *)probe)->ops[IORING_OP_READ].flags & IO_URING_OP_SUPPORTED);
	show(syscall(SYS_io_uring_enter, 0, 1, 0, 0, NULL, 0));
	selected();
	probed();
	return 0;
}
