package tests

import (
	"bufio"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"
)

// session is a debugged guest and a connection to its server.
type session struct {
	t      *testing.T
	cmd    *exec.Cmd
	out    *strings.Builder
	conn   net.Conn
	r      *bufio.Reader
	symbol map[string]uint64
}

// debug starts the guest remote.c under -g and connects.
func debug(t *testing.T, args ...string) *session {
	t.Helper()
	guest := build(t, filepath.Join(traceGuests, "remote.c"), arm64, "-O1")
	s := &session{t: t, out: &strings.Builder{}, symbol: map[string]uint64{}}
	for name, sym := range symbolsOf(t, guest) {
		s.symbol[name] = sym.Value
	}
	socket := filepath.Join(t.TempDir(), "gdb")
	w := waitForGdb(t, socket, guest, args...)
	s.cmd, s.out = w.cmd, w.out
	s.connect(socket)
	return s
}

// waitForGdb starts a guest under -g.
func waitForGdb(t *testing.T, socket, guest string, args ...string) *session {
	t.Helper()
	s := &session{t: t, out: &strings.Builder{}}
	s.cmd = exec.Command(emuPath(t), append([]string{"-g", socket, guest}, args...)...)
	s.cmd.Stdout = s.out
	s.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	s.cmd.WaitDelay = pipeTimeout
	stderr, err := s.cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := s.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { syscall.Kill(-s.cmd.Process.Pid, syscall.SIGKILL) })
	line, err := bufio.NewReader(stderr).ReadString('\n')
	if err != nil || line != "emu: waiting for gdb at "+socket+"\n" {
		t.Fatalf("-g said %q (%v)", line, err)
	}
	return s
}

// connect connects to the server.
func (s *session) connect(socket string) {
	s.t.Helper()
	var err error
	if s.conn, err = net.Dial("unix", socket); err != nil {
		s.t.Fatal(err)
	}
	s.conn.SetDeadline(time.Now().Add(runTimeout))
	s.r = bufio.NewReader(s.conn)
	isRemoved(s.t, socket)
}

// isRemoved waits until the server has removed its socket's file, which others cannot use any more.
func isRemoved(t *testing.T, socket string) {
	t.Helper()
	for end := time.Now().Add(runTimeout); ; time.Sleep(time.Millisecond) {
		if _, err := os.Lstat(socket); errors.Is(err, os.ErrNotExist) {
			return
		}
		if time.Now().After(end) {
			t.Fatalf("%s is left behind", socket)
		}
	}
}

func (s *session) send(packet string) {
	sum := byte(0)
	for _, b := range []byte(packet) {
		sum += b
	}
	fmt.Fprintf(s.conn, "$%s#%02x", packet, sum)
}

// reply reads a packet and acknowledges it.
func (s *session) reply() string {
	s.t.Helper()
	_, err := s.r.ReadString('$')
	content, err2 := s.r.ReadString('#')
	_, err3 := io.CopyN(io.Discard, s.r, 2)
	if err != nil || err2 != nil || err3 != nil {
		s.t.Fatalf("no reply: %v, %v, %v", err, err2, err3)
	}
	io.WriteString(s.conn, "+")
	return strings.TrimSuffix(content, "#")
}

// want sends a packet and fails the test if the reply is not like a pattern.
func (s *session) want(packet, pattern string) string {
	s.t.Helper()
	s.send(packet)
	got := s.reply()
	if !regexp.MustCompile(pattern).MatchString(got) {
		s.t.Fatalf("%s: got %q, want %s", packet, got, pattern)
	}
	return got
}

// ends waits for the guest to end and fails the test if it ended otherwise.
func (s *session) ends(status int, stdout string) {
	s.t.Helper()
	done := make(chan struct{})
	go func() { s.cmd.Wait(); close(done) }()
	select {
	case <-done:
	case <-time.After(runTimeout):
		s.t.Fatal("the guest still runs")
	}
	if got := s.cmd.ProcessState.ExitCode(); got != status || s.out.String() != stdout {
		s.t.Errorf("status %d, output %q; want %d, %q", got, s.out, status, stdout)
	}
}

// little is a number as the protocol shows registers.
func little(v uint64) string { return hex.EncodeToString(binary.LittleEndian.AppendUint64(nil, v)) }

const breakpointStop = `^T05.*swbreak:;`

// gdbSessions are what TestGdbServer does.
var gdbSessions = map[string]func(t *testing.T){
	"breakpoint":        gdbBreakpoint,
	"memory":            gdbMemory,
	"watchpoint":        gdbWatchpoint,
	"read watchpoint":   gdbReadWatchpoint,
	"interrupt":         gdbInterrupt,
	"late interrupt":    gdbLateInterrupt,
	"signals":           gdbSignals,
	"passed signals":    gdbPassedSignals,
	"fork":              gdbFork,
	"follow fork":       gdbFollowFork,
	"keep vfork":        gdbKeepVfork,
	"catch syscall":     gdbCatchSyscall,
	"none resumed":      gdbNoneResumed,
	"extended":          gdbExtended,
	"exec":              gdbExec,
	"detach":            gdbDetach,
	"detach signal":     gdbDetachSignal,
	"gone":              gdbGone,
	"gone from running": gdbGoneFromRunning,
	"kill":              gdbKill,
	"nonsense":          gdbNonsense,
}

// TestGdbServer does what gdb does, packet by packet.
func TestGdbServer(t *testing.T) {
	for name, do := range gdbSessions {
		t.Run(name, do)
	}
}

// at is where function twice begins, as packets about breakpoints have it.
func (s *session) at() string { return fmt.Sprintf("%x,4", s.symbol["twice"]) }

// gdbBreakpoint stops a program, changes a register, steps and lets it end.
func gdbBreakpoint(t *testing.T) {
	s := debug(t, "twice")
	original := s.want("m"+s.at(), `^[0-9a-f]{8}$`)
	s.want("?", `^T05.*thread:[0-9a-f]+;$`)
	s.want("Z0,"+s.at(), `^OK$`)
	s.want("m"+s.at(), "^"+original+"$") // it does not show
	s.want("vCont;c", `20:`+little(s.symbol["twice"])+`;swbreak:;`)
	s.want("p0", "^"+little(21)+"$")
	s.want("P0="+little(30), `^OK$`)
	s.want("z0,"+s.at(), `^OK$`)
	s.want("vCont;s", `^T05.*20:`+little(s.symbol["twice"]+4))
	s.want("c", `^W3c$`)
	s.ends(60, "")
}

// gdbMemory reads and writes data and code.
func gdbMemory(t *testing.T) {
	s := debug(t, "twice")
	s.want(fmt.Sprintf("M%x,8:%s", s.symbol["counter"], little(7)), `^OK$`)
	s.want(fmt.Sprintf("m%x,8", s.symbol["counter"]), "^"+little(7)+"$")
	s.want("m0,8", `^E`)
	s.want(fmt.Sprintf("M%x,4:40058052", s.symbol["twice"]), `^OK$`) // mov w0, #42: X0 = 42
	s.want(fmt.Sprintf("M%x,4:c0035fd6", s.symbol["twice"]+4), `^OK$`)
	s.want("vCont;c", `^W2a$`)
	s.ends(42, "")
}

// gdbWatchpoint stops in front of a store.
func gdbWatchpoint(t *testing.T) {
	s := debug(t, "twice")
	counter := s.symbol["counter"]
	s.want("Z0,"+s.at(), `^OK$`)
	s.want("vCont;c", breakpointStop)
	s.want("z0,"+s.at(), `^OK$`)
	s.want(fmt.Sprintf("Z2,%x,8", counter), `^OK$`)
	s.want("vCont;c", fmt.Sprintf(`^T05.*;watch:%x;`, counter))
	s.want(fmt.Sprintf("m%x,8", counter), "^"+little(0)+"$") // arm64 stops before the access
	s.want(fmt.Sprintf("z2,%x,8", counter), `^OK$`)
	s.want("vCont;s", `^T05`)
	s.want(fmt.Sprintf("m%x,8", counter), "^"+little(1)+"$")
	s.want("vCont;c", `^W2a$`)
	s.ends(42, "")
}

// gdbReadWatchpoint stops in front of a load, and of either.
func gdbReadWatchpoint(t *testing.T) {
	s := debug(t, "fork")
	s.want("QPassSignals:14", `^OK$`) // SIGCHLD
	counter := s.symbol["counter"]
	s.want(fmt.Sprintf("Z3,%x,1000", counter-0xff8), `^OK$`)
	s.want("vCont;c", `^T05.*;rwatch:[0-9a-f]+;`)
	s.want(fmt.Sprintf("z3,%x,1000", counter-0xff8), `^OK$`)
	s.want(fmt.Sprintf("Z3,%x,4", counter+4), `^OK$`)
	s.want("vCont;c", fmt.Sprintf(`^T05.*;rwatch:%x;`, counter+4)) // the parent's: the child has none
	s.want("p0", "^"+little(1)+"$")
	s.want(fmt.Sprintf("z3,%x,4", counter+4), `^OK$`)
	s.want(fmt.Sprintf("Z4,%x,8", counter), `^OK$`)
	s.want("vCont;c", fmt.Sprintf(`^T05.*;awatch:%x;`, counter))
	s.want("D", `^OK$`)
	s.ends(2, "child 8\n")
}

// gdbInterrupt stops two threads that run.
func gdbInterrupt(t *testing.T) {
	s := debug(t, "spin")
	s.send("vCont;c")
	time.Sleep(100 * time.Millisecond) // any moment will do
	io.WriteString(s.conn, "\x03")
	if got := s.reply(); !strings.HasPrefix(got, "T02") {
		t.Fatalf("interrupted: %q", got)
	}
	for !strings.Contains(s.want("qfThreadInfo", `^m`), ",") {
		s.send("vCont;c") // its second thread was still to be made
		io.WriteString(s.conn, "\x03")
		s.reply()
	}
	s.want(fmt.Sprintf("M%x,4:00000000", s.symbol["spinning"]), `^OK$`)
	s.want("vCont;c", `^W06$`)
	s.ends(6, "")
}

// gdbLateInterrupt interrupts a program that has stopped by itself, as gdb has not noticed yet: it
// lets it go on at once if a watchpoint's condition is false.
func gdbLateInterrupt(t *testing.T) {
	s := debug(t, "spin")
	spinning := fmt.Sprintf("%x,4", s.symbol["spinning"])
	s.want("Z3,"+spinning, `^OK$`)
	for range 3 {
		s.want("vCont;c", `^T05.*;rwatch:`)
	}
	io.WriteString(s.conn, "\x03")
	s.want("z3,"+spinning, `^OK$`)
	s.want("vCont;s:"+fmt.Sprintf("%x", s.cmd.Process.Pid), `^T02`)
	s.want("vCont;s:"+fmt.Sprintf("%x", s.cmd.Process.Pid), `^T05`) // once is enough
	s.send("vKill;1")
	s.ends(-1, "")
}

// gdbSignals sees a signal before the program does, and passes it on.
func gdbSignals(t *testing.T) {
	s := debug(t, "spin")
	s.send("vCont;c")
	time.Sleep(100 * time.Millisecond)
	s.cmd.Process.Signal(syscall.SIGUSR1)
	got := s.reply()
	if !strings.HasPrefix(got, "T1e") {
		t.Fatalf("SIGUSR1: %q", got)
	}
	who := regexp.MustCompile(`thread:([0-9a-f]+);`).FindStringSubmatch(got)[1]
	s.want("qXfer:siginfo:read::0,80", `^l\x0a\x00\x00\x00`)
	s.want("vCont;C1e:"+who+";c", `^(W06|X1e)$`) // killed if it came before signal()
}

// gdbPassedSignals does not see the signals that it does not want.
func gdbPassedSignals(t *testing.T) {
	s := debug(t, "abort")
	s.want("QPassSignals:06", `^OK$`)
	s.want("vCont;c", `^X06$`)
}

// gdbFork stays with the parent; the child has no breakpoints.
func gdbFork(t *testing.T) {
	s := debug(t, "fork")
	s.want("QPassSignals:14", `^OK$`) // SIGCHLD
	s.want("Z0,"+s.at(), `^OK$`)
	s.want("vCont;c", breakpointStop) // the parent's: the child has none
	s.want("p0", "^"+little(1)+"$")
	s.want("z0,"+s.at(), `^OK$`)
	s.want("vCont;c", `^W02$`)
	s.ends(2, "child 8\n")
}

// gdbCatchSyscall stops before and after the calls that are named, all if none is.
func gdbCatchSyscall(t *testing.T) {
	s := debug(t, "fork")
	s.want("qSupported:swbreak+", `QCatchSyscalls\+`)
	s.want("QPassSignals:14", `^OK$`)
	s.want("QCatchSyscalls:1;40", `^OK$`) // write
	s.want("vCont;c", `^T05.*;syscall_entry:40;`)
	s.want("p2", "^"+little(8)+"$") // "child 8\n"
	s.want("vCont;c", `^T05.*;syscall_return:40;`)
	s.want("p0", "^"+little(8)+"$")
	s.want("QCatchSyscalls:1", `^OK$`)
	s.want("vCont;c", `^T05.*;syscall_entry:5e;`) // exit_group
	s.want("QCatchSyscalls:0", `^OK$`)
	s.want("vCont;c", `^W02$`)
	s.ends(2, "child 8\n")
}

// gdbExec stays with the process when that executes a program.
func gdbExec(t *testing.T) {
	s := debug(t, "exec")
	s.want("qSupported:exec-events+", `exec-events\+`)
	s.want("vCont;c", `^T05.*exec:[0-9a-f]+;`)
	s.want("Z0,"+s.at(), `^OK$`)
	s.want("vCont;c", breakpointStop)
	s.want("z0,"+s.at(), `^OK$`)
	s.want("vCont;c", `^W2a$`)
	s.ends(42, "")
}

// gdbDetach lets the program run on, without breakpoints.
func gdbDetach(t *testing.T) {
	s := debug(t, "fork")
	s.want("Z0,"+s.at(), `^OK$`)
	s.want("D", `^OK$`)
	s.ends(2, "child 8\n")
}

// gdbDetachSignal leaves a thread that a signal has stopped, which gets it then.
func gdbDetachSignal(t *testing.T) {
	s := debug(t, "spin")
	s.send("vCont;c")
	time.Sleep(100 * time.Millisecond)
	s.cmd.Process.Signal(syscall.SIGUSR1)
	if got := s.reply(); !strings.HasPrefix(got, "T1e") {
		t.Fatalf("SIGUSR1: %q", got)
	}
	s.want("D", `^OK$`)
	if err := s.cmd.Wait(); s.cmd.ProcessState.ExitCode() != 6 && s.cmd.ProcessState.Sys().(syscall.WaitStatus).Signal() != syscall.SIGUSR1 { // killed if it came before signal()
		t.Errorf("the guest: %v", err)
	}
}

// gdbGone is what happens when gdb dies: as detach.
func gdbGone(t *testing.T) {
	s := debug(t, "twice")
	s.want("Z0,"+s.at(), `^OK$`)
	s.conn.Close()
	s.ends(42, "")
}

// gdbGoneFromRunning is what happens when gdb dies while the program runs: breakpoints and watchpoints go.
func gdbGoneFromRunning(t *testing.T) {
	s := debug(t, "spin")
	s.want(fmt.Sprintf("Z0,%x,4", s.symbol["stop_spinning"]), `^OK$`)
	s.want(fmt.Sprintf("Z2,%x,4", s.symbol["spinning"]), `^OK$`)
	s.send("vCont;c")
	time.Sleep(200 * time.Millisecond) // signal() has been called
	s.conn.Close()
	status := fmt.Sprintf("/proc/%d/status", s.cmd.Process.Pid)
	for start := time.Now(); time.Since(start) < runTimeout; time.Sleep(time.Millisecond) {
		if text, _ := os.ReadFile(status); strings.Contains(string(text), "TracerPid:\t0\n") {
			break
		}
	}
	s.cmd.Process.Signal(syscall.SIGUSR1)
	s.ends(6, "")
}

// gdbKill ends the program.
func gdbKill(t *testing.T) {
	s := debug(t, "spin")
	s.want("?", `^T05`)
	s.send("vKill;1")
	s.ends(-1, "")
	if ws := s.cmd.ProcessState.Sys().(syscall.WaitStatus); ws.Signal() != syscall.SIGKILL {
		t.Errorf("ended with %v", ws)
	}
}

// gdbNoneResumed lets one thread go on (set scheduler-locking on), which ends.
func gdbNoneResumed(t *testing.T) {
	s := debug(t, "thread")
	s.want("qSupported:no-resumed+", `no-resumed\+`)
	s.want("Z0,"+s.at(), `^OK$`)
	who := s.stoppedIn("vCont;c", breakpointStop+`thread:([0-9a-f]+);`)[0]
	s.want("z0,"+s.at(), `^OK$`)
	s.want("vCont;c:"+who, `^N$`)
	s.want("qfThreadInfo", fmt.Sprintf("^m%x$", s.cmd.Process.Pid))
	s.want("vCont;c", `^W07$`)
	s.ends(7, "")
}

// gdbExtended stays connected when the program has ended (target extended-remote).
func gdbExtended(t *testing.T) {
	s := debug(t, "twice")
	s.want("!", `^OK$`)
	s.want("vCont;c", `^W2a$`)
	s.want("qXfer:threads:read::0,100", `^l.*<threads></threads>$`)
	s.want("qfThreadInfo", `^l$`)
	for packet, reply := range map[string]string{"qC": "^E", "g": "^E", "m0,1": "^E", "vCont;c": "^E", "c": "^E", "Hg0": "^OK$", "qXfer:auxv:read::0,8": "^E", "QCatchSyscalls:1": "^E", "vKill;1": "^E", "D": "^OK$"} {
		s.want(packet, reply)
	}
	s.ends(42, "")
}

// gdbNonsense sends packets that are malformed or unknown.
func gdbNonsense(t *testing.T) {
	s := debug(t, "twice")
	for packet, reply := range map[string]string{
		"": "^$", "m": "^E", "m1": "^E", "mzz,1": "^E", "Z0": "^E", "Z0,1,4": "^E", "Pff=00": "^E", "pfff": "^E", "G0": "^E", "vCont;": "^E", "vCont;q": "^E", "qMemTags:0,0:1": "^E", "QMemTags:0,0:1:": "^E", "QCatchSyscalls:2": "^E", "QCatchSyscalls:1;x": "^E",
		"H": "^E", "Hg123456": "^E", "qXfer:features:read:x:0,1": "^E", "qXfer:auxv:read::x": "^E", "vFile:open:zz,0,0": "^F-1", "vFile:pread:9,1,1": "^F-1", "unknown": "^$",
	} {
		s.want(packet, reply)
	}
	s.want("vCont;c", `^W2a$`)
	s.ends(42, "")
}

// TestSignalWhileWaitingForGdb: a guest that waits for gdb ends by a signal. With -stats, and
// by SIGQUIT, it waited on.
func TestSignalWhileWaitingForGdb(t *testing.T) {
	guest := build(t, filepath.Join(traceGuests, "remote.c"), arm64, "-O1")
	for _, sig := range []syscall.Signal{syscall.SIGTERM, syscall.SIGQUIT} {
		for _, stats := range []string{"", "1"} {
			t.Setenv("EMU_STATS", stats)
			socket := filepath.Join(t.TempDir(), "gdb")
			s := waitForGdb(t, socket, guest, "twice")
			s.cmd.Process.Signal(sig)
			s.ends(-1, "")
			isRemoved(t, socket)
			if ws := s.cmd.ProcessState.Sys().(syscall.WaitStatus); ws.Signal() != sig {
				t.Errorf("%v, EMU_STATS=%s: ended with %v", sig, stats, ws)
			}
		}
	}
}

// TestGdbServerAddress: what -g cannot listen at is an error before the guest runs.
func TestGdbServerAddress(t *testing.T) {
	guest := build(t, filepath.Join(traceGuests, "remote.c"), arm64, "-O1")
	for where, status := range map[string]int{"x": 125, "1:2:3": 125, "99999": 125, "256.0.0.1:1": 125, "/nowhere/at/all": 126} {
		got := run(t, "", emuPath(t), "-g", where, guest, "twice")
		if got.status != status || !strings.HasPrefix(got.stderr, "emu: ") || !strings.Contains(got.stderr, where) {
			t.Errorf("-g %s: status %d, %q", where, got.status, got.stderr)
		}
	}
}

// TestGdbRemote runs Debian's arm64 gdb against the server, with the program's files
// read through it.
func TestGdbRemote(t *testing.T) {
	emu, root, gdb := debugger(t, "gdb")
	guest := build(t, filepath.Join(traceGuests, "factorial.c"), arm64, "-O0", "-g")
	socket := filepath.Join(t.TempDir(), "gdb")
	server := exec.Command(emu, "-g", socket, guest)
	out := &strings.Builder{}
	server.Stdout = out
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { server.Process.Kill() })
	for start := time.Now(); time.Since(start) < runTimeout; time.Sleep(10 * time.Millisecond) {
		if _, err := os.Stat(socket); err == nil {
			break
		}
	}
	t.Setenv("SHELL", "/bin/sh")
	args := []string{emu, "-L", root, gdb, "-nx", "-batch", "-ex", "target remote " + socket}
	for _, c := range []string{
		"break factorial if n == 3", "continue", "backtrace", "info registers pc x0", "print n", "delete",
		"watch result", "continue", "continue", "delete", "finish", "print factorial(6)", "info threads", "p $v0.d.u[0]", "continue",
	} {
		args = append(args, "-ex", c)
	}
	got := run(t, "", append(args, guest)...)
	if err := server.Wait(); err != nil {
		t.Errorf("the guest: %v", err)
	}
	for _, part := range []string{
		`Breakpoint 1, factorial \(n=3\) at .*factorial.c:\d+`,
		`#0 +factorial \(n=3\)`, `#1 .* in worker \(`,
		`(?m)^pc +0x[0-9a-f]+ .*<factorial\+\d+>`,
		`(?m)^\$1 = 3$`,
		`Hardware watchpoint 2: result`, `Old value = 1\nNew value = 6`,
		`Value returned is \$2 = 6`,
		`(?m)^\$3 = 720$`,
		`Thread \d+ "`,
		`exited normally`,
	} {
		if !regexp.MustCompile(part).MatchString(got.stdout) {
			t.Errorf("gdb printed nothing like %s", part)
		}
	}
	if out.String() != "sum 153\n" {
		t.Errorf("the guest printed %q", out)
	}
	if t.Failed() {
		t.Logf("status %d\n%s\n%s", got.status, got.stdout, strings.TrimSpace(got.stderr))
	}
}
