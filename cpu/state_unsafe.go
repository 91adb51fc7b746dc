package cpu

import (
	"fmt"
	"unsafe"

	"emu/internal/place"

	"golang.org/x/sys/unix"
)

// A State lies right above its thread's native stack: both are written all the time, and a fork
// copies each page that parent or child write to after it. So the beginnings of the two share one.
const (
	// NativeStack is the size of the native stack in bytes, with its lowest page, which is a guard.
	NativeStack = 16*PageSize + sharedTop

	sharedTop = 1024 // of the stack's bytes are on the page where the State begins
	stateSize = (NativeStack + unsafe.Sizeof(State{}) + PageSize - 1) &^ (PageSize - 1)
)

// Vectors are moved with instructions that need 16-byte alignment.
const (
	_ = -(unsafe.Offsetof(State{}.V) % 16)
	_ = -(unsafe.Offsetof(State{}.Spill) % 16)
	_ = -(unsafe.Offsetof(State{}.Stack) % 16)
	_ = -(unsafe.Offsetof(State{}.FaultXMM) % 16)
	_ = -(unsafe.Offsetof(State{}.Chunk) % 16)
)

// states are those of threads that have ended.
var states place.Pool

// NewState returns a zeroed State and a native stack outside of the Go heap. Their addresses never
// change; Free releases them.
func NewState() (*State, error) {
	if s := (*State)(states.Get()); s != nil {
		*s = State{}
		return s, nil
	}
	p, err := place.Small(stateSize, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE)
	if err != nil {
		return nil, fmt.Errorf("thread context: %w", err)
	}
	// A guard that does not divide the mapping, which a fork copies (Linux 6.13).
	const guardInstall = 102 // MADV_GUARD_INSTALL
	if _, _, e := unix.RawSyscall(unix.SYS_MADVISE, uintptr(p), PageSize, guardInstall); e == 0 {
		return (*State)(unsafe.Add(p, NativeStack)), nil
	}
	if _, _, e := unix.Syscall(unix.SYS_MPROTECT, uintptr(p), PageSize, unix.PROT_NONE); e != 0 {
		unix.MunmapPtr(p, stateSize)
		return nil, fmt.Errorf("native stack: %w", e)
	}
	return (*State)(unsafe.Add(p, NativeStack)), nil
}

// NativeStack returns the bounds of the memory that the native stack has, without its guard. Only
// a State of NewState's has one.
func (s *State) NativeStack() (low, end uint64) {
	end = uint64(uintptr(unsafe.Pointer(s)))
	return end - NativeStack + PageSize, end
}

// Free gives up the State and the native stack. The thread must not run any more.
func (s *State) Free() {
	if states.Put(unsafe.Pointer(s)) {
		return
	}
	if err := unix.MunmapPtr(unsafe.Add(unsafe.Pointer(s), -NativeStack), stateSize); err != nil {
		panic("BUG: cpu: unmapping a thread context: " + err.Error())
	}
}
