package tests

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"emu/tests/need"

	"golang.org/x/sys/unix"
)

// TestSecureExecution runs emu with more rights than its user has, as a set-uid program gives
// it by binfmt_misc's flag C. Its own variables were taken all the same, which made it write
// to any file, and the guest's dynamic linker was not told.
func TestSecureExecution(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("needs root, to make a set-uid program")
	}
	dir, emu, guest := forOthers(t, commandGuest(t))
	var fs unix.Statfs_t
	if err := unix.Statfs(dir, &fs); err != nil || fs.Flags&unix.ST_NOSUID != 0 {
		t.Skipf("%s is mounted without set-uid programs (%v)", dir, err)
	}
	user := []string{need.Tool(t, "setpriv", "util-linux"), "--reuid", "65534", "--regid", "65534", "--clear-groups"}
	log := filepath.Join(dir, "log")
	env := []string{"A=1", "EMU_SET_ENV=A=2", "QEMU_LOG_FILENAME=" + log}
	for _, tc := range []struct {
		mode os.FileMode
		env  []string
		want string // AT_SECURE, other user, A
	}{
		{0o755, env[:2], "0 0 2\n"},
		{os.ModeSetuid | 0o755, env, "1 1 1\n"},
		{os.ModeSetgid | 0o755, env, "1 0 1\n"},
	} {
		if err := os.Chmod(emu, tc.mode); err != nil {
			t.Fatal(err)
		}
		got := runEnv(t, tc.env, append(user, emu, guest, "secure")...)
		if got.stdout != tc.want || got.stderr != "" {
			t.Errorf("%v: %v, printed %q, want %q\n%s", tc.mode, got, got.stdout, tc.want, got.stderr)
		}
		if _, err := os.Stat(log); err == nil {
			t.Errorf("%v: emu wrote the file that QEMU_LOG_FILENAME names", tc.mode)
		}
	}
}

// forOthers returns copies of emu and of a program in a directory that other users can read.
func forOthers(t *testing.T, program string) (dir, emu, guest string) {
	t.Helper()
	dir, err := os.MkdirTemp("", "emu") // t.TempDir would be closed to others
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	emu, guest = filepath.Join(dir, "emu"), filepath.Join(dir, "guest")
	for path, from := range map[string]string{emu: emuPath(t), guest: program} {
		data, err := os.ReadFile(from)
		if err == nil {
			err = os.WriteFile(path, data, 0o755)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	return dir, emu, guest
}

// TestGuestsExecuteSetUID has a program that binfmt_misc has started emu for execute others that
// have rights of their own, or that it may not read. sudo in a container had no rights, as emu started itself
// again for it, and where a distribution lets nobody read it, it did not start.
func TestGuestsExecuteSetUID(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("needs root, to make a set-uid program")
	}
	dir := bare(t)
	guest := filepath.Join(dir, "guest")
	data, err := os.ReadFile(commandGuest(t))
	if err == nil {
		err = os.WriteFile(guest, data, 0o755)
	}
	if err == nil {
		err = os.Mkdir(filepath.Join(dir, "proc"), 0o755)
	}
	if err != nil {
		t.Fatal(err)
	}
	// A user namespace of all ids has a binfmt_misc of its own (Linux 6.7).
	inside := func(script string, args ...string) (stdout, stderr string, err error) {
		var out, msg strings.Builder
		cmd := exec.Command("timeout", append([]string{"60", "sh", "-c", script, "sh"}, args...)...)
		cmd.Dir, cmd.Stdout, cmd.Stderr = dir, &out, &msg
		ids := []syscall.SysProcIDMap{{Size: 65536}}
		cmd.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWUSER | syscall.CLONE_NEWNS, UidMappings: ids, GidMappings: ids, GidMappingsEnableSetgroups: true}
		err = cmd.Run()
		return out.String(), msg.String(), err
	}
	if _, stderr, err := inside("mount -t binfmt_misc b /proc/sys/fs/binfmt_misc"); err != nil {
		t.Skipf("this kernel has no binfmt_misc in user namespaces (Linux 6.7 has): %v %s", err, stderr)
	}
	const script = `mount -t binfmt_misc b /proc/sys/fs/binfmt_misc && printf '%s' "$1" > /proc/sys/fs/binfmt_misc/register && mount --rbind /proc proc &&
		chroot --userspec=65534:65534 . /busybox sh -c '/busybox true; ./guest secure; exit $?'`
	entry := strings.TrimSpace(run(t, "", emuPath(t), "tool", "binfmt", filepath.Join(dir, "emu")).stdout)
	for _, tc := range []struct {
		mode os.FileMode
		want string // AT_SECURE, other user, A
	}{
		{0o755, "0 0 (unset)\n"},
		{0o111, "0 0 (unset)\n"},
		{os.ModeSetuid | 0o755, "1 1 (unset)\n"},
		{os.ModeSetuid | 0o111, "1 1 (unset)\n"},
		{os.ModeSetgid | 0o755, "1 0 (unset)\n"},
	} {
		if err := os.Chmod(guest, tc.mode); err != nil {
			t.Fatal(err)
		}
		if stdout, stderr, err := inside(script, entry); stdout != tc.want || err != nil {
			t.Errorf("%v: %v, printed %q, want %q\n%s", tc.mode, err, stdout, tc.want, stderr)
		}
	}
}
