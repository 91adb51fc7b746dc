package syscalls

import (
	"math/bits"
	"path"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// pathMax is PATH_MAX.
const pathMax = 4096

// translatePaths replaces the paths among a call's arguments that mean something
// else to the host: those below the sysroot and those of /proc/self that would
// show emu. Addresses that cannot be read stay as they are: the kernel reports
// them.
func (t *Task) translatePaths(row *Row, a *Args) {
	slot := scratchPath
	for m := row.paths; m != 0; m &= m - 1 {
		i := bits.TrailingZeros8(m)
		if a[i] == 0 || !t.mayDiffer(a[i]) {
			continue
		}
		s, e := t.p.cstring(a[i], pathMax)
		if e != 0 || s == "" {
			continue
		}
		host := t.hostPath(s, t.follows(row, a))
		if host == s || len(host) >= pathMax {
			continue
		}
		n := copy(t.th.Scratch[slot:], host)
		t.th.Scratch[slot+n] = 0
		a[i] = uint64(t.th.ScratchAddr(slot))
		slot = scratchPath2
	}
}

const procPrefix = "/proc/"

// mayDiffer reports whether the path at addr may mean something else to the host,
// without reading all of it.
func (t *Task) mayDiffer(addr uint64) bool {
	return t.p.Sysroot != "" || t.inProc(addr)
}

// inProc reports whether the path at addr begins with /proc/, or may, because it
// lies at the end of a mapping.
func (t *Task) inProc(addr uint64) bool {
	var head [len(procPrefix)]byte
	return t.p.copyIn(head[:], addr) != 0 || string(head[:]) == procPrefix
}

// follows reports whether a call follows a symbolic link at the end of a path.
func (t *Task) follows(row *Row, a *Args) bool {
	for i, k := range row.Args {
		switch k {
		case AtFlags:
			if i < len(a) && a[i]&unix.AT_SYMLINK_NOFOLLOW != 0 {
				return false
			}
		case OpenFlags:
			if a[i]&armO_NOFOLLOW != 0 {
				return false
			}
		}
	}
	switch row.Name {
	case "readlinkat", "unlinkat", "renameat", "renameat2", "lsetxattr", "lgetxattr", "llistxattr", "lremovexattr":
		return false
	}
	return true
}

// hostPath is the host's name for a guest path.
func (t *Task) hostPath(s string, follow bool) string {
	if follow && strings.HasPrefix(s, procPrefix) {
		if file, ok := t.procSelf(s); ok && file == "exe" {
			return t.p.Exe
		}
	}
	if t.p.Sysroot == "" || !strings.HasPrefix(s, "/") {
		return s
	}
	inside := t.p.Sysroot + path.Clean(s)
	if strings.HasSuffix(s, "/") {
		inside += "/"
	}
	var st unix.Stat_t
	if unix.Lstat(inside, &st) == nil {
		return inside
	}
	return s
}

// procSelf recognises a path to a file about the guest's own process and returns
// its name below /proc/self.
func (t *Task) procSelf(s string) (file string, ok bool) {
	rest, ok := strings.CutPrefix(path.Clean(s), procPrefix)
	if !ok {
		return "", false
	}
	who, file, ok := strings.Cut(rest, "/")
	if !ok {
		return "", false
	}
	switch who {
	case "self", "thread-self", strconv.Itoa(t.p.pid), strconv.Itoa(t.tid):
	default:
		return "", false
	}
	if task, ok := strings.CutPrefix(file, "task/"); ok {
		tid, inner, ok := strings.Cut(task, "/")
		if n, err := strconv.Atoi(tid); ok && err == nil {
			if _, err := t.p.task(n); err == nil {
				file = inner
			}
		}
	}
	return file, true
}

// isProcExe reports whether the string at addr is /proc/self/exe under any of
// its names.
func (t *Task) isProcExe(addr uint64) bool {
	if !t.inProc(addr) {
		return false
	}
	s, e := t.p.cstring(addr, pathMax)
	if e != 0 || !strings.HasPrefix(s, procPrefix) {
		return false
	}
	file, ok := t.procSelf(s)
	return ok && file == "exe"
}

// openSpecial opens files whose content must be the guest's and not emu's. ok is
// false for all others.
func (t *Task) openSpecial(dirfd, addr, flags uint64) (fd int64, ok bool) {
	if !t.inProc(addr) {
		return 0, false
	}
	s, e := t.p.cstring(addr, pathMax)
	if e != 0 || !strings.HasPrefix(s, procPrefix) {
		return 0, false
	}
	content, ok := t.procFile(s)
	if !ok {
		return 0, false
	}
	if flags&unix.O_ACCMODE != unix.O_RDONLY && unix.Geteuid() != 0 {
		return fail(unix.EACCES), true
	}
	if flags&armO_DIRECTORY != 0 {
		return fail(unix.ENOTDIR), true
	}
	return fileOf(path.Base(s), content, int(flags&(unix.O_CLOEXEC|unix.O_NONBLOCK))), true
}

// fileOf returns a read-only descriptor of a file with the given content.
func fileOf(name string, content []byte, flags int) int64 {
	mem, err := unix.MemfdCreate(name, unix.MFD_CLOEXEC)
	if err != nil {
		return errnoOf(err)
	}
	defer unix.Close(mem)
	for off := 0; off < len(content); {
		n, err := unix.Pwrite(mem, content[off:], int64(off))
		if err != nil {
			return errnoOf(err)
		}
		off += n
	}
	fd, err := unix.Open("/proc/self/fd/"+strconv.Itoa(mem), unix.O_RDONLY|flags, 0)
	if err != nil {
		return errnoOf(err)
	}
	return int64(fd)
}

func errnoOf(err error) int64 {
	if e, ok := err.(unix.Errno); ok {
		return fail(e)
	}
	return fail(unix.EIO)
}
