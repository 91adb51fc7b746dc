package tests

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"emu/tests/need"
)

// bare makes a directory with busybox, guest/sysroot/tool and emu, to be a root
// without /proc.
func bare(t *testing.T) string {
	t.Helper()
	guest, _ := busybox(t)
	dir := t.TempDir()
	for name, from := range map[string]string{"busybox": guest, "emu": emuPath(t), "tool": build(t, "guest/sysroot/tool.c", arm64, "-O1")} {
		data, err := os.ReadFile(from)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// TestExecWithoutProc executes programs in roots without /proc: where emu was
// started there, and where the guest has gone by chroot and neither /proc nor emu is.
func TestExecWithoutProc(t *testing.T) {
	dir := bare(t)
	const one = `echo a; test -d /proc || echo no proc; exec /busybox sh -c 'echo b; exec /tool'`
	const script = `/busybox echo a; (/busybox sh -c '/busybox echo b; exec /busybox echo c'); /busybox test -d /proc || /busybox echo no proc`
	const want = "a\nb\nc\nno proc\n"
	unshare := []string{need.Tool(t, "unshare", "util-linux"), "--user", "--map-root-user"}
	same(t, "started in it", run(t, "", append(unshare, "chroot", dir, "/emu", "/busybox", "sh", "-c", one)...), result{stdout: "a\nno proc\nb\n[/tool] E=(null)\n", status: 1})
	if err := os.Remove(filepath.Join(dir, "emu")); err != nil {
		t.Fatal(err)
	}
	same(t, "by chroot", run(t, "", append(unshare, emuPath(t), filepath.Join(dir, "busybox"), "chroot", dir, "/busybox", "sh", "-c", script)...), result{stdout: want})
	same(t, "by chroot with -L", run(t, "", append(unshare, emuPath(t), "-L", dir, filepath.Join(dir, "busybox"), "chroot", "/", "/busybox", "sh", "-c", script)...), result{stdout: want})
}

// TestForkWithoutProc forks, with threads too, where there is no /proc and none may be made, and
// has a process be alone.
func TestForkWithoutProc(t *testing.T) {
	dir := bare(t)
	data, err := os.ReadFile(build(t, "guest/processes/threads.c", arm64, "-O1", "-pthread"))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "threads"), data, 0o755); err != nil {
		t.Fatal(err)
	}
	const forks = `i=0; while test $i -lt 20; do i=$(echo $((i + 1)) | /busybox cat); done; (echo $i)`
	const alone = `mount -t tmpfs none /proc; exec "$1" "$2" unshare --user "$2" sh -c '(echo alone)'`
	unshare := []string{need.Tool(t, "unshare", "util-linux"), "--user", "--map-root-user"}
	same(t, "processes", run(t, "", append(unshare, "chroot", dir, "/emu", "/busybox", "sh", "-c", forks)...), result{stdout: "20\n"})
	native := run(t, "", emuPath(t), filepath.Join(dir, "threads"), "2")
	same(t, "threads", run(t, "", append(unshare, "chroot", dir, "/emu", "/threads", "2")...), native)
	same(t, "alone", run(t, "", append(unshare, "--mount", "sh", "-c", alone, "sh", emuPath(t), filepath.Join(dir, "busybox"))...), result{stdout: "alone\n"})
}

// TestBinfmtMisc registers emu with the kernel in a user namespace (Linux 6.7) and
// executes programs by name: what the flags P, O, C and F promise must hold.
func TestBinfmtMisc(t *testing.T) {
	dir := bare(t)
	unshare := need.Tool(t, "unshare", "util-linux")
	if out, err := exec.Command(unshare, "--user", "--map-root-user", "--mount", "mount", "-t", "binfmt_misc", "b", "/proc/sys/fs/binfmt_misc").CombinedOutput(); err != nil {
		t.Skipf("this kernel has no binfmt_misc in user namespaces (Linux 6.7 has): %v %s", err, out)
	}
	register := `mount -t binfmt_misc b /proc/sys/fs/binfmt_misc; printf '%s' "$1" > /proc/sys/fs/binfmt_misc/register; shift; `
	entry := strings.TrimSpace(run(t, "", emuPath(t), "tool", "binfmt", dir+"/emu").stdout)
	if !strings.HasSuffix(entry, ":"+dir+"/emu:POCF") {
		t.Fatalf("emu tool binfmt printed %q", entry)
	}
	for _, c := range []struct{ flags, script, want string }{
		{"", "exec -a zero ./tool a ''", "[" + dir + "/tool][a][] E=\n"},
		{"P", "exec -a zero ./tool -L ''", "[zero][-L][] E=\n"},
		{"P", "cd /; exec -a '' $D/tool", "[] E=\n"},
		{"O", "exec -a zero ./tool -x", "[" + dir + "/tool][-x] E=\n"},
		{"PO", "chmod 111 tool; exec -a zero ./tool b", "[zero][b] E=\n"},
		{"POC", "exec -a zero ./tool b", "[zero][b] E=\n"},
		{"POC", "exec -a zero ./tool b <&-", "[zero][b] E=\n"}, // the program is open as descriptor 0
		{"POCF", "rm emu; exec -a zero chroot . /tool c", "[/tool][c] E=\n"},
		{"POCF", "rm emu; mkdir proc; mount --rbind /proc proc; chroot . /busybox sh -c '/busybox echo x; exec /tool d'", "x\n[/tool][d] E=\n"},
		{"POCF", "./busybox sh -c 'exec 3>x 4>y; echo a >&3; ./busybox echo b >&4; exec 5<x; ./busybox cat <&5; ./busybox cat y'", "a\nb\n"}, // descriptors from 3 on are the guest's
		{"POCF", "rm emu; chroot . /busybox sh -c 'exec /tool d'", "[/tool][d] E=\n"},                                                        // no /proc, nor may one be made: the namespace of processes is another user's
		{"F", "rm emu; chroot . /busybox sh -c 'exec /tool d'", "[/tool][d] E=\n"},
		{"POCF", "rm emu; unshare --pid --fork chroot . /busybox sh -c '/busybox echo x; exec /tool d'", "x\n[/tool][d] E=\n"}, // one may be made
		{"F", "rm emu; mount --rbind /proc proc; chroot . /busybox sh -c '/busybox echo x; exec /tool d'", "x\n[/tool][d] E=\n"},
	} {
		t.Run(c.flags, func(t *testing.T) {
			entry := strings.TrimSuffix(entry, "POCF") + c.flags
			got := run(t, "", "/usr/bin/env", "D="+dir, "E=", unshare, "--user", "--map-root-user", "--mount", "bash", "-c", "cd $D; "+register+c.script, "bash", entry)
			if got.stdout != c.want {
				t.Errorf("%s: got %q %v, want %q\n%s", c.script, got.stdout, got, c.want, got.stderr)
			}
		})
		os.Chmod(filepath.Join(dir, "tool"), 0o755)
		if data, err := os.ReadFile(emuPath(t)); err == nil {
			os.WriteFile(filepath.Join(dir, "emu"), data, 0o755)
		}
	}
}
