package syscalls

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// scriptMagic is how scripts begin.
var scriptMagic = []byte("#!")

// Shebang splits the first line of a script as binfmt_script does: the
// interpreter, and all that follows as one argument. head is the file's first
// BinprmBuf bytes, or all of it; ok is false if that is no script.
func Shebang(head []byte) (interp, arg string, ok bool) {
	if !bytes.HasPrefix(head, scriptMagic) {
		return "", "", false
	}
	line, _, whole := bytes.Cut(head[2:], []byte("\n"))
	if i := bytes.IndexByte(line, 0); i >= 0 {
		line, whole = line[:i], true
	}
	whole = whole || len(head) < BinprmBuf
	text := strings.TrimLeft(string(line), " \t")
	end := strings.IndexAny(text, " \t")
	if !whole && end < 0 {
		return "", "", false // the name may go on
	}
	text = strings.TrimRight(text, " \t")
	if end = strings.IndexAny(text, " \t"); end < 0 {
		return text, "", text != ""
	}
	return text[:end], strings.TrimLeft(text[end:], " \t"), true
}

// open opens the file as execve does, with its checks, and reads its first bytes.
func (x *execution) open() (head []byte, e unix.Errno) {
	if e := x.allowed(); e != 0 {
		return nil, e
	}
	var fd int
	var err error
	if x.path == "" {
		// The descriptor may be O_PATH or at some offset.
		fd, err = unix.Open("/proc/self/fd/"+strconv.Itoa(x.dir), unix.O_RDONLY|unix.O_CLOEXEC, 0)
	} else {
		fd, err = unix.Openat(x.dir, x.path, unix.O_RDONLY|unix.O_CLOEXEC|unix.O_NONBLOCK, 0)
	}
	if err != nil {
		return nil, err.(unix.Errno)
	}
	x.file = fd
	head = make([]byte, BinprmBuf)
	n, _ := unix.Pread(fd, head, 0)
	return head[:max(n, 0)], 0
}

// allowed asks the kernel whether it would execute the file: permissions, mount
// options, file type, whether someone has it open for writing, and the size of the
// arguments. Kernels that cannot say so without doing it are helped out.
func (x *execution) allowed() unix.Errno {
	e := execveat(syscall.RawSyscall6, x.dir, x.path, x.argv, x.env, x.flags|execCheck)
	if e != unix.EINVAL {
		return e
	}
	var st unix.Stat_t
	if err := unix.Fstatat(x.dir, x.path, &st, x.flags&(unix.AT_EMPTY_PATH|unix.AT_SYMLINK_NOFOLLOW)); err != nil {
		return err.(unix.Errno)
	}
	switch st.Mode & unix.S_IFMT {
	case unix.S_IFREG:
	case unix.S_IFLNK:
		return unix.ELOOP
	default:
		return unix.EACCES
	}
	if err := unix.Faccessat2(x.dir, x.path, unix.X_OK, unix.AT_EACCESS|x.flags&unix.AT_EMPTY_PATH); err != nil {
		return err.(unix.Errno)
	}
	fd, err := unix.Openat(x.dir, x.path, unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		return 0 // an empty path, or a file that may be executed but not read
	}
	defer unix.Close(fd)
	var fs unix.Statfs_t
	if unix.Fstatfs(fd, &fs) == nil && fs.Flags&unix.ST_NOEXEC != 0 {
		return unix.EACCES
	}
	// A read lease is refused for a file that is open for writing.
	_, err = unix.FcntlInt(uintptr(fd), unix.F_SETLEASE, unix.F_RDLCK)
	if err == unix.EAGAIN {
		return unix.ETXTBSY
	}
	if err == nil {
		unix.FcntlInt(uintptr(fd), unix.F_SETLEASE, unix.F_UNLCK)
	}
	return 0
}

// machine returns the machine that an ELF file is for, EM_NONE for others.
func machine(head []byte) elf.Machine {
	const offMachine = 18
	if len(head) < offMachine+2 || string(head[:4]) != elf.ELFMAG {
		return elf.EM_NONE
	}
	return elf.Machine(binary.LittleEndian.Uint16(head[offMachine:]))
}

// loadable checks an arm64 program as the kernel's load_elf_binary does before
// the point of no return. root is that of its dynamic linker, if it is a cross compiler's.
func (t *Task) loadable(fd int, head []byte) (root string, e unix.Errno) {
	phdrs, e := programHeaders(fd, head)
	if e != 0 {
		return "", e
	}
	for _, ph := range phdrs {
		if elf.ProgType(ph.Type) == elf.PT_INTERP {
			return t.loadableInterp(fd, &ph)
		}
	}
	return "", 0
}

// loadableInterp is loadable for the dynamic linker that ph names.
func (t *Task) loadableInterp(fd int, ph *elf.Prog64) (root string, e unix.Errno) {
	if ph.Filesz < 2 || ph.Filesz > pathMax {
		return "", unix.ENOEXEC
	}
	name := make([]byte, ph.Filesz)
	if n, err := unix.Pread(fd, name, int64(ph.Off)); err != nil || n != len(name) || name[n-1] != 0 {
		return "", unix.ENOEXEC
	}
	path, _, _ := strings.Cut(string(name), "\x00")
	host, _, e := t.hostPath(unix.AT_FDCWD, path, useFollow)
	if e != 0 {
		return "", e
	}
	if t.p.root.Load() == nil {
		root = CrossRoot(path) // where the emu that runs it will find it
	}
	in := execution{dir: unix.AT_FDCWD, path: root + host}
	head, e := in.open()
	if e != 0 {
		return "", e
	}
	defer unix.Close(in.file)
	if machine(head) != elf.EM_AARCH64 {
		return "", unix.ELIBBAD
	}
	if _, e := programHeaders(in.file, head); e != 0 {
		return "", unix.ELIBBAD
	}
	return root, 0
}

// crossRoots are where distributions keep the C library that their cross compilers
// link programs to: Debian, Ubuntu and Arch, and Fedora.
var crossRoots = [...]string{"/usr/aarch64-linux-gnu", "/usr/aarch64-linux-gnu/sys-root"}

// CrossRoot is the root file system for programs whose interpreter the machine does not
// have under its own name: that of its cross compiler, if there is one and the
// interpreter in it, else "".
func CrossRoot(interp string) string {
	var st unix.Stat_t
	if err := unix.Stat(interp, &st); err != unix.ENOENT || !filepath.IsAbs(interp) {
		return ""
	}
	for _, root := range crossRoots {
		if fd, err := OpenInSysroot(root, interp); err == nil {
			unix.Close(fd)
			return root
		}
	}
	return ""
}

// programHeaders reads the program headers of an arm64 ELF file.
func programHeaders(fd int, head []byte) ([]elf.Prog64, unix.Errno) {
	var h elf.Header64
	if len(head) < len(bytesOf(&h)) {
		return nil, unix.ENOEXEC
	}
	copy(bytesOf(&h), head) // both are little-endian; package binary would have a forked child copy ten pages more
	phsize := len(bytesOf(new(elf.Prog64)))
	total := int(h.Phnum) * phsize
	switch {
	case elf.Class(h.Ident[elf.EI_CLASS]) != elf.ELFCLASS64, elf.Data(h.Ident[elf.EI_DATA]) != elf.ELFDATA2LSB,
		elf.Type(h.Type) != elf.ET_EXEC && elf.Type(h.Type) != elf.ET_DYN, int(h.Phentsize) != phsize, total == 0, total > 1<<16:
		return nil, unix.ENOEXEC
	}
	phdrs := make([]elf.Prog64, h.Phnum)
	if n, err := unix.Pread(fd, bytesOfAll(phdrs), int64(h.Phoff)); err != nil || n != total {
		return nil, unix.ENOEXEC
	}
	return phdrs, 0
}
