#include "check.h"
#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/un.h>

static void *client(void *a) {
    struct sockaddr_in *sa = a; char buf[100];
    int s = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (connect(s, (void *)sa, sizeof *sa)) puts("connect");
    for (int i = 0; i < 1000; i++) { int n = sprintf(buf, "message %d\n", i); if (send(s, buf, n, MSG_NOSIGNAL) != n) puts("short send"); }
    shutdown(s, SHUT_WR); if (recv(s, buf, 100, MSG_WAITALL) != 3) puts("recv"); return 0;
}

int main(void) {
    struct sockaddr_in sa = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)}, peer; socklen_t len = sizeof sa;
    int l = socket(AF_INET, SOCK_STREAM, 0), one = 1, val;
    show(setsockopt(l, SOL_SOCKET, SO_REUSEADDR, &one, 4)); show(bind(l, (void *)&sa, sizeof sa)); show(listen(l, 5)); show(getsockname(l, (void *)&sa, &len)); ok(sa.sin_port != 0);
    pthread_t th; pthread_create(&th, 0, client, &sa);
    len = sizeof peer; int c = accept4(l, (void *)&peer, &len, SOCK_CLOEXEC); ok(c >= 0); printf("%s %d\n", inet_ntoa(peer.sin_addr), len);
    long total = 0; unsigned h = 0; char buf[512]; int n;
    while ((n = read(c, buf, sizeof buf)) > 0) { total += n; for (int i = 0; i < n; i++) h = h * 31 + buf[i]; }
    printf("%ld bytes %u\n", total, h); write(c, "bye", 3); close(c); pthread_join(th, 0);
    len = 4; show(getsockopt(l, SOL_SOCKET, SO_ACCEPTCONN, &val, &len)); printf("%d\n", val); show(setsockopt(l, IPPROTO_TCP, TCP_NODELAY, &one, 4));
    show(setsockopt(l, SOL_SOCKET, SO_RCVTIMEO, &(struct timeval){0, 20000}, sizeof(struct timeval))); show(accept(l, 0, 0));

    int u[2]; socketpair(AF_UNIX, SOCK_STREAM, 0, u);
    int p[2]; pipe(p); char cbuf[CMSG_SPACE(4)]; struct iovec iov = {"fd", 2};
    struct msghdr m = {.msg_iov = &iov, .msg_iovlen = 1, .msg_control = cbuf, .msg_controllen = sizeof cbuf};
    struct cmsghdr *cm = CMSG_FIRSTHDR(&m); cm->cmsg_level = SOL_SOCKET; cm->cmsg_type = SCM_RIGHTS; cm->cmsg_len = CMSG_LEN(4); memcpy(CMSG_DATA(cm), &p[1], 4);
    show(sendmsg(u[0], &m, 0));
    iov = (struct iovec){buf, sizeof buf}; memset(cbuf, 0, sizeof cbuf); show(recvmsg(u[1], &m, MSG_CMSG_CLOEXEC)); cm = CMSG_FIRSTHDR(&m); int got; memcpy(&got, CMSG_DATA(cm), 4);
    write(got, "through", 7); show(read(p[0], buf, 100)); printf("%.7s %lx\n", buf, (long)m.msg_flags);
    int d[2]; socketpair(AF_UNIX, SOCK_DGRAM, 0, d); struct iovec vs[3] = {{"a", 1}, {"bb", 2}, {"ccc", 3}}; struct mmsghdr mm[3] = {0};
    for (int i = 0; i < 3; i++) mm[i].msg_hdr = (struct msghdr){.msg_iov = &vs[i], .msg_iovlen = 1};
    show(sendmmsg(d[0], mm, 3, 0)); char rb[3][10]; for (int i = 0; i < 3; i++) vs[i] = (struct iovec){rb[i], 10}; show(recvmmsg(d[1], mm, 3, MSG_DONTWAIT, 0)); printf("%d %d %d\n", mm[0].msg_len, mm[1].msg_len, mm[2].msg_len);
    show(recv(d[1], buf, 1, MSG_DONTWAIT)); struct timespec t = {0, 10000000}; show(recvmmsg(d[1], mm, 3, MSG_DONTWAIT, &t));
    struct sockaddr_un un = {AF_UNIX, "\0emu-test-abstract"}; int g = socket(AF_UNIX, SOCK_DGRAM, 0); show(bind(g, (void *)&un, sizeof un)); show(connect(g, (void *)8, 100)); show(socket(99, 1, 0));
    close(u[1]); signal(SIGPIPE, SIG_IGN); show(write(u[0], "x", 1)); show(send(u[0], "x", 1, MSG_NOSIGNAL)); struct ucred cr; len = sizeof cr; show(getsockopt(d[0], SOL_SOCKET, SO_PEERCRED, &cr, &len)); ok(cr.uid == getuid());
    int s6 = socket(AF_INET, SOCK_DGRAM, 0); show(sendto(s6, "x", 1, 0, (void *)&sa, 3));
}
