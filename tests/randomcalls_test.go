package tests

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"emu/tests/need"
)

// crashText is what Go's runtime, or emu, says of its own mistakes.
var crashText = regexp.MustCompile(`BUG: |panic: |fatal error: |runtime: |goroutine \d+ \[|unexpected signal`)

// confined is a command line that runs argv as a user who owns nothing but dir, the
// current directory, in namespaces of its own.
func confined(t *testing.T, dir string, argv ...string) []string {
	t.Helper()
	if os.Getuid() != 0 {
		t.Skip("needs root, to make namespaces and become a user who owns nothing")
	}
	unshare, setpriv := need.Tool(t, "unshare", "util-linux"), need.Tool(t, "setpriv", "util-linux")
	spaces := []string{unshare, "--mount", "--pid", "--ipc", "--net", "--uts", "--fork", "--kill-child"}
	if r := run(t, "", append(spaces, "true")...); r.status != 0 {
		t.Skipf("no namespaces: %s", r.stderr)
	}
	const become = `mount -t proc proc /proc; cd "$1"; shift; exec "$@"`
	prefix := append(spaces, "/bin/sh", "-c", become, "sh", dir, setpriv, "--reuid", "54322", "--regid", "54322", "--clear-groups", "--no-new-privs", "--bounding-set=-all")
	return append(prefix, argv...)
}

// TestRandomCalls makes random system calls with random arguments in thousands of
// processes that may die of them: emu must neither crash nor say anything of itself.
func TestRandomCalls(t *testing.T) {
	guest := build(t, "guest/randomcalls/randomcalls.c", arm64, "-O1")
	batches := "20"
	if testing.Short() {
		batches = "10"
	}
	for i, c := range []struct {
		name  string
		flags []string
		args  []string
	}{
		{name: "plain"},
		{name: "interpreted", flags: []string{"-tier=interp"}},
		{name: "strace", flags: []string{"-strace", "-D", "/dev/null"}},
		{name: "tagged memory", flags: []string{"-cpu", "max,mte=on"}},
		{name: "sysroot", flags: []string{"-L", "."}},
		{name: "traced", args: []string{"trace"}},
		{name: "threads", args: []string{"threads"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			for d := dir; d != os.TempDir() && d != "/"; d = filepath.Dir(d) {
				os.Chmod(d, 0o755)
			}
			if err := os.Chown(dir, 54322, 54322); err != nil {
				t.Skip(err)
			}
			argv := []string{copyTo(t, filepath.Join(dir, "emu"), emuPath(t))}
			argv = append(argv, c.flags...)
			argv = append(argv, copyTo(t, filepath.Join(dir, "guest"), guest), fmt.Sprint(100+i), batches, "150")
			got := run(t, "", confined(t, dir, append(argv, c.args...)...)...)
			if got.status != 0 || got.signal != 0 || !strings.Contains(got.stdout, " crashed 0\n") {
				t.Errorf("status %d, signal %v\n%s", got.status, got.signal, got.stdout)
			}
			if crash := crashText.FindStringIndex(got.stderr); crash != nil {
				t.Errorf("emu says:\n%.8000s", got.stderr[crash[0]:])
			}
			t.Log(tail(got.stdout))
		})
	}
}

// copyTo copies a program to a place that others may reach.
func copyTo(t *testing.T, to, from string) string {
	t.Helper()
	b, err := os.ReadFile(from)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(to, b, 0o755); err != nil {
		t.Fatal(err)
	}
	return to
}
