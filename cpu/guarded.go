package cpu

import (
	"runtime"
	"runtime/debug"
)

// Guarded is what f, which reads the guest's memory, returns, false if it faults: another thread may have
// unmapped what was there when somebody looked, or its file may have become shorter.
func Guarded(f func() bool) (ok bool) {
	old := debug.SetPanicOnFault(true)
	defer func() {
		debug.SetPanicOnFault(old)
		if r := recover(); r != nil {
			if _, fault := r.(runtime.Error); !fault {
				panic(r)
			}
			ok = false
		}
	}()
	return f()
}
