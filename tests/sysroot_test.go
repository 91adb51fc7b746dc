package tests

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"emu/tests/need"
)

// makeSysroot makes a small root file system with the programs of guest/sysroot
// for an architecture.
func makeSysroot(t *testing.T, arch string) (root string) {
	t.Helper()
	root = t.TempDir()
	for _, dir := range []string{"etc", "usr/lib/x", "usr/lib/y", "tmp", "bin", "made"} {
		if err := os.MkdirAll(filepath.Join(root, dir), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for name, text := range map[string]string{
		"etc/conf": "inside\n", "usr/lib/x/data": "data\n", "bin/script": "#!/bin/abstool  -x y\n", "bin/badscript": "#!/none\n",
	} {
		if err := os.WriteFile(filepath.Join(root, name), []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	os.Chmod(filepath.Join(root, "etc/conf"), 0o644)
	for name, target := range map[string]string{
		"lib": "usr/lib", "abs": "/usr/lib/x", "abs2": "/made", "esc": "../../../../../../../etc/conf", "loop": "/loop", "dangling": "/nonexistent/of/emu",
		"chain": "/abs/link", "usr/lib/x/link": "../y/../x/data", "usr/lib/x/out": "/etc/conf", "up": "../..", "tolink": "/tmp/emu-paths/target", "bin/abstool": "/bin/tool",
	} {
		if err := os.Symlink(target, filepath.Join(root, name)); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"paths", "tool"} {
		data, err := os.ReadFile(build(t, "guest/sysroot/"+name+".c", arch, "-O1"))
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(root, "bin", name), data, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

// asRoot makes cmd run as root of a user namespace, so that chroot is allowed.
func asRoot(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{
		Cloneflags:  syscall.CLONE_NEWUSER,
		UidMappings: []syscall.SysProcIDMap{{HostID: os.Getuid(), Size: 1}},
		GidMappings: []syscall.SysProcIDMap{{HostID: os.Getgid(), Size: 1}},
	}
}

// TestSysroot compares every way to name a file below -L with what the same
// program finds natively after chroot into such a root.
func TestSysroot(t *testing.T) {
	ref := exec.Command("/bin/paths")
	asRoot(ref)
	ref.SysProcAttr.Chroot = makeSysroot(t, native)
	ref.Dir = "/"
	want, err := ref.CombinedOutput()
	if err != nil {
		t.Fatalf("natively: %v\n%s", err, want)
	}
	for _, c := range []struct {
		name   string
		prefix []string
	}{{"with /proc", nil}, {"without /proc", withoutProc(t)}} {
		t.Run(c.name, func(t *testing.T) {
			root := makeSysroot(t, arm64)
			args := append(c.prefix, emuPath(t), "-L", root, filepath.Join(root, "bin/paths"))
			cmd := exec.Command(args[0], args[1:]...)
			asRoot(cmd)
			got, err := cmd.CombinedOutput()
			if err != nil {
				t.Errorf("under emu: %v", err)
			}
			g, w := strings.Split(string(got), "\n"), strings.Split(string(want), "\n")
			for i := range w {
				if i >= len(g) || g[i] != w[i] {
					t.Errorf("line %d: got %q, want %q", i+1, at(g, i), w[i])
				}
			}
			if len(g) > len(w) {
				t.Errorf("%d more lines: %q", len(g)-len(w), g[len(w)])
			}
		})
	}
}

// withoutProc is a command that runs another one where there is no /proc, nor may one be made.
func withoutProc(t *testing.T) []string {
	return []string{need.Tool(t, "unshare", "util-linux"), "--user", "--map-root-user", "--mount", "sh", "-c", `mount -t tmpfs none /proc && exec "$@"`, "sh"}
}

func at(s []string, i int) string {
	if i < len(s) {
		return s[i]
	}
	return "nothing"
}

// TestSysrootAndHost checks what -L leaves to the host: names that the root does
// not have, directories of the host, /proc, and the names that are shown.
func TestSysrootAndHost(t *testing.T) {
	emu := emuPath(t)
	guest, _ := busybox(t)
	root, host := makeSysroot(t, arm64), t.TempDir()
	data, err := os.ReadFile(guest)
	if err != nil {
		t.Fatal(err)
	}
	write := func(name, text string, mode os.FileMode) {
		t.Helper()
		if err := os.WriteFile(name, []byte(text), mode); err != nil {
			t.Fatal(err)
		}
	}
	write(filepath.Join(root, "bin/busybox"), string(data), 0o755)
	write(filepath.Join(host, "file"), "of the host\n", 0o644)
	if err := os.Symlink(host+"/file", filepath.Join(root, "tohost")); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(host, filepath.Join(root, "hostdir")); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ name, script, want string }{
		{"host file", "cat $H/file", "of the host\n"},
		{"link to the host", "cat /tohost; cat /hostdir/file", "of the host\nof the host\n"},
		{"host directory", "cd $H; cat file; cat ./file; pwd -P | sed s,$H,HOST,", "of the host\nof the host\nHOST\n"},
		{"up from the host into the root", "cd $H; cat $(echo $H | sed 's,/[^/]*,../,g')etc/conf; cat ../../../../../../../../../../etc/conf", "inside\ninside\n"},
		{"new file in a directory of the host", "echo x > $H/new; cat $H/new; ls $H; rm $H/new", "x\nfile\nnew\n"},
		{"rename within the host", "cp $H/file $H/a; mv $H/a $H/b; ls $H; rm $H/b", "b\nfile\n"},
		{"working directory", "cd /usr/lib/x; pwd -P; readlink /proc/self/cwd; cd ../../..; pwd -P", "/usr/lib/x\n/usr/lib/x\n/\n"},
		{"links of /proc", "readlink /proc/self/exe; readlink /proc/self/fd/9; cd /proc/self; readlink exe; readlink fd/9", "/bin/busybox\n/etc/conf\n/bin/busybox\n/etc/conf\n"},
		{"exe of others", "sleep 9 & readlink /proc/$!/exe; tr '\\0' ' ' < /proc/$!/cmdline; kill $!", "/bin/busybox\n/bin/busybox sleep 9 "},
		{"maps", "grep -c ' /bin/busybox$' /proc/self/maps | sed 's/[1-9][0-9]*/some/'; cd /proc/$$; grep -c $R maps", "some\n0\n"},
		{"directories of the machine", "test -c /dev/null && test -d /proc/self && test -d /sys/kernel && echo yes; test -e /../dev/null && echo too", "yes\ntoo\n"},
		{"up from the machine into the root", "cat /dev/../etc/conf /proc/self/../../usr/lib/x/data; test / -ef /dev/.. && test / -ef /sys/kernel/../../ && echo same; test -c /dev/../dev/null && echo null; $b ln -s /dev/../etc/conf /made/l; cat /made/l; cd $H; cat /proc/self/cwd/../../../../../../../../../etc/conf; cd /proc/self/fd; cat ../../../etc/conf",
			"inside\ndata\nsame\nnull\ninside\ninside\ninside\n"},
		{"execve by PATH and by relative name", "PATH=/none:/bin; tool a | cut -c 1-6; cd /bin; ./tool b | cut -c 1-8; script | cut -c 1-9", "[tool]\n[./tool]\n[/bin/abs\n"},
		{"up from a directory without a name", // its name is longer than PATH_MAX
			"cd $H; n=$($b printf %0200d 1); i=0; u=$(echo $H | sed 's,/[^/]*,../,g'); while [ $i -lt 25 ]; do $b mkdir $n; cd -P $n 2>/dev/null; u=../$u; i=$((i + 1)); done; cat ${u}etc/conf", "inside\n"},
		{"emu's own descriptors", "ls /proc/self/fd | grep -c '^2[89][0-9]$'; ls /proc/self/task | wc -l", "0\n1\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			args := []string{"/usr/bin/env", "-i", "H=" + host, "R=" + root, "PATH=/b", emu, "-L", root, filepath.Join(root, "bin/busybox"), "sh", "-c",
				"b=/bin/busybox; for a in cat sed pwd ls rm cp mv readlink sleep tr grep cut wc; do alias $a=\"$b $a\"; done; exec 9</etc/conf\n" + c.script}
			got := run(t, "", args...)
			same(t, c.script, got, result{stdout: c.want, status: got.status})
			if !strings.Contains(c.script, "/proc") {
				got = run(t, "", append(withoutProc(t), args...)...)
				same(t, "without /proc: "+c.script, got, result{stdout: c.want, status: got.status})
			}
		})
	}
}

// TestChrootSharesFiles has children that share their parent's descriptors leave the
// sysroot, which took the parent's descriptor of it away.
func TestChrootSharesFiles(t *testing.T) {
	cmd := exec.Command(emuPath(t), "-L", makeSysroot(t, arm64), build(t, "guest/sysroot/chrootfiles.c", arm64, "-O1"))
	asRoot(cmd)
	got, err := cmd.CombinedOutput()
	const once = "chroot: 0\nafterwards: 7 inside\n"
	if want := "at first: 7 inside\n" + once + once + once; err != nil || string(got) != want {
		t.Errorf("%v, got %q, want %q", err, got, want)
	}
}

// TestTopOfLibraries: where -L, or no -L at all, means a cross compiler's libraries, "/" is the host's.
func TestTopOfLibraries(t *testing.T) {
	const src = "guest/sysroot/top.c"
	for _, args := range [][]string{nil, {"root"}} {
		reference := exec.Command(build(t, src, native, "-O1"), args...)
		guest := build(t, src, arm64, "-O1", linkDynamic)
		implied := exec.Command(emuPath(t), append([]string{guest}, args...)...)
		named := exec.Command(emuPath(t), append([]string{"-L", "/usr/aarch64-linux-gnu", guest}, args...)...)
		var want []byte
		for _, cmd := range []*exec.Cmd{reference, implied, named} {
			if args != nil {
				asRoot(cmd)
			}
			got, err := cmd.CombinedOutput()
			if want == nil {
				want = got
			}
			if err != nil || string(got) != string(want) {
				t.Errorf("%v: %v, got %s, want %s", cmd.Args, err, got, want)
			}
		}
	}
}

// TestStaticExecutesDynamic: without -L a program that needs none starts one whose libraries are a cross compiler's.
func TestStaticExecutesDynamic(t *testing.T) {
	shell, _ := busybox(t)
	guest := build(t, "guest/sysroot/top.c", arm64, "-O1", linkDynamic)
	want := run(t, "", emuPath(t), guest)
	same(t, "from a static shell", run(t, "", emuPath(t), shell, "sh", "-c", guest+"; :"), want)
}

// TestSysrootPropagates: unshare(1) makes the root's mounts private, and a directory given with
// -L is a root that need not be a mount.
func TestSysrootPropagates(t *testing.T) {
	guest, _ := busybox(t)
	cmd := exec.Command(emuPath(t), "-L", makeSysroot(t, arm64), guest, "unshare", "-m", "/bin/tool")
	cmd.Env = append(os.Environ(), "E=private")
	asRoot(cmd)
	if got, _ := cmd.CombinedOutput(); string(got) != "[/bin/tool] E=private\n" {
		t.Errorf("got %s", got)
	}
}

// TestDetachedMount looks at directories of a mount that is nowhere any more.
func TestDetachedMount(t *testing.T) {
	const src = "guest/sysroot/detached.c"
	want := run(t, "", build(t, src, native, "-O1"), t.TempDir())
	same(t, "detached", run(t, "", emuPath(t), "-L", makeSysroot(t, arm64), build(t, src, arm64, "-O1"), t.TempDir()), want)
}

// TestSysrootExecutes: programs that a forked child becomes find their dynamic linker where -L is a relative name and
// the directory has changed, and after chroot(2) in the new root alone.
func TestSysrootExecutes(t *testing.T) {
	root := t.TempDir()
	emu, err := filepath.Abs(emuPath(t))
	if err != nil {
		t.Fatal(err)
	}
	guest := build(t, "guest/sysroot/executes.c", arm64, "-O1")
	dynamic, err := os.ReadFile(build(t, "guest/sysroot/executes.c", arm64, "-O1", linkDynamic))
	if err != nil {
		t.Fatal(err)
	}
	const cross = "/usr/aarch64-linux-gnu/lib/"
	for _, dir := range []string{"a", "a/jail"} {
		lib := filepath.Join(root, dir, "lib")
		if err := os.MkdirAll(lib, 0o755); err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{"ld-linux-aarch64.so.1", "libc.so.6"} {
			text, err := os.ReadFile(cross + name)
			if err != nil {
				t.Skip("needs the libraries of a cross compiler: ", err)
			}
			if err := os.WriteFile(filepath.Join(lib, name), text, 0o755); err != nil {
				t.Fatal(err)
			}
		}
		if err := os.WriteFile(filepath.Join(root, dir, "dynamic"), dynamic, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	// What has the sysroot's name in the jail is not the sysroot.
	decoy := filepath.Join(root, "a/jail", root, "a/lib")
	if err := os.MkdirAll(decoy, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(decoy, "ld-linux-aarch64.so.1"), []byte("\x7fELF, but no program"), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"a", guest, "cd"}, {filepath.Join(root, "a"), guest, "chroot"}} {
		cmd := exec.Command(emu, append([]string{"-L"}, args...)...)
		cmd.Dir = root
		if args[2] == "chroot" {
			asRoot(cmd)
		}
		got, err := cmd.CombinedOutput()
		if want := "executed\nstatus 0\n"; err != nil || string(got) != want {
			t.Errorf("%s: %v, got %q, want %q", args[2], err, got, want)
		}
	}
}
