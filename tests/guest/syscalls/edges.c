// The kernel touches as much of a buffer as it needs: what is behind a buffer's end need not be there.
#include "check.h"
#include <linux/aio_abi.h>
#include <linux/openat2.h>
#include <linux/sched.h>
#include <sys/msg.h>
#include <sys/prctl.h>
#include <sys/un.h>
#include <netinet/in.h>
#include <netinet/tcp.h>

static char *edge; // nothing is mapped from here on

// messages: arrays of which the first elements are there.
static void messages(void) {
	int s[2];
	socketpair(AF_UNIX, SOCK_DGRAM, 0, s);
	char text[4][4] = {"a", "bb", "ccc"};
	struct iovec v[2] = {{text[0], 1}, {text[1], 2}};
	struct mmsghdr *m = (struct mmsghdr *)edge - 2;
	memset(m, 0, 2 * sizeof *m);
	for (int i = 0; i < 2; i++) m[i].msg_hdr.msg_iov = &v[i], m[i].msg_hdr.msg_iovlen = 1;
	show(sendmmsg(s[0], m, 3, 0));
	printf("%d %d\n", m[0].msg_len, m[1].msg_len);
	show(sendmmsg(s[0], m + 2, 3, 0));
	send(s[0], "x", 1, 0);
	show(recvmmsg(s[1], m, 1000, 0, NULL));
	printf("%d %d\n", m[0].msg_len, m[1].msg_len);
	show(recvmmsg(s[1], m, 2, MSG_DONTWAIT, NULL)); // the fault is the next call's
	show(recvmmsg(s[1], m, 2, MSG_DONTWAIT, NULL));
	m = (struct mmsghdr *)(edge - sizeof m->msg_hdr); // no room for its count
	memset(m, 0, sizeof m->msg_hdr);
	m->msg_hdr.msg_iov = v, m->msg_hdr.msg_iovlen = 1;
	show(sendmmsg(s[0], m, 1, 0));
	show(recv(s[1], text[2], 4, MSG_DONTWAIT));
	close(s[0]), close(s[1]);
}

// events: the kernel needs room for those that there are.
static void events(void) {
	aio_context_t ctx = 0;
	show(syscall(SYS_io_setup, 4, &ctx));
	int fd = memfd_create("events", 0);
	struct iocb one = {.aio_lio_opcode = IOCB_CMD_PWRITE, .aio_fildes = fd, .aio_buf = (uintptr_t)"xyz", .aio_nbytes = 3}, *list[] = {&one, &one, &one};
	struct io_event *e = (struct io_event *)edge - 2;
	show(syscall(SYS_io_submit, ctx, 2, list));
	show(syscall(SYS_io_getevents, ctx, 1, 100, e, NULL));
	printf("%lld %lld\n", e[0].res, e[1].res);
	show(syscall(SYS_io_submit, ctx, 3, list));
	show(syscall(SYS_io_getevents, ctx, 1, 100, e, NULL));
	show(syscall(SYS_io_getevents, ctx, 1, 2, e, NULL));
	show(syscall(SYS_io_getevents, ctx, 1, 2, e + 2, NULL));
	show(syscall(SYS_io_getevents, ctx, 1, 100, e, NULL));
	show(syscall(SYS_io_getevents, ctx, 3, 2, e, NULL));
	syscall(SYS_io_destroy, ctx);
	close(fd);
}

// versions: structures that may be longer than what the kernel knows.
static void versions(void) {
	char *a = memset(edge - 1024, 0, 1024);
	show(syscall(SYS_clone3, a, 1024 + 64)); // zeros up to the fault
	edge[-1] = 1;
	show(syscall(SYS_clone3, a, 1024 + 64));
	edge[-1] = 0;
	((struct clone_args *)a)->exit_signal = 1000;
	show(syscall(SYS_clone3, a, 1024));
	show(syscall(SYS_clone3, edge, 1024));
	show(syscall(SYS_clone3, edge - 32, 64));
	memset(a, 0, 1024);
	((struct open_how *)a)->flags = O_PATH;
	show(syscall(SYS_openat2, AT_FDCWD, "/", a, 1024 + 64));
	edge[-1] = 1;
	show(syscall(SYS_openat2, AT_FDCWD, "/", a, 1024 + 64));
	edge[-1] = 0;
	show(close(syscall(SYS_openat2, AT_FDCWD, "/", a, 1024)));
}

int main(void) {
	edge = (char *)mmap(NULL, 3 * 65536, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) + 65536;
	munmap(edge, 2 * 65536);

	memcpy(edge - 3, "ab", 3);
	show(prctl(PR_SET_NAME, edge - 3));
	char name[16];
	prctl(PR_GET_NAME, name);
	printf("%s\n", name);
	memcpy(edge - 3, "abc", 3);
	show(prctl(PR_SET_NAME, edge - 3));

	int s = socket(AF_INET, SOCK_STREAM, 0);
	static const int options[][3] = {{SOL_SOCKET, SO_LINGER, 8}, {SOL_SOCKET, SO_TYPE, 4}, {SOL_SOCKET, SO_RCVTIMEO, 16}, {IPPROTO_TCP, TCP_MAXSEG, 4}};
	for (int i = 0; i < 4; i++) {
		socklen_t n = 4096;
		show(getsockopt(s, options[i][0], options[i][1], edge - options[i][2], &n));
		printf("length %d\n", n);
		n = 4096;
		show(getsockopt(s, options[i][0], options[i][1], edge - options[i][2] + 1, &n));
	}
	socklen_t n = 4096;
	show(getsockname(s, (void *)(edge - 16), &n));
	printf("length %d\n", n);

	int q = msgget(IPC_PRIVATE, 0600);
	struct { long type; char text[3]; } m = {1, "abc"};
	show(msgsnd(q, &m, 3, 0));
	show(msgrcv(q, edge - 11, 4000, 0, IPC_NOWAIT));
	printf("%.3s\n", edge - 3);
	msgctl(q, IPC_RMID, NULL);

	int pair[2];
	socketpair(AF_UNIX, SOCK_DGRAM, 0, pair);
	char control[CMSG_SPACE(sizeof(int))];
	struct iovec io = {"x", 1};
	struct msghdr h = {.msg_iov = &io, .msg_iovlen = 1, .msg_control = control, .msg_controllen = sizeof control};
	struct cmsghdr *c = CMSG_FIRSTHDR(&h);
	c->cmsg_level = SOL_SOCKET, c->cmsg_type = SCM_RIGHTS, c->cmsg_len = CMSG_LEN(sizeof(int));
	*(int *)CMSG_DATA(c) = s;
	show(sendmsg(pair[0], &h, 0));
	char byte;
	io.iov_base = &byte;
	h.msg_control = edge - sizeof control, h.msg_controllen = 1000;
	show(recvmsg(pair[1], &h, 0));
	printf("control %zu\n", h.msg_controllen);

	messages();
	events();
	versions();

	show(syscall(SYS_set_tid_address, -3L) > 0);
	long at = 0;
	show(prctl(PR_GET_TID_ADDRESS, &at));
	printf("%#lx\n", at);
	return 0;
}
