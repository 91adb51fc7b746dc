package tests

import (
	"os"
	"path/filepath"
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
	dir, err := os.MkdirTemp("", "secure") // t.TempDir would be closed to others
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(dir)
	var fs unix.Statfs_t
	if err := unix.Statfs(dir, &fs); err != nil || fs.Flags&unix.ST_NOSUID != 0 {
		t.Skipf("%s is mounted without set-uid programs (%v)", dir, err)
	}
	emu, guest := filepath.Join(dir, "emu"), filepath.Join(dir, "guest")
	for path, from := range map[string]string{emu: emuPath(t), guest: commandGuest(t)} {
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
