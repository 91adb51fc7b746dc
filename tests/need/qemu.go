package need

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// Qemu returns the newest qemu-aarch64 there is, the one that tests/setup.sh fetches or
// one in PATH, and its major version, which is at least the one asked for.
func Qemu(t testing.TB, least int) (path string, major int) {
	t.Helper()
	for _, name := range []string{filepath.Join(root(t), "bin/qemu/usr/bin/qemu-aarch64"), "qemu-aarch64-11", "qemu-aarch64-10", "qemu-aarch64"} {
		if _, err := exec.LookPath(name); err != nil {
			continue
		}
		if v := version(t, name); v > major {
			path, major = name, v
		}
	}
	if major < least {
		Missing(t, "there is no qemu-aarch64 of version %d or newer; get it with: make setup", least)
	}
	return path, major
}

// root is the directory of the module that the running tests are of. Builds without
// paths do not know it otherwise.
func root(t testing.TB) string {
	t.Helper()
	out, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}").Output()
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(out))
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
