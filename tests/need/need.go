// Package need finds what tests use besides Go, and says how to get what is not there.
package need

import (
	"os"
	"os/exec"
	"testing"
)

// Missing skips the test for want of what the message says; in CI, where nothing is
// skipped, it fails.
func Missing(t testing.TB, format string, args ...any) {
	t.Helper()
	if os.Getenv("CI") != "" {
		t.Fatalf(format, args...)
	}
	t.Skipf(format, args...)
}

// Tool returns the path of a program, of Debian's package pkg, that the test cannot
// do without.
func Tool(t testing.TB, name, pkg string) string {
	t.Helper()
	path, err := exec.LookPath(name)
	if err != nil {
		Missing(t, "%s is not installed; get it with: apt-get install %s", name, pkg)
	}
	return path
}

// File checks that there is a file that the test cannot do without, and says how to
// get it.
func File(t testing.TB, path, how string) {
	t.Helper()
	if _, err := os.Stat(path); err != nil {
		Missing(t, "%v; get it with: %s", err, how)
	}
}
