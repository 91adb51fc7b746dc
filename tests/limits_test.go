package tests

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// TestThreadLimit lets a guest make threads until RLIMIT_NPROC ends that:
// pthread_create has to fail as it does natively, and the process to go on.
func TestThreadLimit(t *testing.T) {
	const src = "guest/limits/threads.c"
	guest, host := build(t, src, arm64, "-O1"), build(t, src, native, "-O1")
	dir := t.TempDir()
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(filepath.Dir(dir), 0o755); err != nil {
		t.Fatal(err)
	}
	at := func(name, file string) string {
		b, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		to := filepath.Join(dir, name)
		if err := os.WriteFile(to, b, 0o755); err != nil {
			t.Fatal(err)
		}
		return to
	}
	// The limit is one on a user's processes, and root has none: somebody else's.
	var asUser []string
	if os.Getuid() == 0 {
		asUser = []string{need(t, "setpriv", "util-linux"), "--reuid", "54321", "--clear-groups"}
	} else if out, err := exec.Command("ps", "-u", "-L").Output(); err != nil || len(out) > 20000 {
		t.Skip("this user has too many processes for a small limit")
	}
	limited := append(asUser, need(t, "prlimit", "util-linux"), "--nproc=80")
	want := run(t, "", append(limited, at("host", host))...)
	got := run(t, "", append(limited, at("emu", emuPath(t)), at("guest", guest))...)
	same(t, "threads up to the limit", got, want)
}
