// The kernel touches as much of a buffer as it needs: what is behind a buffer's end need not be there.
#include "check.h"
#include <sys/msg.h>
#include <sys/prctl.h>
#include <sys/un.h>
#include <netinet/in.h>
#include <netinet/tcp.h>

static char *edge; // nothing is mapped from here on

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

	show(syscall(SYS_set_tid_address, -3L) > 0);
	long at = 0;
	show(prctl(PR_GET_TID_ADDRESS, &at));
	printf("%#lx\n", at);
	return 0;
}
