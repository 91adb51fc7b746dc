package jit

import (
	"unsafe"

	"golang.org/x/sys/unix"
)

// newWishes maps memory that children will share, nil if there is none.
func newWishes() *wishes { return (*wishes)(mapShared(unsafe.Sizeof(wishes{}))) }

// mapShared maps size bytes of zeros that forked children share, nil if there are none.
func mapShared(size uintptr) unsafe.Pointer {
	p, err := unix.MmapPtr(-1, 0, nil, size, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED|unix.MAP_ANONYMOUS|unix.MAP_NORESERVE)
	if err != nil {
		return nil
	}
	return p
}
