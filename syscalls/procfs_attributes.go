package syscalls

import (
	"encoding/binary"
	"strings"

	"emu/internal/armabi"

	"golang.org/x/sys/unix"
)

// What calls say of a made up file is what they say of the file of /proc whose name it has. That it is one shows first
// by its mode, which comes with every struct stat.

// realName is where the file of /proc is that has the name of a made up file: a directory's descriptor and a path.
// Files of a process that has ended look like one that is always there.
func (p *Process) realName(name string) (dir int, path string) {
	for _, name := range [...]string{name, procPrefix + "version"} {
		var st unix.Stat_t
		dir, path = unix.AT_FDCWD, name
		if p.Proc > 0 {
			dir, path = p.Proc, strings.TrimPrefix(name, procPrefix)
		}
		if unix.Fstatat(dir, path, &st, 0) == nil {
			break
		}
	}
	return dir, path
}

// madeUpAt returns the name of the made up file that a path leads to, or the descriptor dir if there is none.
func (t *Task) madeUpAt(dir int, path uint64) (name string, ok bool) {
	s := ""
	if path != 0 {
		s, _ = t.p.cstring(path, pathMax)
	}
	if s == "" {
		return t.p.madeUpName(dir)
	}
	fd, err := unix.Openat(dir, s, unix.O_PATH|unix.O_CLOEXEC, 0)
	if err != nil {
		return "", false
	}
	defer unix.Close(fd)
	return t.p.madeUpName(fd)
}

// realStat replaces what fstat or newfstatat have said of a made up file in the thread's scratch memory.
func (t *Task) realStat() {
	const modeAt = 24
	st := t.th.Scratch[scratchSmall:]
	if binary.LittleEndian.Uint32(st[modeAt:]) != armabi.MadeUpMode {
		return
	}
	path := uint64(0)
	if t.call.row.Host == unix.SYS_NEWFSTATAT {
		path = t.call.args[1]
	}
	name, ok := t.madeUpAt(int(int32(t.call.args[0])), path)
	if !ok {
		return
	}
	dir, real := t.p.realName(name)
	t.host(unix.SYS_NEWFSTATAT, &Args{uint64(dir), t.putPath(scratchPath, real), uint64(t.th.ScratchAddr(scratchSmall))})
}

// realStatx does it for the guest's struct statx.
func (t *Task) realStatx() {
	const modeAt = 28
	a := &t.call.args
	if mode, e := load[uint16](t.p, a[4]+modeAt); e != 0 || mode != armabi.MadeUpMode&0xffff {
		return
	}
	name, ok := t.madeUpAt(int(int32(a[0])), a[1])
	if !ok {
		return
	}
	dir, real := t.p.realName(name)
	t.host(unix.SYS_STATX, &Args{uint64(dir), t.putPath(scratchPath, real), a[2] &^ unix.AT_EMPTY_PATH, a[3], t.p.plain(a[4])})
}

// sysFstatfs implements fstatfs(2).
func sysFstatfs(t *Task, a *Args) int64 {
	return t.realStatfs(t.host(unix.SYS_FSTATFS, a), int(int32(a[0])), 0)
}

// sysStatfs implements statfs(2).
func sysStatfs(t *Task, a *Args) int64 {
	if e := t.translatePaths(t.call.row, a); e != 0 {
		return fail(e)
	}
	return t.realStatfs(t.host(unix.SYS_STATFS, a), unix.AT_FDCWD, t.call.args[0])
}

// realStatfs replaces what either has said, with result r, of a made up file.
func (t *Task) realStatfs(r int64, dir int, path uint64) int64 {
	out := t.call.args[1]
	if kind, e := load[uint64](t.p, out); r < 0 || e != 0 || kind != unix.TMPFS_MAGIC {
		return r
	}
	if _, ok := t.madeUpAt(dir, path); !ok {
		return r
	}
	if t.p.Proc > 0 {
		return t.host(unix.SYS_FSTATFS, &Args{uint64(t.p.Proc), t.p.plain(out)})
	}
	return t.host(unix.SYS_STATFS, &Args{t.putPath(scratchPath, procPrefix), t.p.plain(out)})
}

// realLink gives the n bytes of a link's text that a call has handed to the guest as argument 2 the name of the
// file of /proc, if they are that of a made up one.
func (t *Task) realLink(a *Args, n int64) int64 {
	const prefix = memfdPrefix + procPrefix
	var begin [len(prefix)]byte
	some := begin[:max(min(n, int64(len(prefix))), 0)]
	if len(some) == 0 || t.p.copyIn(some, a[2]) != 0 || string(some) != prefix[:len(some)] {
		return n
	}
	whole := *a
	whole[2], whole[3] = uint64(t.th.ScratchAddr(scratchPath2)), pathMax
	if all := t.host(unix.SYS_READLINKAT, &whole); all > 0 {
		if name, ok := madeUpTarget(string(t.th.Scratch[scratchPath2 : scratchPath2+int(all)])); ok {
			return t.linkText(a, []byte(name))
		}
	}
	return n
}
