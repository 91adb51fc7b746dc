package jit

import "unsafe"

// fetchWord reads the guest instruction at pc, which is mapped.
func fetchWord(pc uint64) uint32 { return *(*uint32)(*(*unsafe.Pointer)(unsafe.Pointer(&pc))) }

// storeWord writes a word of the native stack.
func storeWord(addr, v uint64) { *(*uint64)(*(*unsafe.Pointer)(unsafe.Pointer(&addr))) = v }
