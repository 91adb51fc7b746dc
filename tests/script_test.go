package tests

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

// script writes an executable file that begins with #! and the given line.
func script(t *testing.T, path, line string) string {
	t.Helper()
	if err := os.WriteFile(path, []byte("#!"+line+"\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestScripts gives emu scripts to run: their arm64 interpreter runs, as under
// execve, and -L is where it is looked up first.
func TestScripts(t *testing.T) {
	emu, guest := emuPath(t), commandGuest(t)
	dir := t.TempDir()
	root := filepath.Join(dir, "root")
	if err := os.Mkdir(root, 0o755); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(guest)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(root, "interpreter"), data, 0o755); err != nil {
		t.Fatal(err)
	}
	plain := script(t, filepath.Join(dir, "plain"), " "+guest+" \targs ")
	nested := script(t, filepath.Join(dir, "nested"), plain)
	loop := filepath.Join(dir, "loop")
	for _, tc := range []struct {
		argv   []string
		want   string
		status int
	}{
		{[]string{plain, "x", "y"}, fmt.Sprintf("[%s]\n[args]\n[%s]\n[x]\n[y]\n", guest, plain), 0},
		{[]string{nested}, fmt.Sprintf("[%s]\n[args]\n[%s]\n[%s]\n", guest, plain, nested), 0},
		{[]string{"-L", root, script(t, filepath.Join(dir, "inside"), "/interpreter args")}, fmt.Sprintf("[/interpreter]\n[args]\n[%s]\n", filepath.Join(dir, "inside")), 0},
		{[]string{"-L", root, "/interpreter", "args"}, "[/interpreter]\n[args]\n", 0},
		{[]string{script(t, loop, loop)}, "", 126},
		{[]string{script(t, filepath.Join(dir, "absent"), "/no/such/file")}, "", 127},
		{[]string{script(t, filepath.Join(dir, "empty"), "")}, "", 126},
	} {
		same(t, fmt.Sprint(tc.argv), run(t, "", append([]string{emu}, tc.argv...)...), result{stdout: tc.want, status: tc.status})
	}
}

// TestScriptInRootForHostInterpreter executes a script of the root file system whose
// interpreter only the host has: it gets a name under which it finds the script, first
// among the arguments or behind another script that is the interpreter.
func TestScriptInRootForHostInterpreter(t *testing.T) {
	emu := emuPath(t)
	guest, _ := busybox(t)
	root := t.TempDir()
	if err := os.Symlink(guest, filepath.Join(root, "busybox")); err != nil {
		t.Fatal(err)
	}
	inner := script(t, filepath.Join(root, "inner"), "/bin/sh\necho \"$@\"; cat \"$1\" | wc -l")
	outer := script(t, filepath.Join(root, "outer"), "/inner")
	if _, err := os.Stat("/bin/sh"); err != nil {
		t.Fatal("the test needs a /bin/sh: ", err)
	}
	same(t, "script", run(t, "", emu, "-L", root, guest, "sh", "-c", "exec /inner /etc/hostname"), run(t, "", "/bin/sh", inner, "/etc/hostname"))
	same(t, "two scripts", run(t, "", emu, "-L", root, guest, "sh", "-c", "exec /outer x"), result{stdout: outer + " x\n1\n"})
}
