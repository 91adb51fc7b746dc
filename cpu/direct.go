package cpu

import "sync/atomic"

// NumDirect is the number of entries of a table of direct system calls.
const NumDirect = 512

// DirectTable says, by guest system call number, which calls generated code
// makes itself, without leaving for Go. State.Direct points to one.
type DirectTable [NumDirect]DirectCall

// DirectCall is one entry. The zero value is a call that leaves.
type DirectCall struct {
	Host  uint16 // the host's number
	Flags uint8  // Direct... bits
	Zero  uint8  // bit i: leave unless argument i is zero
	Limit uint32 // with DirectLimit: leave if argument 0, as an unsigned 32-bit number, is greater
	Ptr   [2]DirectPtr
}

// DirectPtr is a pointer among the arguments: what it points to must lie in one of
// State.Own, or be null, for the call not to leave.
type DirectPtr struct {
	Arg  int8   // index of the argument, -1 = none
	Len  int8   // index of the argument that holds the size in bytes, -1 = Size does
	Size uint16 // in bytes
}

// Bits of DirectCall.Flags.
const (
	DirectCan    = 1 << iota // generated code makes the call
	DirectBlocks             // it may block
	DirectLimit              // Limit counts
	DirectPtrs               // Ptr[0] counts, and Ptr[1] unless its Arg is -1
	DirectFutex              // futex(2): only waking, and waiting without a timeout
	DirectClock              // the host's vDSO has the call: (clock, 16 bytes to fill)
	DirectDay                // the host's vDSO has the call: (16 bytes to fill, null)
	DirectPath               // a call with a path or a struct stat, which has code of its own
)

// NumOwn is the number of ranges in State.Own.
const NumOwn = 4

// OwnRange is a range of addresses that is the guest's.
type OwnRange struct{ Start, Size uint64 }

// Shrunk counts how often part of the address space was taken from the guest.
func (m *Memory) Shrunk() *atomic.Uint64 { return &m.shrunk }

// Extent returns the bounds of the guest's memory around addr, all adjacent
// regions included.
func (m *Memory) Extent(addr uint64) (start, end uint64, ok bool) {
	m.mu.RLock()
	defer m.mu.RUnlock()
	at := m.regions.first(addr)
	r := m.regions.at(at)
	if r == nil || r.Start > addr {
		return 0, 0, false
	}
	start, end = r.Start, r.End
	for c := m.regions.prev(at); ; c = m.regions.prev(c) {
		below := m.regions.at(c)
		if below == nil || below.End != start {
			break
		}
		start = below.Start
	}
	for c := m.regions.next(at); ; c = m.regions.next(c) {
		above := m.regions.at(c)
		if above == nil || above.Start != end {
			break
		}
		end = above.End
	}
	return start, end, true
}
