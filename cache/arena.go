// Package cache keeps generated code: where it lies in memory, which guest pc it
// belongs to, how blocks are linked, and when they have to go.
package cache

import (
	"fmt"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Code memory is one private mapping that stays readable, writable and
// executable. Two views of one file would be shared with forked children, which
// would then write each other's code. It is divided into regions that are filled
// in turn; when all are full the oldest is evicted whole.
const (
	DefaultSize = 128 << 20
	MinSize     = numRegions * 64 << 10
	numRegions  = 8
	stubBytes   = 4096 // engine stubs at the start, never evicted
	blockAlign  = 16
)

type region struct {
	start, next, end uintptr  // of the code
	limit            uintptr  // end of the region
	counters         uintptr  // the next free counter
	countersEnd      uintptr  // end of its page
	blocks           []*Block // in address order
}

type arena struct {
	base    uintptr
	size    uintptr
	stubEnd uintptr
	regions [numRegions]region
	cur     int
}

func newArena(size int) (*arena, error) {
	size = max(size, MinSize) &^ (numRegions*4096 - 1)
	p, err := unix.MmapPtr(-1, 0, nil, uintptr(size), unix.PROT_READ|unix.PROT_WRITE|unix.PROT_EXEC,
		unix.MAP_PRIVATE|unix.MAP_ANONYMOUS|unix.MAP_NORESERVE)
	if err != nil {
		return nil, fmt.Errorf("code cache of %d bytes: %w (is executable memory forbidden here?)", size, err)
	}
	a := &arena{base: uintptr(p), size: uintptr(size)}
	a.stubEnd = a.base
	step := a.size / numRegions
	for i := range a.regions {
		r := &a.regions[i]
		r.start, r.end = a.base+uintptr(i)*step, a.base+uintptr(i+1)*step
		if i == 0 {
			r.start += stubBytes
		}
		r.limit = r.end
		r.empty()
	}
	return a, nil
}

// alloc returns room for n bytes in the current region, 0 if it is full.
func (a *arena) alloc(n int) uintptr {
	r := &a.regions[a.cur]
	at := (r.next + blockAlign - 1) &^ (blockAlign - 1)
	if at+uintptr(n) > r.end {
		return 0
	}
	r.next = at + uintptr(n)
	return at
}

// bytes is the code memory [addr, addr+n).
func bytes(addr uintptr, n int) []byte {
	return unsafe.Slice((*byte)(*(*unsafe.Pointer)(unsafe.Pointer(&addr))), n)
}
