package tests

import (
	"os"
	"os/signal"
	"syscall"
	"testing"
)

// TestMain gives guests the signal dispositions of a login shell. Under nohup SIGHUP
// would be ignored, and in the background of a script SIGINT and SIGQUIT, and programs
// that die of them natively and here would not.
func TestMain(m *testing.M) {
	for _, sig := range []os.Signal{syscall.SIGHUP, syscall.SIGINT, syscall.SIGQUIT} {
		if signal.Ignored(sig) {
			signal.Notify(make(chan os.Signal, 1), sig)
		}
	}
	os.Exit(m.Run())
}
