package hostsig

import (
	"runtime"
	"sync"

	"emu/internal/forkall"
)

// processors is for UseProcessors: the number of processors is the runtime's, and so the
// process's.
var processors sync.Once

// UseProcessors lets Go run on all processors from now on. The start code has it begin with
// one: for each goroutine that is made the runtime starts or wakes a thread as long as there
// is another one, and a program with one thread needs none of them before there is
// something to compile in the background. Whoever makes a goroutine that is to run beside
// the calling thread calls it before. Where the kernel lets the process have hardly more threads
// it stays at one: the runtime ends a process that is refused one.
func UseProcessors() {
	processors.Do(func() {
		if n := runtime.NumCPU(); n > runtime.GOMAXPROCS(0) && forkall.Spare() {
			runtime.GOMAXPROCS(n)
		}
	})
}
