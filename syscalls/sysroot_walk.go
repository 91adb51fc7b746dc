package syscalls

import (
	"strings"

	"golang.org/x/sys/unix"
)

// place is what a path leads to: an open file, or where the process may open no more
// (RLIMIT_NOFILE is the guest's), the name that the host knows it by.
type place struct {
	fd   int    // -1: by its name
	name string // without symbolic links
}

// hostName is the host's name for the place.
func (p place) hostName() (string, unix.Errno) {
	if p.fd < 0 {
		return p.name, 0
	}
	return fdName(p.fd)
}

func (p place) close() {
	if p.fd >= 0 {
		unix.Close(p.fd)
	}
}

// readlink returns where the symbolic link of this name in the directory p leads to; ok
// is false if it is none.
func (p place) readlink(name string) (target string, ok bool) {
	dir := unix.AT_FDCWD
	if p.fd >= 0 {
		dir = p.fd
	} else {
		name = p.name + "/" + name
	}
	var buf [pathMax]byte
	n, err := unix.Readlinkat(dir, name, buf[:])
	return string(buf[:max(n, 0)]), err == nil
}

// noDescriptors reports whether a call failed for want of descriptors.
func noDescriptors(e unix.Errno) bool { return e == unix.EMFILE || e == unix.ENFILE }

// walk finds what openat2(2) would open, one name after the other and without a
// descriptor: the bounds are what resolve says. Unlike the kernel's way it can be led
// astray by who puts a symbolic link in the place of a directory meanwhile.
func (r *sysroot) walk(dir int, s string, flags, resolve uint64) (p place, e unix.Errno) {
	base := r.name
	if dir != r.dir {
		if base, e = dirName(dir); e != 0 {
			return place{fd: -1}, e
		}
	}
	base = strings.TrimRight(base, "/")
	inRoot := resolve&unix.RESOLVE_IN_ROOT != 0
	at, links := "", 0 // at: below base
	last := uint32(unix.S_IFDIR)
	for rest := s; rest != ""; {
		var name string
		if name, rest, _ = strings.Cut(rest, "/"); name == "" || name == "." {
			continue
		}
		if last != unix.S_IFDIR {
			return place{fd: -1}, unix.ENOTDIR
		}
		if name == ".." {
			if at == "" && !inRoot {
				return place{fd: -1}, unix.EXDEV
			}
			at = at[:max(strings.LastIndexByte(at, '/'), 0)]
			continue
		}
		next := base + at + "/" + name
		var st unix.Stat_t
		if err := unix.Lstat(next, &st); err != nil {
			return place{fd: -1}, err.(unix.Errno)
		}
		last = st.Mode & unix.S_IFMT
		if last != unix.S_IFLNK || rest == "" && !strings.HasSuffix(s, "/") && flags&unix.O_NOFOLLOW != 0 {
			at += "/" + name
			continue
		}
		var buf [pathMax]byte
		n, err := unix.Readlink(next, buf[:])
		target := string(buf[:max(n, 0)])
		switch links++; {
		case resolve&unix.RESOLVE_NO_SYMLINKS != 0 || links > maxLinks:
			return place{fd: -1}, unix.ELOOP
		case err != nil:
			return place{fd: -1}, err.(unix.Errno)
		case target[0] == '/' && !inRoot:
			return place{fd: -1}, unix.EXDEV
		case target[0] == '/':
			at = ""
		}
		last = unix.S_IFDIR
		rest = target + "/" + rest // what a link leads to at the end is followed itself
	}
	if last != unix.S_IFDIR && (flags&unix.O_DIRECTORY != 0 || strings.HasSuffix(s, "/")) {
		return place{fd: -1}, unix.ENOTDIR
	}
	if at == "" && base == "" {
		at = "/"
	}
	return place{-1, base + at}, 0
}
