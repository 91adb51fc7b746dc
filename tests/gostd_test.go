package tests

import (
	"maps"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
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

// packageRows reads testdata/gostd.txt: by package, what go test -skip leaves out.
func packageRows(t *testing.T) map[string]string {
	t.Helper()
	text, err := os.ReadFile("testdata/gostd.txt")
	if err != nil {
		t.Fatal(err)
	}
	rows := map[string]string{}
	for line := range strings.Lines(string(text)) {
		if w := strings.Fields(line); len(w) > 0 && w[0] != "#" {
			rows[w[0]] = ""
			if len(w) > 1 {
				rows[w[0]] = w[1]
			}
		}
	}
	return rows
}

// TestGoStandardLibrary has Go test its own packages the way any user tests Go code
// for arm64: go test -exec emu.
func TestGoStandardLibrary(t *testing.T) {
	if testing.Short() {
		t.Skip("Go's own tests of 14 packages: left out by -short")
	}
	emu := emuPath(t)
	rows, fewest := packageRows(t), fewestTests
	packages := standardPackages
	if os.Getenv("EMU_GOSTD") == "all" {
		packages, fewest = slices.Sorted(maps.Keys(rows)), 0
	}
	for _, pkg := range packages {
		t.Run(pkg, func(t *testing.T) {
			t.Parallel()
			args := []string{"test", "-exec", emu, "-v", "-short", "-count=1", "-vet=off", "-timeout=4m"}
			if rows[pkg] != "" {
				args = append(args, "-skip="+rows[pkg])
			}
			cmd := exec.Command("go", append(args, pkg)...)
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
			if n < fewest {
				t.Errorf("%d tests passed, want %d or more", n, fewest)
			}
			t.Logf("%d tests passed", n)
		})
	}
}
