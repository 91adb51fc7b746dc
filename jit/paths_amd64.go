//lint:file-ignore U1000 the assembly beside this file uses what looks unused

package jit

import (
	"sync/atomic"
	"syscall"
	"unsafe"

	"emu/cpu"
	"emu/internal/armabi"
	"emu/internal/hostsig"

	"golang.org/x/sys/unix"
)

// Calls with an absolute path, and those that fill a struct stat, are made here
// where nothing is special about them: not in Go as the runtime knows it but on behalf
// of generated code, from its stub (direct_amd64.s), which saves two thirds of what emu
// adds to such a call. The rules are those of syscalls/sysroot.go, which serves all
// that is left to it: links that lead to nothing, names that are made, and so on.
//
// To the runtime the thread is in a system call: nothing here may grow the stack,
// allocate, take a lock or touch memory that may not be there. The linker checks that
// servePath and what it calls need less than the 800 bytes that are there for nosplit
// code; enter, whose frame lies above, takes 100 more, of 200 that are left.

// leaveIt is the result of a call that was not made, and that Go is to make.
const leaveIt = -hostsig.ENoIntr

// maxServedPath bounds the paths that are looked at, in bytes with the NUL.
const maxServedPath = 256

// copyPath copies a NUL-terminated string of at most n bytes and returns its length, -1
// if it is longer or cannot be read.
//
//go:noescape
func copyPath(dst, src, n uintptr) (length int)

// copyGuest copies n bytes and reports whether that was possible.
//
//go:noescape
func copyGuest(dst, src, n uintptr) (ok bool)

//go:nosplit
func rawCall(nr, a, b, c, d uintptr) int64 {
	r, _, e := syscall.RawSyscall6(nr, a, b, c, d, 0, 0)
	if e != 0 {
		return -int64(e)
	}
	return int64(r)
}

// extent returns how many bytes from addr on are known to be the guest's.
//
//go:nosplit
func extent(s *cpu.State, addr uint64) uint64 {
	for i := range s.Own {
		if at := addr - s.Own[i].Start; at < s.Own[i].Size {
			return s.Own[i].Size - at
		}
	}
	return 0
}

// served is one such call.
type served struct {
	s    *cpu.State
	th   *hostsig.Thread
	root *cpu.PathRoot
	nr   uintptr   // the host's number
	arg  [5]uint64 // as the host gets them, the path in the thread's scratch memory
	out  uint64    // where the guest wants its struct stat
	path string    // in the scratch memory
}

// servePath makes the call in s, whose entry in the table is d, and returns its raw
// result, or leaveIt.
//
//go:nosplit
func servePath(s *cpu.State, d *cpu.DirectCall) int64 {
	if s.OwnSeen != atomic.LoadUint64((*uint64)(address(s.Shrunk))) {
		return leaveIt
	}
	c := served{s: s, th: (*hostsig.Thread)(address(s.Signals)), root: (*cpu.PathRoot)(address(s.Paths)), nr: uintptr(d.Host)}
	for i := range c.arg {
		c.arg[i] = s.X[i]
	}
	at := 1 // of the path
	switch d.Host {
	case unix.SYS_FSTAT:
		return c.fstat(d, s.X[1])
	case unix.SYS_NEWFSTATAT:
		c.out = s.X[2]
		if extent(s, c.out) < armabi.StatSize {
			return leaveIt
		}
		c.arg[2] = uint64(c.th.ScratchAddr(0))
	case unix.SYS_STATX:
		const statxSize = 256
		if extent(s, s.X[4]) < statxSize {
			return leaveIt
		}
	case unix.SYS_FACCESSAT:
		c.arg[3] = 0 // flags that it does not have
	}
	scratch := c.th.ScratchAddr(hostsig.PathScratch)
	n := copyPath(scratch, uintptr(s.X[at]), uintptr(min(extent(s, s.X[at]), maxServedPath)))
	if n < 0 {
		return leaveIt
	}
	c.path = unsafe.String((*byte)(address(uint64(scratch))), n)
	c.arg[at] = uint64(scratch)
	if n == 0 {
		if d.Host == unix.SYS_NEWFSTATAT && s.X[3] == unix.AT_EMPTY_PATH {
			return c.fstat(d, c.out)
		}
		return leaveIt
	}
	dir := c.root.Dir()
	switch {
	case dir == cpu.PathsLeave:
		return leaveIt
	case dir != cpu.PathsHost && onlyName(c.path) && (uint32(c.arg[0]) <= d.Limit || int32(c.arg[0]) == unix.AT_FDCWD):
		return c.finish(c.lookAtName())
	case !plainPath(c.path), dir != cpu.PathsHost && len(c.path) == 1: // the root directory can be the host's all the same
		return leaveIt
	case d.Host == unix.SYS_OPENAT:
		return c.openat(dir)
	}
	return c.finish(c.look(dir))
}

// onlyName reports whether a path is one name, of what is in a directory.
//
//go:nosplit
func onlyName(s string) bool {
	for i := 0; i < len(s); i++ {
		if s[i] == '/' {
			return false
		}
	}
	return s != ".."
}

// plainPath reports whether a path leads from the root directory downwards, and not to
// where emu may have to make files up.
//
//go:nosplit
func plainPath(s string) bool {
	if s[0] != '/' {
		return false
	}
	for i := 0; i+2 < len(s); i++ {
		if s[i] == '/' && (s[i+1] == '/' || s[i+1] == '.') {
			return false
		}
	}
	switch {
	case len(s) < 2:
		return true
	case s[1] == '/' || s[len(s)-1] == '/' || s[len(s)-1] == '.':
		return false
	}
	return !below(s, "/proc") && !below(s, "/sys") && !below(s, "/dev")
}

// below reports whether s is dir or begins with it as a directory.
//
//go:nosplit
func below(s, dir string) bool {
	if len(s) < len(dir) || len(s) > len(dir) && s[len(dir)] != '/' {
		return false
	}
	for i := 0; i < len(dir); i++ {
		if s[i] != dir[i] {
			return false
		}
	}
	return true
}

// fstat fills the struct stat at out for descriptor arg[0].
//
//go:nosplit
func (c *served) fstat(d *cpu.DirectCall, out uint64) int64 {
	if uint32(c.arg[0]) > d.Limit || extent(c.s, out) < armabi.StatSize {
		return leaveIt
	}
	c.out = out
	r := int64(c.th.Quick(unix.SYS_FSTAT, uintptr(c.arg[0]), c.th.ScratchAddr(0), 0, 0, 0, 0))
	const offMode = 24
	if r == 0 && *(*uint32)(address(uint64(c.th.ScratchAddr(offMode)))) == armabi.MadeUpMode {
		return leaveIt
	}
	return c.finish(r)
}

// finish hands a struct stat to the guest, and leaves faults to Go: a page may be
// write-protected because code was translated from it.
//
//go:nosplit
func (c *served) finish(r int64) int64 {
	if r == -int64(unix.EFAULT) {
		return leaveIt
	}
	if r != 0 || c.out == 0 {
		return r
	}
	const converted = armabi.HostStatSize + 16 - armabi.HostStatSize%16
	to := c.th.ScratchAddr(converted)
	armabi.Stat((*[armabi.StatSize]byte)(address(uint64(to))), (*[armabi.HostStatSize]byte)(address(uint64(c.th.ScratchAddr(0)))))
	if !copyGuest(uintptr(c.out), to, armabi.StatSize) {
		return leaveIt
	}
	return 0
}

//go:nosplit
func (c *served) call() int64 {
	return int64(c.th.Quick(c.nr, uintptr(c.arg[0]), uintptr(c.arg[1]), uintptr(c.arg[2]), uintptr(c.arg[3]), uintptr(c.arg[4]), 0))
}

// onHost makes the call with the path as the guest has it.
//
//go:nosplit
func (c *served) onHost() int64 {
	at := int64(unix.AT_FDCWD)
	c.arg[0] = uint64(at)
	return c.call()
}

// openat opens a file that is there.
//
//go:nosplit
func (c *served) openat(dir int32) int64 {
	flags := armabi.OpenFlags(c.arg[2])
	const odd = unix.O_CREAT | unix.O_TMPFILE&^unix.O_DIRECTORY | unix.O_PATH
	if flags&odd != 0 || flags&^armabi.OpenKnown != 0 || flags&(unix.O_ACCMODE|unix.O_TRUNC) != 0 {
		return leaveIt // a program that runs cannot be written to
	}
	c.arg[2], c.arg[3] = flags, 0
	if dir == cpu.PathsHost {
		return c.onHost()
	}
	how := unix.OpenHow{Flags: flags}
	for plain := !c.root.Linked(c.path); ; plain = false {
		how.Resolve = resolves(plain)
		r := int64(c.th.Quick(unix.SYS_OPENAT2, uintptr(dir), uintptr(c.arg[1]), uintptr(unsafe.Pointer(&how)), unsafe.Sizeof(how), 0, 0))
		switch e := -unix.Errno(r); {
		case e == unix.ENOENT && plain:
			return c.onHost()
		case e == unix.ELOOP && plain:
			c.root.MetLink(c.path)
			continue
		case e == unix.ENOENT, e == unix.ELOOP, e == unix.EAGAIN, e == unix.EXDEV, e == unix.EBADF:
			return leaveIt
		}
		return r
	}
}

// resolves says how openat2 looks a path up in the root directory. plain: without
// symbolic links, so that what is not there leads nowhere else.
//
//go:nosplit
func resolves(plain bool) uint64 {
	if plain {
		return unix.RESOLVE_IN_ROOT | unix.RESOLVE_NO_SYMLINKS
	}
	return unix.RESOLVE_IN_ROOT
}

// atFlags are the AT_ flags among the arguments.
//
//go:nosplit
func (c *served) atFlags() *uint64 {
	if c.nr == unix.SYS_STATX {
		return &c.arg[2]
	}
	return &c.arg[3]
}

// lookAtName asks for the attributes of a name, unless it turns out to be a symbolic
// link's that is to be followed.
//
//go:nosplit
func (c *served) lookAtName() int64 {
	flags := c.atFlags()
	follow := *flags&unix.AT_SYMLINK_NOFOLLOW == 0
	*flags |= unix.AT_SYMLINK_NOFOLLOW
	var at uintptr // of st_mode
	const offMode, offStatxMode = 24, 28
	switch c.nr {
	case unix.SYS_NEWFSTATAT:
		at = c.th.ScratchAddr(offMode)
	case unix.SYS_STATX:
		at = uintptr(c.arg[4]) + offStatxMode
		if c.arg[3]&unix.STATX_TYPE == 0 {
			return leaveIt
		}
	default:
		return leaveIt
	}
	r := c.call()
	switch {
	case r == -int64(unix.ENOENT):
		return leaveIt // the directory may be the root's, and the name be the host's
	case r != 0 || !follow:
		return r
	}
	mode := c.th.ScratchAddr(hostsig.PathScratch)
	if !copyGuest(mode, at, 2) || *(*uint16)(address(uint64(mode)))&unix.S_IFMT == unix.S_IFLNK {
		return leaveIt
	}
	return 0
}

// look makes a call about a file that is there.
//
//go:nosplit
func (c *served) look(dir int32) int64 {
	if dir == cpu.PathsHost {
		return c.onHost()
	}
	if len(c.path) == 1 { // no name that could be a link's
		*(*byte)(address(c.arg[1])) = '.'
		c.arg[0] = uint64(dir)
		return c.call()
	}
	exists := false // is all that is asked
	if c.nr == unix.SYS_FACCESSAT {
		c.nr = unix.SYS_FACCESSAT2
		exists = uint32(c.arg[2]) == unix.F_OK
	}
	flags := c.atFlags()
	how := unix.OpenHow{Flags: unix.O_PATH | unix.O_CLOEXEC}
	if *flags&unix.AT_SYMLINK_NOFOLLOW != 0 {
		how.Flags |= unix.O_NOFOLLOW
	}
	for plain := !c.root.Linked(c.path); ; plain = false {
		how.Resolve = resolves(plain)
		fd := rawCall(unix.SYS_OPENAT2, uintptr(dir), uintptr(c.arg[1]), uintptr(unsafe.Pointer(&how)), unsafe.Sizeof(how))
		switch e := -unix.Errno(fd); {
		case fd >= 0:
		case e == unix.ENOENT && plain:
			return c.onHost()
		case e == unix.ELOOP && plain:
			c.root.MetLink(c.path)
			continue
		case e == unix.EACCES, e == unix.ENOTDIR, e == unix.ENAMETOOLONG:
			return fd
		default:
			return leaveIt
		}
		r := int64(0)
		if !exists {
			*flags |= unix.AT_EMPTY_PATH
			*(*byte)(address(c.arg[1])) = 0
			c.arg[0] = uint64(fd)
			r = c.call()
		}
		rawCall(unix.SYS_CLOSE, uintptr(fd), 0, 0, 0)
		return r
	}
}

// address makes an address outside of Go's heap one that Go can use.
//
//go:nosplit
func address(a uint64) unsafe.Pointer { return *(*unsafe.Pointer)(unsafe.Pointer(&a)) }
