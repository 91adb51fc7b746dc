package tests

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"sync"
	"testing"
)

var restored = regexp.MustCompile(`restored: (\d+) units`)
var translated = regexp.MustCompile(`translated: (\d+) units`)

func count(t *testing.T, re *regexp.Regexp, r result) int {
	m := re.FindStringSubmatch(r.stderr)
	if m == nil {
		return 0
	}
	n, err := strconv.Atoi(m[1])
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// TestCodeCache runs programs twice with one -code-cache: the second run takes its
// code from there, and does the same.
func TestCodeCache(t *testing.T) {
	emu := emuPath(t)
	for _, src := range []string{"hello.c", "hello_go", "hashmap.c", "cpp_virtual.cc", "libm.c", "proc_fork.c"} {
		t.Run(src, func(t *testing.T) {
			path := filepath.Join("kernels", src)
			guest, host := build(t, path, arm64), build(t, path, native)
			want := run(t, "", host, "1")
			dir := filepath.Join(t.TempDir(), "code")
			argv := []string{emu, "-stats", "-code-cache", dir, guest, "1"}
			same(t, "first run", run(t, "", argv...), want)
			second := run(t, "", argv...)
			same(t, "second run", second, want)
			if was, is := count(t, restored, second), count(t, translated, second); was < 20*is {
				t.Errorf("second run: %d units restored, but %d translated", was, is)
			}
		})
	}
}

// TestCodeCacheOfAnotherProgram gives a program other code at the same addresses,
// under the same name: none of the old one's may run.
func TestCodeCacheOfAnotherProgram(t *testing.T) {
	emu := emuPath(t)
	dir := t.TempDir()
	src := filepath.Join(dir, "answer.c")
	guest := filepath.Join(dir, "answer")
	for round, answer := range []int{1, 2, 1} {
		text := fmt.Sprintf("int main(void) { return %d; }\n", answer)
		if err := os.WriteFile(src, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		cc := run(t, "", compiler(t, arm64, "gcc"), "-O2", "-static", "-o", guest, src)
		if cc.status != 0 {
			t.Fatal(cc.stderr)
		}
		for range 2 {
			r := run(t, "", emu, "-stats", "-code-cache", filepath.Join(dir, "code"), guest)
			if r.status != answer {
				t.Errorf("round %d: %v, want %d", round, r, answer)
			}
			if round > 0 && count(t, restored, r) == 0 {
				t.Errorf("round %d: the C library's code was not restored", round)
			}
		}
	}
}

// TestCodeCacheOptionsAreApart runs one program with options that change its code,
// all with one directory.
func TestCodeCacheOptionsAreApart(t *testing.T) {
	emu := emuPath(t)
	path := filepath.Join("kernels", "aes_ce.c")
	guest, host := build(t, path, arm64, kernelFlags(t, path, arm64)...), build(t, path, native, kernelFlags(t, path, native)...)
	want := run(t, "", host, "1")
	dir := t.TempDir()
	for _, flags := range [][]string{{"-tier=1"}, {"-cpu=cortex-a53"}, {"-tier=2"}, {}, {"-cpu=max,aes=off"}, {"-dump=asm", "-D", "/dev/null"}} {
		argv := append(append([]string{emu, "-stats", "-code-cache", dir}, flags...), guest, "1")
		r := run(t, "", argv...)
		if len(flags) == 1 && flags[0] == "-cpu=max,aes=off" {
			if r.signal == 0 {
				t.Errorf("%v: %v, want an illegal instruction", flags, r)
			}
			continue
		}
		same(t, fmt.Sprint(flags), r, want)
		if n := count(t, restored, r); n != 0 {
			t.Errorf("%v: %d units of other options were taken", flags, n)
		}
	}
}

// TestCodeCacheShared runs many processes at once with one new directory.
func TestCodeCacheShared(t *testing.T) {
	emu := emuPath(t)
	guest := build(t, "kernels/hello.c", arm64)
	want := run(t, "", build(t, "kernels/hello.c", native))
	dir := filepath.Join(t.TempDir(), "code")
	var wg sync.WaitGroup
	for range 16 {
		wg.Go(func() { same(t, "one of many", run(t, "", emu, "-code-cache", dir, guest), want) })
	}
	wg.Wait()
}

// TestCodeCacheUnusable names directories in which no code can be kept: programs run
// all the same, and a warning says why.
func TestCodeCacheUnusable(t *testing.T) {
	emu := emuPath(t)
	guest := build(t, "kernels/hello.c", arm64)
	want := run(t, "", build(t, "kernels/hello.c", native))
	open := t.TempDir()
	if err := os.Chmod(open, 0o777); err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{"/proc/no/such", "/dev/null", open} {
		r := run(t, "", emu, "-code-cache", dir, guest)
		same(t, dir, r, want)
		if r.stderr == "" {
			t.Errorf("%s: no warning", dir)
		}
	}
	if r := run(t, "", emu, "-code-cache", "off", guest); r.stderr != "" || r.status != want.status {
		t.Errorf("off: %v, %s", r, r.stderr)
	}
}

// TestCodeCacheFileLimit runs programs that may not write files, with a new directory
// and with one that has their code: SIGXFSZ would end them.
func TestCodeCacheFileLimit(t *testing.T) {
	emu := emuPath(t)
	guest := build(t, "kernels/hello.c", arm64)
	want := run(t, "", build(t, "kernels/hello.c", native))
	dir := filepath.Join(t.TempDir(), "code")
	for _, blocks := range []string{"0", "600", "unlimited", "0"} {
		r := run(t, "", "/bin/sh", "-c", `ulimit -f $0; exec "$@"`, blocks, emu, "-code-cache", dir, guest)
		same(t, "ulimit -f "+blocks, r, want)
	}
}
