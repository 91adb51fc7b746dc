#include "check.h"
#include <dirent.h>
#include <sys/epoll.h>
#include <sys/file.h>
#include <sys/inotify.h>
#include <sys/sendfile.h>
#include <sys/statfs.h>
#include <sys/statvfs.h>
#include <sys/xattr.h>
#include <linux/openat2.h>

static void flagsOf(const char *what, int fd) {
    int f = fcntl(fd, F_GETFL);
    printf("%s: acc %d append %d nonblock %d directory %d nofollow %d direct %d path %d\n", what, f & O_ACCMODE, !!(f & O_APPEND), !!(f & O_NONBLOCK), !!(f & O_DIRECTORY), !!(f & O_NOFOLLOW), !!(f & O_DIRECT), !!(f & O_PATH));
}

int main(void) {
    char dir[] = "/tmp/emufilesXXXXXX", buf[4096];
    if (!mkdtemp(dir) || chdir(dir)) return 1;
    umask(022);
    int fd = open("a", O_RDWR | O_CREAT | O_EXCL, 0666);
    ok(fd == 3);
    show(open("a", O_RDWR | O_CREAT | O_EXCL, 0666));
    show(write(fd, "0123456789", 10));
    show(lseek(fd, -3, SEEK_END));
    show(read(fd, buf, 100));
    show(pread(fd, buf, 4, 2)); printf("%.4s\n", buf);
    show(pwrite(fd, "XY", 2, 4));
    struct iovec v[3] = {{"ab", 2}, {"", 0}, {"cde", 3}};
    show(writev(fd, v, 3));
    lseek(fd, 0, SEEK_SET);
    char x[4], y[20];
    struct iovec w[2] = {{x, 4}, {y, 20}};
    show(readv(fd, w, 2)); printf("%.4s %.11s\n", x, y);
    struct stat st, st2;
    fstat(fd, &st); stat("a", &st2);
    printf("size %ld mode %o nlink %ld blocks>0 %d blksize>0 %d\n", (long)st.st_size, st.st_mode, (long)st.st_nlink, st.st_blocks > 0, st.st_blksize > 0);
    ok(st.st_ino == st2.st_ino && st.st_dev == st2.st_dev && st.st_uid == getuid() && st.st_gid == st2.st_gid && st.st_mtime == st2.st_mtime && st.st_mtim.tv_nsec == st2.st_mtim.tv_nsec);
    ok(labs(time(0) - st.st_mtime) < 100);
    struct timespec ts[2] = {{1000000, 5}, {2000000, 123456789}};
    show(utimensat(AT_FDCWD, "a", ts, 0));
    stat("a", &st); printf("%ld.%09ld %ld.%09ld\n", st.st_atim.tv_sec, st.st_atim.tv_nsec, st.st_mtim.tv_sec, st.st_mtim.tv_nsec);
    struct statx sx;
    show(statx(AT_FDCWD, "a", 0, STATX_BASIC_STATS, &sx)); printf("statx %o %llu %lld\n", sx.stx_mode, sx.stx_size, (long long)sx.stx_mtime.tv_sec);
    ok(sx.stx_ino == st.st_ino);
    stat("/dev/null", &st); printf("null %o %lx\n", st.st_mode, (long)st.st_rdev);

    // Flags whose values differ between architectures.
    show(symlink("a", "link")); show(mkdir("d", 0755));
    show(open("link", O_RDONLY | O_NOFOLLOW));
    show(open("a", O_RDONLY | O_DIRECTORY));
    int d = open("d", O_RDONLY | O_DIRECTORY); ok(d >= 0); flagsOf("dir", d);
    int p = open("link", O_PATH | O_NOFOLLOW); ok(p >= 0); flagsOf("path", p);
    fstat(p, &st); printf("O_PATH link: %o\n", st.st_mode & S_IFMT);
    int ap = open("a", O_WRONLY | O_APPEND | O_NONBLOCK); flagsOf("append", ap);
    show(fcntl(ap, F_SETFL, 0)); flagsOf("cleared", ap);
    show(fcntl(ap, F_SETFL, O_NONBLOCK | O_NOATIME)); flagsOf("set", ap);
    int pp[2]; show(pipe2(pp, O_DIRECT | O_CLOEXEC)); flagsOf("packet pipe", pp[0]);
    write(pp[1], "abc", 3); write(pp[1], "defg", 4); show(read(pp[0], buf, 100));
    show(fcntl(pp[0], F_GETFD));
    int tmp = open(".", O_TMPFILE | O_RDWR, 0600); ok(tmp >= 0); fstat(tmp, &st); printf("tmpfile nlink %ld\n", (long)st.st_nlink);
    struct open_how how = {.flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW, .resolve = RESOLVE_NO_SYMLINKS};
    int h = syscall(SYS_openat2, AT_FDCWD, "d", &how, sizeof how); ok(h >= 0);
    show(syscall(SYS_openat2, AT_FDCWD, "link", &how, sizeof how));
    show(syscall(SYS_openat2, AT_FDCWD, "a", &how, 8));
    how.flags |= 1ull << 40; show(syscall(SYS_openat2, AT_FDCWD, "d", &how, sizeof how));

    // Names.
    show(readlink("link", buf, sizeof buf)); show(readlink("link", buf, 0)); show(readlink("a", buf, 10));
    show(linkat(AT_FDCWD, "a", d, "hard", 0)); show(renameat2(AT_FDCWD, "a", d, "hard", 1)); show(rename("a", "b"));
    show(access("b", R_OK | W_OK)); show(access("a", F_OK)); show(faccessat(d, "hard", R_OK, AT_SYMLINK_NOFOLLOW));
    show(chmod("b", 0640)); stat("b", &st); printf("%o\n", st.st_mode);
    for (int i = 0; i < 300; i++) { sprintf(buf, "d/file%03d", i); close(open(buf, O_CREAT | O_WRONLY, 0600)); }
    DIR *dp = opendir("d"); int n = 0; unsigned h1 = 0; struct dirent *e;
    while ((e = readdir(dp))) { n++; for (char *c = e->d_name; *c; c++) h1 += *c * 31; if (n > 2) continue; }
    printf("%d entries, hash %u\n", n, h1); closedir(dp);
    show(rmdir("d")); show(unlinkat(d, "hard", 0)); show(unlink("d")); show(unlinkat(AT_FDCWD, "b", AT_REMOVEDIR));
    show(truncate("b", 5000)); stat("b", &st); printf("%ld\n", (long)st.st_size);
    show(posix_fallocate(fd, 0, 8192)); fstat(fd, &st); printf("%ld\n", (long)st.st_size);
    show(setxattr("b", "user.k", "value", 5, 0)); show(getxattr("b", "user.k", buf, 100)); show(listxattr("b", buf, 100)); show(getxattr("b", "user.none", buf, 100));
    getcwd(buf, sizeof buf); ok(!strcmp(buf, dir)); show(syscall(SYS_getcwd, buf, 3));
    show(fchdir(d)); getcwd(buf, sizeof buf); printf("%s\n", buf + strlen(dir)); chdir("..");

    // Descriptors.
    show(dup2(fd, 50)); show(dup3(fd, 50, O_CLOEXEC)); show(fcntl(50, F_GETFD)); show(dup3(fd, fd, 0)); show(fcntl(fd, F_DUPFD, 60)); show(dup(999));
    struct flock fl = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = 10, .l_len = 5};
    show(fcntl(fd, F_OFD_SETLK, &fl)); struct flock gl = {.l_type = F_RDLCK, .l_whence = SEEK_SET};
    int other = open("b", O_RDWR); show(fcntl(other, F_OFD_GETLK, &gl)); printf("lock %d %ld %ld\n", gl.l_type, (long)gl.l_start, (long)gl.l_len);
    show(flock(fd, LOCK_EX | LOCK_NB)); show(flock(other, LOCK_SH | LOCK_NB));
    show(syscall(SYS_close_range, 50, 60, 0)); show(fcntl(50, F_GETFD)); show(close(60));
    int mem = memfd_create("m", MFD_ALLOW_SEALING); ftruncate(mem, 100); show(fcntl(mem, F_ADD_SEALS, F_SEAL_SHRINK)); show(ftruncate(mem, 10));
    lseek(fd, 0, SEEK_SET); off_t off = 2; show(sendfile(mem, fd, &off, 5)); printf("off %ld\n", (long)off);
    show(copy_file_range(fd, 0, other, 0, 10, 0));
    show(splice(fd, 0, pp[1], 0, 5, 0));
    struct statfs fs; show(statfs("/proc", &fs)); printf("proc %lx namelen %ld\n", (long)fs.f_type, (long)fs.f_namelen); show(fstatfs(fd, &fs)); ok(fs.f_bsize > 0 && fs.f_blocks > 0);
    int in = inotify_init1(IN_NONBLOCK); int wd = inotify_add_watch(in, dir, IN_CREATE | IN_DELETE); ok(wd > 0);
    close(creat("new", 0600)); unlink("new"); n = read(in, buf, sizeof buf);
    for (char *c = buf; c < buf + n;) { struct inotify_event *ev = (void *)c; printf("inotify %x %s\n", ev->mask, ev->name); c += sizeof *ev + ev->len; }
    show(read(in, buf, 100)); show(read(-1, buf, 1)); show(write(fd, (void *)8, 5)); show(read(other, (void *)8, 5)); show(open((char *)8, 0)); show(stat("b", (void *)8)); show(ioctl(fd, 0x5401, buf));
    n = readlink("/proc/self/exe", buf, sizeof buf); buf[n > 0 ? n : 0] = 0; ok(strstr(buf, "files") != 0);
    chdir("/");
    for (int i = 0; i < 300; i++) { sprintf(buf, "%s/d/file%03d", dir, i); unlink(buf); }
    sprintf(buf, "%s/d", dir); show(rmdir(buf)); sprintf(buf, "%s/b", dir); unlink(buf); sprintf(buf, "%s/link", dir); unlink(buf); show(rmdir(dir));
}
