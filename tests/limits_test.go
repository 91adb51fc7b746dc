package tests

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"emu/tests/need"
)

// alone returns where a user who has no other processes finds emu and a guest of tests/guest/limits,
// built for both machines, and the command that runs one as that user with a limit on
// processes: it is one on all processes of a user, and root has none.
func alone(t *testing.T, src string) (emu, guest, host string, limited func(n int) []string) {
	t.Helper()
	if os.Getuid() != 0 {
		t.Skip("needs root, to become a user who has no other processes")
	}
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
	setpriv, prlimit := need.Tool(t, "setpriv", "util-linux"), need.Tool(t, "prlimit", "util-linux")
	return at("emu", emuPath(t)), at("guest", build(t, src, arm64, "-O1")), at("host", build(t, src, native, "-O1")), func(n int) []string {
		return []string{setpriv, "--reuid", "54321", "--clear-groups", prlimit, "--nproc=" + strconv.Itoa(n)}
	}
}

// TestThreadLimit lets a guest make threads until RLIMIT_NPROC ends that:
// pthread_create has to fail as it does natively, and the process to go on.
func TestThreadLimit(t *testing.T) {
	emu, guest, host, limited := alone(t, "guest/limits/threads.c")
	want := run(t, "", append(limited(80), host)...)
	got := run(t, "", append(limited(80), emu, guest)...)
	same(t, "threads up to the limit", got, want)
}

// TestFewProcesses runs a program where there may be hardly more threads than emu begins with:
// what cannot be made fails with EAGAIN, and nothing ends the process or its children.
func TestFewProcesses(t *testing.T) {
	emu, guest, host, limited := alone(t, "guest/limits/few.c")
	want := run(t, "", append(limited(20), host)...)
	for n := 6; n <= 24; n += 2 {
		same(t, fmt.Sprintf("at most %d processes", n), run(t, "", append(limited(n), emu, guest)...), want)
	}
	for n := 1; n < 6; n++ {
		got := run(t, "", append(limited(n), emu, guest)...)
		if got.status != 126 || got.stdout != "" || !strings.HasPrefix(got.stderr, "emu: the limit on processes") || strings.Count(got.stderr, "\n") != 1 {
			t.Errorf("at most %d processes: %v", n, got)
		}
	}
}

// TestForkAtTheLimit forks again and again where there may be room for exactly one child: the
// parent took the place that the child's last thread needed, for a thread that spares it work.
func TestForkAtTheLimit(t *testing.T) {
	emu, guest, host, limited := alone(t, "guest/limits/edge.c")
	want := run(t, "", append(limited(20), host)...)
	for n := 6; n <= 18; n++ {
		same(t, fmt.Sprintf("at most %d processes", n), run(t, "", append(limited(n), emu, guest)...), want)
	}
}

// TestLoweredProcessLimit has a guest lower RLIMIT_NPROC itself and take all that there is: Go's
// runtime, which ended the process at the limit, must not notice.
func TestLoweredProcessLimit(t *testing.T) {
	emu, guest, host, limited := alone(t, "guest/limits/lowered.c")
	want := run(t, "", append(limited(200), host)...)
	same(t, "a lowered limit", run(t, "", append(limited(200), emu, guest)...), want)
}

// TestForkWithoutPendingSignals forks where no signal may be pending with what is said
// of it (RLIMIT_SIGPENDING): neither those that stop the runtime's threads nor a timer's.
func TestForkWithoutPendingSignals(t *testing.T) {
	const src = "guest/processes/fork.c"
	guest, host := build(t, src, arm64, "-O1"), build(t, src, native, "-O1")
	limited := []string{need.Tool(t, "prlimit", "util-linux"), "--sigpending=0"}
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

// TestFewDescriptors runs a program with low limits on descriptors, and another one that it executes.
// emu's own took the lowest numbers then: a shell's `exec 4<file` failed behind `ulimit -n 256`.
func TestFewDescriptors(t *testing.T) {
	const src = "guest/limits/files.c"
	emu, guest, host := emuPath(t), build(t, src, arm64, "-O1"), build(t, src, native, "-O1")
	prlimit := need.Tool(t, "prlimit", "util-linux")
	for _, limit := range []string{"16:4096", "64:4096", "256:4096", "64:64", "256:256", "340:340"} {
		limited := func(args ...string) result {
			return run(t, "", append([]string{prlimit, "--nofile=" + limit}, args...)...)
		}
		want, got := limited(host, "again"), limited(emu, guest, "again")
		if soft, hard, _ := strings.Cut(limit, ":"); soft == hard {
			want.stdout = strings.ReplaceAll(want.stdout, "all,", "most,") // some are emu's
			got.stdout = strings.ReplaceAll(got.stdout, "all,", "most,")
		}
		same(t, limit, got, want)
	}
}

// TestInheritedMemoryLimits runs a program with limits on memory that emu takes more than: they are
// the program's. Go's runtime ended emu with a report of its own where the kernel lets them not be raised.
func TestInheritedMemoryLimits(t *testing.T) {
	const src = "guest/limits/memory.c"
	emu, guest, host := emuPath(t), build(t, src, arm64, "-O1", "-static"), build(t, src, native, "-O1", "-static")
	prlimit := need.Tool(t, "prlimit", "util-linux")
	for _, limit := range []string{"--data=100000000:", "--as=100000000:", "--data=90000000:800000000", "--as=350000000:4000000000"} {
		same(t, limit, run(t, "", prlimit, limit, emu, guest), run(t, "", prlimit, limit, host))
	}
	same(t, "execve", run(t, "", emu, guest, "again"), run(t, "", host, "again"))

	if os.Getuid() != 0 {
		t.Skip("needs root, to become a user who may raise no limits")
	}
	_, emu, guest = forOthers(t, guest)
	setpriv := need.Tool(t, "setpriv", "util-linux")
	for limit, want := range map[string]string{"--data=200000000": "(ulimit -d)", "--as=1000000000": "(ulimit -v)"} {
		got := run(t, "", prlimit, limit, setpriv, "--reuid=65534", "--clear-groups", emu, guest)
		if got.status != 126 || !strings.HasPrefix(got.stderr, "emu: the limit on ") || !strings.Contains(got.stderr, want) || strings.Count(got.stderr, "\n") != 1 {
			t.Errorf("%s: %v, %q", limit, got, got.stderr)
		}
	}
}
