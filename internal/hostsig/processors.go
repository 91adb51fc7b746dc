package hostsig

import (
	"runtime"
	"sync"

	"emu/internal/forkall"
)

// processors is for UseProcessors and ManyProcessors: the number of processors is the runtime's, and so
// the process's.
var processors struct{ all, many sync.Once }

// UseProcessors lets Go run on all processors from now on. The start code has it begin with
// one: for each goroutine that is made the runtime starts or wakes a thread as long as there
// is another one, and a program with one thread needs none of them before there is
// something to compile in the background. Whoever makes a goroutine that is to run beside
// the calling thread calls it before. Where the kernel lets the process have hardly more threads
// it stays at one: the runtime ends a process that is refused one.
func UseProcessors() {
	processors.all.Do(func() {
		if n := runtime.NumCPU(); n > runtime.GOMAXPROCS(0) && forkall.Spare() {
			runtime.GOMAXPROCS(n)
		}
	})
}

// ManyProcessors is UseProcessors for a guest with more than one thread. Guest code is a system call
// to Go, as are calls of the host's that wait: its thread keeps a processor until the monitor takes that
// away, and another thread that comes back to Go and finds all of them taken waits until then. So
// Go has more processors than the machine, where the kernel lets it have as many threads.
//
// Preconditions: forkall.Room has just told that there may be another guest thread.
func ManyProcessors() {
	processors.many.Do(func() {
		if n := max(runtime.NumCPU(), forkall.ManyProcessors); n > runtime.GOMAXPROCS(0) && forkall.Ample() {
			runtime.GOMAXPROCS(n)
		}
	})
	UseProcessors()
}
