package forkall

import (
	"syscall"
	"unsafe"
)

//go:nosplit
func syscall6(nr, a, b, c, d, e, f uintptr) uintptr {
	r, _, errno := syscall.RawSyscall6(nr, a, b, c, d, e, f)
	if errno != 0 {
		return -uintptr(errno)
	}
	return r
}

//go:nosplit
func raw(nr, a, b, c, d, e uintptr) uintptr {
	r, _, errno := syscall.RawSyscall6(nr, a, b, c, d, e, 0)
	if errno != 0 {
		return -uintptr(errno)
	}
	return r
}

//go:nosplit
func isError(r uintptr) bool { return r > ^uintptr(4095) }

//go:nosplit
func word(p uintptr) *uint32 { return *(**uint32)(unsafe.Pointer(&p)) }

// pointerAt is what the 8 bytes at p hold.
func pointerAt(p uintptr) uintptr { return **(**uintptr)(unsafe.Pointer(&p)) }
