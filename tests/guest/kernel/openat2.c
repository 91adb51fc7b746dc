// openat2(2): the RESOLVE_ flags, the structure's size and its unknown bits.
#include "../syscalls/check.h"
#include <linux/openat2.h>

static int dir;
static long open2(int at, const char *path, uint64_t flags, uint64_t mode, uint64_t resolve) {
	struct open_how how = {flags, mode, resolve};
	long fd = syscall(SYS_openat2, at, path, &how, sizeof how);
	if (fd < 0) return -errno;
	close(fd);
	return 0;
}
#define try(path, ...) do { long r_ = open2(dir, path, O_RDONLY, 0, __VA_ARGS__); printf("%s %s: %s\n", path, #__VA_ARGS__, strerrorname_np(-r_)); } while (0)

int main(void) {
	setvbuf(stdout, 0, _IONBF, 0);
	char name[] = "/tmp/emuopen2XXXXXX";
	mkdtemp(name);
	dir = open(name, O_PATH | O_DIRECTORY);
	mkdirat(dir, "sub", 0700);
	mkdirat(dir, "sub/deep", 0700);
	close(openat(dir, "file", O_CREAT | O_WRONLY, 0600));
	close(openat(dir, "sub/deep/file", O_CREAT | O_WRONLY, 0600));
	symlinkat("file", dir, "link");
	symlinkat("/file", dir, "absolute");
	symlinkat("../file", dir, "sub/up");
	symlinkat("../../../../file", dir, "sub/out");
	symlinkat("loop", dir, "loop");
	symlinkat("/proc/self/exe", dir, "magic");
	const char *paths[] = {"file", "link", "absolute", "sub/up", "sub/out", "loop", "magic", "sub/../file", "sub/../../x", "/file", "/etc/passwd", "sub/deep/../../file", ".", "..", "none", "file/x", "/proc/self/exe", "/proc/self/cwd"};
	for (int i = 0; i < sizeof paths / sizeof *paths; i++) {
		try(paths[i], 0);
		try(paths[i], RESOLVE_BENEATH);
		try(paths[i], RESOLVE_IN_ROOT);
		try(paths[i], RESOLVE_NO_SYMLINKS);
		try(paths[i], RESOLVE_NO_MAGICLINKS);
		try(paths[i], RESOLVE_NO_XDEV);
		try(paths[i], RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS);
	}
	try("file", RESOLVE_BENEATH | RESOLVE_IN_ROOT);
	try("file", 0x100000);
	ok(open2(dir, "sub/new", O_CREAT | O_RDWR, 0600, RESOLVE_BENEATH) == 0);
	ok(open2(dir, "/sub/new2", O_CREAT | O_RDWR, 0640, RESOLVE_IN_ROOT) == 0);
	ok(faccessat(dir, "sub/new2", F_OK, 0) == 0);
	long r = open2(dir, "../new3", O_CREAT | O_RDWR, 0640, RESOLVE_BENEATH);
	puts(strerrorname_np(-r));
	puts(strerrorname_np(-open2(dir, "file", O_RDONLY, 0600, 0)));
	puts(strerrorname_np(-open2(dir, "file", O_CREAT, 01000000, 0)));
	puts(strerrorname_np(-open2(dir, "file", 1ULL << 40, 0, 0)));
	puts(strerrorname_np(-open2(dir, "sub", O_DIRECTORY | O_CREAT, 0600, 0)));
	puts(strerrorname_np(-open2(dir, "file", O_DIRECTORY, 0, 0)));
	puts(strerrorname_np(-open2(dir, "link", O_NOFOLLOW, 0, 0)));
	puts(strerrorname_np(-open2(dir, "link", O_NOFOLLOW | O_PATH, 0, 0)));
	puts(strerrorname_np(-open2(dir, "link", O_NOFOLLOW | O_PATH, 0, RESOLVE_NO_SYMLINKS)));
	puts(strerrorname_np(-open2(dir, "file", O_PATH | O_RDWR, 0, 0)));
	struct { struct open_how how; uint64_t more; } big = {{O_RDONLY}, 0};
	show(syscall(SYS_openat2, dir, "file", &big, sizeof big) >= 0);
	big.more = 1;
	show(syscall(SYS_openat2, dir, "file", &big, sizeof big));
	show(syscall(SYS_openat2, dir, "file", &big, 16));
	show(syscall(SYS_openat2, dir, "file", &big, 100000));
	show(syscall(SYS_openat2, dir, "file", 8, sizeof big.how));
	puts(strerrorname_np(-open2(-1, "file", O_RDONLY, 0, 0)));
	puts(strerrorname_np(-open2(dir, "", O_RDONLY, 0, 0)));
	long fd = syscall(SYS_openat2, dir, "sub", &(struct open_how){O_DIRECTORY | O_CLOEXEC}, 24);
	printf("%x %x\n", fcntl(fd, F_GETFL) & O_DIRECTORY ? 1 : 0, fcntl(fd, F_GETFD));
	char cmd[100];
	sprintf(cmd, "rm -rf %s", name);
	system(cmd);
}
