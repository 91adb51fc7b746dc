package tests

import (
	"debug/elf"
	"encoding/binary"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
)

func commandGuest(t *testing.T) string { return build(t, "guest/command/command.c", arm64, "-O1") }

// The exit status is the guest's; a guest that a signal kills kills emu with it.
func TestExitStatus(t *testing.T) {
	emu, guest := emuPath(t), commandGuest(t)
	for _, tier := range []string{"interp", "1", "auto"} {
		for _, status := range []int{0, 1, 42, 125, 255} {
			got := run(t, "", emu, "-tier="+tier, guest, "exit", fmt.Sprint(status))
			same(t, fmt.Sprintf("-tier=%s, exit %d", tier, status), got, result{status: status})
		}
		for _, sig := range []syscall.Signal{syscall.SIGHUP, syscall.SIGQUIT, syscall.SIGABRT, syscall.SIGKILL, syscall.SIGSEGV, syscall.SIGTERM, syscall.SIGPIPE, 34, 64} {
			got := run(t, "", emu, "-tier="+tier, guest, "kill", fmt.Sprint(int(sig)))
			same(t, fmt.Sprintf("-tier=%s, signal %d", tier, sig), got, result{status: -1, signal: sig})
		}
		same(t, "SIGCHLD", run(t, "", emu, "-tier="+tier, guest, "kill", "17"), result{status: 99})
	}
}

// A dynamic program of the machine's cross compiler runs without -L, and so it does when
// it is a static program's child.
func TestCrossCompiledProgram(t *testing.T) {
	emu := emuPath(t)
	dynamic := build(t, "guest/command/command.c", arm64, "-O1", linkDynamic)
	same(t, "dynamic", run(t, "", emu, dynamic, "exit", "7"), result{status: 7})
	static, _ := busybox(t)
	same(t, "child", run(t, "", emu, static, "sh", "-c", dynamic+" exit 6"), result{status: 6})
	got := run(t, "", emu, "-L", t.TempDir(), dynamic, "exit", "7")
	if got.status != 127 || !strings.Contains(got.stderr, "name with -L") {
		t.Errorf("with -L of an empty directory: %+v, want status 127 and a hint at -L", got)
	}
}

// runEnv is run with an environment of VAR=VALUE lines only.
func runEnv(t *testing.T, env []string, argv ...string) result {
	t.Helper()
	return run(t, "", append(append([]string{"/usr/bin/env", "-i"}, env...), argv...)...)
}

// Flags, and the variables QEMU_x and EMU_x that stand for them; EMU_x goes before
// QEMU_x and the flag before both.
func TestFlagsAndVariables(t *testing.T) {
	emu, guest := emuPath(t), commandGuest(t)
	for _, tc := range []struct {
		env, flags, args string
		want             string
		status           int
	}{
		{flags: "", args: "args a -b --c", want: fmt.Sprintf("[%s]\n[args]\n[a]\n[-b]\n[--c]\n", guest)},
		{flags: "-0 name", args: "args", want: "[name]\n[args]\n"},
		{flags: "-0=", args: "args", want: "[]\n[args]\n"},
		{env: "QEMU_ARGV0=q", args: "args", want: "[q]\n[args]\n"},
		{env: "QEMU_ARGV0=q EMU_ARGV0=e", args: "args", want: "[e]\n[args]\n"},
		{env: "QEMU_ARGV0=q EMU_ARGV0=e", flags: "-0 flag", args: "args", want: "[flag]\n[args]\n"},
		{env: "A=outer", args: "env A", want: "outer\n"},
		{env: "A=outer", flags: "-E A=inner", args: "env A", want: "inner\n"},
		{env: "A=outer", flags: "-U A", args: "env A", want: "(unset)\n"},
		{env: "A=outer", flags: "-U A -E A=again", args: "env A", want: "again\n"},
		{env: "A=outer", flags: "-E A=inner -U A", args: "env A", want: "(unset)\n"},
		{flags: "-E A=1,2,B=3", args: "env A", want: "1,2\n"},
		{flags: "-E A=1,2,B=3", args: "env B", want: "3\n"},
		{env: "QEMU_SET_ENV=A=1,B=2", args: "env B", want: "2\n"},
		{env: "A=outer B=outer QEMU_UNSET_ENV=B,A", args: "env A", want: "(unset)\n"},
		{env: "A=outer QEMU_UNSET_ENV=A", args: "env A", want: "(unset)\n"},
		{env: "QEMU_SET_ENV=B=2", args: "env B", want: "2\n"},
		{flags: "-r 9.8.7", args: "release", want: "9.8.7 aarch64\n"},
		{env: "QEMU_UNAME=7.7.7", args: "release", want: "7.7.7 aarch64\n"},
		{flags: "-s 32M", args: "stack 20000", want: "enough\n"},
		{env: "QEMU_STACK_SIZE=32M", args: "stack 20000", want: "enough\n"},
		{env: "EMU_TIER=interp", args: "exit 3", status: 3},
		{env: "EMU_TIER=nosuch", args: "exit 3", status: 125},
		{flags: "-cpu cortex-a53", args: "exit 4", status: 4},
		{flags: "-cpu nosuch", args: "exit 4", status: 125},
		{flags: "-host v2", args: "exit 4", status: 4},
		{flags: "-host native,-avx", args: "exit 4", status: 4},
		{flags: "-host v3,-nosuch", args: "exit 4", status: 125},
		{flags: "-g nowhere", args: "exit 4", status: 125},
		{flags: "-d nosuch", args: "exit 4", status: 125},
		{flags: "-dump-pc main", args: "exit 4", status: 125},
		{flags: "-dump-pc 0x20-0x10", args: "exit 4", status: 125},
		{flags: "-D /nowhere/log", args: "exit 4", status: 125},
		{flags: "-profile /nowhere/p", args: "exit 4", status: 125},
		{flags: "-L /etc/passwd", args: "exit 4", status: 125},
		{args: "fds", want: run(t, "", build(t, "guest/command/command.c", native, "-O1"), "fds").stdout},
	} {
		argv := append(append([]string{emu}, strings.Fields(tc.flags)...), append([]string{guest}, strings.Fields(tc.args)...)...)
		got := runEnv(t, strings.Fields(tc.env), argv...)
		if got.stdout != tc.want || got.status != tc.status {
			t.Errorf("%s emu %s prog %s: %v, printed\n%swant %d\n%s%s", tc.env, tc.flags, tc.args, got, got.stdout, tc.status, tc.want, got.stderr)
		}
		if tc.status == 125 && strings.Count(got.stderr, "\n") != 1 {
			t.Errorf("emu %s: want a message of one line, got\n%s", tc.flags, got.stderr)
		}
	}
}

// What emu itself prints.
func TestInformation(t *testing.T) {
	emu := emuPath(t)
	if got := run(t, "", emu, "-version"); got.status != 0 || !strings.HasPrefix(got.stdout, "emu ") {
		t.Errorf("-version: %v: %s", got, got.stdout)
	}
	help := run(t, "", emu, "-help")
	for _, flag := range []string{"-L DIR", "-strace", "-tier TIER", "-dump STAGES", "-profile FILE", "-trace", "[EMU_LD_PREFIX]", "QEMU_LD_PREFIX", "126", "(default 40000)"} {
		if !strings.Contains(help.stdout, flag) {
			t.Errorf("-help does not name %s", flag)
		}
	}
	if strings.Contains(help.stdout, "-execfd") {
		t.Error("-help names a flag that is emu's own")
	}
	models := run(t, "", emu, "-cpu", "help")
	for _, name := range []string{"max ", "cortex-a72 ", "neoverse-v1 ", " lse2", " mops", " pacqarma5"} {
		if models.status != 0 || !strings.Contains(models.stdout, name) {
			t.Errorf("-cpu help: status %d, does not name %s", models.status, name)
		}
	}
	if got := run(t, "", emu); got.status != 125 || !strings.Contains(got.stderr, "usage: emu") {
		t.Errorf("no arguments: %v: %s", got, got.stderr)
	}
	if got := run(t, "", emu, "-L", "/nowhere", "x"); got.status != 125 || !strings.Contains(got.stderr, "-L: stat /nowhere: ") {
		t.Errorf("-L /nowhere: %v: %s", got, got.stderr)
	}
}

// Files that are no programs are refused with a message that names file and reason,
// and with the statuses of env(1).
func TestMalformedPrograms(t *testing.T) {
	emu, guest := emuPath(t), commandGuest(t)
	good, err := os.ReadFile(guest)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	change := func(off int, v ...byte) []byte {
		b := append([]byte(nil), good...)
		copy(b[off:], v)
		return b
	}
	phoff := int(binary.LittleEndian.Uint64(good[32:]))
	load := phoff // the first PT_LOAD
	for binary.LittleEndian.Uint32(good[load:]) != uint32(elf.PT_LOAD) {
		load += 56
	}
	for _, tc := range []struct {
		name   string
		data   []byte
		mode   os.FileMode
		status int
		reason string
	}{
		{name: "empty", data: nil, status: 126},
		{name: "text", data: []byte("just text\n"), status: 126},
		{name: "truncated header", data: good[:40], status: 126},
		{name: "x86-64", data: change(18, 62, 0), status: 126},
		{name: "32 bits", data: change(4, 1), status: 126},
		{name: "big-endian", data: change(5, 2), status: 126},
		{name: "relocatable", data: change(16, 1, 0), status: 126},
		{name: "program headers beyond the end", data: change(32, 0, 0, 0, 0x7f), status: 126},
		{name: "too many program headers", data: change(56, 0xff, 0xff), status: 126},
		{name: "wrong size of program headers", data: change(54, 8, 0), status: 126},
		{name: "file size above memory size", data: change(load+32, 0xff, 0xff, 0xff, 0xff, 0x0f), status: 126},
		{name: "segment at the end of memory", data: change(load+16, 0, 0, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff), status: 126},
		{name: "end in front of a segment's", data: good[:3000], status: 126, reason: "the file ends before its segment does\n"},
		{name: "not executable", data: good, mode: 0o644, status: 126, reason: "not executable"},
	} {
		path := filepath.Join(dir, strings.ReplaceAll(tc.name, " ", "-"))
		if tc.mode == 0 {
			tc.mode = 0o755
		}
		if err := os.WriteFile(path, tc.data, tc.mode); err != nil {
			t.Fatal(err)
		}
		got := run(t, "", emu, path)
		if got.status != tc.status || got.signal != 0 || strings.Contains(got.stderr, "goroutine") || !strings.Contains(got.stderr, path) || !strings.Contains(got.stderr, tc.reason) {
			t.Errorf("%s: %v, want %d and a message with file and reason\n%s", tc.name, got, tc.status, tail(got.stderr))
		}
	}
	if got := run(t, "", emu, filepath.Join(dir, "nosuch")); got.status != 127 || !strings.Contains(got.stderr, "nosuch") {
		t.Errorf("no file: %v: %s", got, got.stderr)
	}
	if got := run(t, "", emu, dir); got.status != 126 {
		t.Errorf("a directory: %v: %s", got, got.stderr)
	}
}

// A FIFO without a writer is no program either; to open it would wait for one.
func TestProgramIsFIFO(t *testing.T) {
	path := filepath.Join(t.TempDir(), "fifo")
	if err := syscall.Mkfifo(path, 0o755); err != nil {
		t.Fatal(err)
	}
	for _, flags := range [][]string{nil, {"-L", "/"}} {
		got := run(t, "", append(append([]string{emuPath(t)}, flags...), path)...)
		if got.status != 126 || !strings.Contains(got.stderr, path+": permission denied: not a regular file") {
			t.Errorf("emu %v fifo: %v\n%s", flags, got, got.stderr)
		}
	}
}

// What is wrong with the interpreter of a script is said of both.
func TestScriptWithoutInterpreter(t *testing.T) {
	dir := t.TempDir()
	for _, tc := range []struct {
		interp, reason string
		status         int
	}{
		{"/nowhere/sh", "no such file or directory", 127},
		{"/proc/self/exe", "built for EM_X86_64", 126}, // emu itself
	} {
		path := filepath.Join(dir, filepath.Base(tc.interp))
		if err := os.WriteFile(path, []byte("#!"+tc.interp+"\n"), 0o755); err != nil {
			t.Fatal(err)
		}
		got := run(t, "", emuPath(t), path)
		if want := path + ": interpreter " + tc.interp + ": " + tc.reason; got.status != tc.status || !strings.Contains(got.stderr, want) || !strings.Contains(got.stderr, "-L") {
			t.Errorf("script for %s: %v, want status %d and %q with a hint at -L\n%s", tc.interp, got, tc.status, want, got.stderr)
		}
	}
}

// What is written at the end is written, too, when a signal ends the program.
func TestReportsOfKilledPrograms(t *testing.T) {
	emu, guest := emuPath(t), commandGuest(t)
	for _, sig := range []syscall.Signal{syscall.SIGHUP, syscall.SIGINT, syscall.SIGABRT, syscall.SIGSEGV, syscall.SIGTERM, 34} {
		path := filepath.Join(t.TempDir(), "profile")
		got := run(t, "", emu, "-profile", path, "-stats", "-strace", guest, "kill", fmt.Sprint(int(sig)))
		if got.signal != sig || !strings.Contains(got.stderr, "+++ killed by") || !strings.Contains(got.stderr, "\ntranslated: ") {
			t.Errorf("%v: %v, want its report\n%s", sig, got, tail(got.stderr))
		}
		if st, err := os.Stat(path); err != nil || st.Size() == 0 {
			t.Errorf("%v: no profile: %v, %v", sig, st, err)
		}
	}
}

// -trace shows instructions and what they change, the same as the program does in
// assembly.
func TestTrace(t *testing.T) {
	emu, guest := emuPath(t), build(t, "guest/command/trace.S", arm64, "-nostdlib")
	log := filepath.Join(t.TempDir(), "log")
	same(t, "trace", run(t, "", emu, "-trace", "-D", log, guest), result{status: 7})
	text, err := os.ReadFile(log)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for line := range strings.Lines(string(text)) {
		f := strings.Fields(line)
		got = append(got, strings.Join(f[2:], " ")) // without thread and address
	}
	want := []string{
		"d2800022 mov x2, #0x1 x2=0x1",
		"d2800043 mov x3, #0x2 x3=0x2",
		"eb030044 subs x4, x2, x3 x4=0xffffffffffffffff nzcv=1000",
		"9e670064 fmov d4, x3 v4=0x0000000000000000:0000000000000002",
		"54000060 b.eq",
		"d28000e0 mov x0, #0x7 x0=0x7",
		"14000002 b",
		"d2800ba8 mov x8, #0x5d x8=0x5d",
		"d4000001 svc #0x0",
	}
	if len(got) != len(want) {
		t.Fatalf("%d lines, want %d\n%s", len(got), len(want), text)
	}
	for n := range want {
		if !strings.HasPrefix(got[n], want[n]) {
			t.Errorf("line %d: %q, want %q", n, got[n], want[n])
		}
	}
	same(t, "-d exec", run(t, "", emu, "-d", "exec", "-D", log, guest), result{status: 7})
	if again, _ := os.ReadFile(log); len(again) != len(text) {
		t.Errorf("-d exec wrote %d bytes, -trace %d", len(again), len(text))
	}
}

// Every stage of -dump shows what it says, for the unit at a known address.
func TestDump(t *testing.T) {
	emu, guest := emuPath(t), commandGuest(t)
	f, err := elf.Open(guest)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	entry := fmt.Sprintf("%#x", f.Entry)
	for _, tc := range []struct{ tier, stage, has, hasNot string }{
		{"1", "guest", `(?m)^ *` + entry + `  [0-9a-f]{8}  \w`, `(?m)^func `},
		{"1", "ir", `(?m)^func ` + entry + ` size \d+$`, `rbp`},
		{"1", "opt", `(?m)^---- unit ` + entry, `(?m)^func `}, // tier 1 has no passes
		{"2", "opt", `(?m)^func ` + entry + ` size \d+$`, `rbp`},
		{"1", "asm", `(?i)rbp`, `(?m)^func `},
	} {
		got := run(t, "", emu, "-tier="+tc.tier, "-code-cache=off", "-dump", tc.stage, "-dump-pc", entry, guest, "exit", "0")
		if !regexp.MustCompile(tc.has).MatchString(got.stderr) || regexp.MustCompile(tc.hasNot).MatchString(got.stderr) {
			t.Errorf("-tier=%s -dump=%s: want %q and no %q\n%s", tc.tier, tc.stage, tc.has, tc.hasNot, tail(got.stderr))
		}
		if n := strings.Count(got.stderr, "---- unit"); n != 1 {
			t.Errorf("-dump=%s: %d units, want the one at %s", tc.stage, n, entry)
		}
	}
}

// TestDumpInside: -dump-pc found units by their first address alone, not those that contain
// the one that a crash is at.
func TestDumpInside(t *testing.T) {
	emu, guest := emuPath(t), build(t, "guest/command/inlined.S", arm64, "-nostdlib")
	f, err := elf.Open(guest)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	const loop, small = 4, 28 + 64 // from the entry
	for _, tc := range []struct {
		tier, stage string
		at, unit    uint64
	}{
		{"1", "guest", loop + 8, loop + 4}, // the second instruction behind the call
		{"1", "asm", loop + 8, loop + 4},
		{"1", "ir", loop + 8, loop + 4},
		{"interp", "guest", loop + 8, loop + 4},
		{"2", "guest", loop + 4, 0},
		{"2", "opt", loop + 4, 0},
		{"2", "guest", small, 0}, // inlined
		{"2", "ir", small + 4, 0},
		{"2", "asm", small, 0},
	} {
		at := fmt.Sprintf("%#x", f.Entry+tc.at)
		got := run(t, "", emu, "-tier="+tc.tier, "-code-cache=off", "-dump", tc.stage, "-dump-pc", at, guest)
		if !strings.Contains(got.stderr, fmt.Sprintf("---- unit %#x,", f.Entry+tc.unit)) || tc.stage == "guest" && !strings.Contains(got.stderr, at+"  ") {
			t.Errorf("-tier=%s -dump=%s: no unit at %#x for %s\n%s", tc.tier, tc.stage, f.Entry+tc.unit, at, tail(got.stderr))
		}
	}
	at := fmt.Sprintf("%#x", f.Entry+small+4)
	if got := run(t, "", emu, "-trace", "-dump-pc", at, guest); strings.Count(got.stderr, "\n") != 100 || strings.Count(got.stderr, at+"  d65f03c0") != 100 {
		t.Errorf("-trace: want %s alone, 100 times\n%s", at, tail(got.stderr))
	}
}

// The developers' tools work on what they are given and refuse the rest.
func TestTools(t *testing.T) {
	emu := emuPath(t)
	file := filepath.Join(t.TempDir(), "f.ir")
	if err := os.WriteFile(file, []byte("func 0x1000 size 4\nv0:i64 = add 40, 2\nsetx #0, v0\njump #0x1004\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct {
		args   []string
		status int
		want   string
	}{
		{[]string{"word", "8b020020"}, 0, `add x0, x1, x2`},
		{[]string{"word", "8b020020", "d65f03c0"}, 0, `(?s)v\d+:i64 = add.*\bret v`},
		{[]string{"word", "0x8b020020"}, 0, `add x0, x1, x2`},
		{[]string{"word", "xyz"}, 1, ``},
		{[]string{"word", "123456789"}, 1, ``}, // has 36 bits, though not as a decimal number
		{[]string{"word"}, 125, ``},
		{[]string{"ir", file}, 0, `branch.*0x1004`},
		{[]string{"ir", "/nonexistent"}, 1, ``},
		{[]string{"ir", file, file}, 125, ``},
		{[]string{"coverage", "x"}, 125, ``},
		{[]string{"coverage"}, 0, `(?m)^ADD_64_addsub_shift +translated`},
		{[]string{"coverage"}, 0, `(?m)^UDF_only_perm_undef +undefined`},
		{[]string{"help"}, 0, `usage: emu tool`},
		{nil, 125, ``},
		{[]string{"syscalls"}, 0, `openat`},
		{[]string{"nosuch"}, 125, ``},
	} {
		cmd := exec.Command(emu, append([]string{"tool"}, tc.args...)...)
		out, _ := cmd.Output()
		if cmd.ProcessState.ExitCode() != tc.status || !regexp.MustCompile(tc.want).Match(out) {
			t.Errorf("emu tool %v: status %d, want %d and %q\n%s", tc.args, cmd.ProcessState.ExitCode(), tc.status, tc.want, tail(string(out)))
		}
	}
}
