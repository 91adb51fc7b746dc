// Makes calls whose arguments are structures, or depend on each other. decode.txt has what strace prints of them.
#define _GNU_SOURCE
#include <fcntl.h>
#include <linux/futex.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/syscall.h>
#include <sys/sysinfo.h>
#include <sys/times.h>
#include <sys/wait.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

static struct timespec soon = {0, 1000};

static void machine(void) {
	struct statx x;
	struct stat st;
	struct statfs fs;
	struct sysinfo si;
	struct rusage ru;
	struct tms tm;
	cpu_set_t set;
	syscall(SYS_statx, AT_FDCWD, "/dev", AT_SYMLINK_NOFOLLOW, STATX_MODE | STATX_SIZE, &x);
	syscall(SYS_newfstatat, AT_FDCWD, "/dev/null", &st, 0);
	statfs("/proc", &fs);
	sysinfo(&si);
	getrusage(RUSAGE_SELF, &ru);
	times(&tm);
	sched_getaffinity(0, sizeof set, &set);
	CPU_ZERO(&set);
	CPU_SET(0, &set);
	sched_setaffinity(0, sizeof set, &set);
	prctl(PR_SET_NAME, "name");
	prctl(PR_GET_DUMPABLE);
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	prctl(PR_CAPBSET_READ, 3L);
	timer_t id;
	struct sigevent se = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGUSR1};
	timer_create(CLOCK_REALTIME, &se, &id);
	struct timespec two[2] = {{0, UTIME_NOW}, {0, UTIME_OMIT}};
	utimensat(AT_FDCWD, "/nonexistent", two, 0);
	void *p = mmap(0, 65536, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	mremap(p, 65536, 131072, MREMAP_MAYMOVE);
}

static void descriptors(void) {
	int p[2], n;
	fd_set r, w;
	pipe(p);
	FD_ZERO(&r);
	FD_ZERO(&w);
	FD_SET(p[0], &r);
	FD_SET(p[1], &w);
	syscall(SYS_pselect6, p[1] + 1, &r, &w, NULL, &soon, NULL);
	struct pollfd f[2] = {{p[0], POLLIN}, {p[1], POLLOUT}};
	syscall(SYS_ppoll, f, 2, NULL, NULL, 8);
	syscall(SYS_ppoll, f, 1, &soon, NULL, 8);
	fcntl(p[0], F_SETFD, FD_CLOEXEC);
	fcntl(p[0], F_GETFD);
	fcntl(p[0], F_SETFL, O_NONBLOCK);
	fcntl(p[0], F_GETFL);
	struct flock l = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_len = 10};
	int file = memfd_create("locked", 0);
	fcntl(file, F_SETLK, &l);
	fcntl(file, F_GETLK, &l);
	ioctl(p[0], FIONREAD, &n);
	n = 1;
	ioctl(p[0], FIONBIO, &n);
	int e = epoll_create1(0);
	struct epoll_event ev = {EPOLLIN, {.u64 = 5}};
	epoll_ctl(e, EPOLL_CTL_ADD, p[1], &ev);
	epoll_ctl(e, EPOLL_CTL_DEL, p[1], &ev);
}

static void terminal(void) {
	int t = open("/dev/ptmx", O_RDWR | O_NOCTTY);
	struct winsize ws = {24, 80};
	struct termios tio;
	ioctl(t, TIOCSWINSZ, &ws);
	ioctl(t, TIOCGWINSZ, &ws);
	syscall(SYS_ioctl, t, TCGETS, &tio);
}

static void sockets(void) {
	int s[2], one = 1;
	char b[64];
	socketpair(AF_UNIX, SOCK_STREAM, 0, s);
	union { char c[CMSG_SPACE(sizeof(int))]; struct cmsghdr h; } u = {.h = {.cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS, .cmsg_len = CMSG_LEN(sizeof(int))}};
	memcpy(CMSG_DATA(&u.h), &(int){0}, sizeof(int));
	struct iovec v = {"hello", 5};
	struct msghdr m = {.msg_iov = &v, .msg_iovlen = 1, .msg_control = u.c, .msg_controllen = sizeof u.c};
	sendmsg(s[0], &m, 0);
	v = (struct iovec){b, sizeof b};
	recvmsg(s[1], &m, 0);
	struct mmsghdr mm = {.msg_hdr = {.msg_iov = &v, .msg_iovlen = 1}};
	v = (struct iovec){"hi", 2};
	sendmmsg(s[0], &mm, 1, 0);
	v = (struct iovec){b, sizeof b};
	recvmmsg(s[1], &mm, 1, 0, NULL);
	int t = socket(AF_INET, SOCK_STREAM, 0);
	socklen_t n = sizeof one;
	setsockopt(t, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
	setsockopt(t, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
	getsockopt(t, SOL_SOCKET, SO_TYPE, &one, &n);
	setsockopt(t, SOL_SOCKET, SO_LINGER, &(struct linger){1, 2}, sizeof(struct linger));
}

static void futexes(void) {
	int word = 0, other = 0;
	syscall(SYS_futex, &word, FUTEX_WAKE | FUTEX_PRIVATE_FLAG, 1, 8L, 9L, 10);
	syscall(SYS_futex, &word, FUTEX_WAIT_BITSET | FUTEX_PRIVATE_FLAG | FUTEX_CLOCK_REALTIME, 0, &soon, NULL, -1);
	syscall(SYS_futex, &word, FUTEX_CMP_REQUEUE, 1, 2L, &other, 0);
}

int main(void) {
	machine();
	descriptors();
	terminal();
	sockets();
	futexes();
	pid_t child = syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);
	if (child == 0)
		_exit(3);
	siginfo_t info;
	struct rusage ru;
	waitid(P_PID, child, &info, WEXITED | WNOWAIT);
	wait4(child, NULL, 0, &ru);
	return 0;
}
