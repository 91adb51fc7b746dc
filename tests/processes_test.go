package tests

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"unsafe"

	"emu/tests/need"

	"golang.org/x/sys/unix"
)

const processGuests = "guest/processes"

// TestProcesses runs each program of tests/guest/processes under emu and on the
// host: the same source has to print the same and end in the same way.
func TestProcesses(t *testing.T) { likeHost(t, processGuests, nil, "interp", "1") }

// TestSeccompBelowAFilter runs the program about filters below one of the host's, which containers
// have: it was not there for the guest.
func TestSeccompBelowAFilter(t *testing.T) {
	src := filepath.Join(processGuests, "seccomp.c")
	below := build(t, "guest/limits/underfilter.c", native)
	want := run(t, "", below, "-1", build(t, src, native, "-O1", "-pthread"))
	if !strings.Contains(want.stdout, "Seccomp:\t2\nSeccomp_filters:\t1\n") {
		t.Fatalf("natively:\n%s", want.stdout)
	}
	same(t, "seccomp", run(t, "", below, "-1", emuPath(t), build(t, src, arm64, "-O1", "-pthread")), want)
}

// TestForkWithoutProcessVM forks where a filter forbids process_vm_readv, by which emu looked for variables
// of Go's runtime: no fork succeeded.
func TestForkWithoutProcessVM(t *testing.T) {
	guest, _ := busybox(t)
	below := build(t, "guest/limits/underfilter.c", native)
	got := run(t, "", below, strconv.Itoa(unix.SYS_PROCESS_VM_READV), emuPath(t), guest, "sh", "-c", "(echo a) | (read x; echo $x)")
	same(t, "fork", got, result{stdout: "a\n"})
}

// limited runs a command line that may have at most n processes of its own: what
// runs away is stopped. Root is not bound by the limit, but by the time.
func limited(n int, argv ...string) []string {
	return append([]string{"/bin/sh", "-c", fmt.Sprintf(`ulimit -u %d 2>/dev/null; exec "$@"`, n), "sh"}, argv...)
}

// TestForkStress forks thousands of times from three threads while others hold
// locks, allocate, block, come and go, and from a Go program under load.
func TestForkStress(t *testing.T) {
	emu := emuPath(t)
	forks, execs := "200", "60" // each of three threads; each of two goroutines
	if testing.Short() {
		forks, execs = "50", "10"
	}
	t.Run("threads", func(t *testing.T) {
		src := filepath.Join(processGuests, "threads.c")
		guest, host := build(t, src, arm64, "-O1"), build(t, src, native, "-O1")
		want := run(t, "", host, "10")
		got := run(t, "", limited(5000, emu, guest, forks)...)
		same(t, "threads "+forks, got, want)
		t.Log(tail(got.stderr)) // says so if there was no time for all
	})
	t.Run("os/exec", func(t *testing.T) {
		guest := build(t, "guest/osexec", arm64)
		same(t, "osexec "+execs, run(t, "", limited(5000, emu, guest, execs)...), result{stdout: "failed: 0\n"})
	})
}

// TestThreadStorm makes 10,000 threads, joined and detached, from eight threads at a
// time while signals come.
func TestThreadStorm(t *testing.T) {
	emu := emuPath(t)
	threads := "10000"
	if testing.Short() {
		threads = "1000"
	}
	src := filepath.Join(processGuests, "threadstorm.c")
	want := run(t, "", build(t, src, native, "-O1"), threads)
	same(t, "threadstorm "+threads, run(t, "", emu, build(t, src, arm64, "-O1"), threads), want)
}

// arranged returns how many kB the largest part of emu's variables has that no fork copies, and how
// much of its text is in huge pages.
func arranged(t *testing.T, pid int) (clean, huge int) {
	t.Helper()
	smaps, err := os.ReadFile(fmt.Sprintf("/proc/%d/smaps", pid))
	if err != nil {
		t.Fatal(err)
	}
	size, name := 0, ""
	for line := range strings.Lines(string(smaps)) {
		f := strings.Fields(line)
		if !strings.HasSuffix(f[0], ":") {
			name = f[1] + strings.Join(f[5:], " ")
			continue
		}
		kB, _ := strconv.Atoi(f[1])
		switch {
		case f[0] == "Size:":
			size = kB
		case f[0] == "Anonymous:" && kB == 0 && strings.HasPrefix(name, "rw-p/") && strings.HasSuffix(name, "/emu"):
			clean = max(clean, size)
		case f[0] == "AnonHugePages:" && strings.HasPrefix(name, "r-xp"): // nothing else of emu's is
			huge = max(huge, kB)
		}
	}
	return clean, huge
}

// converse starts cmd, which ends with the test, and returns its input and the lines of
// its output.
func converse(t *testing.T, cmd *exec.Cmd) (in io.WriteCloser, lines *bufio.Scanner) {
	t.Helper()
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { cmd.Process.Kill() })
	return in, bufio.NewScanner(out)
}

// TestForksWithSharer forks as often while a process that shares the memory runs. It may
// write to emu's variables at any time: they are not mapped anew.
func TestForksWithSharer(t *testing.T) {
	cmd := exec.Command(emuPath(t), build(t, "guest/limits/sharerforks.c", arm64, "-O1"))
	in, lines := converse(t, cmd)
	if !lines.Scan() || lines.Text() != "100" {
		t.Fatalf("children: %q", lines.Text())
	}
	if clean, _ := arranged(t, cmd.Process.Pid); clean >= 128 {
		t.Errorf("%d kB of emu's variables have been mapped anew", clean)
	}
	in.Close()
	if err := cmd.Wait(); err != nil {
		t.Error(err)
	}
}

// TestArrangedForks forks more often than it takes until emu has moved its text into
// huge pages and no longer copies tables that nobody has written to; parent and children
// have to go on with programs that they have not run before.
func TestArrangedForks(t *testing.T) {
	guest, _ := busybox(t)
	cmd := exec.Command(emuPath(t), guest, "sh", "-c", `i=0; while [ $i -lt 100 ]; do (exit $i) || r=$?; i=$((i + 1)); done
echo $r; read x; (echo $x | (tr a-z A-Z; seq 3 | sort -r)); printf '%08.3f\n' 2.5; exit 9`)
	in, lines := converse(t, cmd)
	if !lines.Scan() || lines.Text() != "99" {
		t.Fatalf("the last of 100 children: %q", lines.Text())
	}
	clean, huge := arranged(t, cmd.Process.Pid)
	maps, err := os.ReadFile(fmt.Sprintf("/proc/%d/maps", cmd.Process.Pid))
	if err != nil {
		t.Fatal(err)
	}
	readIn := strings.Contains(string(maps), "7e0000c00000-7e0000e00000 rw-p 00000000 00:00 0") // see TestFewPageFaultsAtStart
	if clean < 128 && !readIn {
		t.Errorf("the largest part of emu that is copied by no fork has %d kB", clean)
	}
	if givesHugePages() && huge < 4096 {
		t.Errorf("%d kB of text in huge pages", huge)
	}
	fmt.Fprintln(in, "child")
	rest := ""
	for lines.Scan() {
		rest += lines.Text() + "\n"
	}
	if want := "CHILD\n3\n2\n1\n0002.500\n"; rest != want {
		t.Errorf("afterwards: got %q, want %q", rest, want)
	}
	if cmd.Wait(); cmd.ProcessState.ExitCode() != 9 {
		t.Errorf("status: %v", cmd.ProcessState)
	}
}

// TestManyArguments gives programs that fork fewer and more arguments than the start code makes
// room for on the first stack that the runtime gets.
func TestManyArguments(t *testing.T) {
	guest, host := busybox(t)
	for _, n := range []int{3, 3900, 4200, 60000} {
		argv := []string{"sh", "-c", "(exit 3); echo $? $# $1; sh -c 'echo in $0'; (echo $3)", "name"}
		for i := range n {
			argv = append(argv, strconv.Itoa(i))
		}
		want := run(t, "", append([]string{host}, argv...)...)
		same(t, fmt.Sprint(n, " arguments"), run(t, "", append([]string{emuPath(t), guest}, argv...)...), want)
	}
}

// TestPlaced looks where emu's own memory is: what the host places itself, anywhere else, has page
// tables of its own, which each fork copies. That is its first stack and a page of the runtime's which no child gets.
func TestPlaced(t *testing.T) {
	const hosts = 0x7e80_0000_0000
	guest, _ := busybox(t)
	cmd := exec.Command(emuPath(t), guest, "sh", "-c", "(exit 3); echo $?; read x")
	in, lines := converse(t, cmd)
	if !lines.Scan() || lines.Text() != "3" {
		t.Fatalf("the child: %q", lines.Text())
	}
	smaps, err := os.ReadFile(fmt.Sprintf("/proc/%d/smaps", cmd.Process.Pid))
	if err != nil {
		t.Fatal(err)
	}
	above, at := 0, ""
	for line := range strings.Lines(string(smaps)) {
		f := strings.Fields(line)
		if !strings.HasSuffix(f[0], ":") {
			at = f[0]
			continue
		}
		start, err := strconv.ParseUint(at[:strings.Index(at, "-")], 16, 64)
		if err != nil {
			t.Fatal(err)
		}
		if kB, _ := strconv.Atoi(f[1]); f[0] == "Anonymous:" && start >= hosts && kB != 0 {
			t.Logf("%s: %d kB", at, kB)
			above += kB
		}
	}
	if above == 0 || above > 80 {
		t.Errorf("%d kB are where the host puts them", above)
	}
	in.Close()
	cmd.Wait()
}

// givesHugePages reports whether the kernel turns memory into huge pages when asked.
func givesHugePages() bool {
	const size = 8 << 20
	mem, err := unix.Mmap(-1, 0, size, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANONYMOUS)
	if err != nil {
		return false
	}
	defer unix.Munmap(mem)
	for i := 0; i < size; i += 4096 {
		mem[i] = 1
	}
	start := 2<<20 - int(uintptr(unsafe.Pointer(&mem[0])))&(2<<20-1)
	return unix.Madvise(mem[start:start+size-(2<<20)], unix.MADV_COLLAPSE) == nil
}

// TestForkAsInit forks as the first process of a process id namespace, as in a
// container: its thread id is 1, which much of the runtime's memory equals.
func TestForkAsInit(t *testing.T) {
	emu := emuPath(t)
	guest, _ := busybox(t)
	init := append([]string{need.Tool(t, "unshare", "util-linux"), "--user", "--map-root-user", "--pid", "--fork"}, emu, guest)
	same(t, "fork as process 1", run(t, "", append(init, "sh", "-c", `(echo $$); exit 5`)...), result{stdout: "1\n", status: 5})
}

// shellScripts are run by an arm64 busybox and by the host's: pipelines, jobs,
// traps, substitutions.
var shellScripts = []string{
	`echo one two three | tr ' ' '\n' | sort -r | head -n 2`,
	`for i in 1 2 3 4 5; do echo $i; done | while read x; do echo $((x * x)); done | paste -sd+`,
	`x=$(echo $(echo $(echo deep))); echo "$x"; (exit 7); echo $?; ! true; echo $?`,
	`sleep 0.2 & p=$!; kill -TERM $p; wait $p; echo $?`,
	`trap 'echo got USR1' USR1; kill -USR1 $$; echo after; trap 'echo bye' EXIT; exit 3`,
	`seq 1 20000 | awk '{s += $1} END {print s}'; yes | head -n 3 | wc -l`,
	`(echo a; sleep 0.1; echo c) | (read x; echo "$x"; echo b; cat)`,
	`set -- a "b c" ''; for a; do echo "[$a]"; done; env -i A=1 B='2 3' env | sort`,
	`cat <<X | sed s/a/b/g` + "\nbanana\nX\n" + `echo $?; exec 3>&1; echo to three >&3; exec 3>&-; (echo err >&2) 2>&1`,
	`sh -c 'kill -SEGV $$'; echo $?; /nonexistent 2>/dev/null; echo $?; test -d / && cd / && pwd`,
	`i=0; while [ $i -lt 30 ]; do i=$((i + 1)); (exit $i) || r=$?; done; echo $r $(true | false | echo x)`,
	`find /etc/passwd /etc/group -type f | xargs -n 1 basename | sort`,
	`{ echo 1; echo 2; } > /tmp/sh.$$; wc -l < /tmp/sh.$$; rm /tmp/sh.$$; nice -n 5 nice`,
}

// TestShell runs scripts under an arm64 busybox, whose children are emulated in
// turn, and compares with the host's busybox.
func TestShell(t *testing.T) {
	emu := emuPath(t)
	guest, host := busybox(t)
	dir := t.TempDir()
	for _, name := range strings.Fields("sh echo tr sort head seq awk yes wc cat sed env find xargs basename nice sleep paste true false test rm") {
		if err := os.Symlink(guest, filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	native := t.TempDir()
	for _, name := range strings.Fields("sh echo tr sort head seq awk yes wc cat sed env find xargs basename nice sleep paste true false test rm") {
		if err := os.Symlink(host, filepath.Join(native, name)); err != nil {
			t.Fatal(err)
		}
	}
	for i, script := range shellScripts {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			want := run(t, "", "/usr/bin/env", "PATH="+native, host, "sh", "-c", script)
			got := run(t, "", "/usr/bin/env", "PATH="+dir, emu, guest, "sh", "-c", script)
			same(t, script, got, want)
		})
	}
}

// busybox returns a static busybox for arm64 and the host's own.
func busybox(t *testing.T) (guest, host string) {
	t.Helper()
	guest, err := filepath.Abs(filepath.Join(guestDir, "debian", "bin", "busybox"))
	if err != nil {
		t.Fatal(err)
	}
	need.File(t, guest, "make setup")
	return guest, need.Tool(t, "busybox", "busybox-static")
}
