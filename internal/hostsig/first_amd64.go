//lint:file-ignore U1000 the assembly beside this file uses what looks unused

package hostsig

import "emu/internal/forkall"

// beforeRuntime is what the start code calls: on the first stack, with no g, no P and no
// room to grow the stack into. It reports whether there may be no room for the runtime's
// threads.
var beforeRuntime = prepareRuntime

//go:nosplit
func prepareRuntime() (scarce bool) {
	raiseMemoryLimits()
	keepBlockedFirst()
	return forkall.NearLimit()
}

// For the start code.
const (
	startThreads   = forkall.StartThreads
	idleTimerSlack = forkall.IdleTimerSlack
	statusNoRoom   = 126 // as of what cannot be run
)
