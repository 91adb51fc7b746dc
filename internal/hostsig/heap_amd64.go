package hostsig

import "unsafe"

// Go's runtime has a heap at a random place, one of 64 of the lowest 64 TiB, where the
// guest's memory may have to be: AddressSanitizer's shadow reaches up to 1<<44. Where it
// finds them all taken it lets the kernel choose, which puts it near all else that is
// mapped anywhere. So it is told that they are taken, by a function that the start code puts
// in the place of cgo's mmap, and which stays there until the heap has its place.

//go:linkname cgoMmap _cgo_mmap
var cgoMmap unsafe.Pointer

func init() {
	cgoMmap = nil
	growStack()
}

// growStack makes the main goroutine's stack large enough for a small guest: while little is
// on it, and not time and again as calls get deeper.
func growStack()
