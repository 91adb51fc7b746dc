// Every way to name a file, below a root of one's own: natively after chroot(2), under
// emu with -L. It prints what it finds; both have to print the same.
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <unistd.h>

static void result(const char *what, long r) {
	if (r < 0) printf("%s: %s\n", what, strerrorname_np(errno));
	else printf("%s: ok\n", what);
}
#define R(call) do { errno = 0; result(#call, (long)(call)); } while (0)

// show prints the first line of an open file.
static void show(const char *what, int fd) {
	char b[64] = "";
	int e = errno;
	if (fd < 0) { printf("%s: %s\n", what, strerrorname_np(e)); return; }
	int n = read(fd, b, sizeof b - 1);
	if (n > 0 && b[n - 1] == '\n') b[n - 1] = 0;
	printf("%s: %d \"%s\"\n", what, n, n < 0 ? strerrorname_np(errno) : b);
	close(fd);
}
#define S(call) do { errno = 0; show(#call, call); } while (0)

static int at2(int dir, const char *path, unsigned long long flags, unsigned long long resolve) {
	struct open_how how = {.flags = flags, .resolve = resolve, .mode = flags & O_CREAT ? 0600 : 0};
	return syscall(SYS_openat2, dir, path, &how, sizeof how);
}

static void cwd(void) {
	char b[4096];
	puts(getcwd(b, sizeof b) ? b : strerrorname_np(errno));
}

static void link_(const char *path) {
	char b[256];
	ssize_t n = readlink(path, b, sizeof b);
	if (n < 0) printf("readlink %s: %s\n", path, strerrorname_np(errno));
	else printf("readlink %s: %.*s\n", path, (int)n, b);
}

static void kind(const char *path) {
	struct stat a, b;
	struct statx x;
	errno = 0;
	int r = stat(path, &a), e = errno, l = lstat(path, &b), le = errno;
	errno = 0;
	int s = statx(AT_FDCWD, path, AT_SYMLINK_NOFOLLOW, STATX_TYPE, &x);
	printf("%s: stat %s %o, lstat %s %o, statx %o, access %d %d\n", path, r ? strerrorname_np(e) : "", r ? 0 : a.st_mode, l ? strerrorname_np(le) : "",
	       l ? 0 : b.st_mode & S_IFMT, s ? 0 : x.stx_mode & S_IFMT, access(path, F_OK), faccessat(AT_FDCWD, path, R_OK, AT_SYMLINK_NOFOLLOW));
}

static void list(const char *path) {
	struct dirent **d;
	int n = scandir(path, &d, 0, alphasort);
	printf("list %s:", path);
	for (int i = 0; i < n; i++) printf(" %s", d[i]->d_name);
	puts(n < 0 ? strerrorname_np(errno) : "");
}

static void run(const char *what, int how, const char *path, int dir) {
	int st;
	fflush(stdout);
	pid_t p = how == 2 ? vfork() : fork();
	if (!p) {
		char *argv[] = {"zero", "one", 0}, *env[] = {"E=1", 0};
		if (how == 1) syscall(SYS_execveat, dir, path, argv, env, 0);
		else execve(path, argv, env);
		printf("%s: %s\n", path, strerrorname_np(errno));
		fflush(stdout);
		_exit(1);
	}
	waitpid(p, &st, 0);
	printf("%s %s: %x\n", what, path, st);
}

static void sockets(const char *path) {
	struct sockaddr_un a = {.sun_family = AF_UNIX}, b;
	strcpy(a.sun_path, path);
	socklen_t n = sizeof b;
	int s = socket(AF_UNIX, SOCK_STREAM, 0), c = socket(AF_UNIX, SOCK_STREAM, 0);
	R(connect(c, (void *)&a, sizeof a));
	R(bind(s, (void *)&a, sizeof a));
	R(bind(c, (void *)&a, sizeof a));
	R(listen(s, 5));
	R(connect(c, (void *)&a, sizeof a));
	R(getsockname(s, (void *)&b, &n));
	printf("%d %s\n", n, b.sun_path);
	n = sizeof b;
	R(getpeername(c, (void *)&b, &n));
	printf("%d %s\n", n, b.sun_path);
	kind(path);
	close(s), close(c);
	R(unlink(path));
	s = socket(AF_UNIX, SOCK_DGRAM, 0), c = socket(AF_UNIX, SOCK_DGRAM, 0);
	R(bind(s, (void *)&a, sizeof a));
	R(sendto(c, "x", 1, 0, (void *)&a, sizeof a));
	struct iovec v = {"yz", 2};
	struct mmsghdr m = {.msg_hdr = {&a, sizeof a, &v, 1}};
	R(sendmsg(c, &m.msg_hdr, 0));
	R(sendmmsg(c, &m, 1, 0));
	printf("sent %u\n", m.msg_len);
	strcat(a.sun_path, "2");
	R(bind(c, (void *)&a, sizeof a));
	a.sun_path[strlen(a.sun_path) - 1] = 0;
	R(sendto(c, "abc", 3, 0, (void *)&a, sizeof a));
	for (int i = 0; i < 4; i++) {
		char t[9];
		n = sizeof b;
		memset(&b, 0, sizeof b);
		ssize_t k = recvfrom(s, t, sizeof t, 0, (void *)&b, &n);
		printf("recv %zd from %d %s\n", k, n, n > 2 ? b.sun_path : "");
	}
	strcat(a.sun_path, "2");
	R(unlink(a.sun_path));
	a.sun_path[strlen(a.sun_path) - 1] = 0;
	R(unlink(a.sun_path));
	close(s), close(c);
}

int main(int argc, char **argv) {
	setvbuf(stdout, 0, _IOLBF, 0);
	static const char *paths[] = {"/etc/conf", "/lib/x/data", "/abs/data", "/esc", "/../../etc/conf", "/etc/../../../etc/conf", "/loop", "/dangling",
		"/abs", "/abs/", "/etc/conf/", "/etc/conf/x", "/etc/none", "/none/none", "/", "//etc//./conf", "/chain", "/up/etc/conf", "/etc/", "/etc/."};
	R(chdir("/"));
	cwd();
	for (int i = 0; i < sizeof paths / sizeof *paths; i++) {
		printf("%s ", paths[i]);
		S(open(paths[i], O_RDONLY | O_NONBLOCK));
		S(open(paths[i], O_RDONLY | O_NOFOLLOW));
		kind(paths[i]);
		link_(paths[i]);
	}
	list("/"), list("/abs"), list("/abs/..");

	// relative, and from directories
	R(chdir("/abs")); cwd();
	S(open("data", O_RDONLY)); S(open("../../../../../etc/conf", O_RDONLY)); S(open("../../lib/x/data", O_RDONLY)); S(open("none", O_RDONLY));
	R(chdir("..")); cwd(); list(".");
	R(chdir("../../../..")); cwd();
	R(chdir("up")); cwd();
	R(chdir("/etc/conf")); R(chdir("/none"));
	int d = open("/usr/lib/x", O_RDONLY | O_DIRECTORY), root = open("/", O_PATH);
	S(openat(d, "data", O_RDONLY)); S(openat(d, "../../../../../../etc/conf", O_RDONLY)); S(openat(d, "/etc/conf", O_RDONLY)); S(openat(d, "out", O_RDONLY));
	S(openat(root, "..", O_RDONLY)); S(openat(root, "../etc/conf", O_RDONLY)); S(openat(root, "abs/data", O_RDONLY)); S(openat(99, "data", O_RDONLY)); S(openat(99, "/etc/conf", O_RDONLY));
	R(fchdir(d)); cwd(); R(fchdir(root)); cwd();
	S(at2(d, "data", O_RDONLY, RESOLVE_BENEATH)); S(at2(d, "../x/data", O_RDONLY, RESOLVE_BENEATH)); S(at2(d, "out", O_RDONLY, RESOLVE_BENEATH));
	S(at2(d, "/data", O_RDONLY, RESOLVE_IN_ROOT)); S(at2(d, "../../data", O_RDONLY, RESOLVE_IN_ROOT)); S(at2(d, "/abs/data", O_RDONLY, 0)); S(at2(d, "/abs/data", O_RDONLY, RESOLVE_NO_SYMLINKS));
	S(at2(AT_FDCWD, "/etc/conf", O_RDONLY, RESOLVE_NO_SYMLINKS | RESOLVE_NO_XDEV)); S(at2(AT_FDCWD, "/etc/conf", O_RDONLY | 1ull << 40, 0)); S(at2(AT_FDCWD, "/etc/conf", O_RDONLY, 1 << 20));
	struct stat st;
	R(fstatat(d, "", &st, AT_EMPTY_PATH)); R(fstatat(d, "", &st, 0)); R(fstatat(d, "out", &st, 0)); R(fstatat(d, "out", &st, AT_SYMLINK_NOFOLLOW));
	R(faccessat(d, "../x/data", R_OK, 0)); R(faccessat(root, "abs/data", R_OK, AT_EACCESS));

	// names made, replaced and removed
	R(mkdir("/tmp/emu-paths", 0755)); R(mkdir("/tmp/emu-paths", 0755)); R(mkdir("/none/d", 0755)); R(mkdir("/tmp/e/", 0700)); R(mkdirat(d, "../../../tmp/emu-paths/sub", 0755)); R(rmdir("/tmp/e/"));
	S(open("/tmp/emu-paths/new", O_CREAT | O_RDWR, 0640)); kind("/tmp/emu-paths/new"); S(open("/tmp/emu-paths/new", O_CREAT | O_EXCL | O_RDWR, 0640)); S(open("/none/new", O_CREAT | O_RDWR, 0600));
	S(open("/tolink", O_CREAT | O_RDWR, 0600)); kind("/tmp/emu-paths/target"); S(open("/tolink", O_CREAT | O_EXCL | O_RDWR, 0600)); S(open("/abs2/made", O_CREAT | O_RDWR, 0600));
	S(open("/tmp", O_TMPFILE | O_RDWR, 0600)); S(open("/tmp/emu-paths", O_PATH)); S(open("/tmp/emu-paths/new", O_DIRECTORY)); S(open("/tmp/emu-paths", O_WRONLY)); S(open("/etc/conf", O_CREAT | O_RDONLY, 0600));
	R(symlink("/etc/conf", "/tmp/emu-paths/l")); link_("/tmp/emu-paths/l"); S(open("/tmp/emu-paths/l", O_RDONLY)); R(symlink("x", "/tmp/emu-paths/l")); R(symlink("x", "/none/l"));
	R(link("/etc/conf", "/tmp/emu-paths/h")); R(link("/tmp/emu-paths/l", "/tmp/emu-paths/ll")); link_("/tmp/emu-paths/ll"); R(linkat(AT_FDCWD, "/tmp/emu-paths/l", AT_FDCWD, "/tmp/emu-paths/lf", AT_SYMLINK_FOLLOW)); kind("/tmp/emu-paths/lf"); R(link("/none", "/tmp/emu-paths/n"));
	R(rename("/tmp/emu-paths/h", "/tmp/emu-paths/i")); S(open("/tmp/emu-paths/i", O_RDONLY)); R(rename("/tmp/emu-paths/i", "/tmp/emu-paths/new")); S(open("/tmp/emu-paths/new", O_RDONLY)); R(rename("/tmp/emu-paths/none", "/tmp/emu-paths/x")); R(rename("/abs/data", "/tmp/emu-paths/data")); R(rename("/tmp/emu-paths/data", "/usr/lib/x/data"));
	R(renameat2(AT_FDCWD, "/tmp/emu-paths/new", AT_FDCWD, "/tmp/emu-paths/lf", RENAME_NOREPLACE)); R(renameat2(root, "tmp/emu-paths/new", root, "tmp/emu-paths/l", RENAME_EXCHANGE)); link_("/tmp/emu-paths/new");
	R(mknod("/tmp/emu-paths/fifo", S_IFIFO | 0600, 0)); kind("/tmp/emu-paths/fifo"); R(mknod("/tmp/emu-paths/fifo", S_IFIFO | 0600, 0));
	R(truncate("/tmp/emu-paths/lf", 3)); R(truncate("/none", 3)); R(truncate("/tmp", 3)); R(chmod("/tmp/emu-paths/lf", 0600)); R(fchmodat(root, "tmp/emu-paths/fifo", 0644, 0)); R(chmod("/loop", 0600)); kind("/tmp/emu-paths/lf"); kind("/tmp/emu-paths/fifo");
	struct timespec tv[2] = {{1000, 0}, {2000, 0}};
	R(utimensat(AT_FDCWD, "/abs/data", tv, 0)); R(utimensat(AT_FDCWD, "/abs", tv, AT_SYMLINK_NOFOLLOW)); stat("/usr/lib/x/data", &st); printf("%ld\n", (long)st.st_mtime); lstat("/abs", &st); printf("%ld\n", (long)st.st_mtime);
	R(lchown("/abs", 0, 0)); R(chown("/none", 0, 0)); R(fchownat(d, "data", 0, 0, 0));
	char buf[64] = "";
	R(setxattr("/abs/data", "user.x", "v", 1, 0)); R(getxattr("/usr/lib/x/data", "user.x", buf, sizeof buf)); puts(buf); R(lgetxattr("/abs", "user.x", buf, sizeof buf)); R(listxattr("/abs/data", buf, sizeof buf)); R(removexattr("/abs/data", "user.x")); R(lsetxattr("/abs", "user.x", "v", 1, 0));
	struct statfs fs;
	R(statfs("/abs/data", &fs)); R(statfs("/none", &fs));
	struct { struct file_handle h; char b[128]; } fh = {{128}};
	int mnt;
	R(name_to_handle_at(AT_FDCWD, "/none", &fh.h, &mnt, 0)); R(name_to_handle_at(AT_FDCWD, "/loop", &fh.h, &mnt, AT_SYMLINK_FOLLOW));
	int in = inotify_init1(IN_NONBLOCK);
	R(inotify_add_watch(in, "/tmp/emu-paths", IN_CREATE)); R(inotify_add_watch(in, "/none", IN_CREATE)); R(inotify_add_watch(in, "/loop", IN_CREATE | IN_DONT_FOLLOW)); R(inotify_add_watch(in, "/loop", IN_CREATE));
	close(open("/tmp/emu-paths/watched", O_CREAT | O_WRONLY, 0600));
	char ev[256] = "";
	int n = read(in, ev, sizeof ev);
	printf("event %s\n", n > 16 ? ev + 16 : "none");
	sockets("/tmp/emu-paths/sock");
	R(chdir("/tmp/emu-paths")); sockets("sock2"); sockets("/abs2/sock3");

	run("execve", 0, "/bin/tool", 0); run("execve", 0, "/bin/script", 0); run("execve", 0, "/bin/abstool", 0); run("execve", 0, "/etc/conf", 0); run("execve", 0, "/none", 0); run("execve", 0, "../../bin/tool", 0); run("execve", 0, "/bin/badscript", 0);
	run("execveat", 1, "bin/tool", root); run("execveat", 1, "../../../bin/abstool", d); run("vfork", 2, "/bin/script", 0);

	list("/tmp/emu-paths");
	R(unlink("/tmp/emu-paths")); R(rmdir("/tmp/emu-paths")); R(unlink("/tmp/emu-paths/l")); R(unlinkat(root, "tmp/emu-paths/sub", AT_REMOVEDIR)); R(unlink("/loop")); kind("/loop"); R(unlink("/none"));

	// calls with a path need no descriptor, so they do without one
	struct rlimit lim = {64, 64};
	R(setrlimit(RLIMIT_NOFILE, &lim));
	int full[64], used = 0;
	while ((full[used] = dup(0)) >= 0) used++;
	for (int i = 0; i < sizeof paths / sizeof *paths; i++) { kind(paths[i]); link_(paths[i]); S(open(paths[i], O_RDONLY | O_NONBLOCK)); }
	R(chdir("/abs")); cwd(); kind("data"); kind("out"); kind("link"); kind("../x/data"); kind("../../../../../etc/conf"); kind("none"); kind("."); kind(".."); R(chdir(".."));
	R(mkdir("/abs2/full", 0755)); kind("/made/full"); R(symlink("/etc/conf", "/made/full/l")); kind("/abs2/full/l"); link_("/abs2/full/l"); R(rename("/abs2/full/l", "/made/l")); R(unlink("/abs2/l")); R(rmdir("/made/full"));
	R(mkdir("/none/full", 0755)); R(chmod("/abs/data", 0600)); R(chmod("/loop", 0600)); R(truncate("/dangling", 1)); R(chdir("/abs2")); R(mkdir("rel", 0700)); R(rmdir("../made/rel")); R(rmdir("rel")); R(statfs("/abs/data", &fs));
	while (used) close(full[--used]);

	if (fork() == 0) {
		R(chroot("/usr/lib")); R(chdir("/")); cwd(); S(open("/x/data", O_RDONLY)); S(open("/etc/conf", O_RDONLY)); S(open("../../etc/conf", O_RDONLY)); list("/");
		fflush(stdout);
		_exit(0);
	}
	wait(0);
	S(open("/etc/conf", O_RDONLY));
	char deep[5000];
	memset(deep, '/', sizeof deep); strcpy(deep + 4000, "etc/conf");
	S(open(deep, O_RDONLY)); memset(deep + 4000, '/', 500); strcpy(deep + 4500, "etc/conf"); S(open(deep, O_RDONLY)); S(open("", O_RDONLY)); S(open((char *)1, O_RDONLY));
	puts("end");
}
