package syscalls

import (
	"bytes"
	"encoding/binary"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// fdName is the host's name for what a descriptor refers to, where there is no /proc for
// a directory only.
func fdName(fd int) (string, unix.Errno) {
	var buf [pathMax]byte
	n, err := unix.Readlink("/proc/self/fd/"+strconv.Itoa(fd), buf[:])
	switch {
	case err == nil:
		return string(buf[:n]), 0
	case err != unix.ENOENT:
		return "", err.(unix.Errno)
	}
	if unix.Faccessat(unix.AT_FDCWD, "/proc/self", unix.F_OK, 0) == nil {
		return "", unix.ENOENT // there is a /proc, and no such descriptor
	}
	return climbedName(fd)
}

// climbedName finds the name of a directory as getcwd(3) did before the kernel told it: each directory on the way up
// to the root says by which name it has the one below. All of them have to be readable.
func climbedName(fd int) (name string, _ unix.Errno) {
	const flags = unix.O_RDONLY | unix.O_DIRECTORY | unix.O_CLOEXEC
	var st unix.Stat_t
	if err := unix.Fstat(fd, &st); err != nil {
		return "", err.(unix.Errno)
	}
	if st.Mode&unix.S_IFMT != unix.S_IFDIR {
		return "", unix.ENOENT
	}
	at, err := unix.Openat(fd, ".", unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	for err == nil {
		var up int
		if up, err = unix.Openat(at, "..", flags, 0); err != nil {
			break
		}
		unix.Close(at)
		at = up
		var upper unix.Stat_t
		if err = unix.Fstat(up, &upper); err != nil {
			break
		}
		if upper.Dev == st.Dev && upper.Ino == st.Ino { // the root directory
			unix.Close(at)
			return "/" + strings.TrimPrefix(name, "/"), 0
		}
		var below string
		if below, err = nameIn(up, &st); err != nil {
			break
		}
		name, st = "/"+below+name, upper
	}
	if at >= 0 {
		unix.Close(at)
	}
	return "", err.(unix.Errno)
}

// nameIn is the name of a directory in the directory dir, which is read from its beginning.
func nameIn(dir int, of *unix.Stat_t) (string, error) {
	// An entry's number is the directory's own, but that of the directory below where something is mounted.
	for _, mounted := range [...]bool{false, true} {
		if _, err := unix.Seek(dir, 0, unix.SEEK_SET); err != nil {
			return "", err
		}
		buf := make([]byte, 32<<10)
		for {
			n, err := unix.Getdents(dir, buf)
			if err != nil {
				return "", err
			}
			if n <= 0 {
				break
			}
			for b := buf[:n]; len(b) > 0; {
				ino, entry := binary.LittleEndian.Uint64(b), b[direntName:binary.LittleEndian.Uint16(b[direntReclen:])]
				b = b[direntName+len(entry):]
				text, _, _ := bytes.Cut(entry, []byte{0})
				name := string(text)
				var st unix.Stat_t
				if ino != of.Ino && !mounted || name == "." || name == ".." {
					continue
				}
				if unix.Fstatat(dir, name, &st, unix.AT_SYMLINK_NOFOLLOW) == nil && st.Dev == of.Dev && st.Ino == of.Ino {
					return name, nil
				}
			}
		}
	}
	return "", unix.ENOENT
}

// Places in struct linux_dirent64.
const (
	direntReclen = 16
	direntName   = 19
)
