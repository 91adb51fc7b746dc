package tests

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
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
// independent of qemu. All that builds has to pass, compiled for the whole of Armv8.6.
func TestAdvSIMDIntrinsics(t *testing.T) {
	if testing.Short() {
		t.Skip("300 programs: left out by -short")
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
	suite := newSuite(t)
	for _, src := range sources {
		if text, err := os.ReadFile(src); err != nil {
			t.Error(err)
		} else if !notRun.Match(text) {
			name := strings.TrimSuffix(filepath.Base(src), ".c")
			prog := filepath.Join(out, name)
			suite.add(name, []string{"interp", "1", "2"}, func() (string, bool) { return prog, buildIntrinsics(gcc, src, prog) })
		}
	}
	suite.end(3*290, mostUnbuiltIntrinsics)
}

// buildIntrinsics compiles a program unless that has been done before.
func buildIntrinsics(gcc, src, prog string) bool {
	if _, err := os.Stat(prog); err == nil {
		return true
	}
	args := []string{"-w", "-O1", "-static", "-march=armv8.6-a+fp16+fp16fml+sha3+sm4+crypto"}
	return exec.Command(gcc, append(args, src, "-o", prog, "-lm")...).Run() == nil
}
