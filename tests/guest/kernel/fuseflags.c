// What a server of a file system (fuse(4)) is asked: the flags of open(2) in its requests are the
// server's machine's. It reads them by read(2), by readv(2) of pieces and through a pipe by
// splice(2), from a descriptor of its own, from one that it was executed with and from one that
// another process has sent it.
#include "../syscalls/check.h"
#include "fuse.h"
#include <dirent.h>
#include <sys/socket.h>

#ifdef __aarch64__
enum { LARGEFILE = 0400000 };
#else
enum { LARGEFILE = 0100000 };
#endif

static int way;

static void flags(const char *what, unsigned f) {
	printf("%s %d%s%s%s%s%s rest %o\n", what, f & O_ACCMODE, f & O_DIRECT ? " direct" : "", f & O_DIRECTORY ? " directory" : "",
	       f & O_NOFOLLOW ? " nofollow" : "", f & LARGEFILE ? " largefile" : "", f & O_APPEND ? " append" : "",
	       f & ~(O_ACCMODE | O_DIRECT | O_DIRECTORY | O_NOFOLLOW | LARGEFILE | O_APPEND));
}

static struct fuse_entry_out entry = {.nodeid = 2, .entry_valid = 60, .attr_valid = 60};
static struct fuse_open_out opened = {.fh = 1};

static volatile int releases;

// released waits until the server has heard of n closed files: close(2) does not.
static void released(int n) {
	for (int k = 0; releases < n && k < 20000; k++) usleep(100);
}

static int next(char *request, size_t n) {
	static int p[2];
	switch (way) {
	case 0:
		return read(fd, request, n);
	case 1: {
		struct iovec v[] = {{request, 42}, {request + 42, 0}, {request + 42, 32}, {request + 74, n - 74}};
		return readv(fd, v, 4);
	}
	}
	if (!p[0]) { pipe(p); fcntl(p[0], F_SETPIPE_SZ, 1 << 20); }
	int r = splice(fd, 0, p[1], 0, n, 0);
	return r < 0 ? r : read(p[0], request, r);
}

static void *serves(void *a) {
	static char request[1 << 17], data[4096];
	while (next(request, sizeof request) > 0) {
		struct fuse_in_header *in = (void *)request;
		void *body = in + 1;
		switch (in->opcode) {
		case FUSE_INIT:
			answer(in, 0, &(struct fuse_init_out){.major = 7, .minor = 31, .max_readahead = 4096, .max_write = 4096}, sizeof(struct fuse_init_out));
			break;
		case FUSE_LOOKUP:
			entry.attr = attr(1, 4096);
			if (strcmp(body, "file")) answer(in, -ENOENT, 0, 0);
			else answer(in, 0, &entry, sizeof entry);
			break;
		case FUSE_GETATTR:
			answer(in, 0, &(struct fuse_attr_out){.attr = attr(in->nodeid == 2, 4096), .attr_valid = 60}, sizeof(struct fuse_attr_out));
			break;
		case FUSE_OPEN: case FUSE_OPENDIR:
			flags(in->opcode == FUSE_OPEN ? "open" : "opendir", ((struct fuse_open_in *)body)->flags);
			answer(in, 0, &opened, sizeof opened);
			break;
		case FUSE_CREATE: {
			flags("create", ((struct fuse_create_in *)body)->flags);
			struct { struct fuse_entry_out e; struct fuse_open_out o; } out = {entry, opened};
			out.e.nodeid = 3;
			answer(in, 0, &out, sizeof out);
			break;
		}
		case FUSE_READ:
			flags("read", ((struct fuse_read_in *)body)->flags);
			answer(in, 0, data, ((struct fuse_read_in *)body)->size);
			break;
		case FUSE_WRITE: {
			struct fuse_write_in *w = body;
			flags("write", w->flags);
			answer(in, 0, &(struct fuse_write_out){.size = w->size}, sizeof(struct fuse_write_out));
			break;
		}
		case FUSE_READDIR:
			flags("readdir", ((struct fuse_read_in *)body)->flags);
			answer(in, 0, 0, 0);
			break;
		case FUSE_RELEASE: case FUSE_RELEASEDIR:
			flags(in->opcode == FUSE_RELEASE ? "release" : "releasedir", ((struct fuse_release_in *)body)->flags);
			answer(in, 0, 0, 0);
			releases++;
			break;
		case FUSE_FORGET: case FUSE_BATCH_FORGET: case FUSE_INTERRUPT:
			break;
		default:
			answer(in, in->opcode == FUSE_FLUSH ? 0 : -ENOSYS, 0, 0);
		}
	}
	return 0;
}

// sent has another process open the device, as fusermount(1) does.
static int sent(void) {
	int s[2], byte;
	socketpair(AF_UNIX, SOCK_STREAM, 0, s);
	char control[CMSG_SPACE(2 * sizeof(int))] = {0};
	struct iovec v = {&byte, 1};
	struct msghdr m = {.msg_iov = &v, .msg_iovlen = 1, .msg_control = control, .msg_controllen = sizeof control};
	if (!fork()) {
		int two[] = {1, open("/dev/fuse", O_RDWR | O_CLOEXEC)};
		struct cmsghdr *c = CMSG_FIRSTHDR(&m);
		*c = (struct cmsghdr){.cmsg_len = CMSG_LEN(sizeof two), .cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS};
		memcpy(CMSG_DATA(c), two, sizeof two);
		_exit(two[1] < 0 || sendmsg(s[0], &m, 0) != 1);
	}
	int status, two[2] = {-1, -1};
	wait(&status);
	if (!status && recvmsg(s[1], &m, 0) == 1) memcpy(two, CMSG_DATA(CMSG_FIRSTHDR(&m)), sizeof two);
	return two[1];
}

static void serve(void) {
	char dir[] = "/tmp/fuseflagsXXXXXX", path[64], options[64];
	sprintf(options, "fd=%d,rootmode=40000,user_id=0,group_id=0", fd);
	mkdtemp(dir);
	if (fd < 0 || mount("flags", dir, "fuse.flags", 0, options)) {
		printf("SKIP fuse: %s\n", strerrorname_np(errno));
		rmdir(dir);
		return;
	}
	pid_t guard = freeLater(dir);
	pthread_t t;
	pthread_create(&t, 0, serves, 0);
	sprintf(path, "%s/file", dir);
	void *page;
	posix_memalign(&page, 4096, 4096);
	int f = open(path, O_RDWR | O_DIRECT);
	show(f >= 0 ? read(f, page, 4096) : -1);
	show(f >= 0 ? write(f, page, 4096) : -1);
	close(f);
	released(1);
	f = open(path, O_WRONLY | O_APPEND | O_NOFOLLOW);
	show(write(f, page, 10));
	close(f);
	released(2);
	DIR *d = opendir(dir);
	ok(readdir(d) == 0);
	closedir(d);
	released(3);
	sprintf(path, "%s/new", dir);
	f = open(path, O_CREAT | O_WRONLY, 0600);
	ok(f >= 0);
	close(f);
	released(4);
	kill(guard, SIGKILL);
	waitpid(guard, 0, 0);
	umount2(dir, MNT_DETACH);
	pthread_join(t, 0);
	close(fd);
	rmdir(dir);
}

int main(int argc, char **argv) {
	setvbuf(stdout, 0, _IONBF, 0);
	if (argc > 1) { // executed with the descriptor
		way = 1;
		fd = atoi(argv[1]);
		serve();
		return 0;
	}
	if (unshare(CLONE_NEWNS) || mount(0, "/", 0, MS_REC | MS_PRIVATE, 0)) {
		printf("SKIP fuse: %s\n", strerrorname_np(errno));
		return 0;
	}
	for (way = 0; way < 3; way++) {
		if (!fork()) {
			fd = way == 0 ? sent() : open("/dev/fuse", O_RDWR);
			char number[16];
			sprintf(number, "%d", fd);
			if (way == 1) execl("/proc/self/exe", argv[0], number, (char *)0);
			serve();
			return 0;
		}
		wait(0);
	}
	return 0;
}
