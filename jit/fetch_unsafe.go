package jit

import "unsafe"

// fetchWord reads the guest instruction at pc, which is mapped.
func fetchWord(pc uint64) uint32 { return *(*uint32)(*(*unsafe.Pointer)(unsafe.Pointer(&pc))) }
