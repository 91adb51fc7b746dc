package store

import (
	"sync/atomic"
	"unsafe"
)

// countTable is the mapped memory of the counts, a power of two of entries.
type countTable []byte

// countEntry is an entry that other processes change.
type countEntry uint64

// entry returns the entry at index i, modulo their number. The table is aligned to 8
// bytes, as mappings are to pages.
func (t countTable) entry(i uint64) *countEntry {
	return (*countEntry)(unsafe.Pointer(&t[i%uint64(len(t)/8)*8]))
}

func (e *countEntry) load() uint64 { return atomic.LoadUint64((*uint64)(e)) }

func (e *countEntry) swap(old, new uint64) bool {
	return atomic.CompareAndSwapUint64((*uint64)(e), old, new)
}
