package syscalls

import (
	"runtime"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// openat2 is unix.Openat2 without allocations, for paths that hold no NUL.
func openat2(dir int, path string, flags, resolve uint64) (fd int, e unix.Errno) {
	if len(path) >= pathMax {
		return -1, unix.ENAMETOOLONG
	}
	// Most are short, and a large array takes its time to clear.
	var short [256]byte
	var long [pathMax]byte
	name := short[:]
	if len(path) >= len(short) {
		name = long[:]
	}
	copy(name, path)
	how := unix.OpenHow{Flags: flags, Resolve: resolve}
	r, _, errno := syscall.Syscall6(unix.SYS_OPENAT2, uintptr(dir), uintptr(unsafe.Pointer(&name[0])), uintptr(unsafe.Pointer(&how)), unsafe.Sizeof(how), 0, 0)
	runtime.KeepAlive(name)
	if errno != 0 {
		return -1, errno
	}
	return int(r), 0
}
