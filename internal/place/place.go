//lint:file-ignore U1000 the start code in hostsig uses what looks unused

// Package place says where the memory lies that emu has for itself: close together, behind its
// program.
//
// A fork copies page tables, and each of them costs as much as twenty of their entries: some 3 us to allocate, clear, copy and
// free, for one page as for 512. Where the kernel chooses, emu's few hundred pages are in thirty tables. Here
// those that are always written lie in a dozen. Of what the runtime reserves it writes near the end, at a place
// that follows from where the heap is; so what begins with something written comes behind that.
//
// All addresses are hints. What is taken already the kernel puts elsewhere.
package place

import (
	"sync/atomic"
	"unsafe"

	"golang.org/x/sys/unix"
)

const (
	mb   = 1 << 20
	base = 0x7e00_0000_0000 // of the program, see the Makefile; it has 46 MB

	bitmap  = base + 128*mb // the page allocator's
	Threads = bitmap + mb   // the table of threads
	Code    = base + 256*mb + mb/2
	small   = TablesEnd      // and up: what is less than a megabyte
	arenas  = small + 3*mb/2 // which the heap has
	Pending = arenas + 32*mb // records for the store
	Filling = base + 506*mb  // where a huge page of variables is until it is filled
)

// The runtime's tables begin with summaries of what the heap has free, of which the ends are used, and go on with what is small:
// all that is written of them, but for a page, lies in one huge page where they have one.
const (
	TablesStart = Tables - 15*mb/16 - 8*mb
	Tables      = base + 470*mb
	TablesSmall = Tables + 3*mb/16
	TablesEnd   = Tables + 2*mb
)

// runtimes are the places of what Go's runtime maps as it starts. The start code looks for the first of the
// size; one that it has used gets the size 1. What is reserved between what is written is mapped at once, with
// or, for the mapping to be one: each that has been written to costs a fork 2 us.
var runtimes = [...]struct{ size, at, or uintptr }{
	{mb / 8, TablesSmall - mb/8, readWrite},      // summaries[0] of the page allocator
	{1 * mb, TablesSmall - mb/8 - mb, readWrite}, // [1]
	{8 * mb, TablesStart, readWrite},             // [2]
	{64 * mb, Code - 64*mb, 0},                   // [3]
	{512 * mb, base + 512*mb, 0},                 // [4]
	{512 * mb, base + 1024*mb, 0},                // the scavenger's index
	{128 * mb, base + 1536*mb, 0},                // the heap: 64 MB and room to align them. It grows upward
	{32 * mb, arenas, 0},
	{1 * mb, bitmap, 0},
	{},
}

const readWrite = unix.PROT_READ | unix.PROT_WRITE

// SlowFaults reports whether a page fault takes several times as long here as on most machines, as in a virtual machine whose
// host shadows page tables: then huge pages are worth more than the time to clear them. The start code sets it.
var SlowFaults bool

// next is where the next small mapping goes: nextTable the runtime's, until there is no room for more tables.
var next, nextTable uintptr = small, TablesSmall

// Map maps memory without a file at the place, or elsewhere.
func Map(at, size uintptr, prot, flags int) (unsafe.Pointer, error) {
	return unix.MmapPtr(-1, 0, *(*unsafe.Pointer)(unsafe.Pointer(&at)), size, prot, flags|unix.MAP_ANONYMOUS)
}

// Bytes is Map for what is read and written.
func Bytes(at, size uintptr, flags int) ([]byte, error) {
	p, err := Map(at, size, unix.PROT_READ|unix.PROT_WRITE, flags)
	if err != nil {
		return nil, err
	}
	return unsafe.Slice((*byte)(p), size), nil
}

// Small maps less than a megabyte of memory without a file.
func Small(size uintptr, prot, flags int) (unsafe.Pointer, error) {
	const page = 4096
	size = (size + page - 1) &^ (page - 1)
	at := atomic.AddUintptr(&next, size) - size
	if at+size > arenas {
		at = 0
	}
	return Map(at, size, prot, flags)
}
