package store

import (
	"sync/atomic"
	"unsafe"
)

// runTable is the mapped memory of the runs.
type runTable []byte

// runWord has wordRuns numbers, which other processes change.
type runWord uint32

const (
	runWordSize = int64(unsafe.Sizeof(runWord(0)))
	wordRuns    = 8 * uint64(runWordSize) / runBits
)

// at returns the word with number i, and by how much that is shifted in there. The table begins at a
// multiple of 8 bytes.
func (t runTable) at(i uint64) (word *runWord, shift uint64) {
	return (*runWord)(unsafe.Pointer(&t[i/wordRuns*uint64(runWordSize)])), i % wordRuns * runBits
}

func (w *runWord) load() uint32 { return atomic.LoadUint32((*uint32)(w)) }

func (w *runWord) swap(old, new uint32) bool {
	return atomic.CompareAndSwapUint32((*uint32)(w), old, new)
}
