package cpu

import (
	"unsafe"

	"golang.org/x/sys/unix"
)

// tagBytesAt is the memory of n tags, or marks of pages. The compiler must not see
// through it: the address is not one of Go's.
//
//go:noinline
func tagBytesAt(addr, n uint64) []byte {
	return unsafe.Slice((*byte)(unsafe.Add(unsafe.Pointer(nil), addr)), n)
}

func hostMadvise(addr, size uint64, advice int) unix.Errno {
	_, _, errno := unix.Syscall(unix.SYS_MADVISE, uintptr(addr), uintptr(size), uintptr(advice))
	return errno
}

// word reads the eight bytes at addr, which is in a table of tags.
//
//go:noinline
func word(addr uint64) uint64 { return *(*uint64)(unsafe.Add(unsafe.Pointer(nil), addr)) }

// putWord writes them.
//
//go:noinline
func putWord(addr, v uint64) { *(*uint64)(unsafe.Add(unsafe.Pointer(nil), addr)) = v }
