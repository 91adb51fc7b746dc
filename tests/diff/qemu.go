package diff

import (
	"bytes"
	"context"
	_ "embed"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"
)

//go:embed guest/runner.c
var runnerSource []byte

// qemuLimit ends a run in which a case does not end.
const qemuLimit = 2 * time.Minute

// Qemu executes cases on qemu-aarch64, one process for each Run.
type Qemu struct{ runner string }

// NewQemu builds the guest side. It skips the test when qemu-aarch64 or the cross
// compiler is missing.
func NewQemu(t testing.TB) *Qemu {
	t.Helper()
	for tool, pkg := range map[string]string{"qemu-aarch64": "qemu-user", "aarch64-linux-gnu-gcc": "gcc-aarch64-linux-gnu"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skipf("SKIP: %s is missing (Debian package %s)", tool, pkg)
		}
	}
	dir := t.TempDir()
	source, runner := filepath.Join(dir, "runner.c"), filepath.Join(dir, "runner")
	if err := os.WriteFile(source, runnerSource, 0o644); err != nil {
		t.Fatal(err)
	}
	define := func(name string, v uint64) string { return fmt.Sprintf("-D%s=%#x", name, v) }
	cmd := exec.Command("aarch64-linux-gnu-gcc", "-O1", "-ffreestanding", "-fno-stack-protector", "-mgeneral-regs-only",
		"-fno-builtin", "-nostdlib", "-static", "-no-pie", "-fno-pie",
		define("MEM", MemBase), define("MEM_SIZE", MemSize), define("CODE", CodePage),
		define("CODE_WORD", (CodeStart-CodePage)/4), define("MAX_WORDS", MaxWords),
		fmt.Sprintf("-Wl,--defsym=CODE_AT=%#x,-Ttext-segment=%#x,--build-id=none", uint64(CodeStart), uint64(CodePage+0x100000)),
		"-o", runner, source)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("building the guest side: %v\n%s", err, out)
	}
	return &Qemu{runner}
}

// Run executes the cases and returns the state in which each one ended.
func (q *Qemu) Run(t testing.TB, cases []Case) []State {
	t.Helper()
	var in []byte
	for n := range cases {
		in = appendTest(in, &cases[n])
	}
	ctx, cancel := context.WithTimeout(context.Background(), qemuLimit)
	defer cancel()
	cmd := exec.CommandContext(ctx, "qemu-aarch64", "-cpu", "max,pauth=off,sve=off", q.runner)
	cmd.Stdin = bytes.NewReader(in)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil {
		t.Fatalf("qemu-aarch64: %v after %d bytes of results\n%s", err, out.Len(), errs.String())
	}
	states, err := decodeStates(out.Bytes())
	if err != nil || len(states) != len(cases) {
		t.Fatalf("qemu-aarch64: %d results for %d cases, %v", len(states), len(cases), err)
	}
	return states
}
