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
