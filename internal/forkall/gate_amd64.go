package forkall

import (
	"sync/atomic"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

//go:linkname entersyscall runtime.entersyscall
func entersyscall()

//go:linkname entersyscallblock runtime.entersyscallblock
func entersyscallblock()

//go:linkname exitsyscall runtime.exitsyscall
func exitsyscall()

// Leave notes that the calling guest thread goes outside. It has called
// entersyscall.
//
//go:nosplit
func Leave(w *Outside) { atomic.StoreUint32(w, 1) }

// Return notes that the calling guest thread comes back to Go and is about to
// call exitsyscall; it waits for the gate to be open.
//
//go:nosplit
func Return(w *Outside) {
	// The forking thread closes the gate, then looks at w; here it is the other way
	// round, both with full barriers.
	for atomic.SwapUint32(w, 0); atomic.LoadUint32(&closed) != 0; atomic.SwapUint32(w, 0) {
		atomic.StoreUint32(w, 1)
		raw(unix.SYS_FUTEX, uintptr(unsafe.Pointer(&closed)), futexWait, 1, 0, 0)
	}
}

// Wait waits outside while the gate is closed. Its processor is free at once for a
// thread that has yet to go outside: by itself the runtime takes it after 20 us to 10 ms.
//
//go:nosplit
func Wait(w *Outside) {
	entersyscallblock()
	Leave(w)
	Return(w)
	exitsyscall()
}

func wakeGate() {
	raw(unix.SYS_FUTEX, uintptr(unsafe.Pointer(&closed)), futexWake, 1<<31-1, 0, 0)
}

func sleep(d time.Duration) {
	ts := unix.NsecToTimespec(int64(d))
	unix.Nanosleep(&ts, nil)
}
