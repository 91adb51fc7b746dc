package syscalls

import (
	"bufio"
	"os"
	"os/exec"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// TestTraceGoesOnWithoutTheLock has another process, which is stopped as far as the tracer knows, hold the lock
// of -strace: a tracer that waits for its tracee's line would never let it go on.
func TestTraceGoesOnWithoutTheLock(t *testing.T) {
	const holder, fd = "EMU_TEST_HOLDS_LOCK", 3
	if os.Getenv(holder) != "" {
		(&Tracer{fd: fd}).lock()
		os.Stdout.WriteString("held\n")
		os.Stdin.Read(make([]byte, 1))
		return
	}
	mem, err := unix.MemfdCreate("lock", unix.MFD_CLOEXEC)
	if err != nil {
		t.Fatal(err)
	}
	file := os.NewFile(uintptr(mem), "lock")
	defer file.Close()
	cmd := exec.Command(os.Args[0], "-test.run=^TestTraceGoesOnWithoutTheLock$")
	cmd.Env = append(os.Environ(), holder+"=1")
	cmd.ExtraFiles = []*os.File{file}
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer cmd.Wait()
	defer in.Close()
	if line, err := bufio.NewReader(out).ReadString('\n'); line != "held\n" {
		t.Fatalf("the other process says %q, %v", line, err)
	}
	tr := &Tracer{fd: mem}
	if tr.lockFile(unix.F_WRLCK) {
		t.Fatal("the lock is not the other process's")
	}
	done := make(chan bool)
	go func() {
		tr.lock()
		tr.unlock()
		close(done)
	}()
	select {
	case <-done:
	case <-time.After(20 * time.Second):
		t.Fatal("waits for ever")
	}
}
