package tests

import (
	"bytes"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
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

// skippedTest is a test of the top level that found something missing.
var skippedTest = regexp.MustCompile(`(?m)^--- SKIP: `)

// failedTest is a test that failed, with the lines before and after it that say why.
var failedTest = regexp.MustCompile(`(?m)(^.*\n){0,15}^ *--- FAIL: .*$(\n    .*$){0,15}`)

// fewestTests is the least number of tests that any of the packages has; math/bits
// has 17.
const fewestTests = 10

// packageRow is what testdata/gostd.txt says of a package.
type packageRow struct {
	pkg  string
	long bool   // its long tests are run too: without go test -short
	root bool   // below Debian's root, whose programs are arm64's, and with cgo
	skip string // go test -skip, or empty
}

// packageRows reads testdata/gostd.txt, by package with what is before it.
func packageRows(t *testing.T) map[string]packageRow {
	t.Helper()
	text, err := os.ReadFile("testdata/gostd.txt")
	if err != nil {
		t.Fatal(err)
	}
	rows := map[string]packageRow{}
	for line := range strings.Lines(string(text)) {
		w := strings.Fields(line)
		if len(w) == 0 || w[0] == "#" {
			continue
		}
		var row packageRow
		row.pkg, row.long = strings.CutPrefix(w[0], "+")
		row.pkg, row.root = strings.CutPrefix(row.pkg, "@")
		if len(w) > 1 {
			row.skip = w[1]
		}
		rows[w[0]] = row
	}
	return rows
}

// goTestEnv is the environment of a go test for arm64. Where a test has the go command
// run an arm64 program, that finds emu as it finds any emulator for another
// architecture: go help run.
func goTestEnv(t *testing.T, emu string) []string {
	t.Helper()
	dir := t.TempDir()
	if err := os.Symlink(emu, filepath.Join(dir, "go_linux_arm64_exec")); err != nil {
		t.Fatal(err)
	}
	return append(os.Environ(), "GOOS=linux", "GOARCH=arm64", "CGO_ENABLED=0", "GOFLAGS=",
		"PATH="+dir+":"+os.Getenv("PATH"))
}

// crossCC is a C compiler for both architectures: the go command takes one name for what
// it builds for arm64 and for its own tools, which it builds when they are asked for.
const crossCC = `#!/bin/sh
case " $* " in
*" -m64 "*) exec gcc "$@" ;;
esac
exec aarch64-linux-gnu-gcc "$@"
`

// inRoot adds to the environment what packages below a root need: cgo, and a place for
// temporary files that the root does not have.
func inRoot(t *testing.T, env []string) []string {
	t.Helper()
	dir := t.TempDir()
	cc := filepath.Join(dir, "cc")
	if err := os.WriteFile(cc, []byte(crossCC), 0o755); err != nil {
		t.Fatal(err)
	}
	return append(slices.Clone(env), "CGO_ENABLED=1", "CC="+cc, "TMPDIR="+dir)
}

// TestGoStandardLibrary has Go test its own packages the way any user tests Go code
// for arm64: go test -exec emu.
func TestGoStandardLibrary(t *testing.T) {
	if testing.Short() {
		t.Skip("Go's own tests of 14 packages: left out by -short")
	}
	emu := emuPath(t)
	rows, fewest := packageRows(t), fewestTests
	packages, limit := standardPackages, 4*time.Minute
	all := os.Getenv("EMU_GOSTD") == "all"
	if all {
		packages, fewest, limit = slices.Sorted(maps.Keys(rows)), 0, 30*time.Minute
	}
	env := goTestEnv(t, emu)
	for _, name := range packages {
		row, ok := rows[name]
		if !ok {
			t.Fatalf("no row %s in testdata/gostd.txt", name)
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			with, env := emu, env
			if row.root {
				with, env = emu+" -L "+debian(t), inRoot(t, env)
			}
			args := []string{"test", "-exec", with, "-v", "-count=1", "-vet=off", "-timeout=" + limit.String()}
			if !all || !row.long {
				args = append(args, "-short")
			}
			if !all { // as the guests in Go are built, so that the packages are compiled once
				args = append(args, "-trimpath")
			}
			if row.skip != "" {
				args = append(args, "-skip="+row.skip)
			}
			cmd := exec.Command("go", append(args, row.pkg)...)
			cmd.Env = env
			// go test passes a kill on to what it runs only by its own timeout: end
			// the whole group.
			cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
			deadline := time.AfterFunc(limit+time.Minute, func() { syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) })
			out, err := cmd.CombinedOutput()
			deadline.Stop()
			if err != nil {
				t.Fatalf("%v: %v\n%s\n%s", cmd.Args, err, bytes.Join(failedTest.FindAll(out, -1), []byte("\n")), tail(string(out)))
			}
			n := len(passedTest.FindAll(out, -1))
			if n < fewest {
				t.Errorf("%d tests passed, want %d or more", n, fewest)
			}
			t.Logf("%d tests passed, %d skipped themselves", n, len(skippedTest.FindAll(out, -1)))
		})
	}
}
