package tests

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"emu/tests/need"

	"golang.org/x/tools/txtar"
)

// Programs for arm64 that npm distributes: npm/commands.txt holds the package and a command line a
// row, npm/expected.txtar what each prints under an oracle. The packages are kept in bin/_npm.
const (
	npmTop      = "../bin/_npm"
	npmCommands = "npm/commands.txt"
	npmExpected = "npm/expected.txtar"
	npmTimeout  = 5 * time.Minute
)

var npmRow = regexp.MustCompile(`^(!?)(\S+)\s+(\S+@\S+)\s+(.*)$`)

// npmPackage returns the directory of a package of npm's, fetched on first use.
func npmPackage(t *testing.T, pkg string) string {
	t.Helper()
	top, err := filepath.Abs(npmTop)
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(top, strings.NewReplacer("/", "_").Replace(pkg))
	if _, err := os.Stat(dir); err == nil {
		return dir
	}
	if err := os.MkdirAll(top, 0o755); err != nil {
		t.Fatal(err)
	}
	tmp, err := os.MkdirTemp(top, "fetch")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(tmp)
	pack := exec.Command("npm", "pack", "--silent", pkg)
	pack.Dir = tmp
	if out, err := pack.CombinedOutput(); err != nil {
		need.Missing(t, "npm pack %s: %v\n%s", pkg, err, tail(string(out)))
	}
	unpack := exec.Command("sh", "-c", "tar -xzf *.tgz && chmod -R u+w package")
	unpack.Dir = tmp
	if out, err := unpack.CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", pkg, err, out)
	}
	if err := os.Rename(filepath.Join(tmp, "package"), dir); err != nil {
		t.Fatal(err)
	}
	return dir
}

// TestNPM runs programs of npm's packages in the libraries of the arm64 Debian: with EMU_NPM=all
// all of them, which are 600 MB, and otherwise none.
func TestNPM(t *testing.T) {
	if os.Getenv("EMU_NPM") != "all" {
		return
	}
	need.Tool(t, "npm", "npm")
	need.Tool(t, "curl", "curl")
	root := debian(t)
	text, err := os.ReadFile(npmCommands)
	if err != nil {
		t.Fatal(err)
	}
	emulator := emuPath(t)
	if *updateExpected != "" {
		emulator = *updateExpected
	}
	want := readExpected(t, npmExpected)
	ar := &txtar.Archive{Comment: []byte("What the rows of commands.txt print, and their status.\n")}
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSuffix(line, "\n")
		if line == "" || line[0] == '#' {
			continue
		}
		m := npmRow.FindStringSubmatch(line)
		if m == nil {
			t.Fatalf("%s: bad row %q", npmCommands, line)
		}
		name, pkg, command := m[2], m[3], m[4]
		if m[1] != "" && *updateExpected != "" {
			ar.Files = append(ar.Files, txtar.File{Name: name, Data: []byte(want[name])})
			continue
		}
		t.Run(name, func(t *testing.T) {
			work := t.TempDir()
			if err := os.CopyFS(work, os.DirFS("npm/work")); err != nil {
				t.Fatal(err)
			}
			cmd := exec.Command("bash", "-c", command)
			cmd.Dir = work
			cmd.Env = append(os.Environ(), "p="+npmPackage(t, pkg), "emu="+emulator+" -L "+root, "HOME="+work, "NO_COLOR=1")
			var out bytes.Buffer
			cmd.Stdout, cmd.Stderr = &out, &out
			cmd.WaitDelay = time.Second
			timer := time.AfterFunc(npmTimeout, func() { cmd.Process.Kill() })
			err := cmd.Run()
			timer.Stop()
			if cmd.ProcessState == nil {
				t.Fatal(err)
			}
			got := strings.ReplaceAll(out.String(), work, "WORK") + "[" + cmd.ProcessState.String() + "]\n"
			switch {
			case *updateExpected != "":
				ar.Files = append(ar.Files, txtar.File{Name: name, Data: []byte(got)})
			case want[name] == "":
				t.Errorf("%s has no %s (go test ./tests -run TestNPM -args -oracle qemu-aarch64)", npmExpected, name)
			case got != want[name]:
				t.Errorf("%s\ngot:\n%s\nwant:\n%s", command, tail(got), tail(want[name]))
			}
		})
	}
	if *updateExpected != "" && !t.Failed() {
		if err := os.WriteFile(npmExpected, txtar.Format(ar), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}
