package tests

import (
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"emu/tests/need"
)

// supportsProcesses is what gdb says first if it can debug several processes.
const supportsProcesses = "qSupported:multiprocess+;fork-events+;vfork-events+;exec-events+;swbreak+"

// stoppedIn sends a packet that makes the program run, and returns the groups of the pattern of its stop.
func (s *session) stoppedIn(packet, pattern string) []string {
	s.t.Helper()
	return regexp.MustCompile(pattern).FindStringSubmatch(s.want(packet, pattern))[1:]
}

// gdbFollowFork has two processes: each has its own breakpoints, memory and end.
func gdbFollowFork(t *testing.T) {
	s := debug(t, "fork")
	s.want(supportsProcesses, `multiprocess\+.*`)
	s.want("QPassSignals:14", `^OK$`) // SIGCHLD
	original := s.want("m"+s.at(), `^[0-9a-f]{8}$`)
	s.want("Z0,"+s.at(), `^OK$`)
	pid := fmt.Sprintf("%x", s.cmd.Process.Pid)
	child := s.stoppedIn("vCont;c", `^T05.*;fork:p([0-9a-f]+)\.[0-9a-f]+;thread:p`+pid+`\.`+pid+`;$`)[0]
	s.want("qfThreadInfo", fmt.Sprintf(`^mp%s\.%[1]s,p%s\.%[2]s$`, pid, child))
	s.want("Hgp"+child+".0", `^OK$`)
	s.want("qC", fmt.Sprintf(`^QCp%s\.%[1]s$`, child))
	s.want("m"+s.at(), "^"+original+"$") // its breakpoint does not show either
	s.want(fmt.Sprintf("M%x,8:%s", s.symbol["counter"], little(7)), `^OK$`)
	s.want("vCont;c:p"+child+".-1", breakpointStop+`thread:p`+child+`\.`+child)
	s.want("z0,"+s.at(), `^OK$`)
	s.want("vCont;c:p"+child+".-1", `^W08;process:`+child+`$`)
	s.want("Hgp"+pid+".0", `^OK$`)
	s.want(fmt.Sprintf("m%x,8", s.symbol["counter"]), "^"+little(0)+"$")
	s.want("vCont;c:p"+pid+".-1", breakpointStop) // the child's is gone, not its own
	s.want("D;"+pid, `^OK$`)
	s.ends(2, "child 8\n")
}

// gdbKeepVfork debugs a child of vfork and its parent, which cannot stop before the child executes a program.
func gdbKeepVfork(t *testing.T) {
	s := debug(t, "vfork")
	s.want(supportsProcesses, `vfork-events\+`)
	s.want("QPassSignals:14", `^OK$`)
	pid := fmt.Sprintf("%x", s.cmd.Process.Pid)
	child := s.stoppedIn("vCont;c", `^T05.*;vfork:p([0-9a-f]+)\.[0-9a-f]+;thread:p`+pid+`\.`+pid+`;$`)[0]
	s.want("vCont;c", `^T05.*;exec:[0-9a-f]+;thread:p`+child)
	s.want("Hgp"+child+"."+child, `^OK$`)
	s.want("Z0,"+s.at(), `^OK$`)
	s.want("vCont;c:p"+pid+".-1", `^T05.*;vforkdone:;thread:p`+pid)
	s.want("vCont;c", breakpointStop+`thread:p`+child)
	s.want("vKill;"+child, `^OK$`)
	s.want("Tp"+child+"."+child, `^E`)
	s.want("vCont;c", `^W02;process:`+pid+`$`)
	s.ends(2, "child -1\n")
}

// TestGdbSysroot is told of files by their names in the root file system.
func TestGdbSysroot(t *testing.T) {
	root, socket := t.TempDir(), filepath.Join(t.TempDir(), "gdb")
	guest, err := os.ReadFile(build(t, filepath.Join(traceGuests, "remote.c"), arm64, "-O1"))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(root, "guest"), guest, 0o755); err != nil {
		t.Fatal(err)
	}
	s := waitForGdb(t, socket, "-L", root, "/guest", "exec")
	s.connect(socket)
	s.want(supportsProcesses, `exec-events\+`)
	s.want("qXfer:exec-file:read::0,100", `^l/guest$`)
	s.want("vCont;c", `^T05.*;exec:`+hex.EncodeToString([]byte("/guest"))+`;`)
	fd := s.stoppedIn(fmt.Sprintf("vFile:open:%x,0,0", fmt.Sprintf("/proc/%d/maps", s.cmd.Process.Pid)), `^F([0-9a-f]+)$`)[0]
	s.want("vFile:pread:"+fd+",1000,0", `^F[0-9a-f]+;00400000-[0-9a-f]+ r-xp [^\n]* /guest\n`)
	s.want("vFile:close:"+fd, `^F0$`)
	s.want(fmt.Sprintf("vFile:readlink:%x", fmt.Sprintf("/proc/%d/exe", s.cmd.Process.Pid)), `^F6;/guest$`)
	s.want("D", `^OK$`)
	s.ends(42, "")
}

// TestGdbFollow has gdb follow forks in all ways that it knows.
func TestGdbFollow(t *testing.T) {
	for _, c := range []struct {
		name, mode         string
		commands, patterns []string
	}{
		{"parent", "fork", []string{"catch fork", "break twice", "continue", "continue", "print n", "continue"}, []string{
			`Catchpoint 1 \(forked process \d+\)`, `Detaching after fork from child`, `Breakpoint 2, twice \(n=1\)`, `\$1 = 1`, `exited with code 02`,
		}},
		{"child", "fork", []string{"set follow-fork-mode child", "break twice", "continue", "info inferiors", "continue"}, []string{
			`Attaching after .* fork to child`, `Detaching after fork from parent`, `hit Breakpoint 1, twice \(n=4\)`, `\* 2 +process \d+ `, `Inferior 2 \(process \d+\) exited with code 010`,
		}},
		{"both", "fork", []string{"set detach-on-fork off", "set schedule-multiple on", "break twice", "continue", "info inferiors", "continue", "inferior 1", "continue", "continue"}, []string{
			`New inferior 2`, `hit Breakpoint 1\.2, twice \(n=4\)`, `  1 +process \d+`, `\* 2 +process \d+`, `Inferior 2 .* exited with code 010`, `hit Breakpoint 1\.1, twice \(n=1\)`, `Inferior 1 .* exited with code 02`,
		}},
		{"vfork, parent", "vfork", []string{"catch vfork", "break twice", "continue", "continue", "continue"}, []string{
			`Catchpoint 1 \(vforked process \d+\)`, `Detaching after vfork from child`, `Breakpoint 2, twice \(n=1\)`, `exited with code 02`,
		}},
		{"vfork, child", "vfork", []string{"set follow-fork-mode child", "catch exec", "break twice", "continue", "continue", "backtrace 1", "continue"}, []string{
			`Attaching after .* vfork to child`, `Detaching vfork parent process \d+ after child exec`, `is executing new program: `, `hit Catchpoint 1 \(exec'd .*remote`, `hit Breakpoint 2, twice \(n=21\)`, `#0 +twice \(n=21\) at .*remote.c:\d+`, `exited with code 052`,
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			gdbScript(t, []string{"remote.c", c.mode}, append([]string{"handle SIGCHLD nostop noprint pass"}, c.commands...), c.patterns).cmd.Wait()
		})
	}
}

// TestGdbManyProcesses debugs all children of four threads at once, with a breakpoint that all step over.
func TestGdbManyProcesses(t *testing.T) {
	for _, how := range []string{"fork", "vfork"} {
		s := gdbScript(t, []string{"forks.c", how}, []string{
			"handle SIGCHLD nostop noprint pass", "set detach-on-fork off", "set schedule-multiple on", "break twice if n == 77", "source testdata/gdb_continue.py",
		}, []string{`Inferior 2 .* exited with code 06`, `Inferior 17 .* exited with code 06`, `Inferior 1 .* exited normally`, `all ended`})
		s.ends(0, "0 wrong\n")
	}
}

// TestGdbCatchSyscall stops at system calls, in a program that executes another too.
func TestGdbCatchSyscall(t *testing.T) {
	gdbScript(t, []string{"remote.c", "exec"}, []string{
		"catch syscall execve exit_group", "catch exec", "continue", "print $x8", "continue", "continue", "continue", "info registers x0", "continue",
	}, []string{
		`Catchpoint 1 \(call to syscall execve\)`, `\$1 = 221`, `is executing new program`, `Catchpoint 2 \(exec'd `,
		`Catchpoint 1 \(returned from syscall execve\)`, `Catchpoint 1 \(call to syscall exit_group\)`, `x0 +0x2a +42`, `exited with code 052`,
	}).ends(42, "")
	gdbScript(t, []string{"remote.c", "fork"}, []string{
		"handle SIGCHLD nostop noprint pass", "set follow-fork-mode child", "catch syscall exit_group", "continue", "info registers x0", "delete", "continue",
	}, []string{`fork to child`, `Catchpoint 1 \(call to syscall exit_group\)`, `x0 +0x8 +8`, `exited with code 010`}).ends(2, "child 8\n")
}

// TestGdbInfoProc asks gdb about the process, which shows the guest and nothing of emu, and has it write a
// core file.
func TestGdbInfoProc(t *testing.T) {
	core := filepath.Join(t.TempDir(), "core")
	s := gdbScript(t, []string{"remote.c", "twice"}, []string{
		"break twice", "continue", "info proc", "info inferiors", "info auxv", "info proc mappings", "print (long)counter", "print $_siginfo.si_signo", "info proc stat",
		"generate-core-file " + core, "finish", "continue",
	}, []string{
		`process \d+\ncmdline = '.*/remote-\w+ twice'\ncwd = '.*/tests'\nexe = '.*/remote-\w+'`, `\* 1 +process \d+ `, `AT_EXECFN .*/remote`,
		`0x400000 +0x\w+ +0x\w+ +0x0 +r-xp +\S+/remote-\w+\n(?:.*\n)*.*\[heap\] *\n(?:.*\n)*.*\[stack\] *\n.*\[vdso\]`, `\$1 = 0`, `\$2 = 5`, `State: t\n`, `Virtual memory size: \d{7}\n`,
		`Saved corefile`, `Value returned is \$3 = 42`, `exited with code 052`,
	})
	s.ends(42, "")
	guest := build(t, filepath.Join(traceGuests, "remote.c"), arm64, "-O0", "-g")
	got := run(t, "", need.Tool(t, "gdb-multiarch", "gdb-multiarch"), "-nx", "-batch", "-ex", "core "+core, "-ex", "backtrace", "-ex", "info registers cpsr", guest)
	for _, p := range []string{`Program terminated with signal SIGTRAP`, `#0 +twice \(n=21\)`, `#1 .* in main \(argc=2`, `cpsr +0x\w+ +\[ EL=0 `} {
		if !regexp.MustCompile(p).MatchString(got.stdout) {
			t.Errorf("of the core, gdb printed nothing like %s:\n%s\n%s", p, got.stdout, got.stderr)
		}
	}
}
