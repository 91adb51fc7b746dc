package hostsig

// Go's runtime has a heap at a random place, one of 64 of the lowest 64 TiB, where the
// guest's memory may have to be: AddressSanitizer's shadow reaches up to 1<<44. Where it
// finds them all taken it lets the kernel choose, which puts it near all else that is
// mapped anywhere. So it is told that they are taken, by a function that the start code puts
// in the place of cgo's mmap, until the heap has its place.

// started ends that. The function stays, for what the heap grows by.
//
//lint:ignore U1000 memory_amd64.s uses it
var started bool

func init() {
	started = true
	growStack()
}

// growStack makes the main goroutine's stack large enough for a small guest: while little is
// on it, and not time and again as calls get deeper.
func growStack()
