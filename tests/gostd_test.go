package tests

import (
	"os"
	"os/exec"
	"regexp"
	"syscall"
	"testing"
	"time"
)

// standardPackages are Go's packages whose own tests run as arm64 programs: number
// parsing and arithmetic, assembly for arm64, locks and atomics, timers, reflection.
var standardPackages = []string{
	"time", "math/big", "sync/atomic", // the long ones first
	"strconv", "sort", "math", "math/bits", "bytes", "strings", "sync",
	"encoding/json", "compress/flate", "crypto/sha256", "regexp",
}

// passedTest is a test of the top level that passed.
var passedTest = regexp.MustCompile(`(?m)^--- PASS: `)

// fewestTests is the least number of tests that any of the packages has; math/bits
// has 17.
const fewestTests = 10

// TestGoStandardLibrary has Go test its own packages the way any user tests Go code
// for arm64: go test -exec emu.
func TestGoStandardLibrary(t *testing.T) {
	if testing.Short() {
		t.Skip("Go's own tests of 14 packages: left out by -short")
	}
	emu := emuPath(t)
	for _, pkg := range standardPackages {
		t.Run(pkg, func(t *testing.T) {
			t.Parallel()
			cmd := exec.Command("go", "test", "-exec", emu, "-v", "-short", "-count=1", "-vet=off", "-timeout=4m", pkg)
			cmd.Env = append(os.Environ(), "GOOS=linux", "GOARCH=arm64", "CGO_ENABLED=0", "GOFLAGS=")
			// go test passes a kill on to what it runs only by its own timeout: end
			// the whole group.
			cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
			deadline := time.AfterFunc(5*time.Minute, func() { syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) })
			out, err := cmd.CombinedOutput()
			deadline.Stop()
			if err != nil {
				t.Fatalf("%v: %v\n%s", cmd.Args, err, tail(string(out)))
			}
			n := len(passedTest.FindAll(out, -1))
			if n < fewestTests {
				t.Errorf("%d tests passed, want %d or more", n, fewestTests)
			}
			t.Logf("%d tests passed", n)
		})
	}
}
