package syscalls

import (
	"encoding/binary"
	"runtime"
	"strconv"
	"strings"

	"emu/internal/armabi"

	"golang.org/x/sys/unix"
)

// openHowSize is the size of the first version of struct open_how.
const openHowSize = 24

// sysOpenat implements openat(2).
func sysOpenat(t *Task, a *Args) int64 {
	s := t.pathAt(a[1])
	if fd, ok := t.openSpecial(int(int32(a[0])), s, a[2]); ok {
		return fd
	}
	flags := armabi.OpenFlags(a[2])
	if !mayBeBusy(flags) {
		return t.openat(s, a, flags)
	}
	return t.p.opened(flags, openIdle(flags, func(flags uint64) int64 { return t.openat(s, a, flags) }))
}

// openat opens the file s with the host's flags.
func (t *Task) openat(s string, a *Args, flags uint64) int64 {
	host := *a
	host[2] = flags
	root := t.p.root.Load()
	if root == nil || s == noPath {
		return t.openHost(int(int32(a[0])), s, &host)
	}
	flags &= armabi.OpenKnown
	if flags&unix.O_PATH != 0 {
		flags &= armabi.OpenPath
	}
	how := t.scratchBuf(openHowSize)
	clear(how)
	binary.LittleEndian.PutUint64(how, flags)
	if flags&(unix.O_TMPFILE&^unix.O_DIRECTORY) != 0 {
		binary.LittleEndian.PutUint64(how[8:], a[3]&0o7777)
	}
	return t.openRooted(root, s, how, &host, unix.SYS_OPENAT)
}

// openHost opens a file without a sysroot.
func (t *Task) openHost(dir int, s string, host *Args) int64 {
	if s != noPath {
		name, same, e := t.hostPath(dir, s, useFollow)
		if e != 0 {
			return fail(e)
		}
		if !same {
			host[1] = t.putPath(scratchPath, name)
		}
	}
	return t.host(unix.SYS_OPENAT, host)
}

// sysOpenat2 implements openat2(2).
func sysOpenat2(t *Task, a *Args) int64 {
	if a[3] < openHowSize {
		return fail(unix.EINVAL)
	}
	if a[3] > maxStruct {
		return fail(unix.E2BIG)
	}
	how := t.scratchBuf(int(a[3]))
	if e := t.p.copyStruct(how, a[2], openHowSize); e != 0 {
		return fail(e)
	}
	le := binary.LittleEndian
	flags, resolve := le.Uint64(how), le.Uint64(how[16:])
	s := t.pathAt(a[1])
	if resolve == 0 {
		if fd, ok := t.openSpecial(int(int32(a[0])), s, flags); ok {
			return fd
		}
	}
	flags = armabi.OpenFlags(flags)
	if !mayBeBusy(flags) {
		return t.openat2(s, a, flags, how)
	}
	whole := append([]byte(nil), how...)
	return t.p.opened(flags, openIdle(flags, func(flags uint64) int64 {
		copy(how, whole)
		if flags&unix.O_PATH != 0 {
			le.PutUint64(how[8:], 0) // a mode is for files that are made
		}
		return t.openat2(s, a, flags, how)
	}))
}

// openat2 opens the file s with the host's flags and the rest of how.
func (t *Task) openat2(s string, a *Args, flags uint64, how []byte) int64 {
	le := binary.LittleEndian
	resolve := le.Uint64(how[16:])
	le.PutUint64(how, flags)
	host := *a
	host[2] = pin(how)
	root := t.p.root.Load()
	if root == nil || s == noPath || resolve&(unix.RESOLVE_BENEATH|unix.RESOLVE_IN_ROOT) != 0 {
		return t.host(unix.SYS_OPENAT2, &host) // the directory bounds the path already
	}
	bounded := append([]byte(nil), how...)
	r := t.openRooted(root, s, bounded, &host, unix.SYS_OPENAT2)
	runtime.KeepAlive(bounded)
	return r
}

// openRooted opens s with a sysroot: with one call to the host if the file is
// there, for which how is a struct open_how, else by the name that the host knows it
// by, with the host call nr, whose arguments are host.
func (t *Task) openRooted(r *sysroot, s string, how []byte, host *Args, nr uintptr) int64 {
	le := binary.LittleEndian
	dir, flags := int(int32(host[0])), le.Uint64(how)
	u := useFollow
	switch {
	case flags&unix.O_CREAT != 0 && flags&(unix.O_EXCL|unix.O_NOFOLLOW) != 0:
		u = useNew
	case flags&unix.O_CREAT != 0:
		u = useCreate
	case flags&unix.O_NOFOLLOW != 0:
		u = useLink
	}
	var name string
	var same bool
	var e unix.Errno
	program, ofProc := t.programAt(dir, s, u)
	switch at, resolve, ok := r.bounds(dir, s); {
	case ofProc:
		name = program
	case !ok || u == useNew || u == useCreate:
		name, same, e = r.findAt(dir, s, u)
	default:
		resolve |= le.Uint64(how[16:])
		x, plain := fail(unix.ELOOP), r.noLinks(s)
		if plain { // see probe
			le.PutUint64(how[16:], resolve|unix.RESOLVE_NO_SYMLINKS)
			x = t.host(unix.SYS_OPENAT2, &Args{uint64(at), host[1], pin(how), uint64(len(how))})
		}
		if x == fail(unix.ELOOP) {
			if plain {
				r.metLink(s)
				plain = false
			}
			le.PutUint64(how[16:], resolve)
			x = t.host(unix.SYS_OPENAT2, &Args{uint64(at), host[1], pin(how), uint64(len(how))})
		}
		switch {
		case x == fail(unix.EAGAIN):
			name, same, e = r.findAt(dir, s, u)
		case x == fail(unix.ENOENT), x == fail(unix.EXDEV), x == fail(unix.ELOOP):
			name, same, e = r.notThere(dir, s, u, unix.Errno(-x), plain)
		default:
			return x
		}
	}
	if e != 0 {
		return fail(e)
	}
	if !same {
		if len(name) >= pathMax {
			return fail(unix.ENAMETOOLONG)
		}
		host[1] = t.putPath(scratchPath, name)
	}
	return t.host(nr, host)
}

// sysOpenByHandleAt implements open_by_handle_at(2).
func sysOpenByHandleAt(t *Task, a *Args) int64 {
	open := func(flags uint64) int64 {
		host := *a
		host[2] = flags
		return t.host(unix.SYS_OPEN_BY_HANDLE_AT, &host)
	}
	flags := armabi.OpenFlags(a[2])
	if !mayBeBusy(flags) {
		return open(flags)
	}
	return openIdle(flags, open)
}

// openSpecial opens files whose content must be the guest's and not emu's. ok is
// false for all others.
func (t *Task) openSpecial(dir int, s string, flags uint64) (fd int64, ok bool) {
	if s == noPath || flags&unix.O_PATH != 0 {
		return 0, false
	}
	file := t.procName(dir, s)
	if file == "" {
		return 0, false
	}
	content, ok := t.procFile(file)
	if !ok {
		return 0, false
	}
	// Where the machine has no such file (proc mounted with subset=pid), or does not let the process open it,
	// the guest has none either.
	host, err := unix.Openat(dir, s, int(armabi.OpenFlags(flags&^(unix.O_CREAT|unix.O_EXCL|unix.O_TRUNC))|unix.O_CLOEXEC), 0)
	if err == unix.ENOENT && flags&unix.O_CREAT != 0 {
		return 0, false
	}
	if err != nil {
		return errnoOf(err), true
	}
	unix.Close(host)
	if flags&unix.O_CREAT != 0 && flags&unix.O_EXCL != 0 {
		return fail(unix.EEXIST), true
	}
	return t.openMadeUp(file, content, int(flags&(unix.O_CLOEXEC|unix.O_NONBLOCK))), true
}

// fileOf returns a read-only descriptor of a file with the given content.
func (p *Process) fileOf(name string, content []byte, flags int) int64 {
	mem, err := unix.MemfdCreate(name, unix.MFD_CLOEXEC)
	if err != nil {
		return errnoOf(err)
	}
	err = unix.Fchmod(mem, armabi.MadeUpMode&^unix.S_IFMT)
	if err == nil {
		err = writeAll(mem, content)
	}
	if err != nil {
		unix.Close(mem)
		return errnoOf(err)
	}
	fd, err := p.openProc("self/fd/"+strconv.Itoa(mem), unix.O_RDONLY|flags)
	unix.Close(mem)
	if err != nil {
		return errnoOf(err)
	}
	// The guest gets the lowest number that is free, as from any open.
	dup := unix.F_DUPFD
	if flags&unix.O_CLOEXEC != 0 {
		dup = unix.F_DUPFD_CLOEXEC
	}
	low, err := unix.FcntlInt(uintptr(fd), dup, 0)
	if err != nil || low > fd {
		unix.Close(low)
		return int64(fd)
	}
	unix.Close(fd)
	return int64(low)
}

// writeAll writes content to the beginning of a file.
func writeAll(fd int, content []byte) error {
	for off := 0; off < len(content); {
		n, err := unix.Pwrite(fd, content[off:], int64(off))
		if err != nil {
			return err
		}
		off += n
	}
	return nil
}

func errnoOf(err error) int64 {
	if e, ok := err.(unix.Errno); ok {
		return fail(e)
	}
	return fail(unix.EIO)
}

// sysReadlinkat implements readlinkat(2).
func sysReadlinkat(t *Task, a *Args) int64 {
	dir, s := int(int32(a[0])), t.pathAt(a[1])
	if int32(a[3]) <= 0 {
		return fail(unix.EINVAL)
	}
	if s != noPath {
		if link, ok := t.procLink(dir, s); ok {
			return t.linkText(a, []byte(link))
		}
	}
	r := t.p.root.Load()
	if r == nil {
		return t.realLink(a, t.host(unix.SYS_READLINKAT, a))
	}
	host := *a
	found := probed{place: place{fd: -1}}
	if s != noPath {
		found = r.probe(dir, s, useLink)
	}
	fd := found.fd
	switch {
	case fd >= 0:
		defer found.close()
		host[0], host[1] = uint64(fd), t.putPath(scratchPath, "")
	case found.tried && found.e == 0:
		host[1] = t.putPath(scratchPath, found.name)
	case s != noPath:
		var name string
		var e unix.Errno
		same := false
		if found.tried {
			name, same, e = r.notThere(dir, s, useLink, found.e, found.plain)
		} else {
			name, same, e = r.findOutside(dir, s, useLink)
		}
		if e != 0 {
			return fail(e)
		}
		if !same {
			host[1] = t.putPath(scratchPath, name)
		}
	}
	host[2], host[3] = uint64(t.th.ScratchAddr(scratchPath2)), pathMax
	n := t.host(unix.SYS_READLINKAT, &host)
	switch {
	case n == fail(unix.ENOENT) && fd >= 0:
		return fail(unix.EINVAL) // open, but no link
	case n < 0:
		return n
	}
	text := string(t.th.Scratch[scratchPath2 : scratchPath2+int(n)])
	if guest, ok := r.inside(text); ok && onProc(dir, s) {
		text = guest
	}
	if name, ok := madeUpTarget(text); ok {
		text = name
	}
	return t.linkText(a, []byte(text))
}

// onProc reports whether a path leads into /proc.
func onProc(dir int, s string) bool {
	if !strings.HasPrefix(s, "/") {
		name, e := dirName(dir)
		if e != 0 {
			return false
		}
		s = name + "/" + s
	}
	return strings.HasPrefix(s, procPrefix)
}

// linkText hands the target of a link to the guest.
func (t *Task) linkText(a *Args, text []byte) int64 {
	text = text[:min(len(text), int(int32(a[3])))]
	if e := t.p.copyOut(a[2], text); e != 0 {
		return fail(e)
	}
	return int64(len(text))
}
