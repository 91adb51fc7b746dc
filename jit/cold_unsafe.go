package jit

import (
	"sync/atomic"
	"unsafe"
)

// coldMemory is what a process shares with its children from the beginning, in one mapping: each
// takes its time in every fork.
type coldMemory struct {
	slots  [coldSlots / 4]atomic.Uint32
	wishes wishes
}

// newColdMemory returns zero counters and no wishes, nil if there is no memory.
func newColdMemory() *coldMemory { return (*coldMemory)(mapShared(unsafe.Sizeof(coldMemory{}))) }
