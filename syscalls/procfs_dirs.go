package syscalls

import (
	"encoding/binary"
	"path"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// sysGetdents64 implements getdents64(2).
func sysGetdents64(t *Task, a *Args) int64 {
	for {
		r := t.host(unix.SYS_GETDENTS64, a)
		if r <= 0 {
			return r
		}
		var fs unix.Statfs_t
		if unix.Fstatfs(int(int32(a[0])), &fs) != nil || fs.Type != unix.PROC_SUPER_MAGIC {
			return r
		}
		if r = t.hideEntries(a, r); r != 0 {
			return r
		}
	}
}

// hideEntries removes what is emu's from n bytes of directory entries of /proc: its
// threads and descriptors. It returns how many bytes remain.
func (t *Task) hideEntries(a *Args, n int64) int64 {
	fd := int(int32(a[0]))
	name, err := t.p.readProcLink("self/fd/" + strconv.Itoa(fd))
	if err != nil {
		return n
	}
	if name == "/" { // the guest's root directory
		name = t.p.procRoot(fd)
	}
	dir, kind := path.Split(name)
	// A thread's directory shows the process's descriptors, too.
	self := t.p.numberIn(fd)
	own := strings.HasPrefix(dir, procPrefix+self+"/")
	number, inner, _ := strings.Cut(strings.TrimPrefix(dir, procPrefix), "/")
	other, _ := strconv.Atoi(number)
	if !own && inner == "" && kind == "task" && sameProgram(other) {
		return t.filterEntries(a, n, func(tid int) bool { return tid == other || isGuest(other, tid) })
	}
	if !own || kind != "task" && kind != "fd" && kind != "fdinfo" {
		return n
	}
	if kind == "task" && self != strconv.Itoa(t.p.pid) {
		return n // numbers of another namespace
	}
	if kind != "task" {
		return t.filterEntries(a, n, func(fd int) bool { return !t.hidden(uint64(fd)) })
	}
	workers := t.p.workers()
	return t.filterEntries(a, n, func(number int) bool {
		_, err := t.p.task(number)
		return err == nil || number == t.p.pid || slices.Contains(workers, uint32(number))
	})
}

// numberIn is the process's number in the /proc that a descriptor leads to: that of its
// parent's namespace of process ids is another one than its own, and stays where it is mounted.
func (p *Process) numberIn(fd int) string {
	var dir, proc unix.Stat_t
	if p.Proc > 0 && unix.Fstat(fd, &dir) == nil && unix.Fstat(p.Proc, &proc) == nil && dir.Dev == proc.Dev {
		if self, err := p.readProcLink("self"); err == nil {
			return self
		}
	}
	return strconv.Itoa(p.pid)
}

// procRoot is the name of a directory of /proc that is the guest's root: a sandbox's may be the
// process's own list of descriptors, which is empty once the process that chose it has ended.
func (p *Process) procRoot(fd int) string {
	var dir unix.Stat_t
	if unix.Fstat(fd, &dir) != nil {
		return "/"
	}
	for _, kind := range [...]string{"fd", "fdinfo"} {
		if p.isOwn(kind, dir.Dev, dir.Ino) {
			return procPrefix + p.numberIn(fd) + "/" + kind
		}
	}
	return "/"
}

// filterEntries removes the entries that are numbers and not to be kept.
func (t *Task) filterEntries(a *Args, n int64, keep func(number int) bool) int64 {
	b := make([]byte, n)
	if t.p.copyIn(b, a[1]) != 0 {
		return n
	}
	out := filterDirents(b, keep)
	if e := t.p.copyOut(a[1], out); e != 0 {
		return fail(e)
	}
	return int64(len(out))
}

// filterDirents removes entries from b, which has the kernel's struct linux_dirent64 one
// behind the other, or what another thread of the guest has written over them since: what
// is behind an entry with an impossible length stays.
func filterDirents(b []byte, keep func(number int) bool) []byte {
	out := b[:0]
	for len(b) > direntName {
		size := int(binary.LittleEndian.Uint16(b[direntReclen:]))
		if size <= direntName || size > len(b) {
			break
		}
		entry := b[:size]
		b = b[size:]
		text, _, _ := strings.Cut(string(entry[direntName:]), "\x00")
		number, err := strconv.Atoi(text)
		if err == nil && !keep(number) {
			continue
		}
		out = append(out, entry...)
	}
	return append(out, b...)
}

// taskLinks makes the link count of /proc/self/task in st, a struct stat of the host, that
// of a directory with the guest's threads only: programs tell by it whether they have
// more than one (Chromium's zygote does, by fstatat). fstat, which generated code makes
// itself, shows the host's.
func (p *Process) taskLinks(st []byte) {
	const inoAt, nlinkAt, modeAt = 8, 16, 24
	le := binary.LittleEndian
	if le.Uint32(st[modeAt:]) == taskMode && p.isOwn("task", le.Uint64(st), le.Uint64(st[inoAt:])) {
		le.PutUint64(st[nlinkAt:], uint64(2+p.threads()))
	}
}

// taskLinksX does it for the guest's struct statx at addr.
func (p *Process) taskLinksX(addr uint64) {
	const nlinkAt, modeAt, inoAt, majorAt, minorAt, size = 16, 28, 32, 136, 140, 144
	var b [size]byte
	le := binary.LittleEndian
	if p.copyIn(b[:], addr) != 0 || uint32(le.Uint16(b[modeAt:])) != taskMode || le.Uint32(b[0:])&unix.STATX_NLINK == 0 {
		return
	}
	if p.isOwn("task", unix.Mkdev(le.Uint32(b[majorAt:]), le.Uint32(b[minorAt:])), le.Uint64(b[inoAt:])) {
		save(p, addr+nlinkAt, uint32(2+p.threads()))
	}
}

// taskMode is st_mode of a directory of threads.
const taskMode = unix.S_IFDIR | 0o555

// isOwn reports whether a file is the directory of that name in this process's of /proc.
func (p *Process) isOwn(name string, dev, ino uint64) bool {
	var own unix.Stat_t
	return p.Proc > 0 && unix.Fstatat(p.Proc, "self/"+name, &own, 0) == nil && own.Dev == dev && own.Ino == ino
}
