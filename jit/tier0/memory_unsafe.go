package tier0

import (
	"unsafe"

	"emu/cpu"
)

// at is a host pointer to a guest address: it is the same number.
func at[T any](addr uint64) *T { return *(**T)(unsafe.Pointer(&addr)) }

// load reads 1 << size bytes, zero-extended.
func load(addr uint64, size uint32) uint64 {
	switch size {
	case 0:
		return uint64(*at[uint8](addr))
	case 1:
		return uint64(*at[uint16](addr))
	case 2:
		return uint64(*at[uint32](addr))
	}
	return *at[uint64](addr)
}

// store writes the low 1 << size bytes of v.
func store(addr uint64, size uint32, v uint64) {
	switch size {
	case 0:
		*at[uint8](addr) = uint8(v)
	case 1:
		*at[uint16](addr) = uint16(v)
	case 2:
		*at[uint32](addr) = uint32(v)
	default:
		*at[uint64](addr) = v
	}
}

// popReturn takes the pair of a call off the native stack, if it is that of a guest
// return to target: host and guest return addresses stay in step.
func popReturn(s *cpu.State, target uint64) {
	if s.NativeSP < s.NativeTop && *at[uint64](s.NativeSP + 8) == target {
		s.NativeSP += 16
	}
}
