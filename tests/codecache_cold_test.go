package tests

import (
	"fmt"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var coldBlocks = regexp.MustCompile(`cold: (\d+) blocks`)

// TestCodeCacheColdCode runs a program that executes nearly everything once: after some
// runs, whether by a branch or a call, all that is compiled.
func TestCodeCacheColdCode(t *testing.T) {
	emu := emuPath(t)
	const functions = 1000
	var src strings.Builder
	for i := range functions {
		fmt.Fprintf(&src, "__attribute__((noinline)) static unsigned f%d(unsigned x) { return x & %d ? x * 3 + %d : x ^ %d; }\n", i, 1<<(i%9), i, i)
	}
	src.WriteString("int main(void) { unsigned x = 1;\n")
	for i := range functions {
		fmt.Fprintf(&src, "x = f%d(x);\n", i)
	}
	src.WriteString("return x & 0x7f; }\n")
	want := uint32(1)
	for i := range uint32(functions) {
		if want&(1<<(i%9)) != 0 {
			want = want*3 + i
		} else {
			want ^= i
		}
	}
	dir := t.TempDir()
	guest := guestOf(t, dir, src.String())
	const runs = 6
	for n := range runs {
		r := run(t, "", emu, "-stats", "-code-cache", filepath.Join(dir, "code"), guest)
		if r.status != int(want&0x7f) {
			t.Fatalf("run %d: %v, want status %d", n+1, r, want&0x7f)
		}
		switch cold, taken := count(t, coldBlocks, r), count(t, restored, r); {
		case n == 0 && cold < 2*functions:
			t.Errorf("the first run executed %d blocks without translation: they are not what this test is about", cold)
		case n == runs-1 && (cold > functions/10 || taken < 2*functions):
			t.Errorf("run %d executed %d blocks without translation and found %d units", n+1, cold, taken)
		}
	}
}
