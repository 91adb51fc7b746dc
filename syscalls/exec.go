package syscalls

import (
	"bytes"
	"debug/elf"
	"path/filepath"
	"slices"
	"strconv"

	"emu/internal/hostsig"

	"golang.org/x/sys/unix"
)

const (
	// BinprmBuf is how much of a file the kernel looks at to tell what it is.
	BinprmBuf = 256
	// MaxScripts is how many interpreters may stand before each other.
	MaxScripts = 5
	// maxArgStrings bounds argv and envp together, as MAX_ARG_STRINGS would if
	// memory did not end first.
	maxArgStrings = 1 << 20
	maxArgLen     = 32 * 4096 // MAX_ARG_STRLEN
	// maxArgBytes is what argv and envp take at most, three quarters of _STK_LIM (execve(2)).
	maxArgBytes = 6 << 20
)

// execCheck is AT_EXECVE_CHECK (Linux 6.14): execveat that only tells whether it
// would be allowed.
const execCheck = 0x10000

// sysExecve implements execve(2).
func sysExecve(t *Task, a *Args) int64 {
	return t.exec(&execArgs{dir: unix.AT_FDCWD, path: a[0], argv: a[1], envp: a[2]})
}

// sysExecveat implements execveat(2).
func sysExecveat(t *Task, a *Args) int64 {
	return t.exec(&execArgs{dir: int(int32(a[0])), path: a[1], argv: a[2], envp: a[3], flags: int(int32(a[4]))})
}

type execArgs struct {
	dir              int
	path, argv, envp uint64 // guest addresses
	flags            int
}

// execution is a program that is about to replace the process.
type execution struct {
	// The file as the host finds it: dir, path and flags as for execveat.
	dir   int
	path  string
	flags int

	name string // what the guest calls the file: the kernel's bprm->filename
	exe  string // the same for the program that runs: the interpreter of a script
	argv []string
	env  []string
	file int // the program, open

	root string // the cross compiler's root in which its dynamic linker will be found, "" for none

	// known says that the file has a format that runs, if it is the host that runs it.
	known bool

	// hostArgv is argv for a program of the host: scripts that were found in the
	// root file system have the names that the host knows them by.
	hostArgv []string
}

// exec replaces the process by a program: an arm64 one under emu again, any other
// as the host runs it. Scripts go to their interpreters first. All that can fail
// is found out before anything of the process is touched.
func (t *Task) exec(a *execArgs) int64 {
	x, e := t.newExecution(a)
	if e != 0 {
		return fail(e)
	}
	for depth := 0; ; depth++ {
		head, e := x.open()
		switch {
		case e == unix.EACCES && a.flags&execCheck == 0 && x.allowed() == 0:
			return t.execUnreadable(x)
		case e != 0:
			return fail(e)
		case depth > MaxScripts:
			unix.Close(x.file)
			return fail(unix.ELOOP)
		case a.flags&execCheck != 0:
			unix.Close(x.file)
			return 0
		}
		r, done := t.execFile(x, head)
		unix.Close(x.file)
		if done {
			return r
		}
	}
}

// newExecution is what a asks for: the file's name, argv and envp read from the guest.
func (t *Task) newExecution(a *execArgs) (*execution, unix.Errno) {
	if a.flags&^(unix.AT_EMPTY_PATH|unix.AT_SYMLINK_NOFOLLOW|execCheck) != 0 {
		return nil, unix.EINVAL
	}
	path, e := t.p.cstring(a.path, pathMax)
	if e != 0 {
		return nil, e
	}
	u := useFollow
	if a.flags&unix.AT_SYMLINK_NOFOLLOW != 0 {
		u = useLink
	}
	host, _, e := t.hostPath(a.dir, path, u)
	if e != 0 {
		return nil, e
	}
	x := &execution{dir: a.dir, path: host, flags: a.flags, name: path}
	switch {
	case path == "" && a.flags&unix.AT_EMPTY_PATH == 0:
		return nil, unix.ENOENT
	case path == "":
		x.name = "/dev/fd/" + strconv.Itoa(a.dir)
	case !filepath.IsAbs(path) && a.dir != unix.AT_FDCWD:
		x.name = "/dev/fd/" + strconv.Itoa(a.dir) + "/" + path
	}
	x.exe = x.name
	if path != "" && a.dir >= 0 && t.hidden(uint64(a.dir)) {
		return nil, unix.EBADF
	}
	x.argv, e = t.stringArray(a.argv)
	if e == 0 {
		x.env, e = t.stringArray(a.envp)
	}
	if e != 0 { // which the kernel finds out after it has looked at the file
		x.argv, x.env = nil, nil
		if first := x.allowed(); first != 0 {
			return nil, first
		}
		return nil, e
	}
	if len(x.argv) == 0 {
		x.argv = []string{""}
	}
	x.hostArgv = x.argv
	return x, 0
}

// execFile runs the program x, whose first bytes are head. A script makes x its
// interpreter instead, and done is false.
func (t *Task) execFile(x *execution, head []byte) (r int64, done bool) {
	if !bytes.HasPrefix(head, scriptMagic) {
		if t.p.sharer == nil { // whose parent would not be ready either
			hostsig.BeginExec()
			defer hostsig.EndExec()
		}
		if m := machine(head); m != elf.EM_AARCH64 {
			if m != elf.EM_NONE { // the host's program knows of no emu that would put anything off
				if _, e := t.enterPIDs(true); e != 0 && e != unix.ENOMEM {
					return fail(e), true
				}
			}
			x.known = m != elf.EM_NONE || t.p.Strace != nil && hasHandler(binfmtMisc, head, x.exe)
			return t.replaceByHost(x), true
		}
		var e unix.Errno
		if x.root, e = t.loadable(x.file, head); e != 0 {
			return fail(e), true
		}
		if t.takesRights(x) {
			// The kernel has no handler if emu is no longer registered, and gives none a descriptor that execve closes.
			if r := t.replaceByHost(x); r != fail(unix.ENOEXEC) && r != fail(unix.ENOENT) {
				return r, true
			}
		}
		return t.replaceByGuest(x), true
	}
	interp, arg, ok := Shebang(head)
	switch {
	case !ok:
		return fail(unix.ENOEXEC), true
	case x.closedByExec():
		return fail(unix.ENOENT), true
	}
	prefix := []string{interp}
	if arg != "" {
		prefix = append(prefix, arg)
	}
	found := x.exe
	if filepath.IsAbs(x.path) {
		found = x.path
	}
	x.argv = slices.Concat(prefix, []string{x.exe}, x.argv[1:])
	x.hostArgv = slices.Concat(prefix, []string{found}, x.hostArgv[1:])
	x.dir, x.flags, x.exe = unix.AT_FDCWD, 0, interp
	var e unix.Errno
	if x.path, _, e = t.hostPath(unix.AT_FDCWD, interp, useFollow); e != 0 {
		return fail(e), true
	}
	return 0, false
}

// closedByExec reports whether the script's name leads through a descriptor that
// its interpreter will not have.
func (x *execution) closedByExec() bool {
	if x.dir < 0 || filepath.IsAbs(x.path) {
		return false
	}
	flags, err := unix.FcntlInt(uintptr(x.dir), unix.F_GETFD, 0)
	return err == nil && flags&unix.FD_CLOEXEC != 0
}
