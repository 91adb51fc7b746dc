package tests

import (
	"os"
	"path/filepath"
	"testing"
)

// TestThreadLimit lets a guest make threads until RLIMIT_NPROC ends that:
// pthread_create has to fail as it does natively, and the process to go on.
func TestThreadLimit(t *testing.T) {
	// The limit is one on all processes of a user, and root has none.
	if os.Getuid() != 0 {
		t.Skip("needs root, to become a user who has no other processes")
	}
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
	limited := []string{need(t, "setpriv", "util-linux"), "--reuid", "54321", "--clear-groups", need(t, "prlimit", "util-linux"), "--nproc=80"}
	want := run(t, "", append(limited, at("host", host))...)
	got := run(t, "", append(limited, at("emu", emuPath(t)), at("guest", guest))...)
	same(t, "threads up to the limit", got, want)
}

// TestForkWithoutPendingSignals forks where no signal may be pending with what is said
// of it (RLIMIT_SIGPENDING): neither those that stop the runtime's threads nor a timer's.
func TestForkWithoutPendingSignals(t *testing.T) {
	const src = "guest/processes/fork.c"
	guest, host := build(t, src, arm64, "-O1"), build(t, src, native, "-O1")
	limited := []string{need(t, "prlimit", "util-linux"), "--sigpending=0"}
	want := run(t, "", append(limited, host)...)
	got := run(t, "", append(limited, emuPath(t), guest)...)
	same(t, "forks without pending signals", got, want)
}

// TestNoRandomize runs a program under ADDR_NO_RANDOMIZE: its stack moved in one run of three.
func TestNoRandomize(t *testing.T) {
	emu, guest := emuPath(t), build(t, "guest/limits/noaslr.c", arm64, "-O1")
	want := run(t, "", "setarch", "-R", emu, guest)
	for range 12 {
		same(t, "setarch -R", run(t, "", "setarch", "-R", emu, guest), want)
	}
}
