// Buffers of which the kernel needs less than the caller says that there is: what lies behind need not
// be mapped.
#include "check.h"
#include <grp.h>
#include <linux/aio_abi.h>
#include <linux/fiemap.h>
#include <linux/filter.h>
#include <linux/fs.h>
#include <linux/keyctl.h>
#include <net/if.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>

enum { PAGE = 4096, GET_AUXV = 0x41555856 };

static char *edge; // behind it is nothing

// room returns the last n bytes that there are, zeroed.
static void *room(size_t n) { return memset(edge - n, 0, n); }

static void filters(void) {
	int s = socket(AF_INET, SOCK_DGRAM, 0);
	struct sock_filter code[] = {BPF_STMT(BPF_LD | BPF_W | BPF_ABS, 0), BPF_STMT(BPF_RET | BPF_K, ~0u)};
	struct sock_fprog program = {2, code};
	show(setsockopt(s, SOL_SOCKET, SO_ATTACH_FILTER, &program, sizeof program));
	for (socklen_t n = 0, asked = 0; asked < 5000; n = asked = asked * 9 + 3) {
		show(getsockopt(s, SOL_SOCKET, SO_GET_FILTER, room(sizeof code), &n));
		printf("%d of %d\n", n, asked);
	}
	struct { int size; char *list; } interfaces = {4000, room(40 * sizeof(struct ifreq))};
	show(ioctl(s, SIOCGIFCONF, &interfaces));
	close(s);
}

static void extents(void) {
	char name[] = "/tmp/partbuffersXXXXXX";
	int f = mkstemp(name);
	write(f, name, sizeof name);
	for (int n = 1; n < 200; n += 99) {
		struct fiemap *m = room(sizeof *m + sizeof(struct fiemap_extent));
		m->fm_length = ~0ull, m->fm_extent_count = n, m->fm_flags = FIEMAP_FLAG_SYNC;
		int r = ioctl(f, FS_IOC_FIEMAP, m);
		ok(!r || errno == EOPNOTSUPP);
	}
	aio_context_t ring = 0;
	show(syscall(SYS_io_setup, 8, &ring));
	char text[10];
	struct iocb one = {.aio_fildes = f, .aio_lio_opcode = IOCB_CMD_PREAD, .aio_buf = (uintptr_t)text, .aio_nbytes = sizeof text}, **list = room(sizeof *list);
	*list = &one;
	show(syscall(SYS_io_submit, ring, 2, list));
	show(syscall(SYS_io_submit, ring, 2, edge));
	unlink(name);
}

int main(void) {
	char *p = mmap(0, 64 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	munmap(p + 16 * PAGE, 48 * PAGE);
	edge = p + 16 * PAGE;
	gid_t groups[64];
	int n = getgroups(64, groups);
	ok(getgroups(100, room(n * sizeof *groups)) == n);
	static char vector[8192];
	n = prctl(GET_AUXV, vector, sizeof vector, 0, 0);
	ok(n < 0 || prctl(GET_AUXV, room(n), 100000, 0, 0) == n);
	if (!fork()) _exit(3);
	int *info = room(28); // up to si_status; the rest stays as it is
	show(syscall(SYS_waitid, P_ALL, 0, info, WEXITED, 0));
	printf("%d %d %d %d\n", info[0], info[2], info[4] > 0, info[6]);
	info[0] = info[2] = info[4] = info[6] = 77;
	show(syscall(SYS_waitid, P_ALL, 0, info, WEXITED, 0)); // writes to it as well
	printf("%d %d %d %d\n", info[0], info[2], info[4], info[6]);
	int key = syscall(SYS_add_key, "user", "partbuffers", "12345", 5, KEY_SPEC_PROCESS_KEYRING);
	ok(key < 0 || syscall(SYS_keyctl, KEYCTL_READ, key, room(5), 100) == 5);
	struct { uint32_t size, spare; uint64_t mount, param; } all = {24, 0, -1, 0};
	static uint64_t ids[1000];
	n = syscall(458, &all, ids, 1000, 0); // listmount
	ok(n < 0 || syscall(458, &all, room(n * 8), 1000, 0) == n);
	filters();
	extents();
	return 0;
}
