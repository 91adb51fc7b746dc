package tests

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var metadata = regexp.MustCompile(`(\d+) bytes of metadata`)
var chunks = regexp.MustCompile(`in (\d+) chunks`)

// manyFunctions builds a program of 1,024 functions that runs all of them, or each nth with n as its argument.
func manyFunctions(t *testing.T, dir string) (guest string) {
	t.Helper()
	const functions = 1024
	var src strings.Builder
	src.WriteString("#include <stdlib.h>\nunsigned s;\n")
	for n := range functions {
		fmt.Fprintf(&src, "__attribute__((noinline)) void f%d(unsigned n) { s += n; if (n & 1) s *= %d; while (n > 2) n -= 3, s ^= n; }\n", n, 2*n+1)
	}
	src.WriteString("void (*const f[])(unsigned) = {")
	for n := range functions {
		fmt.Fprintf(&src, "f%d, ", n)
	}
	src.WriteString("};\nint main(int c, char **v) { for (int n = 0; n < 5; n++) for (int k = 0; k < sizeof f / sizeof *f; k += atoi(v[1])) f[k](n); return s & 127; }\n")
	return guestOf(t, dir, src.String())
}

// TestCodeCacheImageKept: where all processes run the same code no order of it is better than another, and the image stays.
func TestCodeCacheImageKept(t *testing.T) {
	dir := t.TempDir()
	guest := manyFunctions(t, dir)
	var first os.FileInfo
	for n := range 24 {
		run(t, "", emuPath(t), "-code-cache", filepath.Join(dir, "code"), guest, "1")
		images, err := filepath.Glob(filepath.Join(dir, "code", "*.image"))
		if err != nil {
			t.Fatal(err)
		}
		if n < 3 {
			continue
		}
		if len(images) != 1 {
			t.Fatalf("%d images after run %d", len(images), n)
		}
		now, err := os.Stat(images[0])
		if err != nil {
			t.Fatal(err)
		}
		if first == nil {
			first = now
		}
		if !os.SameFile(first, now) {
			t.Fatalf("another image after run %d", n)
		}
	}
}

// TestCodeCacheImageOrder runs a program that has once run all of its code a few times with a sixteenth of it, here and
// there: from some time on that comes with fewer chunks of the image.
func TestCodeCacheImageOrder(t *testing.T) {
	emu := emuPath(t)
	dir := t.TempDir()
	guest := manyFunctions(t, dir)
	status := map[string]int{}
	once := func(step string) int {
		t.Helper()
		r := run(t, "", emu, "-stats", "-code-cache", filepath.Join(dir, "code"), guest, step)
		if old, ok := status[step]; ok && old != r.status {
			t.Errorf("every %s: %v, want %d", step, r, old)
		}
		status[step] = r.status
		return count(t, chunks, r)
	}
	for n := range 3 {
		if all := once("1"); all != 0 {
			t.Fatalf("an image after %d runs: %d chunks", n, all)
		}
	}
	all, first := once("1"), once("16")
	for range 40 {
		if n := once("16"); n < first/2 {
			t.Logf("%d chunks, %d with a sixteenth of it run, %d in the end", all, first, n)
			once("1")
			return
		}
	}
	t.Errorf("a sixteenth of the program takes %d of %d chunks after 40 runs", first, all)
}

// TestCodeCacheImageExits: what an image's units leave by for another chunk, or for code that runs once, needs
// no description of them.
func TestCodeCacheImageExits(t *testing.T) {
	emu := emuPath(t)
	dir := t.TempDir()
	var src strings.Builder
	src.WriteString("int s;\n")
	for n := range 1024 {
		fmt.Fprintf(&src, "__attribute__((noinline)) void f%d(int n) { if (n == %d) s++; else if (n > 5000) s += n; }\n", n, n)
	}
	src.WriteString("int main(int c, char **v) { for (int n = 0; n < 40; n++) {\n")
	for n := range 1024 {
		fmt.Fprintf(&src, "\tf%d(n * %d + c - 2);\n", n, n%7)
	}
	src.WriteString("\t}\n\treturn s & 127;\n}\n")
	guest := guestOf(t, dir, src.String())
	var r result
	for n := range 4 {
		before := r.status
		if r = run(t, "", emu, "-stats", "-code-cache", filepath.Join(dir, "code"), guest, "1"); n > 0 && r.status != before {
			t.Fatalf("run %d: %v, want %d", n, r, before)
		}
	}
	if described, units := count(t, metadata, r), count(t, restored, r); units < 1000 || described > 8*units {
		t.Errorf("%d bytes for %d units", described, units)
	}
}

// TestCodeCacheImages runs programs until their code comes in images, in whose code they fault, are interrupted, fork and
// have regions made; then with images of which bytes have changed.
func TestCodeCacheImages(t *testing.T) {
	emu := emuPath(t)
	for _, src := range []string{"sig_segv.c", "sig_raise.c", "proc_fork.c", "thr_mutex.c", "interp_switch.c", "libm.c", "ctl_setjmp.c", "go_gc"} {
		t.Run(src, func(t *testing.T) {
			path := filepath.Join("kernels", src)
			guest, host := build(t, path, arm64), build(t, path, native)
			want := run(t, "", host, "1")
			dir := filepath.Join(t.TempDir(), "code")
			argv := []string{emu, "-stats", "-hot=200", "-code-cache", dir, guest, "1"}
			for n := range 5 {
				r := run(t, "", argv...)
				same(t, fmt.Sprint("run ", n), r, want)
				if n > 2 && count(t, chunks, r) == 0 {
					t.Errorf("run %d: no code of an image\n%s", n, r.stderr)
				}
			}
			images, err := filepath.Glob(filepath.Join(dir, "*.image"))
			if err != nil || len(images) == 0 {
				t.Fatal("no images: ", err)
			}
			for _, name := range images {
				data, err := os.ReadFile(name)
				if err != nil {
					t.Fatal(err)
				}
				for _, part := range []int{4, 2} { // the second half has the code
					damaged := slices.Clone(data)
					for i := 4096 + (len(data)-4096)/part; i < len(data); i += 97 {
						damaged[i] ^= 0x10
					}
					if err := os.WriteFile(name, damaged, 0o600); err != nil {
						t.Fatal(err)
					}
					same(t, "damaged image", run(t, "", argv...), want)
				}
			}
		})
	}
}
