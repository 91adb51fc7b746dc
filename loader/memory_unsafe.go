package loader

import (
	"errors"
	"runtime/debug"
	"unsafe"
)

// guest returns the guest memory [start, end) as bytes. The guest owns it.
func guest(start, end uint64) []byte {
	return unsafe.Slice((*byte)(*(*unsafe.Pointer)(unsafe.Pointer(&start))), end-start)
}

var errTruncated = errors.New("the file ends before its segment does")

// zero clears [start, end). The pages may lie past the end of a truncated file,
// which gives SIGBUS: that becomes errTruncated.
func zero(start, end uint64) (err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		if recover() != nil {
			err = errTruncated
		}
	}()
	clear(guest(start, end))
	return nil
}
