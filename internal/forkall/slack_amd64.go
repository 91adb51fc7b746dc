//lint:file-ignore U1000 the assembly beside this file uses what looks unused

package forkall

import "golang.org/x/sys/unix"

// The runtime's monitor (sysmon) looks every 20 us whether a processor is to be taken from a
// thread in a system call, as guest code is to it, and does so again and again for a guest
// that comes back to Go: it is seldom idle for long enough to look less often. Each look costs a
// wake-up, and lets the kernel's next change of page tables interrupt the processor that it ran on. There
// are processors for as many guest threads as mostly run (hostsig.ManyProcessors), so that hardly any of them
// waits for such a look. So the threads that the runtime starts with, which are the monitor and one or two
// more, may be late by IdleTimerSlack (prctl(2), PR_SET_TIMERSLACK). The start code sets it: threads
// inherit it, and nobody but a thread can change its own without privileges. That which makes the others is made later: they
// look for work for a moment before they sleep, and a Go program's threads would begin later.

// IdleTimerSlack is in ns: as late as a thread may be that finds no processor.
const IdleTimerSlack = 2_000_000

// OwnSlack is the timer slack that the process was started with. The start code sets it where it has made the
// runtime's threads late, and leaves it 0 elsewhere.
var OwnSlack uint64

func init() { // of the first thread, which is a guest's
	if OwnSlack != 0 {
		unix.Prctl(unix.PR_SET_TIMERSLACK, uintptr(OwnSlack), 0, 0, 0)
	}
}
