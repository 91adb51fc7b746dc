package tests

import (
	"os"
	"os/signal"
	"syscall"
	"testing"
)

// TestMain gives guests the signal dispositions of a login shell: under nohup SIGHUP
// would be ignored, and programs that die of it natively and here would not.
func TestMain(m *testing.M) {
	if signal.Ignored(syscall.SIGHUP) {
		c := make(chan os.Signal, 1)
		signal.Notify(c, syscall.SIGHUP)
	}
	os.Exit(m.Run())
}
