package syscalls

import (
	"strings"

	"golang.org/x/sys/unix"
)

// findAt is find for a path that may be relative to the directory dir. same is
// true if the host finds the same with the path and directory as they are.
func (r *sysroot) findAt(dir int, s string, u use) (host string, same bool, e unix.Errno) {
	p := r.probe(dir, s, u)
	switch {
	case !p.tried:
		return r.findOutside(dir, s, u)
	case p.e != 0:
		return r.notThere(dir, s, u, p.e, p.plain)
	case strings.HasPrefix(s, "/"):
		return r.take(p.place, s, u), false, 0
	}
	p.close()
	return s, true, 0
}

// notThere is findAt after a probe that failed with e.
func (r *sysroot) notThere(dir int, s string, u use, e unix.Errno, plain bool) (host string, same bool, _ unix.Errno) {
	absolute := strings.HasPrefix(s, "/")
	switch {
	case absolute && e == unix.ENOENT:
		host, e = r.missing(s, u, 0, plain)
		return host, host == s, e
	case absolute:
		return "", false, e
	case e != unix.ENOENT && e != unix.EXDEV:
		return s, true, 0 // the host says the same
	}
	name, e := dirName(dir)
	if e != 0 {
		return s, true, 0
	}
	guest, ok := r.inside(name)
	if !ok {
		return r.findOutside(dir, s, u)
	}
	if u == useNew || u == useReplace {
		up := s[:strings.LastIndexByte(strings.TrimRight(s, "/"), '/')+1]
		if parent, e := r.open(dir, up+".", unix.O_DIRECTORY, unix.RESOLVE_BENEATH); e == 0 {
			parent.close()
			return s, true, 0
		}
	}
	host, e = r.find(strings.TrimRight(guest, "/")+"/"+s, u, 0)
	return host, false, e
}

// findOutside is findAt for a path relative to a directory of the host, and for one by way of
// machineDirs: ".." may lead from there to the root directory, which is the sysroot's.
func (r *sysroot) findOutside(dir int, s string, u use) (host string, same bool, e unix.Errno) {
	if !hasDotDot(s) {
		return s, true, 0
	}
	var rest string
	var ok bool
	if strings.HasPrefix(s, "/") {
		rest, ok = climbs("/", s)
		ok = ok && isRoot(dir, s[:len(s)-len(rest)+1]) // not where it goes through a link such as /proc/self/cwd
	} else if name, e := dirName(dir); e == 0 {
		rest, ok = climbs(name, s)
		ok = ok && leadsTo(name, dir)
	} else {
		rest, ok = climbsUnnamed(dir, s)
	}
	if !ok {
		return s, true, 0
	}
	host, e = r.find(rest, u, 0)
	return host, false, e
}

// leadsTo reports whether a name leads to a directory given as for openat(2). In a mount that is nowhere any more (MNT_DETACH) names begin at its root.
func leadsTo(name string, dir int) bool {
	var named, given unix.Stat_t
	return unix.Stat(name, &named) == nil && unix.Fstatat(dir, ".", &given, 0) == nil && named.Dev == given.Dev && named.Ino == given.Ino
}

// climbsUnnamed is climbs for a directory whose name is too long to be had: the host says
// whether the last ".." leads to its root.
func climbsUnnamed(dir int, s string) (rest string, ok bool) {
	parts := strings.Split(s, "/")
	n := len(parts)
	for parts[n-1] != ".." {
		n--
	}
	return "/" + strings.Join(parts[n:], "/"), isRoot(dir, strings.Join(parts[:n], "/"))
}

// isRoot asks the host whether a path leads to its root directory.
func isRoot(dir int, s string) bool {
	fd, err := unix.Openat(dir, s, unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return false
	}
	defer unix.Close(fd)
	name, e := fdName(fd)
	return e == 0 && name == "/"
}

// dirName is the host's name of a directory given as for openat(2).
func dirName(dir int) (string, unix.Errno) {
	if dir != unix.AT_FDCWD {
		return fdName(dir)
	}
	var buf [pathMax]byte
	n, err := unix.Getcwd(buf[:])
	if err != nil || n < 2 || buf[0] != '/' {
		return "", unix.ENOENT
	}
	return string(buf[:n-1]), 0
}

// cwdOutside reports whether the working directory is one of the host's.
func (r *sysroot) cwdOutside() bool {
	switch r.cwd.Load() {
	case cwdInside:
		return false
	case cwdOutside:
		return true
	}
	name, e := dirName(unix.AT_FDCWD)
	_, in := r.inside(name)
	if e == 0 && in {
		r.cwd.CompareAndSwap(cwdUnknown, cwdInside)
		return false
	}
	r.cwd.CompareAndSwap(cwdUnknown, cwdOutside)
	return true
}

// moved notes that the working directory has changed.
func (r *sysroot) moved() {
	if r.cwd.Load() != cwdShared {
		r.cwd.Store(cwdUnknown)
	}
}
