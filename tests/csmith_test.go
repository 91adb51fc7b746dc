package tests

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"emu/tests/need"
)

// csmithSeeds are the first and the last seed of the programs that Csmith makes, both one of these;
// EMU_CSMITH says others.
const csmithSeeds = "1-4"

// csmithHeaders is where Debian's libcsmith-dev puts what the programs include.
const csmithHeaders = "/usr/include/csmith"

var (
	// csmithCompilers differ in what they make of a program; those that are not installed are left out.
	csmithCompilers = [][]string{
		{"aarch64-linux-gnu-gcc", "-O0"}, {"aarch64-linux-gnu-gcc", "-Os"}, {"aarch64-linux-gnu-gcc", "-O2"}, {"aarch64-linux-gnu-gcc", "-O3", "-fno-jump-tables"},
		{"aarch64-linux-gnu-gcc", "-O3", "-mcpu=neoverse-v1"}, // SVE, without asking for it
		{"clang", "--target=aarch64-linux-gnu", "-O1"}, {"clang", "--target=aarch64-linux-gnu", "-O2"}, {"clang", "--target=aarch64-linux-gnu", "-O3", "-mcpu=neoverse-v1"},
	}
	csmithTiers = [][]string{{"-tier=2"}, {"-tier=2", "-hot=1"}, {"-hot=100"}, {"-hot=1000", "-cold=0"}, {"-tier=1", "-cold=0"}}
	csmithKinds = [][]string{{"--float"}, {"--max-block-depth", "4", "--max-funcs", "6", "--max-block-size", "6"}, {"--builtins", "--disable-builtin-kinds", "x86"}, {"--inline-function"}}
)

// Random C programs (Yang et al., PLDI 2011) print the checksum that they print natively, or under qemu where C leaves
// it to the machine. Programs that take longer than a second natively, as those with endless loops, are left out.
func TestCsmith(t *testing.T) {
	if testing.Short() {
		t.Skip("random C programs: left out by -short")
	}
	var first, last uint64
	seeds := os.Getenv("EMU_CSMITH")
	if seeds == "" {
		seeds = csmithSeeds
	}
	if _, err := fmt.Sscanf(seeds, "%d-%d", &first, &last); err != nil {
		t.Fatalf("EMU_CSMITH=%s: want FIRST-LAST", seeds)
	}
	csmith := need.Tool(t, "csmith", "csmith")
	need.File(t, csmithHeaders+"/csmith.h", "apt-get install libcsmith-dev")
	qemu, _ := need.Qemu(t, 7)
	compilers := slices.Clone(csmithCompilers)
	compilers = slices.DeleteFunc(compilers, func(c []string) bool { _, err := exec.LookPath(c[0]); return err != nil })
	emu, ran := emuPath(t), 0
	for seed := first; seed <= last; seed++ {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			r := rand.New(rand.NewPCG(seed, 0))
			dir := t.TempDir()
			src, host := filepath.Join(dir, "p.c"), filepath.Join(dir, "native")
			args := []string{"--seed", fmt.Sprint(seed), "-o", src}
			for _, kind := range csmithKinds {
				if r.IntN(2) == 0 {
					args = append(args, kind...)
				}
			}
			build := func(prog string, compiler ...string) {
				t.Helper()
				args := append(slices.Clone(compiler), "-w", "-static", "-I", csmithHeaders, "-o", prog, src, "-lm")
				if out, err := exec.Command(args[0], args[1:]...).CombinedOutput(); err != nil {
					t.Fatalf("%s: %v\n%s", strings.Join(args, " "), err, tail(string(out)))
				}
			}
			generate := exec.Command("timeout", append([]string{"30", csmith}, args...)...)
			generate.Dir = dir // it leaves a file there
			if out, err := generate.CombinedOutput(); err != nil {
				t.Logf("csmith %s: %v\n%s", strings.Join(args, " "), err, tail(string(out)))
				return // it does not come to an end for each seed
			}
			build(host, "gcc", "-O1")
			want := run(t, "", "timeout", "1", host)
			if want.status != 0 {
				return
			}
			ran++
			for n, c := range r.Perm(len(compilers))[:2] {
				guest := filepath.Join(dir, fmt.Sprint("arm64-", n))
				build(guest, compilers[c]...)
				for _, tier := range r.Perm(len(csmithTiers))[:2] {
					argv := append(append([]string{emu, "-code-cache=off"}, csmithTiers[tier]...), guest)
					if got := run(t, "", argv...); got != want && got != run(t, "", qemu, guest) {
						t.Errorf("csmith %s\n%s\n%s: %v, want %v", strings.Join(args, " "), strings.Join(compilers[c], " "), strings.Join(argv, " "), got, want)
					}
				}
			}
		})
	}
	if t.Logf("%d programs ran", ran); uint64(ran) < (last-first+1)/3 {
		t.Error("more programs should run")
	}
}
