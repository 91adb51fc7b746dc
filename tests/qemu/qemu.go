// Package qemu finds the qemu-aarch64 that tests compare with.
package qemu

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// Newest returns the newest qemu-aarch64 there is, the one that tests/setup.sh fetches or
// one in PATH, and its major version. If there is none that is at least of the
// version least, the test is skipped, or fails in CI.
func Newest(t testing.TB, least int) (path string, major int) {
	t.Helper()
	for _, name := range []string{filepath.Join(root(t), "bin/qemu/qemu-aarch64"), "qemu-aarch64-11", "qemu-aarch64-10", "qemu-aarch64"} {
		if _, err := exec.LookPath(name); err != nil {
			continue
		}
		if v := version(t, name); v > major {
			path, major = name, v
		}
	}
	if path == "" || major < least {
		msg := fmt.Sprintf("there is no qemu-aarch64 of version %d or newer; get it with: make setup", least)
		if os.Getenv("CI") != "" {
			t.Fatal(msg)
		}
		t.Skip("SKIP: " + msg)
	}
	return path, major
}

// root is the directory of the module that the tests that run are of.
func root(t testing.TB) string {
	t.Helper()
	dir, err := os.Getwd()
	for ; err == nil; dir = filepath.Dir(dir) {
		if _, err = os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir
		}
		if dir != filepath.Dir(dir) {
			err = nil
		}
	}
	t.Fatal(err)
	return ""
}

// version is the major version of a qemu-aarch64.
func version(t testing.TB, name string) (major int) {
	t.Helper()
	out, err := exec.Command(name, "--version").Output()
	if err == nil {
		_, err = fmt.Sscanf(string(out), "qemu-aarch64 version %d.", &major)
	}
	if err != nil {
		t.Fatalf("%s --version: %v\n%s", name, err, out)
	}
	return major
}
