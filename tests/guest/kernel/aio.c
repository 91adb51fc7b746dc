// Linux asynchronous I/O: io_submit(2) and its kin, and the ring that user space reads.
#include "../syscalls/check.h"
#include <linux/aio_abi.h>
#include <sys/eventfd.h>

struct ring { unsigned id, nr, head, tail, magic; };

int main(void) {
	setvbuf(stdout, 0, _IONBF, 0);
	aio_context_t ctx = 0;
	if (syscall(SYS_io_setup, 8, &ctx)) { printf("SKIP aio: %s\n", strerrorname_np(errno)); return 0; }
	struct ring *ring = (void *)ctx;
	ok(ring->magic == 0xa10a10a1 && ring->head == ring->tail);
	show(syscall(SYS_io_setup, 8, &ctx));
	show(syscall(SYS_io_setup, 8, 8));
	char name[] = "/tmp/emuaioXXXXXX", buf[20] = {0}, a[4] = {0}, b[4] = {0};
	int fd = mkstemp(name), ev = eventfd(0, 0);
	unlink(name);
	struct iovec v[2] = {{a, 3}, {b, 3}};
	struct iocb w = {.aio_data = 1, .aio_lio_opcode = IOCB_CMD_PWRITE, .aio_fildes = fd, .aio_buf = (uintptr_t)"abcdefgh", .aio_nbytes = 8, .aio_flags = IOCB_FLAG_RESFD, .aio_resfd = ev};
	struct iocb r = {.aio_data = 2, .aio_lio_opcode = IOCB_CMD_PREAD, .aio_fildes = fd, .aio_buf = (uintptr_t)buf, .aio_nbytes = 20, .aio_offset = 2};
	struct iocb rv = {.aio_data = 3, .aio_lio_opcode = IOCB_CMD_PREADV, .aio_fildes = fd, .aio_buf = (uintptr_t)v, .aio_nbytes = 2};
	struct iocb *one[] = {&w}, *two[] = {&r, &rv};
	struct io_event e[8];
	show(syscall(SYS_io_submit, ctx, 1, one));
	uint64_t n;
	show(read(ev, &n, 8));
	ok(ring->tail == 1 && ring->head == 0); // not collected yet
	show(syscall(SYS_io_getevents, ctx, 1, 8, e, 0));
	printf("%d %d %d\n", (int)e[0].data, e[0].obj == (uintptr_t)&w, (int)e[0].res);
	show(syscall(SYS_io_submit, ctx, 2, two));
	show(syscall(SYS_io_getevents, ctx, 2, 8, e, 0));
	printf("%d %s %.3s %.3s\n", (int)(e[0].data + e[1].data), buf, a, b);
	struct timespec t = {0, 10000000};
	show(syscall(SYS_io_getevents, ctx, 1, 8, e, &t));
	// A poll that is cancelled, and one that happens.
	int p[2];
	pipe(p);
	struct iocb po = {.aio_data = 4, .aio_lio_opcode = IOCB_CMD_POLL, .aio_fildes = p[0], .aio_buf = POLLIN};
	one[0] = &po;
	show(syscall(SYS_io_submit, ctx, 1, one));
	show(syscall(SYS_io_getevents, ctx, 1, 8, e, &t));
	write(p[1], "x", 1);
	show(syscall(SYS_io_getevents, ctx, 1, 8, e, 0));
	printf("%d %x\n", (int)e[0].data, (int)e[0].res);
	// Bad arguments.
	one[0] = (void *)8;
	show(syscall(SYS_io_submit, ctx, 1, one));
	show(syscall(SYS_io_submit, ctx, 1, 8));
	one[0] = &r;
	r.aio_buf = 8;
	show(syscall(SYS_io_submit, ctx, 1, one));
	show(syscall(SYS_io_getevents, ctx, 1, 8, e, 0));
	show((int)e[0].res);
	rv.aio_buf = 8;
	one[0] = &rv;
	show(syscall(SYS_io_submit, ctx, 1, one));
	r.aio_fildes = 999;
	one[0] = &r;
	show(syscall(SYS_io_submit, ctx, 1, one));
	show(syscall(SYS_io_submit, 8, 1, one));
	show(syscall(SYS_io_submit, ctx, -1, one));
	sigset_t m;
	sigemptyset(&m);
	struct { sigset_t *s; size_t n; } sig = {&m, 8};
	show(syscall(SYS_io_pgetevents, ctx, 1, 8, e, &t, &sig));
	sig.s = (void *)8;
	show(syscall(SYS_io_pgetevents, ctx, 1, 8, e, &t, &sig));
	show(syscall(SYS_io_destroy, ctx));
	show(syscall(SYS_io_destroy, ctx));
}
