package cpu

import (
	"os"
	"strconv"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// quick is how many bytes of memory without a file are mapped, unmapped or protected so fast
// that Go's scheduler need not know of the call.
const quick = 1 << 20

// mapCall makes a system call that is about size bytes of memory.
func mapCall(nr uintptr, addr, size uint64, prot, flags, fd int, off int64) (uintptr, unix.Errno) {
	const slow = unix.MAP_POPULATE | unix.MAP_LOCKED | unix.MAP_HUGETLB
	call := syscall.RawSyscall6
	if size > quick || fd >= 0 || flags&slow != 0 {
		call = syscall.Syscall6
	}
	got, _, errno := call(nr, uintptr(addr), uintptr(size), uintptr(prot), uintptr(flags), uintptr(fd), uintptr(off))
	return got, errno
}

func hostMmap(addr, size uint64, prot, flags, fd int, off int64) (uint64, unix.Errno) {
	got, errno := mapCall(unix.SYS_MMAP, addr, size, prot, flags, fd, off)
	if errno != 0 {
		return 0, errno
	}
	if flags&unix.MAP_FIXED_NOREPLACE != 0 && uint64(got) != addr {
		// A kernel before 4.17 takes the flag for a hint.
		hostMunmap(uint64(got), size)
		return 0, unix.EEXIST
	}
	return uint64(got), 0
}

func hostMunmap(addr, size uint64) unix.Errno {
	_, errno := mapCall(unix.SYS_MUNMAP, addr, size, 0, 0, -1, 0)
	return errno
}

func hostMprotect(addr, size uint64, prot int) unix.Errno {
	_, errno := mapCall(unix.SYS_MPROTECT, addr, size, prot, 0, -1, 0)
	return errno
}

func hostMincore(addr, size uint64, present []byte) unix.Errno {
	_, _, errno := unix.Syscall(unix.SYS_MINCORE, uintptr(addr), uintptr(size), uintptr(unsafe.Pointer(unsafe.SliceData(present))))
	return errno
}

func hostMremap(old, oldSize, newSize uint64, flags int, newAddr uint64) (uint64, unix.Errno) {
	got, _, errno := unix.Syscall6(unix.SYS_MREMAP, uintptr(old), uintptr(oldSize), uintptr(newSize), uintptr(flags), uintptr(newAddr), 0)
	return uint64(got), errno
}

// describe fills in what /proc/self/maps shows of the file behind fd. A file's server (FUSE) is not
// asked: mmap(2) does not, and may be called by a thread of that server.
func (r *Region) describe(fd int) {
	var x unix.Statx_t
	var st unix.Stat_t
	if unix.Statx(fd, "", unix.AT_EMPTY_PATH|unix.AT_STATX_DONT_SYNC, unix.STATX_INO, &x) == nil {
		r.Dev, r.Ino = unix.Mkdev(x.Dev_major, x.Dev_minor), x.Ino
	} else if unix.Fstat(fd, &st) == nil { // a filter of system calls may not know statx
		r.Dev, r.Ino = st.Dev, st.Ino
	}
	r.Path, _ = os.Readlink("/proc/self/fd/" + strconv.Itoa(fd))
}

// isOpen reports whether fd is a descriptor of a file.
func isOpen(fd int) bool {
	_, err := unix.FcntlInt(uintptr(fd), unix.F_GETFD, 0)
	return err == nil
}

// inMemory reports whether fd is a file of tmpfs or hugetlbfs, as those of
// memfd_create(2) are.
func inMemory(fd int) bool {
	var fs unix.Statfs_t
	return unix.Fstatfs(fd, &fs) == nil && (fs.Type == unix.TMPFS_MAGIC || fs.Type == unix.HUGETLBFS_MAGIC)
}

// pageBytes is the guest's page at addr. The compiler must not see through it: the
// address is not one of Go's.
//
//go:noinline
func pageBytes(addr uint64) []byte {
	return (*[PageSize]byte)(unsafe.Add(unsafe.Pointer(nil), addr))[:] // unsafe.Slice does not take nil
}

// copyPage copies the guest's page at addr, and reports whether it could be read: what is
// mapped may be a guard (MADV_GUARD_INSTALL), as glibc has below stacks since 2.42, or lie
// behind the end of a file.
func copyPage(dst *[PageSize]byte, addr uint64) (ok bool) {
	return Guarded(func() bool {
		copy(dst[:], pageBytes(addr))
		return true
	})
}
