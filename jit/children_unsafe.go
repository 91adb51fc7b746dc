package jit

import (
	"unsafe"

	"golang.org/x/sys/unix"
)

// newWishes maps memory that children will share, nil if there is none.
func newWishes() *wishes {
	p, err := unix.MmapPtr(-1, 0, nil, unsafe.Sizeof(wishes{}), unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED|unix.MAP_ANONYMOUS|unix.MAP_NORESERVE)
	if err != nil {
		return nil
	}
	return (*wishes)(p)
}
