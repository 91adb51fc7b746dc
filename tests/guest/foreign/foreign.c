// foreign.c READ WRITE: whatever way a pointer takes to the kernel, memory that the
// program has not mapped is not there. READ and WRITE are addresses where, under emu,
// emu itself has memory that it can read and write.
#include "../syscalls/check.h"
#include <linux/aio_abi.h>
#include <linux/bpf.h>
#include <linux/filter.h>
#include <linux/futex.h>
#include <linux/io_uring.h>
#include <linux/keyctl.h>
#include <mqueue.h>
#include <net/if.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/ipc.h>
#include <sys/xattr.h>
#include <sys/msg.h>
#include <sys/prctl.h>
#include <sys/sem.h>
#include <sys/sendfile.h>

static void receive(char *w, char *r) {
	int s[2];
	char ok_[16], name[16];
	socketpair(AF_UNIX, SOCK_DGRAM, 0, s);
	struct iovec good[2] = {{ok_, 4}, {ok_ + 4, 4}}, bad[2] = {{ok_, 4}, {w, 4}}, badr[2] = {{"good", 4}, {r, 4}};
	struct msghdr m = {.msg_iov = badr, .msg_iovlen = 2};
	show(sendmsg(s[0], &m, 0));
	m.msg_iov = (struct iovec *)r;
	show(sendmsg(s[0], &m, 0));
	m = (struct msghdr){.msg_iov = good, .msg_iovlen = 1, .msg_name = r, .msg_namelen = 10};
	show(sendmsg(s[0], &m, 0));
	m.msg_name = 0, m.msg_control = r, m.msg_controllen = 32;
	show(sendmsg(s[0], &m, 0));
	show(sendmsg(s[0], (void *)r, 0));
	show(sendto(s[0], r, 4, 0, 0, 0));
	show(sendto(s[0], ok_, 4, 0, (void *)r, 16));
	for (int i = 0; i < 6; i++) send(s[0], "12345678", 8, 0);
	m = (struct msghdr){.msg_iov = bad, .msg_iovlen = 2};
	show(recvmsg(s[1], &m, 0));
	m.msg_iov = (struct iovec *)w;
	show(recvmsg(s[1], &m, MSG_DONTWAIT));
	m = (struct msghdr){.msg_iov = good, .msg_iovlen = 2, .msg_name = w, .msg_namelen = 16};
	show(recvmsg(s[1], &m, MSG_DONTWAIT));
	int on = 1;
	setsockopt(s[1], SOL_SOCKET, SO_PASSCRED, &on, sizeof on);
	m = (struct msghdr){.msg_iov = good, .msg_iovlen = 2, .msg_control = w, .msg_controllen = 64};
	long n = recvmsg(s[1], &m, MSG_DONTWAIT);
	printf("%ld %s %zu %x\n", n, n < 0 ? strerrorname_np(errno) : "", m.msg_controllen, m.msg_flags);
	struct mmsghdr mm[2] = {{{.msg_iov = good, .msg_iovlen = 2}}, {{.msg_iov = bad, .msg_iovlen = 2}}};
	show(recvmmsg(s[1], mm, 2, MSG_DONTWAIT, 0));
	printf("%u\n", mm[0].msg_len);
	char *page = mmap(0, 3 * 65536, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	munmap(page + 65536, 2 * 65536);
	struct mmsghdr *last = (struct mmsghdr *)(page + 65536) - 1; // of two headers the second is not there
	*last = mm[1];
	for (int i = 0; i < 3; i++) send(s[0], "12345678", 8, 0);
	show(recvmmsg(s[1], last, 2, MSG_DONTWAIT, 0));
	last->msg_hdr.msg_iov = badr;
	show(sendmmsg(s[0], last, 2, 0));
	munmap(page, 65536);
	show(recvmmsg(s[1], (void *)w, 2, MSG_DONTWAIT, 0));
	show(recvfrom(s[1], w, 8, MSG_DONTWAIT, 0, 0));
	show(recvfrom(s[1], ok_, 8, MSG_DONTWAIT, (void *)w, (void *)w));
	socklen_t len = 16;
	show(getsockname(s[1], (void *)w, &len));
	show(getsockopt(s[1], SOL_SOCKET, SO_TYPE, w, &len));
	show(getsockopt(s[1], SOL_SOCKET, SO_TYPE, ok_, (void *)w));
	struct sock_fprog f = {4, (void *)r};
	show(setsockopt(s[1], SOL_SOCKET, SO_ATTACH_FILTER, &f, sizeof f));
	int udp = socket(AF_INET, SOCK_DGRAM, 0);
	struct ifconf c = {.ifc_len = 400, .ifc_buf = w};
	show(ioctl(udp, SIOCGIFCONF, &c));
}

static void files(char *w, char *r) {
	char name[] = "/tmp/emuforeignXXXXXX", text[] = "0123456789", b[16];
	int fd = mkstemp(name), p[2];
	unlink(name);
	write(fd, text, 10);
	pipe2(p, O_NONBLOCK);
	struct iovec v[3] = {{text, 4}, {r, 4}, {text, 2}};
	show(writev(p[1], v, 3));
	show(read(p[0], b, 4));
	v[0].iov_base = r;
	show(writev(p[1], v, 3));
	show(writev(p[1], (void *)r, 3));
	v[0] = (struct iovec){b, 4}, v[1].iov_base = w;
	show(preadv(fd, v, 2, 0));
	show(preadv2(fd, v + 1, 1, 0, 0));
	show(vmsplice(p[1], v + 1, 1, 0));
	show(splice(fd, (void *)w, p[1], 0, 4, 0));
	show(sendfile(p[1], fd, (void *)w, 4));
	show(copy_file_range(fd, (void *)w, fd, 0, 4, 0));
	show(open(r, O_RDONLY));
	show(mkdir(r, 0700));
	show(syscall(SYS_openat2, AT_FDCWD, "/", r, 24));
	show(syscall(SYS_statx, AT_FDCWD, "/", 0, 0x7ff, w));
	show(syscall(SYS_getdents64, open("/", O_DIRECTORY), w, 1000));
	show(readlink("/proc/self/exe", w, 10));
	show(syscall(SYS_getcwd, w, 100));
	show(memfd_create(r, 0));
	show(syscall(SYS_name_to_handle_at, fd, "", w, b, AT_EMPTY_PATH));
	show(syscall(SYS_mount, "none", "/nonexistent", "tmpfs", 0, r) < 0);
	show(getxattr("/", "user.x", w, 10) < 0);
	show(fsetxattr(fd, "user.x", r, 4, 0) < 0);
	struct flock *l = (void *)w;
	show(fcntl(fd, F_GETLK, l));
	show(ioctl(p[0], FIONREAD, w));
	show(syscall(451, fd, r, w, 0) < 0);
	show(syscall(SYS_mq_notify, 0, r) < 0);
}

static void waits(char *w, char *r) {
	uint32_t word = 0;
	show(syscall(SYS_futex, &word, FUTEX_WAKE_OP, 1, 1, w, FUTEX_OP(FUTEX_OP_SET, 7, FUTEX_OP_CMP_EQ, 0)));
	show(syscall(SYS_futex, &word, FUTEX_CMP_REQUEUE, 1, 1, w, 0) <= 0);
	show(syscall(SYS_futex, w, FUTEX_LOCK_PI, 0, 0, 0, 0));
	for (int i = 0; i < 3; i++) {
		show(syscall(SYS_futex, &word, FUTEX_WAIT, word + 1, 0, 0, 0));
		show(syscall(SYS_futex, r, FUTEX_WAIT, -1, 0, 0, 0)); show(syscall(SYS_futex, r, FUTEX_WAIT_PRIVATE, -1, 0, 0, 0));
		show(syscall(SYS_futex, w, FUTEX_WAIT_BITSET, -1, 0, 0, 1)); show(syscall(SYS_futex, w, FUTEX_WAIT, -1, 0, 0, 0));
	}
	struct { uint64_t val, addr; uint32_t flags, zero; } v = {0, (uintptr_t)w, 2, 0};
	show(syscall(449, &v, 1, 0, 0, 0));
	show(syscall(449, r, 1, 0, 0, 0));
	show(syscall(SYS_clock_nanosleep, CLOCK_MONOTONIC, 0, r, 0));
	show(syscall(SYS_clock_gettime, CLOCK_MONOTONIC, w));
	show(syscall(SYS_timer_create, CLOCK_MONOTONIC, r, w));
	show(syscall(SYS_ppoll, w, 1, 0, 0, 8));
	show(syscall(SYS_pselect6, 4, w, 0, 0, 0, 0));
	show(syscall(SYS_set_robust_list, r, 24));
	show(syscall(SYS_set_tid_address, &word) > 0);
	show(syscall(SYS_rt_sigprocmask, 0, r, w, 8));
	show(syscall(SYS_rt_sigaction, SIGUSR1, r, 0, 8));
	show(syscall(SYS_sigaltstack, r, w));
	show(syscall(SYS_signalfd4, -1, r, 8, 0));
	show(syscall(SYS_wait4, -1, w, WNOHANG, w) < 0);
	show(syscall(SYS_sched_setaffinity, 0, 8, r));
	show(syscall(SYS_sched_getaffinity, 0, 8, w));
	show(syscall(SYS_sched_setscheduler, 0, 0, r));
	show(syscall(SYS_sched_setattr, 0, r, 0));
	show(syscall(SYS_sched_getattr, 0, w, 48, 0));
	show(syscall(SYS_prlimit64, 0, RLIMIT_NOFILE, 0, w));
	show(syscall(SYS_prlimit64, 0, RLIMIT_AS, 0, w));
	show(syscall(SYS_getrusage, 0, w));
	show(syscall(SYS_capget, w, w));
	show(syscall(SYS_setgroups, 2, r) < 0);
	show(prctl(PR_SET_NAME, r));
	show(prctl(PR_GET_NAME, w));
	show(prctl(PR_GET_PDEATHSIG, w));
	struct { uint64_t flags, rest[10]; } clone = {CLONE_PARENT_SETTID};
	show(syscall(SYS_clone3, r, 88));
}

static void memory(char *w, char *r) {
	char b[64], *mine = mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct iovec l = {b, 8}, v = {w, 8};
	show(process_vm_readv(getpid(), &l, 1, &v, 1, 0));
	show(process_vm_writev(getpid(), &l, 1, &v, 1, 0));
	show(process_vm_readv(getpid(), &v, 1, &l, 1, 0));
	char *page = (char *)((uintptr_t)w & ~4095UL);
	show(munmap(page, 4096));
	show(mprotect(page, 4096, PROT_READ));
	show(madvise(page, 4096, MADV_DONTNEED));
	show(mremap(page, 4096, 8192, MREMAP_MAYMOVE));
	show(mlock(page, 4096));
	show(msync(page, 4096, MS_ASYNC));
	show(mincore(page, 4096, (void *)b));
	show(mincore(mine, 4096, (void *)w));
	show(syscall(SYS_mbind, page, 4096, 0, 0, 0, 0) <= 0);
	show(syscall(462, page, 4096, 0));
	int fd = syscall(SYS_pidfd_open, getpid(), 0);
	v = (struct iovec){page, 4096};
	show(syscall(SYS_process_madvise, fd, &v, 1, MADV_COLD, 0));
	void *pages[1] = {mine};
	show(syscall(SYS_get_mempolicy, w, 0, 0, 0, 0));
	show(syscall(SYS_move_pages, 0, 1, r, 0, b, 0));
	show(syscall(SYS_move_pages, 0, 1, pages, 0, w, 0));
	show(syscall(SYS_seccomp, 1, 0, r) < 0);
	show(syscall(SYS_add_key, "user", "emu:x", r, 8, KEY_SPEC_THREAD_KEYRING));
	int key = syscall(SYS_add_key, "user", "emu:x", "12345678", 8, KEY_SPEC_THREAD_KEYRING);
	show(syscall(SYS_keyctl, KEYCTL_READ, key, w, 8));
	show(syscall(SYS_keyctl, KEYCTL_UPDATE, key, r, 8));
	v = (struct iovec){r, 8};
	show(syscall(SYS_keyctl, KEYCTL_INSTANTIATE_IOV, key, &v, 1, 0) < 0);
	int id = msgget(IPC_PRIVATE, 0600);
	show(msgsnd(id, r, 8, IPC_NOWAIT));
	msgsnd(id, &(struct { long t; char b[8]; }){1, "1234567"}, 8, 0);
	show(msgrcv(id, w, 8, 0, IPC_NOWAIT));
	show(msgctl(id, IPC_STAT, (void *)w));
	msgctl(id, IPC_RMID, 0);
	id = semget(IPC_PRIVATE, 2, 0600);
	show(semctl(id, 0, GETALL, w));
	show(semctl(id, 0, SETALL, r));
	show(semctl(id, 0, IPC_STAT, w));
	show(semop(id, (void *)r, 1));
	semctl(id, 0, IPC_RMID);
	union bpf_attr a = {.map_type = BPF_MAP_TYPE_ARRAY, .key_size = 4, .value_size = 8, .max_entries = 3};
	int map = syscall(SYS_bpf, BPF_MAP_CREATE, &a, sizeof a);
	if (map < 0) return;
	uint32_t k = 0;
	memset(&a, 0, sizeof a);
	a.map_fd = map, a.key = (uintptr_t)&k, a.value = (uintptr_t)w;
	show(syscall(SYS_bpf, BPF_MAP_LOOKUP_ELEM, &a, sizeof a));
	a.key = (uintptr_t)r;
	show(syscall(SYS_bpf, BPF_MAP_UPDATE_ELEM, &a, sizeof a));
	show(syscall(SYS_bpf, BPF_MAP_CREATE, r, sizeof a));
	// Attributes may end anywhere, in a member too: the rest is zeros.
	a = (union bpf_attr){.prog_type = BPF_PROG_TYPE_SOCKET_FILTER, .insn_cnt = 2, .insns = (uintptr_t)r, .license = (uintptr_t)r};
	for (int size = 0; size <= 24; size++) {
		for (int cmd = BPF_MAP_LOOKUP_ELEM; cmd <= BPF_PROG_LOAD; cmd++) {
			a.map_fd = cmd == BPF_PROG_LOAD ? BPF_PROG_TYPE_SOCKET_FILTER : map;
			show(syscall(SYS_bpf, cmd, &a, size));
		}
		show(syscall(SYS_bpf, BPF_OBJ_GET_INFO_BY_FD, &a, size));
	}
}

static void aio(char *w, char *r) {
	aio_context_t ctx = 0;
	if (syscall(SYS_io_setup, 8, &ctx)) return;
	char name[] = "/tmp/emuforeignXXXXXX", b[8];
	int fd = mkstemp(name);
	unlink(name);
	write(fd, "0123456789", 10);
	struct iovec v[2] = {{b, 4}, {w, 4}};
	struct iocb cb[3] = {{.aio_lio_opcode = IOCB_CMD_PREAD, .aio_fildes = fd, .aio_buf = (uintptr_t)w, .aio_nbytes = 8}, {.aio_lio_opcode = IOCB_CMD_PWRITE, .aio_fildes = fd, .aio_buf = (uintptr_t)r, .aio_nbytes = 8},
		{.aio_lio_opcode = IOCB_CMD_PREADV, .aio_fildes = fd, .aio_buf = (uintptr_t)v, .aio_nbytes = 2}};
	struct io_event e;
	for (int i = 0; i < 3; i++) {
		struct iocb *list = &cb[i];
		if (syscall(SYS_io_submit, ctx, 1, &list) == 1 && syscall(SYS_io_getevents, ctx, 1, 1, &e, 0) == 1) printf("aio %d: %ld\n", i, (long)e.res);
		else printf("aio %d: %s\n", i, strerrorname_np(errno));
		ok(cb[i].aio_buf == (uintptr_t)(i == 2 ? (char *)v : i ? r : w)); // as it was
	}
	struct iocb *list = (void *)r;
	show(syscall(SYS_io_submit, ctx, 1, &list));
	show(syscall(SYS_io_submit, ctx, 1, r));
	cb[0].aio_buf = (uintptr_t)b, list = cb;
	show(syscall(SYS_io_submit, ctx, 1, &list));
	show(syscall(SYS_io_getevents, ctx, 1, 1, w, 0));
}

static void uring(char *w, char *r) {
	struct io_uring_params p = {0};
	show(syscall(SYS_io_uring_setup, 8, w));
	int fd = syscall(SYS_io_uring_setup, 8, &p);
	if (fd < 0) { printf("SKIP io_uring: %s\n", strerrorname_np(errno)); return; }
	char *ring = mmap(0, p.cq_off.cqes + p.cq_entries * 16, PROT_READ | PROT_WRITE, MAP_SHARED, fd, IORING_OFF_SQ_RING), b[8];
	struct io_uring_sqe *q = mmap(0, p.sq_entries * sizeof *q, PROT_READ | PROT_WRITE, MAP_SHARED, fd, IORING_OFF_SQES);
	unsigned *tail = (void *)(ring + p.sq_off.tail), *array = (void *)(ring + p.sq_off.array), *chead = (void *)(ring + p.cq_off.head), *ctail = (void *)(ring + p.cq_off.tail);
	struct io_uring_cqe *cqes = (void *)(ring + p.cq_off.cqes);
	int s[2];
	socketpair(AF_UNIX, SOCK_DGRAM, 0, s);
	for (int i = 0; i < 8; i++) send(s[0], "1234", 4, 0), send(s[1], "1234", 4, 0);
	struct iovec v[2] = {{w, 4}, {b, 4}}, vr = {r, 4};
	struct msghdr m = {.msg_iov = v, .msg_iovlen = 1}, mr = {.msg_iov = &vr, .msg_iovlen = 1};
	int file = open("/proc/self/exe", O_RDONLY);
	struct io_uring_sqe ops[] = {
		{.opcode = IORING_OP_READ, .fd = file, .addr = (uintptr_t)w, .len = 8},
		{.opcode = IORING_OP_READV, .fd = file, .addr = (uintptr_t)v, .len = 1},
		{.opcode = IORING_OP_READV, .fd = file, .addr = (uintptr_t)r, .len = 1},
		{.opcode = IORING_OP_SEND, .fd = s[0], .addr = (uintptr_t)r, .len = 8},
		{.opcode = IORING_OP_RECV, .fd = s[1], .addr = (uintptr_t)w, .len = 8},
		{.opcode = IORING_OP_SENDMSG, .fd = s[0], .addr = (uintptr_t)&mr, .len = 1},
		{.opcode = IORING_OP_RECVMSG, .fd = s[1], .addr = (uintptr_t)&m, .len = 1},
		{.opcode = IORING_OP_RECVMSG, .fd = s[1], .addr = (uintptr_t)w, .len = 1},
		{.opcode = IORING_OP_OPENAT, .fd = AT_FDCWD, .addr = (uintptr_t)r},
		{.opcode = IORING_OP_STATX, .fd = AT_FDCWD, .addr = (uintptr_t)"/", .len = 0x7ff, .off = (uintptr_t)w},
		{.opcode = IORING_OP_TIMEOUT, .addr = (uintptr_t)r, .len = 1},
		{.opcode = IORING_OP_CONNECT, .fd = s[0], .addr = (uintptr_t)r, .off = 16},
		{.opcode = IORING_OP_PROVIDE_BUFFERS, .fd = 1, .addr = (uintptr_t)w, .len = 64},
	};
	for (int i = 0; i < sizeof ops / sizeof *ops; i++) {
		q[*tail & 7] = ops[i];
		array[*tail & 7] = *tail & 7;
		__atomic_store_n(tail, *tail + 1, __ATOMIC_RELEASE);
		long n = syscall(SYS_io_uring_enter, fd, 1, 1, IORING_ENTER_GETEVENTS, 0, 0);
		if (n != 1 || *chead == *ctail) { printf("op %d: entered %ld\n", ops[i].opcode, n); continue; }
		int res = cqes[*chead & (p.cq_entries - 1)].res;
		printf("op %d: %s\n", ops[i].opcode, res < 0 ? strerrorname_np(-res) : "ok");
		__atomic_store_n(chead, *chead + 1, __ATOMIC_RELEASE);
	}
	show(syscall(SYS_io_uring_register, fd, IORING_REGISTER_BUFFERS, v, 1));
	show(syscall(SYS_io_uring_register, fd, IORING_REGISTER_BUFFERS, r, 1));
	show(syscall(SYS_io_uring_register, fd, IORING_REGISTER_FILES, r, 1));
	show(syscall(SYS_io_uring_register, fd, IORING_REGISTER_PROBE, w, 10));
}

int main(int argc, char **argv) {
	alarm(60);
	setvbuf(stdout, 0, _IONBF, 0);
	char *r = (char *)strtoul(argv[1], 0, 16), *w = (char *)strtoul(argv[2], 0, 16);
	receive(w, r);
	files(w, r);
	waits(w, r);
	memory(w, r);
	aio(w, r);
	uring(w, r);
}
