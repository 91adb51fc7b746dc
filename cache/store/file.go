package store

import (
	"os"

	"golang.org/x/sys/unix"
)

// openFile opens a file for reading and writing. Package os would tell the runtime's poller
// of it: six calls of the kernel more, and a finalizer.
func openFile(path string, flags int) (fd int, err error) {
	for {
		fd, err = unix.Open(path, unix.O_RDWR|unix.O_NOFOLLOW|unix.O_CLOEXEC|flags, 0o600)
		if err == nil {
			return fd, nil
		}
		if err != unix.EINTR {
			return -1, &os.PathError{Op: "open", Path: path, Err: err}
		}
	}
}

// roomFor reports whether n bytes more leave room for others in the file system of fd. A container has
// 64 MiB for its shared memory, unless it is told otherwise, and its programs need some themselves.
func roomFor(fd int, n int64) error {
	var fs unix.Statfs_t
	if err := unix.Fstatfs(fd, &fs); err != nil {
		return err
	}
	if free := min(mostFree, int64(fs.Blocks)*fs.Bsize/2); n > int64(fs.Bavail)*fs.Bsize-free {
		return unix.ENOSPC
	}
	return nil
}

// writeAt writes all of b at an offset.
func writeAt(fd int, b []byte, at int64) error {
	for len(b) > 0 {
		n, err := unix.Pwrite(fd, b, at)
		if err != nil && err != unix.EINTR {
			return err
		}
		n = max(n, 0)
		b, at = b[n:], at+int64(n)
	}
	return nil
}
