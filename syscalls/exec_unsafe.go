package syscalls

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"os"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"unsafe"

	"emu/internal/hostsig"

	"golang.org/x/sys/unix"
)

const (
	// binprmBuf is how much of a file the kernel looks at to tell what it is.
	binprmBuf = 256
	// maxScripts is how many interpreters may stand before each other.
	maxScripts = 5
	// maxArgStrings bounds argv and envp together, as MAX_ARG_STRINGS would if
	// memory did not end first.
	maxArgStrings = 1 << 20
	maxArgLen     = 32 * 4096 // MAX_ARG_STRLEN
)

// sysExecve implements execve(2).
func sysExecve(t *Task, a *Args) int64 {
	path, e := t.p.cstring(a[0], pathMax)
	if e != 0 {
		return fail(e)
	}
	return t.exec(path, a[1], a[2])
}

// sysExecveat implements execveat(2).
func sysExecveat(t *Task, a *Args) int64 {
	path, e := t.p.cstring(a[1], pathMax)
	if e != 0 {
		return fail(e)
	}
	dir := int(int32(a[0]))
	switch {
	case path == "" && a[4]&unix.AT_EMPTY_PATH == 0:
		return fail(unix.ENOENT)
	case path == "":
		if path, e = fdPath(dir); e != 0 {
			return fail(e)
		}
	case !strings.HasPrefix(path, "/") && dir != unix.AT_FDCWD:
		base, e := fdPath(dir)
		if e != 0 {
			return fail(e)
		}
		path = base + "/" + path
	}
	if a[4]&unix.AT_SYMLINK_NOFOLLOW != 0 {
		var st unix.Stat_t
		if unix.Lstat(path, &st) == nil && st.Mode&unix.S_IFMT == unix.S_IFLNK {
			return fail(unix.ELOOP)
		}
	}
	return t.exec(path, a[2], a[3])
}

// fdPath names the file that a descriptor has open.
func fdPath(fd int) (string, unix.Errno) {
	link := "/proc/self/fd/" + strconv.Itoa(fd)
	path, err := os.Readlink(link)
	if err != nil {
		return "", unix.EBADF
	}
	if !strings.HasPrefix(path, "/") || strings.HasSuffix(path, " (deleted)") {
		return link, 0
	}
	return path, 0
}

// strings reads a NULL-terminated array of strings; a null pointer is an empty
// one, as Linux has it.
func (t *Task) stringArray(addr uint64) ([]string, unix.Errno) {
	var out []string
	for addr != 0 {
		p, e := load[uint64](t.p, addr)
		if e != 0 {
			return nil, e
		}
		if p == 0 {
			break
		}
		s, e := t.p.cstring(p, maxArgLen)
		if e == unix.ENAMETOOLONG {
			e = unix.E2BIG
		}
		if e != 0 {
			return nil, e
		}
		if out = append(out, s); len(out) > maxArgStrings {
			return nil, unix.E2BIG
		}
		addr += 8
	}
	return out, 0
}

// image is what kind of program a file is.
type image int

const (
	guestImage image = iota
	hostImage
	scriptImage
)

// identify looks at a file as the kernel's binary formats do.
func identify(path string) (kind image, interp, arg string, e unix.Errno) {
	if err := unix.Access(path, unix.X_OK); err != nil {
		return 0, "", "", err.(unix.Errno)
	}
	fd, err := unix.Open(path, unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err == unix.EACCES {
		return guestImage, "", "", unix.EACCES
	}
	if err != nil {
		return 0, "", "", err.(unix.Errno)
	}
	defer unix.Close(fd)
	var st unix.Stat_t
	if unix.Fstat(fd, &st) != nil || st.Mode&unix.S_IFMT != unix.S_IFREG {
		return 0, "", "", unix.EACCES
	}
	var buf [binprmBuf]byte
	n, _ := unix.Pread(fd, buf[:], 0)
	head := buf[:n]
	switch {
	case len(head) >= 20 && string(head[:4]) == elf.ELFMAG:
		switch elf.Machine(binary.LittleEndian.Uint16(head[18:])) {
		case elf.EM_AARCH64:
			return guestImage, "", "", 0
		case elf.EM_X86_64, elf.EM_386:
			return hostImage, "", "", 0
		}
	case bytes.HasPrefix(head, []byte("#!")):
		line, _, whole := bytes.Cut(head[2:], []byte("\n"))
		text := strings.Trim(string(bytes.TrimRight(line, "\x00")), " \t")
		interp, arg, _ = strings.Cut(strings.ReplaceAll(text, "\t", " "), " ")
		if interp == "" || !whole && arg == "" && n == binprmBuf {
			return 0, "", "", unix.ENOEXEC
		}
		return scriptImage, interp, strings.Trim(arg, " "), 0
	}
	return 0, "", "", unix.ENOEXEC
}

// exec replaces the process by a program: an arm64 one under emu again, a host
// one as it is. Scripts go to their interpreters first.
func (t *Task) exec(path string, argvAddr, envAddr uint64) int64 {
	argv, e := t.stringArray(argvAddr)
	if e != 0 {
		return fail(e)
	}
	env, e := t.stringArray(envAddr)
	if e != 0 {
		return fail(e)
	}
	if len(argv) == 0 {
		argv = []string{""}
	}
	host := t.hostPath(path, true)
	for depth := 0; ; depth++ {
		kind, interp, arg, e := identify(host)
		if e != 0 {
			return fail(e)
		}
		if kind != scriptImage {
			return t.replace(kind, path, host, argv, env)
		}
		if depth == maxScripts {
			return fail(unix.ELOOP)
		}
		head := []string{interp}
		if arg != "" {
			head = append(head, arg)
		}
		argv = append(append(head, path), argv[1:]...)
		path, host = interp, t.hostPath(interp, true)
	}
}

// replace makes the host's execve call. The signal mask is the guest's already;
// soft signals get the guest's dispositions.
func (t *Task) replace(kind image, path, host string, argv, env []string) int64 {
	if kind == guestImage {
		if len(t.p.Emu) == 0 {
			return fail(unix.ENOSYS)
		}
		argv = append(append(append([]string(nil), t.p.Emu...), "-0", argv[0], path), argv[1:]...)
		host = "/proc/self/exe"
	}
	hostPtr, err := unix.BytePtrFromString(host)
	argvPtr, err1 := syscall.SlicePtrFromStrings(argv)
	envPtr, err2 := syscall.SlicePtrFromStrings(env)
	if err != nil || err1 != nil || err2 != nil {
		return fail(unix.EINVAL)
	}
	var ignored uint64
	t.p.sigMu.RLock()
	for sig := 1; sig <= hostsig.Signals; sig++ {
		if t.p.actions[sig].Handler == sigIgn {
			ignored |= bit(sig)
		}
	}
	t.p.sigMu.RUnlock()
	hostsig.BeforeExec(ignored)
	r := t.th.Quick(unix.SYS_EXECVE, uintptr(unsafe.Pointer(hostPtr)), uintptr(unsafe.Pointer(&argvPtr[0])), uintptr(unsafe.Pointer(&envPtr[0])), 0, 0, 0)
	hostsig.AfterFailedExec()
	runtime.KeepAlive(hostPtr)
	runtime.KeepAlive(argvPtr)
	runtime.KeepAlive(envPtr)
	return int64(r)
}
