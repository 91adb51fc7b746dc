package tests

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"emu/tests/need"
)

// The second C library: Debian's musl for arm64, which tests/setup.sh unpacks into
// debianRoot. The cross compiler links with it by the specs that come with it, once
// their paths lead to where it lies; musl-gcc builds the same for the host.
const (
	debianRoot = guestDir + "/debian"
	muslSpecs  = debianRoot + "/usr/lib/aarch64-linux-musl/musl-gcc.specs"
	muslCompat = "guest/musl/compat.c"
)

// withMusl returns build's flags for programs with musl, and the root file system
// that holds its dynamic linker.
func withMusl(t *testing.T) (forArm64, forNative []string, root string) {
	t.Helper()
	need.Tool(t, "musl-gcc", "musl-tools")
	root, err := filepath.Abs(debianRoot)
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(muslSpecs)
	if err != nil {
		need.Missing(t, "no arm64 musl: tests/setup.sh fetches Debian's packages musl and musl-dev")
	}
	const include, lib = "/usr/include/aarch64-linux-musl", "/usr/lib/aarch64-linux-musl"
	own := strings.NewReplacer(include, root+include, lib, root+lib).Replace(string(text))
	specs := filepath.Join(root, "musl.specs")
	if err := os.WriteFile(specs, []byte(own), 0o644); err != nil {
		t.Fatal(err)
	}
	// The kernel's headers are those of the host's C library.
	forArm64 = []string{"-specs=" + specs, "-idirafter", "/usr/aarch64-linux-gnu/include", muslCompat}
	forNative = []string{"-specs=/usr/lib/x86_64-linux-musl/musl-gcc.specs", "-idirafter", "/usr/include", "-idirafter", "/usr/include/x86_64-linux-gnu", muslCompat}
	return forArm64, forNative, root
}

// muslGuests are the programs that do the same with musl on both machines: it has
// no sbrk (memory.c), no vfork on arm64 (spawn.c), no pthread_sigqueue (storm.c).
var muslGuests = []string{
	"processes/clone", "processes/exec", "processes/fork", "processes/inherit", "processes/setxid", "processes/threads",
	"syscalls/badargs", "syscalls/deaths", "syscalls/exec", "syscalls/identity", "syscalls/polling",
	"syscalls/signals", "syscalls/sockets", "syscalls/tbi", "syscalls/threads",
}

// TestMusl runs C programs linked with musl, by turns static ones and, through musl's own
// dynamic linker, dynamic ones, and compares them with the same built for the host.
// They are not PIE: with these specs the cross linker leaves relocations out of those.
func TestMusl(t *testing.T) {
	t.Parallel() // busy for long, on one processor
	emu := emuPath(t)
	forArm64, forNative, root := withMusl(t)
	turn := 0
	check := func(t *testing.T, src string, args []string, flagsArm64, flagsNative []string) {
		want := run(t, "", append([]string{build(t, src, native, slices.Concat(flagsNative, forNative)...)}, args...)...)
		if turn++; turn%2 == 0 {
			static := build(t, src, arm64, slices.Concat(flagsArm64, forArm64)...)
			same(t, "static -tier=1", run(t, "", append([]string{emu, "-tier=1", static}, args...)...), want)
			return
		}
		dynamic := build(t, src, arm64, slices.Concat(flagsArm64, forArm64, []string{linkDynamic, "-no-pie"})...)
		same(t, "dynamic -hot=20", run(t, "", append([]string{emu, "-L", root, "-hot=20", dynamic}, args...)...), want)
	}
	for _, k := range kernels {
		if filepath.Ext(k.src) == ".c" {
			t.Run(strings.TrimSuffix(k.src, ".c"), func(t *testing.T) {
				src := filepath.Join("kernels", k.src)
				check(t, src, strings.Fields(k.jit), kernelFlags(t, src, arm64), kernelFlags(t, src, native))
			})
		}
	}
	for _, name := range muslGuests {
		t.Run(name, func(t *testing.T) {
			for _, args := range casesOf(filepath.Base(name)) {
				check(t, filepath.Join("guest", name+".c"), args, []string{"-O1"}, []string{"-O1"})
			}
		})
	}
}
