package cpu

import (
	"fmt"
	"unsafe"

	"golang.org/x/sys/unix"
)

const stateSize = (unsafe.Sizeof(State{}) + 4095) &^ 4095

// Vectors are moved with instructions that need 16-byte alignment.
const (
	_ = -(unsafe.Offsetof(State{}.QC) % 16)
	_ = -(unsafe.Offsetof(State{}.V) % 16)
	_ = -(unsafe.Offsetof(State{}.Spill) % 16)
	_ = -(unsafe.Offsetof(State{}.FaultXMM) % 16)
)

// NewState maps a zeroed State outside of the Go heap. Its address never
// changes; Free releases it.
func NewState() (*State, error) {
	p, err := unix.MmapPtr(-1, 0, nil, stateSize, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANONYMOUS)
	if err != nil {
		return nil, fmt.Errorf("thread context: %w", err)
	}
	return (*State)(p), nil
}

// Free unmaps the State. The thread must not run any more.
func (s *State) Free() {
	if err := unix.MunmapPtr(unsafe.Pointer(s), stateSize); err != nil {
		panic("BUG: cpu: unmapping a thread context: " + err.Error())
	}
}
