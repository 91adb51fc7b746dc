package jit

import (
	"sync/atomic"
	"unsafe"

	"golang.org/x/sys/unix"
)

// free unmaps the counters.
func (c *coldCounts) free() { unix.MunmapPtr(unsafe.Pointer(c.slots), coldSlots) }

// newColdSlots returns zero counters in memory that forked children share, nil if
// there is none.
func newColdSlots() *[coldSlots / 4]atomic.Uint32 {
	p, err := unix.MmapPtr(-1, 0, nil, coldSlots, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED|unix.MAP_ANONYMOUS)
	if err != nil {
		return nil
	}
	return (*[coldSlots / 4]atomic.Uint32)(unsafe.Pointer(p))
}
