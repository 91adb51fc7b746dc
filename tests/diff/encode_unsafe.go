package diff

import (
	"fmt"
	"unsafe"
)

// stateSize is that of the guest's struct state: the layout of State on a 64-bit host,
// little-endian as the guest is, without padding.
const stateSize = 33*8 + 4*4 + 8 + 32*16 + MemSize + MemSize/16 + 8 + 8*GCSEntries + 20*2

var _ [stateSize]struct{} = [unsafe.Sizeof(State{})]struct{}{}

// bytes is the state as the guest has it.
func (s *State) bytes() []byte { return (*[stateSize]byte)(unsafe.Pointer(s))[:] }

func decodeStates(b []byte) ([]State, error) {
	if len(b)%stateSize != 0 {
		return nil, fmt.Errorf("results end in the middle of a state")
	}
	out := make([]State, len(b)/stateSize)
	for n := range out {
		copy(out[n].bytes(), b[n*stateSize:])
	}
	return out, nil
}
