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
