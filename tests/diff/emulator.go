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

	"emu/tests/need"
)

//go:embed guest/runner.c
var runnerSource []byte

// runLimit ends a run in which a case does not end.
const runLimit = 5 * time.Minute

// Emulator executes cases in a guest process under a user mode emulator, one
// process for each Run.
type Emulator struct {
	argv   []string
	runner []string
}

// WithTags is the same Emulator for cases whose memory has tags that are checked.
func (e *Emulator) WithTags() *Emulator {
	return e.with("tags")
}

// WithGCS is the same Emulator for cases with a guarded control stack.
func (e *Emulator) WithGCS() *Emulator {
	return e.with("gcs")
}

// WithSVE is the same Emulator for cases with predicate registers.
func (e *Emulator) WithSVE() *Emulator {
	return e.with("sve")
}

func (e *Emulator) with(mode string) *Emulator {
	return &Emulator{e.argv, append(e.runner[:len(e.runner):len(e.runner)], mode)}
}

// Name is the emulator's command.
func (e *Emulator) Name() string { return e.argv[0] }

// NewQemu returns an Emulator on the qemu-aarch64 in PATH.
func NewQemu(t testing.TB) *Emulator {
	t.Helper()
	return NewEmulator(t, "qemu-aarch64", "-cpu", "max,pauth=off,sve=off")
}

// NewestQemu returns an Emulator on the newest qemu-aarch64 there is, and its
// major version, which is at least the one asked for.
func NewestQemu(t testing.TB, least int) (e *Emulator, major int) {
	t.Helper()
	path, major := need.Qemu(t, least)
	return NewEmulator(t, path, "-cpu", "max,sve=off"), major
}

// SVE is the processor of emu that has all of SVE, as far as it is what qemu's is.
const SVE = "max,lse2=on,mte=on,sve=on"

// NewestSVEQemu is NewestQemu for cases with SVE.
func NewestSVEQemu(t testing.TB) (e *Emulator, major int) {
	t.Helper()
	path, major := need.Qemu(t, 10)
	return NewEmulator(t, path, "-cpu", "max,sve-max-vq=1").WithSVE(), major
}

// NewEmulator returns an Emulator that runs the guest by the command argv.
func NewEmulator(t testing.TB, argv ...string) *Emulator {
	t.Helper()
	need.Tool(t, argv[0], "qemu-user")
	gcc := need.Tool(t, "aarch64-linux-gnu-gcc", "gcc-aarch64-linux-gnu")
	dir := t.TempDir()
	source, runner := filepath.Join(dir, "runner.c"), filepath.Join(dir, "runner")
	if err := os.WriteFile(source, runnerSource, 0o644); err != nil {
		t.Fatal(err)
	}
	define := func(name string, v uint64) string { return fmt.Sprintf("-D%s=%#x", name, v) }
	cmd := exec.Command(gcc, "-O1", "-ffreestanding", "-fno-stack-protector", "-mgeneral-regs-only",
		"-fno-builtin", "-nostdlib", "-static", "-no-pie", "-fno-pie",
		define("MEM", MemBase), define("MEM_SIZE", MemSize), define("MEM_TAIL", MemTail), define("CODE", CodePage),
		define("CODE_WORD", (CodeStart-CodePage)/4), define("MAX_WORDS", MaxWords), define("TAG_SET", TagSet), define("GCS", GCSAt), define("GCS_ENTRIES", GCSEntries),
		fmt.Sprintf("-Wl,--defsym=CODE_AT=%#x,-Ttext-segment=%#x,--build-id=none", uint64(CodeStart), uint64(CodePage+0x100000)),
		"-o", runner, source)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("building the guest side: %v\n%s", err, out)
	}
	return &Emulator{argv, []string{runner}}
}

// Run executes the cases and returns the state in which each one ended.
func (e *Emulator) Run(t testing.TB, cases []Case) []State {
	t.Helper()
	in := make([]byte, 0, len(cases)*(8+4*MaxWords+stateSize))
	for n := range cases {
		in = appendTest(in, &cases[n])
	}
	ctx, cancel := context.WithTimeout(context.Background(), runLimit)
	defer cancel()
	cmd := exec.CommandContext(ctx, e.argv[0], append(e.argv[1:len(e.argv):len(e.argv)], e.runner...)...)
	cmd.Stdin = bytes.NewReader(in)
	var out, errs bytes.Buffer
	out.Grow(len(cases)*stateSize + bytes.MinRead)
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil {
		t.Fatalf("%s: %v after %d results\n%s", e.argv[0], err, out.Len()/stateSize, errs.String())
	}
	states, err := decodeStates(out.Bytes())
	if err != nil || len(states) != len(cases) {
		t.Fatalf("%s: %d results for %d cases, %v", e.argv[0], len(states), len(cases), err)
	}
	return states
}
