package tests

import (
	"bytes"
	"errors"
	"flag"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"emu/tests/need"

	"golang.org/x/tools/txtar"
)

// Debian's own programs for arm64: debian/commands.txt holds a command line a row,
// debian/expected.txtar what each prints and its status under an oracle. The root
// file systems are made by debian/root.sh and kept in bin/_*, where the go command sees no packages.
const (
	commands = "debian/commands.txt"
	expected = "debian/expected.txtar"
)

// debianRelease is a release of Debian, and the packages of which a root file system in top consists.
type debianRelease struct{ top, packages, suite string }

// ownRelease is the machine's.
var ownRelease = debianRelease{"../bin/_debian", "debian/packages.txt", ""}

var updateExpected = flag.String("oracle", "", "record "+expected+" anew with this emulator, a static one such as qemu-aarch64-static")

// command is a row of commands.txt.
type command struct {
	name, line string
	short      bool // make test runs it
	guarded    bool // TestGuardedDebian runs it too
	noOracle   bool // QEMU gets it wrong
}

var commandRow = regexp.MustCompile(`^([*+!]*)(\S+)\s+(.*)$`)

func readCommands(t *testing.T) (list []command) {
	t.Helper()
	text, err := os.ReadFile(commands)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSuffix(line, "\n")
		if strings.HasPrefix(line, "#") || line == "" {
			continue
		}
		m := commandRow.FindStringSubmatch(line)
		if m == nil {
			t.Fatalf("%s: bad row %q", commands, line)
		}
		has := func(mark string) bool { return strings.Contains(m[1], mark) }
		list = append(list, command{m[2], m[3], has("*"), has("+"), has("!")})
	}
	return list
}

// debian returns the root file system of the machine's own release, made on first use.
func debian(t *testing.T) string {
	t.Helper()
	return ownRelease.root(t)
}

func (r debianRelease) root(t *testing.T) string {
	t.Helper()
	top, err := filepath.Abs(r.top)
	if err != nil {
		t.Fatal(err)
	}
	start := time.Now()
	out, err := exec.Command("debian/root.sh", top, r.packages, r.suite).CombinedOutput()
	if err != nil {
		need.Missing(t, "no arm64 Debian root (apt-get and dpkg-deb of Debian or Ubuntu make it): %v\n%s", err, tail(string(out)))
	}
	if d := time.Since(start); d > time.Second {
		t.Logf("made %s in %v", top, d.Round(time.Second))
	}
	return filepath.Join(top, "root")
}

// enter runs a command line in the root file system; its output is both streams'.
func enter(t *testing.T, mode, root, emulator string, c command, env ...string) (out string) {
	t.Helper()
	work, err := filepath.Abs("debian/work")
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("debian/enter.sh", mode, root, emulator, work, c.line)
	cmd.Env = append(append(os.Environ(), "TMPDIR="+t.TempDir()), env...) // where the root is put together
	var b bytes.Buffer
	cmd.Stdout, cmd.Stderr = &b, &b
	timer := time.AfterFunc(debianTimeout, func() { cmd.Process.Kill() }) // unshare takes the rest along
	err = cmd.Run()
	if !timer.Stop() {
		return b.String() + "\n[still running after " + debianTimeout.String() + "]\n"
	}
	status := cmd.ProcessState.ExitCode()
	if err != nil && status < 0 {
		t.Fatalf("%s: %v", c.name, err)
	}
	s := b.String()
	if s != "" && !strings.HasSuffix(s, "\n") {
		s += "\n"
	}
	return s + "[status " + strconv.Itoa(status) + "]\n"
}

// deathOf finds the process id in a shell's message about a child's death.
var deathOf = regexp.MustCompile(`(line \d+:) +\d+ `)

const debianTimeout = 4 * time.Minute

// TestDebian runs command lines in an arm64 Debian root: with -L, and by chroot with
// emu copied into it. With EMU_DEBIAN=all it runs all of them, and by binfmt_misc
// too.
func TestDebian(t *testing.T) {
	t.Parallel() // busy for long, on one processor
	need.Tool(t, "unshare", "util-linux")
	root, list := debian(t), readCommands(t)
	if *updateExpected != "" {
		recordExpected(t, root, list)
		return
	}
	modes := []string{"sysroot", "chroot"}
	if allOfDebian() {
		modes = append(modes, "binfmt")
	}
	runCommands(t, root, list, modes)
}

func allOfDebian() bool { return os.Getenv("EMU_DEBIAN") == "all" }

// runCommands runs command lines in root and compares what they print with what the oracle did: all of them in all modes, or a sample.
func runCommands(t *testing.T, root string, list []command, modes []string) {
	want, emu := readExpected(t, expected), emuPath(t)
	for i, c := range list {
		if !allOfDebian() && !c.short {
			continue
		}
		t.Run(c.name, func(t *testing.T) {
			text, ok := want[c.name]
			if !ok {
				t.Skipf("%s has no %s: not recorded yet (go test ./tests -run TestDebian -args -oracle qemu-aarch64-static)", expected, c.name)
			}
			for j, mode := range modes {
				if !allOfDebian() && (i+j)%len(modes) != 0 {
					continue // one mode each, by turns
				}
				if got := enter(t, mode, root, emu, c); deathOf.ReplaceAllString(got, "$1") != deathOf.ReplaceAllString(text, "$1") {
					t.Errorf("%s: %s\ngot:\n%s\nwant:\n%s", mode, c.line, tail(got), tail(text))
				}
			}
		})
	}
}

// readExpected is what an oracle recorded in a txtar file, by row; a new file is empty.
func readExpected(t *testing.T, name string) map[string]string {
	t.Helper()
	want := map[string]string{}
	ar, err := txtar.ParseFile(name)
	if errors.Is(err, fs.ErrNotExist) {
		return want
	} else if err != nil {
		t.Fatal(err)
	}
	for _, f := range ar.Files {
		want[f.Name] = string(f.Data)
	}
	return want
}

// recordExpected writes expected.txtar with what the oracle does: the rows that are
// not in it yet, or with EMU_DEBIAN=all every row.
func recordExpected(t *testing.T, root string, list []command) {
	have := readExpected(t, expected)
	if os.Getenv("EMU_DEBIAN") == "all" {
		maps.DeleteFunc(have, func(name, _ string) bool {
			return slices.ContainsFunc(list, func(c command) bool { return c.name == name && !c.noOracle })
		})
	}
	for _, short := range []bool{true, false} { // the most wanted first
		for _, c := range list {
			if have[c.name] != "" || c.noOracle || c.short != short {
				continue
			}
			have[c.name] = enter(t, "binfmt", root, *updateExpected, c, "EMU_BINFMT_FLAGS=PF")
			ar := &txtar.Archive{Comment: []byte("What the rows of commands.txt print, both streams together, and their status.\n")}
			for _, c := range list {
				if text := have[c.name]; text != "" {
					ar.Files = append(ar.Files, txtar.File{Name: c.name, Data: []byte(text)})
				}
			}
			if err := os.WriteFile(expected, txtar.Format(ar), 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
}
