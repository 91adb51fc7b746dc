package tests

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"emu/tests/need"
)

// Guests are built once into bin/guests and reused while their source and the
// command line stay the same.
const guestDir = "../bin/guests"

// arm64 and native are the two architectures every guest is built for: the same
// source has to behave the same.
const (
	arm64  = "arm64"
	native = "native"
)

// linkDynamic among build's flags makes a dynamic executable.
const linkDynamic = "-dynamic"

// emuPath is the emu binary under test: TESTED_EMU, else what `make build` made.
func emuPath(t testing.TB) string {
	t.Helper()
	path := os.Getenv("TESTED_EMU")
	if path == "" {
		path = "../bin/emu"
	}
	path, err := filepath.Abs(path)
	if err == nil {
		_, err = os.Stat(path)
	}
	if err != nil {
		t.Fatalf("no emu to test: %v (run make build)", err)
	}
	return path
}

// building has a lock for each program that build makes: tests run side by side.
var building sync.Map

// build compiles a guest source (C, C++, assembly or a Go package) for arch with
// extra flags and returns the program's path.
func build(t testing.TB, src, arch string, flags ...string) string {
	t.Helper()
	var cmd []string
	var env []string
	switch {
	case filepath.Ext(src) == "":
		goarch := map[string]string{arm64: "arm64", native: "amd64"}[arch]
		env = append(env, "GOARCH="+goarch, "GOOS=linux", "CGO_ENABLED=0")
		cmd = append([]string{"go", "build"}, flags...)
	case strings.HasPrefix(filepath.Ext(src), ".c") && filepath.Ext(src) != ".c":
		cmd = append([]string{compiler(t, arch, "g++"), "-O2", "-w", "-pthread", "-static"}, flags...)
	default:
		cmd = append([]string{compiler(t, arch, "gcc"), "-O2", "-w", "-pthread", "-static"}, flags...)
	}
	if slices.Contains(flags, linkDynamic) {
		cmd = slices.DeleteFunc(cmd, func(f string) bool { return f == linkDynamic || f == "-static" })
	}
	h := sha256.New()
	fmt.Fprint(h, cmd, env)
	for _, f := range append(sources(t, src), sourcesAmong(flags)...) {
		data, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		h.Write(data)
	}
	name := strings.TrimSuffix(filepath.Base(src), filepath.Ext(src))
	out, err := filepath.Abs(filepath.Join(guestDir, arch, fmt.Sprintf("%s-%x", name, h.Sum(nil)[:6])))
	if err != nil {
		t.Fatal(err)
	}
	lock, _ := building.LoadOrStore(out, new(sync.Mutex))
	lock.(*sync.Mutex).Lock()
	defer lock.(*sync.Mutex).Unlock()
	if _, err := os.Stat(out); err == nil {
		return out
	}
	if err := os.MkdirAll(filepath.Dir(out), 0o755); err != nil {
		t.Fatal(err)
	}
	tmp := fmt.Sprintf("%s.%d", out, os.Getpid())
	cmd = append(cmd, "-o", tmp, "./"+filepath.Clean(src))
	if filepath.Ext(src) != "" {
		cmd = append(cmd, "-lm")
	}
	c := exec.Command(cmd[0], cmd[1:]...)
	c.Env = append(os.Environ(), env...)
	if msg, err := c.CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", strings.Join(cmd, " "), err, msg)
	}
	if err := os.Rename(tmp, out); err != nil {
		t.Fatal(err)
	}
	return out
}

func compiler(t testing.TB, arch, tool string) string {
	if arch == arm64 {
		return need.Tool(t, "aarch64-linux-gnu-"+tool, tool+"-aarch64-linux-gnu")
	}
	return need.Tool(t, tool, tool)
}

func sources(t testing.TB, src string) []string {
	if filepath.Ext(src) != "" {
		return []string{src}
	}
	list, err := filepath.Glob(filepath.Join(src, "*.go"))
	if err != nil || len(list) == 0 {
		t.Fatalf("no Go files in %s (%v)", src, err)
	}
	return list
}

// sourcesAmong are the C files among a compiler's flags.
func sourcesAmong(flags []string) (files []string) {
	for _, f := range flags {
		if filepath.Ext(f) == ".c" {
			files = append(files, f)
		}
	}
	return files
}

// result is what a program did.
type result struct {
	stdout, stderr string
	status         int            // exit status, -1 if killed
	signal         syscall.Signal // what killed it
}

func (r result) String() string {
	if r.signal != 0 {
		return fmt.Sprintf("killed by %v", r.signal)
	}
	return fmt.Sprintf("status %d", r.status)
}

const (
	runTimeout = 2 * time.Minute
	// pipeTimeout is how long the output of a program may stay open after its end: a
	// process that it has left behind holds it.
	pipeTimeout = 20 * time.Second
)

// run runs a command line with the given standard input to its end. A program
// that does not end in time fails the test.
func run(t testing.TB, stdin string, argv ...string) result {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), runTimeout)
	defer cancel()
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	var out, msg bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(stdin), &out, &msg
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.WaitDelay = pipeTimeout
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	err := cmd.Run()
	if ctx.Err() != nil {
		t.Fatalf("%s: still running after %v\n%s", strings.Join(argv, " "), runTimeout, tail(msg.String()))
	}
	r := result{stdout: out.String(), stderr: msg.String()}
	var exit *exec.ExitError
	switch {
	case err == nil:
	case errors.As(err, &exit):
		ws := exit.Sys().(syscall.WaitStatus)
		r.status = exit.ExitCode()
		if ws.Signaled() {
			r.signal = ws.Signal()
		}
	default:
		t.Fatalf("%s: %v", strings.Join(argv, " "), err)
	}
	return r
}

// tail shortens long output for messages.
func tail(s string) string {
	const most = 4000
	if len(s) > most {
		return "..." + s[len(s)-most:]
	}
	return s
}

// same fails the test unless two programs did the same.
func same(t testing.TB, what string, got, want result) {
	t.Helper()
	if got.status != want.status || got.signal != want.signal {
		t.Errorf("%s: %v, want %v\n%s", what, got, want, tail(got.stderr))
	}
	if got.stdout != want.stdout {
		t.Errorf("%s: standard output differs\ngot:\n%s\nwant:\n%s\nstandard error:\n%s", what, tail(got.stdout), tail(want.stdout), tail(got.stderr))
	}
}

// head returns the first lines of a C source; empty for Go packages.
func head(t testing.TB, src string) string {
	if filepath.Ext(src) == "" {
		return ""
	}
	data, err := os.ReadFile(src)
	if err != nil {
		t.Fatal(err)
	}
	return string(data[:min(len(data), 400)])
}
