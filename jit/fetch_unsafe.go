package jit

import (
	"runtime"
	"runtime/debug"
	"unsafe"
)

// fetchWord reads the guest instruction at pc, which was mapped when somebody
// looked. ok is false if it cannot be read: another thread may have unmapped it
// meanwhile, or its file may have become shorter.
func fetchWord(pc uint64) (w uint32, ok bool) {
	old := debug.SetPanicOnFault(true)
	defer func() {
		debug.SetPanicOnFault(old)
		if r := recover(); r != nil {
			if _, fault := r.(runtime.Error); !fault {
				panic(r)
			}
			w, ok = 0, false
		}
	}()
	return *(*uint32)(*(*unsafe.Pointer)(unsafe.Pointer(&pc))), true
}

// storeWord writes a word of the native stack.
func storeWord(addr, v uint64) { *(*uint64)(*(*unsafe.Pointer)(unsafe.Pointer(&addr))) = v }
