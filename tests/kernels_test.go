package tests

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// kernels are the benchmark programs with sizes for tests, in the interpreter
// and in generated code.
var kernels = []struct {
	src         string
	interp, jit string
}{
	{src: "sieve.c", interp: "1", jit: "4"},
	{src: "sha256.c", interp: "1", jit: "4"},
	{src: "crc32.c", interp: "1", jit: "8"},
	{src: "hashmap.c", interp: "1", jit: "5"},
	{src: "strwork.c", interp: "10", jit: "100"},
	{src: "bigint.c", interp: "200", jit: "4000"},
	{src: "xorshift.c", interp: "1", jit: "8"},
	{src: "interp_switch.c", interp: "1", jit: "1"},
	{src: "fib.c", interp: "18", jit: "27"},
	{src: "fnptr.c", interp: "1", jit: "1"},
	{src: "dfa.c", interp: "1", jit: "10"},
	{src: "chain.c", interp: "2", jit: "20"},
	{src: "ptrchase.c", interp: "1", jit: "2"},
	{src: "memops.c", interp: "4", jit: "40"},
	{src: "stencil.c", interp: "1", jit: "8"},
	{src: "nbody.c", interp: "1", jit: "20"},
	{src: "mandel.c", interp: "4", jit: "20"},
	{src: "libm.c", interp: "2", jit: "20"},
	{src: "fpconv.c", interp: "1", jit: "1"},
	{src: "saxpy.c", interp: "1", jit: "1"},
	{src: "blend.c", interp: "10", jit: "60"},
	{src: "aes_ce.c", interp: "1", jit: "4"},
	{src: "tbl.c", interp: "10", jit: "40"},
	{src: "atomic_add.c", interp: "1", jit: "1"},
	{src: "sys_getpid.c", interp: "1", jit: "20"},
	{src: "sys_pipe.c", interp: "1", jit: "5"},
	{src: "sys_open.c", interp: "1", jit: "5"},
	{src: "sys_mmap.c", interp: "1", jit: "3"},
	{src: "proc_fork.c", interp: "10", jit: "100"},
	{src: "proc_exec.c", interp: "3", jit: "20"},
	{src: "thr_mutex.c", interp: "5", jit: "40"},
	{src: "thr_create.c", interp: "20", jit: "60"},
	{src: "sig_raise.c", interp: "1", jit: "6"},
	{src: "sig_segv.c", interp: "1", jit: "4"},
	{src: "cpp_virtual.cc", interp: "1", jit: "1"},
	{src: "ctl_setjmp.c", interp: "10", jit: "200"},
	{src: "go_sort", interp: "1", jit: "1"},
	{src: "go_regexp", interp: "1", jit: "1"},
	{src: "go_pingpong", interp: "1", jit: "4"},
	{src: "go_gc", interp: "5", jit: "9"},
	{src: "hello.c"},
	{src: "hello_go"},
}

// kernelFlags reads the extra compiler flags from a kernel's first lines.
func kernelFlags(t *testing.T, src, arch string) []string {
	key := map[string]string{arm64: "arm64: ", native: "x86: "}[arch]
	for line := range strings.Lines(head(t, src)) {
		if _, flags, ok := strings.Cut(line, key); ok {
			var list []string
			for _, f := range strings.Fields(flags) {
				if !strings.HasPrefix(f, "-") {
					break
				}
				list = append(list, f)
			}
			return list
		}
	}
	return nil
}

// TestKernels compares the kernels with the same for the host in the interpreter, in basic blocks or in regions, and with
// regions that replace blocks while the program runs: in one way of each of the three by turns, or with EMU_TIERS=all in both.
func TestKernels(t *testing.T) {
	t.Parallel() // busy for long, on one processor
	emu := emuPath(t)
	all := os.Getenv("EMU_TIERS") == "all"
	for turn, k := range kernels {
		t.Run(strings.TrimSuffix(k.src, filepath.Ext(k.src)), func(t *testing.T) {
			src := filepath.Join("kernels", k.src)
			guest := build(t, src, arm64, kernelFlags(t, src, arm64)...)
			host := build(t, src, native, kernelFlags(t, src, native)...)
			want := map[string]result{}
			for n, tier := range []struct{ flags, arg string }{
				{"-tier interp", k.interp},
				{"-tier interp2", k.interp},
				{"-tier 1", k.jit},
				{"-tier 2", k.jit},
				{"-hot 20", k.jit},
				{"-hot 1", k.jit},
			} {
				if !all && n%2 != turn%2 {
					continue
				}
				args := strings.Fields(tier.arg)
				if _, ok := want[tier.arg]; !ok {
					want[tier.arg] = run(t, "", append([]string{host}, args...)...)
				}
				got := run(t, "", append(append([]string{emu}, strings.Fields(tier.flags)...), append([]string{guest}, args...)...)...)
				same(t, tier.flags, got, want[tier.arg])
			}
		})
	}
}
