package tests

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// attachTo runs the guest attachto.c on a process.
func attachTo(t *testing.T, how string, pid int) result {
	t.Helper()
	guest := build(t, filepath.Join(traceGuests, "attachto.c"), arm64, "-O1")
	return run(t, "", emuPath(t), guest, how, strconv.Itoa(pid))
}

// starting starts an emu that does not come to its program: it writes its log to a pipe
// without a reader.
func starting(t *testing.T) int {
	t.Helper()
	pipe := filepath.Join(t.TempDir(), "log")
	if err := unix.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(emuPath(t), "-D", pipe, build(t, filepath.Join(traceGuests, "attachto.c"), arm64, "-O1"))
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go cmd.Wait()
	t.Cleanup(func() { cmd.Process.Kill() })
	opening := func() bool {
		text, _ := os.ReadFile(filepath.Join("/proc", strconv.Itoa(cmd.Process.Pid), "wchan"))
		return strings.Contains(string(text), "fifo") || strings.Contains(string(text), "wait_for_partner")
	}
	for end := time.Now().Add(3 * time.Second); !opening() && time.Now().Before(end); {
		time.Sleep(10 * time.Millisecond)
	}
	return cmd.Process.Pid
}

// TestAttachToStarting attaches to an emu that has no guest thread yet, and will not get
// one: that waits, as the kernel does for a process in the middle of execve, but signals
// reach the tracer meanwhile.
func TestAttachToStarting(t *testing.T) {
	same(t, "a tracer with a timer", attachTo(t, "alarm", starting(t)), result{stdout: "alarm\n", signal: syscall.SIGALRM, status: -1})
}

// TestAttachToDying attaches to one that is killed before it can be traced: wait tells
// of that.
func TestAttachToDying(t *testing.T) {
	got := attachTo(t, "killed", starting(t))
	same(t, "a tracee that dies", got, result{stdout: "attached\ninterrupt: No such process\nkilled by 9\n"})
}

// TestAttachToWaitingForGdb attaches to a guest that waits for gdb, and to the process that
// serves gdb: neither can be traced, and gdb still finds what it needs.
func TestAttachToWaitingForGdb(t *testing.T) {
	guest := build(t, filepath.Join(traceGuests, "remote.c"), arm64, "-O1")
	socket := filepath.Join(t.TempDir(), "gdb")
	s := waitForGdb(t, socket, guest, "twice")
	server := 0
	procs, err := filepath.Glob("/proc/[0-9]*/cmdline")
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range procs {
		text, _ := os.ReadFile(p)
		if strings.Contains(string(text), "-gdbserver="+strconv.Itoa(s.cmd.Process.Pid)+"\x00") {
			server, _ = strconv.Atoi(filepath.Base(filepath.Dir(p)))
		}
	}
	if server == 0 {
		t.Fatal("the process that serves gdb is not among /proc's")
	}
	for _, pid := range []int{s.cmd.Process.Pid, server} {
		if got := attachTo(t, "attach", pid); got.stdout != "seize: Operation not permitted\n" || got.status != 1 {
			t.Errorf("status %d, %q", got.status, got.stdout)
		}
	}
	s.connect(socket)
	s.want("?", `^T05.*thread:[0-9a-f]+;$`)
	s.want("c", `^W2a$`)
	s.ends(42, "")
}
