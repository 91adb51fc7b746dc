package tests

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"sync"
	"syscall"
	"testing"
)

var restored = regexp.MustCompile(`restored: (\d+) units`)
var withoutIR = regexp.MustCompile(`(\d+) of them without IR`)
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
			// What is compiled is the same in each run: all that is executed. What Go's scheduler and collector
			// execute depends on time, so they have little to do.
			argv := []string{emu, "-E", "GODEBUG=asyncpreemptoff=1", "-E", "GOMAXPROCS=1", "-E", "GOGC=off", "-stats", "-cold=0", "-code-cache", dir, guest, "1"}
			same(t, "first run", run(t, "", argv...), want)
			second := run(t, "", argv...)
			same(t, "second run", second, want)
			if was, is := count(t, restored, second), count(t, translated, second); was < 10*is {
				t.Errorf("second run: %d units restored, but %d translated", was, is)
			}
		})
	}
}

// TestCodeCacheOfGuardedCode: code in guarded pages (FEAT_BTI), which is all code of many distributions, is compiled as other
// code is, most of it without IR, and taken from the -code-cache, regions too. Once each process compiled all of it anew.
func TestCodeCacheOfGuardedCode(t *testing.T) {
	emu := emuPath(t)
	guest := build(t, "guest/isa/btistored.c", arm64, "-mbranch-protection=standard", "-nostdlib", "-fno-stack-protector", "-Wl,-z,force-bti")
	want := run(t, "", build(t, "guest/isa/btistored.c", native))
	dir := filepath.Join(t.TempDir(), "code")
	argv := []string{emu, "-stats", "-cold=0", "-code-cache", dir, guest}
	first := run(t, "", argv...)
	same(t, "first run", first, want)
	all, plain := count(t, translated, first), count(t, withoutIR, first)
	if all < 20 || plain < all/2 {
		t.Errorf("first run: %d units without IR, of %d", plain, all)
	}
	for n, regions := 2, 0; regions == 0; n++ { // a short run ends before the compiler in the background is done
		r := run(t, "", argv...)
		same(t, fmt.Sprintf("run %d", n), r, want)
		// A few are new in each run: what the run before did in a region as soon as it was there, and where this one's regions leave.
		if made := count(t, translated, r); made > all/3 || n == 20 {
			t.Fatalf("run %d: %d units compiled, %d regions restored", n, made, count(t, restoredRegions, r))
		}
		regions = count(t, restoredRegions, r)
	}
}

// TestCodeCacheOfAnotherProgram gives a program other code at the same addresses,
// under the same name: none of the old one's may run.
func TestCodeCacheOfAnotherProgram(t *testing.T) {
	emu := emuPath(t)
	dir := t.TempDir()
	for round, answer := range []int{1, 2, 1} {
		guest := guestOf(t, dir, fmt.Sprintf("int main(void) { return %d; }\n", answer))
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

// TestCodeCacheShortProgram runs a program that ends right after a loop of it got hot: its region is in
// the store then. It was left unfinished, and begun by each run.
func TestCodeCacheShortProgram(t *testing.T) {
	emu := emuPath(t)
	dir := t.TempDir()
	guest := guestOf(t, dir, "int main(void) { volatile int n = 0; for (int i = 0; i < 300; i++) n += i; return n & 1; }\n")
	for round := range 10 {
		r := run(t, "", emu, "-stats", "-hot=200", "-code-cache", filepath.Join(dir, fmt.Sprint(round)), guest)
		if count(t, promoted, r) == 0 {
			t.Errorf("round %d: no region: %v", round, r)
		}
		again := run(t, "", emu, "-stats", "-hot=200", "-code-cache", filepath.Join(dir, fmt.Sprint(round)), guest)
		if count(t, restoredRegions, again) == 0 {
			t.Errorf("round %d: the second run has found no region: %v", round, again)
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

var restoredRegions = regexp.MustCompile(`and (\d+) regions that`)
var promoted = regexp.MustCompile(`hot: (\d+) units`)

// guestOf compiles a C program for the guest. All programs of a directory are the same
// file, for the linker may give each an inode of its own.
func guestOf(t *testing.T, dir, text string) string {
	t.Helper()
	src, linked, guest := filepath.Join(dir, "guest.c"), filepath.Join(dir, "linked"), filepath.Join(dir, "guest")
	if err := os.WriteFile(src, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	if cc := run(t, "", compiler(t, arm64, "gcc"), "-O2", "-static", "-o", linked, src); cc.status != 0 {
		t.Fatal(cc.stderr)
	}
	code, err := os.ReadFile(linked)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(guest, code, 0o755); err != nil {
		t.Fatal(err)
	}
	return guest
}

// TestCodeCacheRegions runs programs with one -code-cache, in which nearly everything
// gets hot: later runs take regions from there, and do the same.
func TestCodeCacheRegions(t *testing.T) {
	emu := emuPath(t)
	for _, src := range []string{"hashmap.c", "cpp_virtual.cc", "libm.c", "interp_switch.c", "sig_segv.c", "hello_go"} {
		t.Run(src, func(t *testing.T) {
			path := filepath.Join("kernels", src)
			guest, host := build(t, path, arm64), build(t, path, native)
			want := run(t, "", host, "1")
			dir := filepath.Join(t.TempDir(), "code")
			// A short run ends before the compiler in the background is done.
			for n, is, was := 0, 0, 0; n < 3 || is <= was; n++ {
				if n == 20 {
					t.Fatalf("run %d: %d regions restored, %d made", n, is, was)
				}
				r := run(t, "", emu, "-stats", "-hot", "60", "-code-cache", dir, guest, "1")
				same(t, fmt.Sprintf("run %d", n+1), r, want)
				is, was = count(t, restoredRegions, r), count(t, promoted, r)
			}
			// Neither tier 1 alone nor another threshold takes them.
			for _, flag := range []string{"-tier=1", "-hot=61"} {
				r := run(t, "", emu, "-stats", flag, "-code-cache", dir, guest, "1")
				same(t, flag, r, want)
				if n := count(t, restoredRegions, r); n != 0 {
					t.Errorf("%s: %d regions restored", flag, n)
				}
			}
		})
	}
}

// TestCodeCacheRegionOfChangedFunction changes a function that a hot loop of the same
// program inlines: the region of the other function may not run.
func TestCodeCacheRegionOfChangedFunction(t *testing.T) {
	emu := emuPath(t)
	dir := t.TempDir()
	for round, k := range []int{1, 2, 1, 3} {
		guest := guestOf(t, dir, fmt.Sprintf(`
			__attribute__((noinline)) int f(int x) { __asm__ volatile(""); return x + %d; }
			int main(void) { int s = 0; for (int i = 0; i < 3000000; i++) s = f(s); return s / 3000000; }`, k))
		for n := range 2 {
			r := run(t, "", emu, "-stats", "-code-cache", filepath.Join(dir, "code"), guest)
			if r.status != k {
				t.Errorf("round %d, run %d: %v, want %d", round, n, r, k)
			}
			if n == 1 && count(t, restoredRegions, r) == 0 {
				t.Errorf("round %d: no region restored\n%s", round, r.stderr)
			}
		}
	}
}

// TestCodeCacheRegionIsRemade gives a program a loop that goes another way than in the
// run that left its region: what it left out makes the region anew, for later runs too.
func TestCodeCacheRegionIsRemade(t *testing.T) {
	emu := emuPath(t)
	dir := t.TempDir()
	guest := guestOf(t, dir, `
		#include <stdlib.h>
		int main(int argc, char **argv) {
			int odd = atoi(argv[1]); unsigned s = 0;
			for (int i = 0; i < 20000000; i++) {
				if (odd) { __asm__ volatile("eor %w0, %w0, %w1" : "+r"(s) : "r"(i)); }
				else { __asm__ volatile("add %w0, %w0, %w1" : "+r"(s) : "r"(i)); }
				__asm__ volatile("" : "+r"(odd));
			}
			return s >> 8 & 0x7f;
		}`)
	run1 := func(arg string, want int) result {
		t.Helper()
		r := run(t, "", emu, "-stats", "-code-cache", filepath.Join(dir, "code"), guest, arg)
		if r.status != want {
			t.Errorf("argument %s: %v, want %d", arg, r, want)
		}
		return r
	}
	sum, xor := uint32(0), uint32(0)
	for i := range uint32(20000000) {
		sum, xor = sum+i, xor^i
	}
	run1("0", int(sum>>8&0x7f))
	if r := run1("1", int(xor>>8&0x7f)); count(t, restoredRegions, r) == 0 || count(t, promoted, r) == 0 {
		t.Errorf("the other way: want the region restored and made anew\n%s", r.stderr)
	}
	// What led from the region to the way that it left out may have become hot as well.
	run1("1", int(xor>>8&0x7f))
	for _, arg := range []string{"1", "0"} {
		want := int(xor >> 8 & 0x7f)
		if arg == "0" {
			want = int(sum >> 8 & 0x7f)
		}
		if r := run1(arg, want); count(t, restoredRegions, r) == 0 || count(t, promoted, r) != 0 {
			t.Errorf("argument %s: want regions that have both ways, and no others\n%s", arg, r.stderr)
		}
	}
}

// TestCodeCacheCounts runs a program that executes nothing often enough to be hot,
// until its runs together have.
func TestCodeCacheCounts(t *testing.T) {
	emu := emuPath(t)
	dir := t.TempDir()
	guest := guestOf(t, dir, `
		#include <unistd.h>
		int main(void) {
			unsigned s = 0;
			for (int i = 0; i < 9000; i++) __asm__ volatile("eor %w0, %w1, %w0, ror #3" : "+r"(s) : "r"(i));
			usleep(5000); /* for the compiler in the background */
			return s & 0x7f;
		}`)
	const enough = 40000 / 9000
	for n := range 60 {
		r := run(t, "", emu, "-stats", "-code-cache", filepath.Join(dir, "code"), guest)
		if made := count(t, promoted, r); made > 0 && n < enough {
			t.Fatalf("run %d makes a region\n%s", n+1, r.stderr)
		}
		if count(t, restoredRegions, r) > 0 {
			return
		}
	}
	t.Error("no region after 60 runs")
}

// TestCodeCacheOfAUserNamespace runs a program as root of a user namespace that sees the host's
// /dev/shm: what is root's there is another user's, and its programs shared no code.
func TestCodeCacheOfAUserNamespace(t *testing.T) {
	_, emu, guest := forOthers(t, build(t, "kernels/hello.c", arm64))
	user := os.Getuid()
	if user == 0 {
		user = 54321
	}
	code := fmt.Sprintf("/dev/shm/emu-%d", user)
	if _, err := os.Stat(code); err != nil {
		defer os.RemoveAll(code)
	}
	for run := range 2 {
		cmd := exec.Command(emu, "-cold=0", "-stats", guest, "1")
		cmd.SysProcAttr = &syscall.SysProcAttr{
			Cloneflags:  syscall.CLONE_NEWUSER,
			UidMappings: []syscall.SysProcIDMap{{HostID: user, Size: 1}},
			GidMappings: []syscall.SysProcIDMap{{HostID: user, Size: 1}},
			Credential:  &syscall.Credential{NoSetGroups: true},
		}
		if os.Getuid() != 0 {
			cmd.SysProcAttr.GidMappings[0].HostID = os.Getgid()
		}
		out, err := cmd.CombinedOutput()
		if cmd.ProcessState == nil {
			t.Skipf("no user namespaces: %v", err)
		}
		if n := count(t, restored, result{stderr: string(out)}); err != nil || run == 1 && n == 0 {
			t.Errorf("run %d: %v, %d units restored\n%s", run, err, n, out)
		}
	}
	if _, err := os.Stat(code); err != nil {
		t.Error(err)
	}
}
