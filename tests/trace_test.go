package tests

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"emu/tests/need"
)

const traceGuests = "guest/trace"

// TestTraceRegisters compares what a tracer on arm64 sees with what the ABI says.
func TestTraceRegisters(t *testing.T) {
	emu, guest := emuPath(t), build(t, filepath.Join(traceGuests, "regs.c"), arm64, "-O1")
	want, err := os.ReadFile(filepath.Join(traceGuests, "regs.txt"))
	if err != nil {
		t.Fatal(err)
	}
	for _, tier := range []string{"interp", "1", "2", "auto"} {
		same(t, "regs -tier="+tier, run(t, "", emu, "-tier="+tier, guest), result{stdout: string(want)})
	}
}

// TestDebugRegisters: breakpoints and watchpoints of a tracer on arm64, against what the
// kernel's sources say. The tracee's threads are interpreted while they have some.
func TestDebugRegisters(t *testing.T) {
	emu, guest := emuPath(t), build(t, filepath.Join(traceGuests, "hwdebug.c"), arm64, "-O1")
	want, err := os.ReadFile(filepath.Join(traceGuests, "hwdebug.txt"))
	if err != nil {
		t.Fatal(err)
	}
	for _, tier := range []string{"interp", "1", "2", "auto"} {
		same(t, "hwdebug -tier="+tier, run(t, "", emu, "-tier="+tier, guest), result{stdout: string(want)})
	}
}

// debuggersRoot is an arm64 Debian root with strace and gdb, see setup.sh.
const debuggersRoot = guestDir + "/debuggers"

func debugger(t *testing.T, name string) (emu, root, path string) {
	t.Helper()
	root, err := filepath.Abs(debuggersRoot)
	if err != nil {
		t.Fatal(err)
	}
	path = filepath.Join(root, "usr/bin", name)
	need.File(t, path, "make setup")
	return emuPath(t), root, path
}

// TestStrace runs Debian's arm64 strace on a program that forks, and finds its calls.
func TestStrace(t *testing.T) {
	emu, root, strace := debugger(t, "strace")
	got := run(t, "", emu, "-L", root, strace, "-f", "/bin/sh", "-c", "echo one | /bin/cat; exit 3")
	if got.stdout != "one\n" || got.status != 3 {
		t.Fatalf("status %d, output %q\n%s", got.status, got.stdout, got.stderr)
	}
	for _, line := range []string{
		`(?m)^execve\("/bin/sh", \["/bin/sh", "-c", .*\) = 0$`,
		`write\(1, "one\\n", 4`,
		`(?m)^(\[pid +\d+\] )?execve\("/bin/cat", \["/bin/cat"\], `,
		`(?m)read(\(0, | resumed>)"one\\n", `,
		`clone\(child_stack=NULL, flags=.*SIGCHLD`,
		`--- SIGCHLD \{si_signo=SIGCHLD, si_code=CLD_EXITED, .*si_status=0`,
		`(?m)exit_group\(3\) += \?$`,
		`\+\+\+ exited with 3 \+\+\+`,
	} {
		if !regexp.MustCompile(line).MatchString(got.stderr) {
			t.Errorf("strace printed nothing like %s:\n%s", line, got.stderr)
		}
	}
}

// TestGdb runs Debian's arm64 gdb on a threaded program: breakpoints, back traces,
// registers, stepping, watchpoints, attaching.
func TestGdb(t *testing.T) {
	emu, root, gdb := debugger(t, "gdb")
	guest := build(t, filepath.Join(traceGuests, "factorial.c"), arm64, "-O0", "-g")
	t.Setenv("SHELL", "/bin/sh")
	args := []string{emu, "-L", root, gdb, "-nx", "-batch"}
	for _, c := range []string{
		"break factorial if n == 3", "run", "delete", "break factorial if n == 2", "continue", "backtrace", "info registers pc x0", "print n",
		"next", "watch result", "continue", "delete", "stepi", "nexti", "finish", "print factorial(6)", "info threads",
		"hbreak factorial if n == 4", "continue", "delete", "rwatch n", "continue", "delete", "continue",
	} {
		args = append(args, "-ex", c)
	}
	got := run(t, "", append(args, guest)...)
	for _, part := range []string{
		`Breakpoint 1, factorial \(n=3\) at .*factorial.c:\d+`,
		`#0 +factorial \(n=2\)`, `#1 .* in factorial \(n=3\)`, `#2 .* in worker \(`,
		`(?m)^pc +0x[0-9a-f]+ .*<factorial\+\d+>`,
		`(?m)^\$1 = 2$`,
		`Hardware watchpoint 3: result`, `Old value = 1\nNew value = 2`,
		`Hardware assisted breakpoint 4`, `Breakpoint 4, factorial \(n=4\)`, `Hardware read watchpoint 5: n\n\nValue = 4`,
		`Value returned is \$2 = 2`,
		`(?m)^\$3 = 720$`,
		`Thread 0x[0-9a-f]+ \(LWP \d+\)`,
		`sum 153`,
		`exited normally`,
	} {
		if !regexp.MustCompile(part).MatchString(got.stdout) {
			t.Errorf("gdb printed nothing like %s", part)
		}
	}
	if t.Failed() {
		t.Logf("status %d\n%s\n%s", got.status, got.stdout, strings.TrimSpace(got.stderr))
	}
}

// TestTracedWait: of a wait4 with WNOHANG that found nothing -strace showed a status, of a
// child that had exited.
func TestTracedWait(t *testing.T) {
	got := run(t, "", emuPath(t), "-strace", build(t, filepath.Join(traceGuests, "nohang.c"), arm64, "-O1"))
	if got.status != 7 {
		t.Fatalf("status %d\n%s", got.status, got.stderr)
	}
	for _, line := range []string{
		`, 0x[0-9a-f]+, WNOHANG, NULL\) += 0`,
		`, \[\{WIFEXITED\(s\) && WEXITSTATUS\(s\) == 7\}\], 0, NULL\) += \d+`,
	} {
		if !regexp.MustCompile(line).MatchString(got.stderr) {
			t.Errorf("-strace printed nothing like %s:\n%s", line, got.stderr)
		}
	}
}

// straceLine is what a line of strace -f may be: a call, its beginning or its end, a signal, an end.
var straceLine = regexp.MustCompile(`^(\[pid +(\d+)\] )?(\w+\(.*\) += .+|(\w+)\(.* <unfinished \.\.\.>|<\.\.\. (\w+) resumed>.*\) += .+|--- SIG.* ---|\+\+\+ .* \+\+\+)$`)

// TestTracedFork: with -strace the child's return from clone stood in the parent's unfinished
// line, and what children did in that of the parent's wait.
func TestTracedFork(t *testing.T) {
	got := straceSpawn(t)
	unfinished := map[string]string{} // calls by thread
	for line := range strings.Lines(got) {
		m := straceLine.FindStringSubmatch(strings.TrimSuffix(line, "\n"))
		switch {
		case m == nil:
			t.Errorf("no line of strace's: %s", line)
		case m[4] != "":
			unfinished[m[2]] = m[4]
		case m[5] != "":
			if call := unfinished[m[2]]; call != m[5] && unfinished[""] != m[5] {
				t.Errorf("%s goes on, %q was unfinished", m[5], call)
			}
		}
	}
	for _, want := range []string{
		`(?m)^clone\([^)\n]*( <unfinished \.\.\.>|\) = \d+)$`,
		`(?m)^\[pid +\d+\] <\.\.\. wait4 resumed>, \[\{WIFEXITED\(s\) && WEXITSTATUS\(s\) == 4\}\], 0, NULL\) += \d+$`,
		`(?m)^\[pid +\d+\] <\.\.\. wait4 resumed>, \[\{WIFEXITED\(s\) && WEXITSTATUS\(s\) == 3\}\], 0, NULL\) = \d+$`,
		`(?m)^\[pid +\d+\] \+\+\+ exited with 4 \+\+\+$`,
	} {
		if !regexp.MustCompile(want).MatchString(got) {
			t.Errorf("-strace printed nothing like %s", want)
		}
	}
	if regexp.MustCompile(`(clone\(.*|clone resumed>.*)= 0\n`).MatchString(got) {
		t.Error("a child returned from clone, which strace does not tell")
	}
	if t.Failed() {
		t.Log(got)
	}
}

// TestTracedExecve: with -strace an execve that succeeded had no end, and in children it began
// twice.
func TestTracedExecve(t *testing.T) {
	got := straceSpawn(t)
	done := regexp.MustCompile(`(?m)(execve\(.*"again"\], 0x[0-9a-f]+ /\* 0 vars \*/\)|execve resumed>\)) += 0$`).FindAllString(got, -1)
	if begun := strings.Count(got, " execve("); len(done) != 2 || begun != 3 || strings.Contains(got, "ERESTART") {
		t.Errorf("%d execve, %d with success, want 3 and 2\n%s", begun, len(done), got)
	}
	if !regexp.MustCompile(`(?m)^\[pid +\d+\] execve\("/nonexistent", .*\) = -1 ENOENT \(No such file or directory\)$`).MatchString(got) {
		t.Errorf("no execve fails\n%s", got)
	}
}

// TestTracedLateExecve: with -strace an execve that had too many arguments for emu alone succeeded first and
// then failed.
func TestTracedLateExecve(t *testing.T) {
	got := run(t, "", emuPath(t), "-strace", build(t, filepath.Join(traceGuests, "late.c"), arm64, "-O1"))
	var worked, failed int
	if _, err := fmt.Sscanf(got.stdout, "%d %d\n", &worked, &failed); err != nil || worked == 0 || failed == 0 {
		t.Fatalf("%v, want some that work and some that do not", got)
	}
	for _, c := range []struct {
		line string
		want int
	}{
		{`(?m)(execve\(".*"x{32}"\.\.\., "x{32}"\.\.\.\], 0x[0-9a-f]+ /\* 0 vars \*/\)|execve resumed>\)) += 0$`, worked},
		{`(?m)(execve\(.*|execve resumed>\)) += -1 E2BIG \(`, failed},
	} {
		if n := len(regexp.MustCompile(c.line).FindAllString(got.stderr, -1)); n != c.want {
			t.Errorf("%d lines like %s, want %d\n%s", n, c.line, c.want, got.stderr)
		}
	}
}

// TestTraceOfEach: %d in the name of the log is the process; one that a program begins has its own.
func TestTraceOfEach(t *testing.T) {
	dir := t.TempDir()
	got := run(t, "", emuPath(t), "-strace", "-D", filepath.Join(dir, "log.%d"), build(t, filepath.Join(traceGuests, "spawn.c"), arm64, "-O1"))
	logs, _ := filepath.Glob(filepath.Join(dir, "log.[0-9]*"))
	if got.status != 3 || got.stderr != "" || len(logs) != 2 {
		t.Fatalf("%v, %d logs", got, len(logs))
	}
	for _, name := range logs {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(text)) {
			if !straceLine.MatchString(strings.TrimSuffix(line, "\n")) {
				t.Errorf("%s: no line of strace's: %s", filepath.Base(name), line)
			}
		}
	}
}

// TestStraceDecodes compares what -strace prints of structures, and of arguments that depend on each other, with what
// strace does; * is anything.
func TestStraceDecodes(t *testing.T) {
	got := run(t, "", emuPath(t), "-strace", build(t, filepath.Join(traceGuests, "decode.c"), arm64, "-O1"))
	want, err := os.ReadFile(filepath.Join(traceGuests, "decode.txt"))
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(want)) {
		pattern := strings.ReplaceAll(regexp.QuoteMeta(strings.TrimSuffix(line, "\n")), `\*`, ".*")
		if !regexp.MustCompile("(?m)^" + pattern + "$").MatchString(got.stderr) {
			t.Errorf("no line like %s", line)
		}
	}
	if t.Failed() {
		t.Log(got.stderr)
	}
}

// straceSpawn is what -strace prints of a program that forks, and that executes itself.
func straceSpawn(t *testing.T) string {
	t.Helper()
	got := run(t, "", emuPath(t), "-strace", build(t, filepath.Join(traceGuests, "spawn.c"), arm64, "-O1"))
	if got.status != 3 {
		t.Fatalf("status %d\n%s", got.status, got.stderr)
	}
	return got.stderr
}
