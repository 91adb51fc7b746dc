package tests

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"emu/tests/need"
)

// notRun marks programs of GCC's testsuite that are only compiled.
var notRun = regexp.MustCompile(`dg-do\s+(compile|assemble|link|preprocess)`)

// mostUnbuiltIntrinsics is how many of them the cross compiler may refuse.
const mostUnbuiltIntrinsics = 5

// GCC's tests of the Advanced SIMD intrinsics abort when a lane, or FPSR.QC, is not
// what the Arm C Language Extensions say: a judge of our instructions that is
// independent of qemu. All that builds has to pass, compiled for the whole of Armv8.6: every second program, or
// with EMU_TORTURE=all each.
func TestAdvSIMDIntrinsics(t *testing.T) {
	if testing.Short() {
		t.Skip("150 programs: left out by -short")
	}
	gcc := need.Tool(t, "aarch64-linux-gnu-gcc", "gcc-aarch64-linux-gnu")
	dir := unpackGCC(t, "gcc.target/aarch64/advsimd-intrinsics")
	sources, err := filepath.Glob(filepath.Join(dir, "*.c"))
	if err != nil {
		t.Fatal(err)
	}
	out, err := filepath.Abs(filepath.Join(guestDir, "intrinsics"))
	if err == nil {
		err = os.MkdirAll(out, 0o755)
	}
	if err != nil {
		t.Fatal(err)
	}
	header := precompiled(t, gcc, out)
	suite := newSuite(t)
	all, leastRuns := os.Getenv("EMU_TORTURE") == "all", int64(3*145)
	if all {
		leastRuns *= 2
	}
	turn := 0
	for _, src := range sources {
		if text, err := os.ReadFile(src); err != nil {
			t.Error(err)
		} else if !notRun.Match(text) {
			if turn++; !all && turn%2 == 0 {
				continue
			}
			name := strings.TrimSuffix(filepath.Base(src), ".c")
			prog := filepath.Join(out, name)
			suite.add(name, []string{"interp", "1", "2"}, func() (string, bool) { return prog, buildIntrinsics(gcc, header, src, prog) })
		}
	}
	suite.end(leastRuns, mostUnbuiltIntrinsics)
}

// intrinsicsFlags are what the programs and their header are compiled with.
var intrinsicsFlags = []string{"-w", "-O1", "-static", "-march=armv8.6-a+fp16+fp16fml+sha3+sm4+crypto"}

// precompiled compiles arm_neon.h into dir, since to read it takes the compiler longer than all else in a
// program, and returns the header that has it beside it.
func precompiled(t *testing.T, gcc, dir string) string {
	header := filepath.Join(dir, "neon.h")
	if err := os.WriteFile(header, []byte("#include <arm_neon.h>\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command(gcc, append(slices.Clone(intrinsicsFlags), header, "-o", header+".gch")...).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return header
}

// buildIntrinsics compiles a program unless that has been done before.
func buildIntrinsics(gcc, header, src, prog string) bool {
	if _, err := os.Stat(prog); err == nil {
		return true
	}
	args := append(slices.Clone(intrinsicsFlags), linkFast()...)
	return exec.Command(gcc, append(args, "-include", header, src, "-o", prog, "-lm")...).Run() == nil
}
