// The mount API, in a user and a mount namespace: fsopen, fsconfig, fsmount,
// move_mount, open_tree, mount_setattr, fspick; statmount and listmount.
#include "../syscalls/check.h"
#include <linux/mount.h>
#include <sys/statfs.h>
int umount2(const char *, int);
#define MNT_DETACH 2

#define SYS_statmount 457
#define SYS_listmount 458
struct id_req { uint32_t size, spare; uint64_t mnt_id, param, mnt_ns_id; };

static void put(const char *file, const char *text) {
	int fd = open(file, O_WRONLY);
	if (write(fd, text, strlen(text)) < 0) printf("%s: %s\n", file, strerrorname_np(errno));
	close(fd);
}

int main(void) {
	setvbuf(stdout, 0, _IONBF, 0);
	char map[50], dir[] = "/tmp/emumountXXXXXX", file[100], data[100] = {0};
	mkdtemp(dir);
	sprintf(map, "0 %d 1", getuid());
	int gid = getgid();
	pid_t child = fork();
	if (child) { int st; waitpid(child, &st, 0); rmdir(dir); return WEXITSTATUS(st); }
	if (unshare(CLONE_NEWUSER | CLONE_NEWNS)) { printf("SKIP mount API: unshare: %s\n", strerrorname_np(errno)); return 0; }
	put("/proc/self/uid_map", map);
	put("/proc/self/setgroups", "deny");
	sprintf(map, "0 %d 1", gid);
	put("/proc/self/gid_map", map);
	show(syscall(SYS_fsopen, "no such file system", 0));
	show(syscall(SYS_fsopen, 8, 0));
	int fs = syscall(SYS_fsopen, "tmpfs", FSOPEN_CLOEXEC);
	if (fs < 0) { printf("SKIP mount API: fsopen: %s\n", strerrorname_np(errno)); return 0; }
	show(syscall(SYS_fsconfig, fs, FSCONFIG_SET_STRING, "size", "1M", 0));
	show(syscall(SYS_fsconfig, fs, FSCONFIG_SET_STRING, "mode", "0750", 0));
	show(syscall(SYS_fsconfig, fs, FSCONFIG_SET_STRING, "nonsense", "1", 0));
	ok(read(fs, data, sizeof data) > 0 && strstr(data, "nonsense"));
	show(syscall(SYS_fsconfig, fs, FSCONFIG_SET_FLAG, 0, 0, 0));
	show(syscall(SYS_fsconfig, fs, FSCONFIG_SET_STRING, "size", 8, 0));
	show(syscall(SYS_fsconfig, fs, FSCONFIG_CMD_CREATE, 0, 0, 0));
	int mnt = syscall(SYS_fsmount, fs, FSMOUNT_CLOEXEC, MOUNT_ATTR_NODEV | MOUNT_ATTR_NOEXEC);
	ok(mnt >= 0);
	struct statfs sf;
	show(fstatfs(mnt, &sf));
	printf("%lx %ld\n", (long)sf.f_type, (long)(sf.f_blocks * sf.f_bsize));
	show(syscall(SYS_move_mount, mnt, "", AT_FDCWD, dir, MOVE_MOUNT_F_EMPTY_PATH));
	struct stat st;
	stat(dir, &st);
	printf("%o\n", st.st_mode);
	sprintf(file, "%s/inside", dir);
	int fd = open(file, O_CREAT | O_RDWR, 0600);
	show(write(fd, "text", 4));
	close(fd);
	int tree = syscall(SYS_open_tree, AT_FDCWD, dir, OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC);
	ok(tree >= 0);
	struct mount_attr attr = {.attr_set = MOUNT_ATTR_RDONLY};
	show(syscall(SYS_mount_setattr, tree, "", AT_EMPTY_PATH, &attr, sizeof attr));
	show(syscall(SYS_mount_setattr, tree, "", AT_EMPTY_PATH, 8, sizeof attr));
	show(syscall(SYS_mount_setattr, tree, "", AT_EMPTY_PATH, &attr, 4));
	show(openat(tree, "new", O_CREAT | O_RDWR, 0600));
	show(openat(tree, "inside", O_RDONLY) >= 0);
	char second[100];
	sprintf(second, "%s/second", dir);
	mkdir(second, 0700);
	show(syscall(SYS_move_mount, tree, "", AT_FDCWD, second, MOVE_MOUNT_F_EMPTY_PATH));
	sprintf(file, "%s/second/inside", dir);
	show(open(file, O_RDWR));
	show(access(file, R_OK));
	int pick = syscall(SYS_fspick, AT_FDCWD, dir, FSPICK_CLOEXEC);
	ok(pick >= 0);
	show(syscall(SYS_fsconfig, pick, FSCONFIG_SET_STRING, "size", "2M", 0));
	show(syscall(SYS_fsconfig, pick, FSCONFIG_CMD_RECONFIGURE, 0, 0, 0));
	show(statfs(dir, &sf));
	printf("%ld\n", (long)(sf.f_blocks * sf.f_bsize));

	// Which mounts there are.
	struct statx sx;
	statx(AT_FDCWD, dir, 0, 0x4000 /* STATX_MNT_ID_UNIQUE */, &sx);
	uint64_t id = *(uint64_t *)((char *)&sx + 0x90), list[8];
	struct id_req req = {24, 0, id, 2 | 16 | 32 /* MNT_BASIC, MNT_POINT, FS_TYPE */};
	char buf[1000] = {0};
	long r = syscall(SYS_statmount, &req, buf, sizeof buf, 0);
	if (r < 0 && errno == ENOSYS) puts("SKIP statmount: ENOSYS");
	printf("statmount: %ld\n", r);
	ok(strstr(buf + 512 + *(uint32_t *)(buf + 36), "tmpfs") != 0 || r < 0);
	show(syscall(SYS_statmount, &req, buf, 30, 0));
	show(syscall(SYS_statmount, 8, buf, sizeof buf, 0));
	show(syscall(SYS_statmount, &req, 8, 600, 0));
	req.param = 0;
	show(syscall(SYS_listmount, &req, list, 8, 0));
	show(syscall(SYS_listmount, &req, 8, 8, 0));
	show(umount2(second, MNT_DETACH));
	show(access(file, R_OK));
	show(umount2(dir, 0));
	close(pick), close(fs), close(mnt);
	show(umount2(dir, 0));
	show(umount2(dir, MNT_DETACH));
	show(syscall(SYS_move_mount, -1, "", AT_FDCWD, dir, MOVE_MOUNT_F_EMPTY_PATH));
}
