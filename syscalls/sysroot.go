package syscalls

import (
	"path"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"emu/cpu"

	"golang.org/x/sys/unix"
)

// sysroot is the root file system that -L names. A path of the guest is looked
// up in it as after chroot(2): symbolic links and ".." stay inside. What is not
// there is looked up under the same name on the host. A new name is made where its
// directory is.
//
// The guest sees names without the sysroot's own: a directory is either one of
// the sysroot's, known by its name in there, or one of the host's.
type sysroot struct {
	dir  int    // descriptor of it (O_PATH)
	name string // its real path on the host

	// cwd tells where the working directory is: one of the cwd constants.
	cwd atomic.Uint32

	// paths is the process's, see there.
	paths *cpu.PathRoot

	// bound has the names that this process has bound sockets to, by the host's.
	bound sync.Map
}

// clone returns what a process has that begins as one with r has it, and has its own working directory.
func (r *sysroot) clone(paths *cpu.PathRoot) *sysroot {
	q := &sysroot{dir: r.dir, name: r.name, paths: paths}
	q.cwd.Store(r.cwd.Load())
	r.bound.Range(func(host, guest any) bool {
		q.bound.Store(host, guest)
		return true
	})
	return q
}

const (
	cwdUnknown = iota
	cwdInside
	cwdOutside
	cwdShared // not to be remembered: another process or some thread may change it
)

// openSysroot opens the directory that -L names; nil if there is none or it is
// the host's root. paths is told of it.
func openSysroot(dir string, paths *cpu.PathRoot) *sysroot {
	paths.SetDir(cpu.PathsHost)
	if dir == "" {
		return nil
	}
	fd, err := unix.Open(dir, unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil
	}
	name, e := fdName(fd)
	if e != 0 || name == "/" {
		unix.Close(fd)
		return nil
	}
	paths.SetDir(int32(fd))
	return &sysroot{dir: fd, name: name, paths: paths}
}

// OpenInSysroot opens a file for reading by its name inside of a sysroot, without waiting for a FIFO's
// other end.
func OpenInSysroot(dir, name string) (fd int, err error) {
	root, err := unix.Open(dir, unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return -1, err
	}
	defer unix.Close(root)
	return unix.Openat2(root, name, &unix.OpenHow{Flags: unix.O_RDONLY | unix.O_CLOEXEC | unix.O_NONBLOCK, Resolve: unix.RESOLVE_IN_ROOT})
}

// maxLinks is how many dangling symbolic links of the sysroot are followed to the
// host (MAXSYMLINKS).
const maxLinks = 40

// use says what a call does with a path: the kinds of paths (see kind.go).
type use uint8

const (
	useFollow  use = iota // the file that it leads to
	useLink               // the name itself, if it is a symbolic link
	useCreate             // the file that it leads to, made if there is none
	useNew                // makes the name
	useReplace            // makes the name, over another if there is one
)

// machineDirs are directories that show the machine rather than a system: those
// of the sysroot, if it has any, are empty places to mount them.
var machineDirs = [...]string{"/proc", "/sys", "/dev"}

// onMachine reports whether an absolute path without ".." leads into one of
// machineDirs.
func onMachine(s string) bool {
	for _, dir := range machineDirs {
		if rest, ok := strings.CutPrefix(s, dir); ok && (rest == "" || rest[0] == '/') {
			return true
		}
	}
	return false
}

// isTop reports whether an absolute path is the root directory's.
func isTop(s string) bool { return strings.Trim(s, "/.") == "" && path.Clean(s) == "/" }

// onlyLibraries reports whether the sysroot is no root file system but where the machine's cross compiler keeps its
// libraries. What the guest sees in its root directory, and makes there, is the host's then.
func (r *sysroot) onlyLibraries() bool {
	return slices.Contains(crossRoots[:], r.name) && unix.Faccessat(r.dir, "etc", unix.F_OK, 0) == unix.ENOENT
}

// inside returns the guest's name for a file that the host knows by a name below
// the sysroot.
func (r *sysroot) inside(host string) (guest string, ok bool) {
	rest, ok := strings.CutPrefix(host, r.name)
	switch {
	case !ok:
		return "", false
	case rest == "":
		return "/", true
	case rest[0] == '/':
		return rest, true
	}
	return "", false
}

// guestName is the guest's name for a file of the host.
func (p *Process) guestName(host string) string {
	if r := p.root.Load(); r != nil {
		if name, ok := r.inside(host); ok {
			return name
		}
	}
	return host
}

// openTries is how often a path is looked up that is in the way of renames (EAGAIN).
const openTries = 8

// open opens a path, absolute or relative to dir, without leaving dir.
func (r *sysroot) open(dir int, s string, flags, resolve uint64) (p place, e unix.Errno) {
	for range openTries {
		var fd int
		fd, e = openat2(dir, s, flags|unix.O_PATH|unix.O_CLOEXEC, resolve)
		switch {
		case e == 0:
			return place{fd: fd}, 0
		case noDescriptors(e):
			return r.walk(dir, s, flags, resolve)
		case e != unix.EAGAIN && e != unix.EINTR:
			return place{fd: -1}, e
		}
	}
	return place{fd: -1}, e
}

// bounds says how openat2(2) looks up a path that may lead into the sysroot, or a
// relative one that may leave its directory. ok is false where that is not the
// question: the path is the host's.
func (r *sysroot) bounds(dir int, s string) (at int, resolve uint64, ok bool) {
	switch {
	case !strings.HasPrefix(s, "/"):
		return dir, unix.RESOLVE_BENEATH, dir != unix.AT_FDCWD || !r.cwdOutside()
	case onMachine(s) || hasDotDot(s) && onMachine(path.Clean(s)), isTop(s) && r.onlyLibraries():
		return 0, 0, false
	}
	return r.dir, unix.RESOLVE_IN_ROOT, true
}

// probed is what came of a probe.
type probed struct {
	place
	e     unix.Errno
	tried bool // the path has bounds
	plain bool // no symbolic link was met
}

// probe opens what a path leads to within its bounds. An absolute path is looked up
// without symbolic links first: on most there are none, and then one that leads to
// nothing leads nowhere else.
func (r *sysroot) probe(dir int, s string, u use) (p probed) {
	at, resolve, ok := r.bounds(dir, s)
	if !ok {
		return probed{place: place{fd: -1}}
	}
	p.tried = true
	if r.noLinks(s) {
		if p.place, p.e = r.open(at, s, u.flags(), resolve|unix.RESOLVE_NO_SYMLINKS); p.e != unix.ELOOP {
			p.plain = true
			return p
		}
		r.metLink(s)
	}
	p.place, p.e = r.open(at, s, u.flags(), resolve)
	return p
}

// flags are open's flags for a use of a path.
func (u use) flags() uint64 {
	if u == useFollow || u == useCreate {
		return 0
	}
	return unix.O_NOFOLLOW
}

// noLinks reports whether a path is to be looked up without symbolic links first.
func (r *sysroot) noLinks(s string) bool { return s[0] == '/' && !r.paths.Linked(s) }

// metLink notes that this has failed.
func (r *sysroot) metLink(s string) { r.paths.MetLink(s) }

// find returns the host's name for an absolute guest path.
func (r *sysroot) find(s string, u use, links int) (host string, e unix.Errno) {
	p := r.probe(unix.AT_FDCWD, s, u)
	switch {
	case !p.tried:
		host, _, e = r.findOutside(unix.AT_FDCWD, s, u)
		return host, e
	case p.e == 0:
		return r.take(p.place, s, u), 0
	case p.e != unix.ENOENT:
		return "", p.e
	}
	return r.missing(s, u, links, p.plain)
}

// take returns the host's name of what s leads to in the sysroot, and closes it.
func (r *sysroot) take(p place, s string, u use) string {
	name, e := p.hostName()
	p.close()
	if e != 0 { // a file, where there is no /proc
		p, e = r.walk(r.dir, s, u.flags(), unix.RESOLVE_IN_ROOT)
		name = p.name
	}
	if e != 0 { // gone meanwhile
		name = path.Join(r.name, s)
	}
	if strings.HasSuffix(s, "/") {
		name += "/" // must be a directory
	}
	return name
}

// missing is find for a path that leads to nothing in the sysroot. plain: there is no
// symbolic link on it.
func (r *sysroot) missing(s string, u use, links int, plain bool) (host string, e unix.Errno) {
	if plain && (u == useFollow || u == useLink) {
		return s, 0
	}
	dir, base, slash := split(s)
	if base == "" {
		return s, 0
	}
	parent, e := r.open(r.dir, dir, unix.O_DIRECTORY, unix.RESOLVE_IN_ROOT)
	if e != 0 {
		if e != unix.ENOENT || dir == "/" {
			return s, 0 // the host has its own error for it
		}
		// A link on the way may lead to what only the host has.
		up, e := r.find(dir, useFollow, links)
		if e != 0 || up == dir {
			return s, 0
		}
		return up + "/" + base + slash, 0
	}
	defer parent.close()
	if u == useFollow || u == useCreate {
		if target, ok := parent.readlink(base); ok {
			if links++; links > maxLinks {
				return "", unix.ELOOP
			}
			return r.dangling(parent, target, u, links)
		}
	}
	var st unix.Stat_t
	switch {
	case u == useFollow, u == useLink:
		return s, 0
	case u != useReplace && unix.Lstat(strings.TrimRight(s, "/"), &st) == nil:
		return s, 0 // it exists on the host
	case isTop(dir) && r.onlyLibraries():
		return s, 0
	}
	up, e := parent.hostName()
	if e != 0 {
		return "", e
	}
	return up + "/" + base + slash, 0
}

// dangling continues where a symbolic link in the directory parent leads to, whose
// target the sysroot does not have.
func (r *sysroot) dangling(parent place, target string, u use, links int) (host string, e unix.Errno) {
	if !strings.HasPrefix(target, "/") {
		up, e := parent.hostName()
		if e != 0 {
			return "", e
		}
		up, _ = r.inside(up)
		target = up + "/" + target
	}
	return r.find(target, u, links)
}

// split separates the last name of a path from its directory and from slashes
// behind it. A last name of "." or ".." is none.
func split(s string) (dir, base, slash string) {
	t := strings.TrimRight(s, "/")
	slash = s[len(t):]
	if slash != "" {
		slash = "/"
	}
	i := strings.LastIndexByte(t, '/')
	base = t[i+1:]
	if base == "." || base == ".." {
		return s, "", ""
	}
	dir = strings.TrimRight(t[:max(i, 0)], "/")
	if dir == "" {
		dir = "/"
	}
	return dir, base, slash
}

// hasDotDot reports whether ".." is a component of s.
func hasDotDot(s string) bool {
	for i := strings.Index(s, ".."); i >= 0; {
		if (i == 0 || s[i-1] == '/') && (i+2 == len(s) || s[i+2] == '/') {
			return true
		}
		next := strings.Index(s[i+2:], "..")
		if next < 0 {
			return false
		}
		i += 2 + next
	}
	return false
}

// climbs follows a relative path from a directory of the host up to the root
// directory, where the sysroot begins, and returns what is left of the path from
// there. ok is false if the path does not get there.
func climbs(dir, s string) (rest string, ok bool) {
	depth := strings.Count(strings.TrimRight(dir, "/"), "/")
	parts := strings.Split(s, "/")
	for i, part := range parts {
		switch part {
		case "", ".":
		case "..":
			if depth--; depth <= 0 {
				rest, ok, depth = "/"+strings.Join(parts[i+1:], "/"), true, 0
			}
		default:
			depth++
		}
	}
	return rest, ok
}
