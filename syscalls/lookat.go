package syscalls

import (
	"encoding/binary"
	"math/bits"
	"strings"

	"golang.org/x/sys/unix"
)

// Calls that only look at what a path leads to take a descriptor and an empty path as
// well (AT_EMPTY_PATH). With a sysroot they are made on the file that openat2(2) finds
// there, which is cheaper than to find out its name, or on the name itself where there
// is no directory on the way that might be a link.

// A modeFunc returns st_mode of what a call has just said of a file. ok is false if it
// was not asked to say it.
type modeFunc func(t *Task, a *Args) (mode uint32, ok bool)

// modeOf returns the modeFunc of a call that the host makes as it is, nil if there is
// none.
func modeOf(row *Row) modeFunc {
	if row.Host == unix.SYS_STATX {
		return modeOfStatx
	}
	return nil
}

func modeOfStatx(t *Task, a *Args) (mode uint32, ok bool) {
	const offMode = 28
	var b [2]byte
	ok = a[3]&unix.STATX_TYPE != 0 && t.p.copyIn(b[:], a[4]+offMode) == 0
	return uint32(binary.LittleEndian.Uint16(b[:])), ok
}

// modeOfStat is for what newfstatat has written to the thread's scratch memory.
func modeOfStat(t *Task, a *Args) (mode uint32, ok bool) {
	const offMode = 24
	return binary.LittleEndian.Uint32(t.th.Scratch[scratchSmall+offMode:]), true
}

// lookAt makes the host call nr, row's or one like it, on what the path among its
// arguments leads to. mode may be nil.
func (t *Task) lookAt(row *Row, a *Args, nr uintptr, mode modeFunc) int64 {
	r := t.p.root.Load()
	i := bits.TrailingZeros8(row.paths)
	s := t.pathAt(a[i])
	if r == nil || s == noPath {
		return t.lookAtName(row, a, nr)
	}
	dir, u := dirOf(row, a, i), useOf(row, a, i)
	at, resolve, bounded := r.bounds(dir, s)
	if !bounded || strings.HasSuffix(s, "exe") && t.procName(dir, s) != "" {
		return t.lookAtName(row, a, nr)
	}
	x, e, plain := int64(0), unix.Errno(0), false
	if name := onlyName(s); name != "" && mode != nil {
		var link bool
		if x, link = t.lookAtOnly(row, a, nr, at, name, mode); u == useLink || !link {
			if x != fail(unix.ENOENT) {
				return x
			}
			e, plain = unix.ENOENT, true
		} else {
			x, e, plain = t.lookAtOpen(row, a, nr, at, s, u, resolve)
		}
	} else {
		x, e, plain = t.lookAtOpen(row, a, nr, at, s, u, resolve)
	}
	switch {
	case e == 0:
		return x
	case noDescriptors(e):
		return t.lookAtName(row, a, nr)
	}
	host, same, e := r.notThere(dir, s, u, e, plain)
	switch {
	case e != 0:
		return fail(e)
	case same:
		return t.host(nr, a)
	}
	return t.lookAtHost(a, i, nr, host)
}

// lookAtName makes the call with the name that the host knows the file by.
func (t *Task) lookAtName(row *Row, a *Args, nr uintptr) int64 {
	if e := t.translatePaths(row, a); e != 0 {
		return fail(e)
	}
	return t.host(nr, a)
}

func (t *Task) lookAtHost(a *Args, i int, nr uintptr, host string) int64 {
	if len(host) >= pathMax {
		return fail(unix.ENAMETOOLONG)
	}
	a[i] = t.putPath(scratchPath, host)
	return t.host(nr, a)
}

// onlyName returns the one name that a path consists of, "." for the root directory,
// or "" if there is more to look up.
func onlyName(s string) string {
	name := strings.TrimLeft(s, "/")
	switch {
	case name == "":
		return "."
	case name == ".." || strings.IndexByte(name, '/') >= 0:
		return ""
	}
	return name
}

// lookAtOnly makes the call on a name in the directory at, and reports whether it turned
// out to be a symbolic link's, or may be one's.
func (t *Task) lookAtOnly(row *Row, a *Args, nr uintptr, at int, name string, mode modeFunc) (x int64, link bool) {
	b := *a
	i := bits.TrailingZeros8(row.paths)
	b[i-1], b[i] = uint64(at), t.putPath(scratchPath, name)
	for j, k := range row.Args {
		if k == AtFlags {
			b[j] |= unix.AT_SYMLINK_NOFOLLOW
		}
	}
	if x = t.host(nr, &b); x < 0 {
		return x, false
	}
	m, ok := mode(t, &b)
	return x, !ok || m&unix.S_IFMT == unix.S_IFLNK
}

// lookAtOpen makes the call on the file that openat2 finds within its bounds. opened is
// the error of finding it, and plain reports whether no symbolic link was met; see probe.
func (t *Task) lookAtOpen(row *Row, a *Args, nr uintptr, at int, s string, u use, resolve uint64) (x int64, opened unix.Errno, plain bool) {
	i := bits.TrailingZeros8(row.paths)
	var host [6]uintptr
	for j, v := range a {
		host[j] = uintptr(v)
		if j < len(row.Args) && row.Args[j] == AtFlags {
			host[j] |= unix.AT_EMPTY_PATH
		}
	}
	path := uintptr(t.putPath(scratchPath, s))
	how := unix.OpenHow{Flags: u.flags() | unix.O_PATH | unix.O_CLOEXEC, Resolve: resolve}
	r := t.p.root.Load()
	if plain = r.noLinks(s); plain {
		how.Resolve |= unix.RESOLVE_NO_SYMLINKS
	}
	for range openTries {
		var y uintptr
		y, opened = t.th.CallOpened(at, path, &how, nr, i-1, &host)
		switch {
		case opened == unix.ELOOP && plain:
			r.metLink(s)
			how.Resolve = resolve
			plain = false
			continue
		case opened == unix.EAGAIN || opened == unix.EINTR:
			continue
		}
		return int64(y), opened, plain
	}
	return 0, opened, plain
}
