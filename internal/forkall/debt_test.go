//go:build amd64

package forkall

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// TestDue: what a young child owes itself is due at once where a thread of the runtime waits for another one, which
// the kernel shows where they are, and elsewhere when its youth is over.
func TestDue(t *testing.T) {
	defer func() { lived = 0 }()
	seen := 0
	for until := time.Now().Add(10 * time.Second); seen == 0 && time.Now().Before(until); time.Sleep(time.Millisecond) {
		files, err := filepath.Glob("/proc/self/task/*/syscall")
		if err != nil || len(files) == 0 {
			t.Skip("/proc/self/task/*/syscall is not there: needs /proc mounted and CONFIG_HAVE_ARCH_TRACEHOOK")
		}
		for _, file := range files {
			text, _ := os.ReadFile(file)
			var pc uintptr
			f := strings.Fields(string(text)) // number, six arguments, stack pointer, pc
			if len(f) != 9 || f[0] != fmt.Sprint(unix.SYS_FUTEX) {
				continue
			}
			if _, err := fmt.Sscanf(f[8], "%v", &pc); err != nil {
				t.Fatal(err)
			}
			lived = 0
			if !isDue(pc) {
				t.Errorf("a thread waits in futex at %#x, the runtime's function is at %#x", pc, runtimeFutex())
			}
			seen++
		}
	}
	if seen == 0 {
		t.Error("no thread of the runtime waits")
	}
	lived = 0
	for n := uint32(1); n <= youth; n++ {
		if due := isDue(nowhere); due != (n == youth) {
			t.Errorf("after %d ticks of %d: %v", n, youth, due)
		}
	}
}

// nowhere is an address that no function has.
const nowhere = 1
