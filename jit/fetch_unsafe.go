package jit

import (
	"unsafe"

	"emu/cpu"
)

// codeChunk are instructions that are read at once: an aligned part of a page.
type codeChunk [32]uint32

const chunkSize = uint64(unsafe.Sizeof(codeChunk{}))

// read reads the instructions from pc on, which were mapped when somebody looked. It
// returns false if they cannot be read: another thread may have unmapped them
// meanwhile, or their file may have become shorter.
func (c *codeChunk) read(pc uint64) (ok bool) {
	return cpu.Guarded(func() bool {
		*c = *(*codeChunk)(*(*unsafe.Pointer)(unsafe.Pointer(&pc)))
		return true
	})
}

// holds reports whether the guest has the words at pc, which may be 0. It may fault.
func holds(pc uint64, words []byte) bool {
	const most = 1 << 30 // unsafe.Slice does not take nil
	return string((*(*[most]byte)(*(*unsafe.Pointer)(unsafe.Pointer(&pc))))[:len(words)]) == string(words)
}

// storeWord writes a word of the native stack.
func storeWord(addr, v uint64) { *(*uint64)(*(*unsafe.Pointer)(unsafe.Pointer(&addr))) = v }
