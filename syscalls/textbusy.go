package syscalls

import (
	"os"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// A file that is being executed cannot be opened for writing or truncated (ETXTBSY). What
// the host executes is emu, so each process holds a read lock on its program, on a byte
// that no file has, and who opens a file for writing asks for the lock that would be in
// its way. It is the open file description's (F_OFD_SETLK), which children of fork
// share, and goes with the last of them. That programs are not open for writing when they are
// executed is the host's to see (execution.allowed).

// runningByte is the byte.
const runningByte = 1<<62 + 0x656d75

// localFiles are the file systems, by statfs's f_type, on which a lock is a matter of this
// kernel: to others it may mean to wait for a network.
var localFiles = map[int64]bool{
	unix.EXT4_SUPER_MAGIC: true, unix.XFS_SUPER_MAGIC: true, unix.BTRFS_SUPER_MAGIC: true, unix.F2FS_SUPER_MAGIC: true, unix.TMPFS_MAGIC: true,
	unix.RAMFS_MAGIC: true, unix.OVERLAYFS_SUPER_MAGIC: true, unix.SQUASHFS_MAGIC: true, unix.EROFS_SUPER_MAGIC_V1: true, zfsMagic: true,
}

const zfsMagic = 0x2fc12fc1

// lockOn asks for, or about, a lock on runningByte.
func lockOn(fd, how int, kind int16) (unix.Flock_t, error) {
	l := unix.Flock_t{Type: kind, Start: runningByte, Len: 1}
	err := unix.FcntlFlock(uintptr(fd), how, &l)
	return l, err
}

// HoldProgram says to all who run emu that the process runs the program that fd is, as long as a
// descriptor of the same open file lives: it makes one that does and returns that, 0 if it has made none.
func HoldProgram(fd int) (held int) {
	var fs unix.Statfs_t
	if unix.Fstatfs(fd, &fs) != nil || !localFiles[int64(fs.Type)] {
		return 0
	}
	if _, err := lockOn(fd, unix.F_OFD_SETLK, unix.F_RDLCK); err == nil {
		held, _ = unix.FcntlInt(uintptr(fd), unix.F_DUPFD_CLOEXEC, fd)
	}
	return max(held, 0)
}

// running reports whether the file that fd is is a program that runs under emu. Locks of whole files are in the way of
// that byte's as well: where there is one, programs cannot be told from other files.
func running(fd int) bool {
	l, err := lockOn(fd, unix.F_OFD_GETLK, unix.F_WRLCK)
	return err == nil && l.Type == unix.F_RDLCK && l.Start == runningByte && l.Len == 1
}

// runningBehind is that for a descriptor with O_PATH, if its file can be written to.
func runningBehind(fd int) bool {
	var st unix.Stat_t
	if unix.Fstat(fd, &st) != nil || st.Mode&unix.S_IFMT != unix.S_IFREG || st.Mode&0o111 == 0 ||
		unix.Faccessat2(fd, "", unix.W_OK, unix.AT_EACCESS|unix.AT_EMPTY_PATH) != nil || locked(st.Ino) {
		return false
	}
	file, err := unix.Open("/proc/self/fd/"+strconv.Itoa(fd), unix.O_RDONLY|unix.O_CLOEXEC|unix.O_NONBLOCK, 0)
	if err != nil {
		return false
	}
	defer unix.Close(file)
	return running(file)
}

// locked reports whether the process has a record lock on a file, by its number (proc_locks(5)): it would be lost with the first
// descriptor of the file that is closed.
func locked(ino uint64) bool {
	self, err := os.Readlink("/proc/self")
	if err != nil {
		return false
	}
	locks, err := os.ReadFile("/proc/locks")
	if err != nil {
		return false
	}
	for line := range strings.Lines(string(locks)) {
		// 1: POSIX  ADVISORY  WRITE 4711 fe:00:131085 0 EOF
		f := strings.Fields(line)
		if len(f) > 5 && f[1] == "POSIX" && f[4] == self && strings.HasSuffix(f[5], ":"+strconv.FormatUint(ino, 10)) {
			return true
		}
	}
	return false
}

// mayBeBusy reports whether open with flags, the host's, fails for a program that runs.
func mayBeBusy(flags uint64) bool {
	const fresh = unix.O_CREAT | unix.O_EXCL
	return flags&(unix.O_PATH|unix.O_DIRECTORY) == 0 && flags&fresh != fresh && flags&(unix.O_ACCMODE|unix.O_TRUNC) != 0
}

// openIdle opens a file for writing if it is not a program that runs. What O_TRUNC would do
// cannot be undone, so the file is looked at before.
func openIdle(flags uint64, open func(flags uint64) int64) int64 {
	if flags&unix.O_TRUNC == 0 {
		fd := open(flags)
		if fd >= 0 && running(int(fd)) {
			unix.Close(int(fd))
			return fail(unix.ETXTBSY)
		}
		return fd
	}
	if fd := open(flags&unix.O_NOFOLLOW | unix.O_PATH | unix.O_CLOEXEC); fd >= 0 {
		busy := runningBehind(int(fd))
		unix.Close(int(fd))
		if busy {
			return fail(unix.ETXTBSY)
		}
	}
	return open(flags)
}

// sysTruncate implements truncate(2).
func sysTruncate(t *Task, a *Args) int64 {
	if e := t.translatePaths(t.call.row, a); e != 0 {
		return fail(e)
	}
	at := int64(unix.AT_FDCWD)
	if fd := t.host(unix.SYS_OPENAT, &Args{uint64(at), a[0], unix.O_PATH | unix.O_CLOEXEC}); fd >= 0 {
		busy := runningBehind(int(fd))
		unix.Close(int(fd))
		if busy {
			return fail(unix.ETXTBSY)
		}
	}
	return t.host(unix.SYS_TRUNCATE, a)
}
