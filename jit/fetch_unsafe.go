package jit

import (
	"encoding/binary"
	"unsafe"

	"emu/cpu"

	"golang.org/x/sys/unix"
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

// load reads size bytes of the guest's memory, up to eight.
func (f *fetcher) load(addr uint64, size int) (v uint64, ok bool) {
	if !f.mem.OK(addr, uint64(size), unix.PROT_READ) {
		return 0, false
	}
	var b [8]byte
	ok = cpu.Guarded(func() bool {
		copy(b[:size], unsafe.Slice((*byte)(*(*unsafe.Pointer)(unsafe.Pointer(&addr))), size))
		return true
	})
	return binary.LittleEndian.Uint64(b[:]), ok
}

// holds reports whether the guest has the words at pc, which may be 0. It may fault.
func holds(pc uint64, words []byte) bool {
	const most = 1 << 30 // unsafe.Slice does not take nil
	return string((*(*[most]byte)(*(*unsafe.Pointer)(unsafe.Pointer(&pc))))[:len(words)]) == string(words)
}

// storeWord writes a word of the native stack.
func storeWord(addr, v uint64) { *(*uint64)(*(*unsafe.Pointer)(unsafe.Pointer(&addr))) = v }
