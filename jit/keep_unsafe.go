package jit

import (
	"unsafe"

	"golang.org/x/sys/unix"
)

// populate makes the memory of a new chunk present, in one system call instead of a
// page fault for each page. Kernels before 5.14 refuse, and the pages come as they
// are written.
func populate[T any](chunk []T) {
	const page = 4096
	start := (uintptr(unsafe.Pointer(unsafe.SliceData(chunk))) + page - 1) &^ (page - 1)
	end := (uintptr(unsafe.Pointer(unsafe.SliceData(chunk))) + uintptr(len(chunk))*unsafe.Sizeof(chunk[0])) &^ (page - 1)
	if end > start+page {
		unix.Syscall(unix.SYS_MADVISE, start, end-start, unix.MADV_POPULATE_WRITE)
	}
}
