package tests

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestMisuse: what is wrong with a command line is said in one line, which names what it is
// and where it comes from.
func TestMisuse(t *testing.T) {
	emu, guest := emuPath(t), commandGuest(t)
	dir := t.TempDir()
	write := func(name, content string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(content), 0o755); err != nil {
			t.Fatal(err)
		}
		return path
	}
	nameless, unended := write("nameless", "#!\nx\n"), write("unended", "#!/"+strings.Repeat("x", 300)+"\n")
	inDir := write("in-directory", string(withInterpreter(t, "/tmp")))
	for _, tc := range []struct {
		env, args string // ~ is the guest
		status    int
		want      string
	}{
		{"", "-nosuch ~", 125, "unknown flag -nosuch (emu -help lists them)"},
		{"", "-L", 125, "flag -L needs DIR"},
		{"", "-strace", 125, "no program to run among the arguments (emu -help says what they are)"},
		{"", "-g ~", 125, "no program to run among the arguments (emu -help says what they are)"},
		{"", "--", 125, "no program to run among the arguments (emu -help says what they are)"},
		{"", "-L /nowhere ~", 125, "flag -L: stat /nowhere: no such file or directory"},
		{"EMU_LD_PREFIX=/nowhere", "~", 125, "EMU_LD_PREFIX: stat /nowhere: no such file or directory"},
		{"QEMU_LD_PREFIX=/etc/passwd", "~", 125, "QEMU_LD_PREFIX: root file system /etc/passwd: not a directory"},
		{"EMU_LD_PREFIX=/nowhere", "-L /nowhere/else ~", 125, "flag -L: stat /nowhere/else: no such file or directory"},
		{"EMU_LOG_FILENAME=/nowhere/log", "~", 125, "EMU_LOG_FILENAME: open /nowhere/log: no such file or directory"},
		{"EMU_PROFILE=/nowhere/p", "~", 125, "EMU_PROFILE: open /nowhere/p: no such file or directory"},
		{"EMU_HOT=many", "~", 125, `EMU_HOT: "many" is not a number from 1 on`},
		{"", "-E A ~", 125, `flag -E: "A" is not VAR=VALUE`},
		{"", "-E =1 ~", 125, `flag -E: "=1" is not VAR=VALUE`},
		{"", "-U A=1 ~", 125, `flag -U: "A=1": a variable's name has no =`},
		{"", "-r " + strings.Repeat("6", 65) + " ~", 125, `flag -r: "` + strings.Repeat("6", 65) + `" is longer than the 64 characters that uname(2) can tell`},
		{"", "-s 1T ~", 125, `flag -s: "1T" is not a size`},
		{"", "nosuch", 127, "nosuch: no such file or directory (PATH is not searched)"},
		{"", "./nosuch", 127, "./nosuch: no such file or directory"},
		{"", nameless, 126, nameless + ": its first line does not name an interpreter"},
		{"", unended, 126, unended + ": its first line does not name an interpreter"},
		{"", inDir, 126, inDir + ": interpreter /tmp: is a directory (is there an arm64 root file system to name with -L?)"},
		{"", "tool nosuch", 125, `tool: no tool "nosuch" (emu tool help lists them)`},
	} {
		argv := append([]string{emu}, strings.Fields(strings.ReplaceAll(tc.args, "~", guest))...)
		got := runEnv(t, strings.Fields(tc.env), argv...)
		text := strings.TrimPrefix(strings.TrimPrefix(got.stderr, "emu: "), "emu ")
		if got.status != tc.status || got.stdout != "" || text != tc.want+"\n" {
			t.Errorf("%s emu %s: %v\n%swant %d: %s", tc.env, tc.args, got, got.stderr, tc.status, tc.want)
		}
	}
	if got := run(t, "", emu, ""); got.status != 127 || got.stderr != "emu: \"\": no such file or directory (PATH is not searched)\n" {
		t.Errorf("a program without a name: %v: %s", got, got.stderr)
	}
}

// withInterpreter is a dynamic program that asks for another dynamic linker, whose name is no
// longer than the usual one's.
func withInterpreter(t *testing.T, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(build(t, "guest/command/command.c", arm64, "-O1", linkDynamic))
	if err != nil {
		t.Fatal(err)
	}
	const usual = "/lib/ld-linux-aarch64.so.1\x00"
	changed := bytes.Replace(data, []byte(usual), append([]byte(name), make([]byte, len(usual)-len(name))...), 1)
	if bytes.Equal(changed, data) {
		t.Fatal("the program does not name " + usual)
	}
	return changed
}
