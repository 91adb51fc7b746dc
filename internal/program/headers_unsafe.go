// Package program finds emu's own program headers, as the kernel has mapped them.
package program

import (
	"unsafe"

	"golang.org/x/sys/unix"
)

// Header is an Elf64_Phdr.
type Header struct {
	Kind, Flags                                uint32
	Offset, Vaddr, Paddr, Filesz, Memsz, Align uint64
}

// Keys of the auxiliary vector: where the program headers are and how many.
const (
	AtPhdr  = 3
	AtPhnum = 5
)

// Headers are the program headers in memory.
type Headers struct{ Addr, N uintptr }

// Own returns emu's. There are none if the kernel does not say where they are.
func Own() (h Headers) {
	aux, err := unix.Auxv()
	if err != nil {
		return Headers{}
	}
	for _, a := range aux {
		switch a[0] {
		case AtPhdr:
			h.Addr = a[1]
		case AtPhnum:
			h.N = a[1]
		}
	}
	return h
}

// At returns the header with number i < N.
//
//go:nosplit
func (h Headers) At(i uintptr) *Header {
	addr := h.Addr + i*unsafe.Sizeof(Header{})
	return *(**Header)(unsafe.Pointer(&addr))
}
