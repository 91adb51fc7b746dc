package gdbserver

import (
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// file serves vFile: gdb reads the program's files through the server ("target:" in
// its sysroot). They can be read only.
func (s *server) file(p string) []byte {
	op, args, _ := strings.Cut(p, ":")
	switch op {
	case "setfs":
		return []byte("F0") // there is one file system
	case "open":
		return s.openFile(args)
	case "pread":
		return s.preadFile(args)
	case "fstat":
		return s.statFile(args)
	case "close":
		f, fd := s.openedFile(args)
		if f == nil {
			return fileError(unix.EBADF)
		}
		f.Close()
		delete(s.files, fd)
		return []byte("F0")
	case "readlink":
		name, err := hex.DecodeString(args)
		if err != nil {
			return fileError(unix.EINVAL)
		}
		link, ok := s.d.ProcLink(string(name))
		if !ok {
			if link, err = os.Readlink(s.hostName(string(name))); err != nil {
				return fileError(err)
			}
		}
		return append(fmt.Appendf(nil, "F%x;", len(link)), escaped([]byte(link))...)
	}
	return nil
}

// hostName finds a file that the guest names: in -L's root first, but not those of /proc.
func (s *server) hostName(name string) string {
	if s.Sysroot != "" && filepath.IsAbs(name) && !strings.HasPrefix(name, "/proc/") {
		inside := filepath.Join(s.Sysroot, name)
		if _, err := os.Lstat(inside); err == nil {
			return inside
		}
	}
	return name
}

// fileErrors are the errno of the protocol (File-I/O, errno values) that are not
// Linux's.
var fileErrors = map[syscall.Errno]int{unix.ENAMETOOLONG: 91}

func fileError(err error) []byte {
	var e syscall.Errno
	if !errors.As(err, &e) {
		e = unix.EIO
	}
	n, special := fileErrors[e]
	if !special {
		n = int(e)
	}
	return fmt.Appendf(nil, "F-1,%x", n)
}

func (s *server) openFile(args string) []byte {
	f := strings.Split(args, ",")
	name, err := hex.DecodeString(f[0])
	if err != nil || len(f) != 3 {
		return fileError(unix.EINVAL)
	}
	if f[1] != "0" { // FILEIO_O_RDONLY
		return fileError(unix.EROFS)
	}
	file, err := s.openByName(string(name))
	if err != nil {
		return fileError(err)
	}
	fd := int(file.Fd())
	s.files[fd] = file
	return fmt.Appendf(nil, "F%x", fd)
}

// openByName opens a file that the guest names. What gdb reads of a guest in /proc is the guest's:
// its memory map above all, for info proc and generate-core-file.
func (s *server) openByName(name string) (*os.File, error) {
	content, ok := s.d.ProcFile(name)
	if !ok {
		return os.Open(s.hostName(name))
	}
	fd, err := unix.MemfdCreate("proc", unix.MFD_CLOEXEC)
	if err != nil {
		return nil, err
	}
	f := os.NewFile(uintptr(fd), name)
	if _, err := f.Write(content); err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

func (s *server) openedFile(arg string) (*os.File, int) {
	var fd int
	if _, err := fmt.Sscanf(arg, "%x", &fd); err != nil {
		return nil, 0
	}
	return s.files[fd], fd
}

func (s *server) preadFile(args string) []byte {
	number, where, _ := strings.Cut(args, ",")
	f, _ := s.openedFile(number)
	if f == nil {
		return fileError(unix.EBADF)
	}
	n, offset, good := pair(where, ",")
	if !good || offset > 1<<62 {
		return fileError(unix.EINVAL)
	}
	b := make([]byte, min(n, maxPacket/2))
	got, err := unix.Pread(int(f.Fd()), b, int64(offset))
	if err != nil {
		return fileError(err)
	}
	return append(fmt.Appendf(nil, "F%x;", got), escaped(b[:got])...)
}

// statFile replies with the protocol's struct stat, big-endian.
func (s *server) statFile(args string) []byte {
	f, _ := s.openedFile(args)
	if f == nil {
		return fileError(unix.EBADF)
	}
	var st unix.Stat_t
	if err := unix.Fstat(int(f.Fd()), &st); err != nil {
		return fileError(err)
	}
	var b []byte
	be := binary.BigEndian
	for _, v := range []uint32{uint32(st.Dev), uint32(st.Ino), st.Mode, uint32(st.Nlink), st.Uid, st.Gid, uint32(st.Rdev)} {
		b = be.AppendUint32(b, v)
	}
	for _, v := range []int64{st.Size, int64(st.Blksize), st.Blocks} {
		b = be.AppendUint64(b, uint64(v))
	}
	for _, t := range []unix.Timespec{st.Atim, st.Mtim, st.Ctim} {
		b = be.AppendUint32(b, uint32(t.Sec))
	}
	return append(fmt.Appendf(nil, "F%x;", len(b)), escaped(b)...)
}
