//go:build amd64

package forkall

import (
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// TestForkWaits holds NoFork for good. A Fork that went on would stop the threads with a signal
// that nobody handles here.
func TestForkWaits(t *testing.T) {
	NoFork.TryLock() // with -count the run before holds it
	done := make(chan struct{})
	go func() {
		defer close(done)
		Fork(Call{Nr: unix.SYS_CLONE, Args: [6]uintptr{uintptr(unix.SIGCHLD)}}, nil, nil)
	}()
	select {
	case <-done:
		t.Error("it forked")
	case <-time.After(100 * time.Millisecond):
	}
}
