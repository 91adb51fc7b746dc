package tests

import (
	"bytes"
	"context"
	"debug/elf"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"emu/tests/need"
)

const coreGuest = "guest/core/crash.c"

// dumpCore runs a program in a directory of its own, where it may leave a core of at most
// limit (as ulimit -c says it), after prepare has seen that directory.
func dumpCore(t *testing.T, limit string, prepare func(dir string), argv ...string) (got result, dir string) {
	t.Helper()
	pattern, err := os.ReadFile("/proc/sys/kernel/core_pattern")
	if err != nil || bytes.ContainsRune(pattern, '/') && pattern[0] != '|' || pattern[0] == '%' {
		t.Skipf("this machine's core files go elsewhere: core_pattern is %q (%v)", pattern, err)
	}
	var most syscall.Rlimit
	const rlimitCore = 4
	if syscall.Getrlimit(rlimitCore, &most); most.Max < 1<<40 {
		t.Skipf("this process may have no core files larger than %d bytes (ulimit -Hc)", most.Max)
	}
	dir = t.TempDir()
	if prepare != nil {
		prepare(dir)
	}
	ctx, cancel := context.WithTimeout(context.Background(), runTimeout)
	defer cancel()
	cmd := exec.CommandContext(ctx, "sh", append([]string{"-c", "ulimit -c " + limit + `; exec "$@"`, "sh"}, argv...)...)
	var out, msg bytes.Buffer
	cmd.Dir, cmd.Stdout, cmd.Stderr, cmd.WaitDelay = dir, &out, &msg, pipeTimeout
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.Run()
	if ctx.Err() != nil {
		t.Fatalf("%v: still running after %v\n%s", argv, runTimeout, tail(msg.String()))
	}
	got = result{stdout: out.String(), stderr: msg.String(), status: cmd.ProcessState.ExitCode()}
	if ws := cmd.ProcessState.Sys().(syscall.WaitStatus); ws.Signaled() {
		got.signal = ws.Signal()
	}
	return got, dir
}

// TestCoreRegisters compares the core of a program that crashes with known values in its
// registers with what an arm64 kernel writes, note by note.
func TestCoreRegisters(t *testing.T) {
	guest := build(t, coreGuest, arm64, "-g")
	symbols := symbolsOf(t, guest)
	for _, tier := range []string{"interp", "1", "2"} {
		t.Run(tier, func(t *testing.T) {
			got, dir := dumpCore(t, "unlimited", nil, emuPath(t), "-tier="+tier, "-hot=1", guest, "segv")
			if got.signal != syscall.SIGSEGV {
				t.Fatalf("%v\n%s", got, got.stderr)
			}
			c := openCore(t, dir)
			if c.Machine != elf.EM_AARCH64 || c.Class != elf.ELFCLASS64 {
				t.Fatalf("a core of %v, %v", c.Machine, c.Class)
			}
			kinds := []string{}
			for _, n := range c.notes {
				kinds = append(kinds, n.String())
			}
			// aarch64_regsets of the kernel, for the default CPU.
			want := []string{
				"CORE 0x1", "CORE 0x3", "CORE 0x53494749", "CORE 0x6", "CORE 0x46494c45", "CORE 0x2",
				"LINUX 0x401", "LINUX 0x402", "LINUX 0x403", "LINUX 0x404", "LINUX 0x406", "LINUX 0x407", "LINUX 0x408", "LINUX 0x409", "LINUX 0x410",
			}
			if !slices.Equal(kinds, want) {
				t.Errorf("notes %q, want %q", kinds, want)
			}
			const base = 0x1122334455667788
			s := c.one(ntPrstatus)
			for n, v := range map[int]uint64{0: base, 1: base + 0x101, 2: base + 0x202, 3: base + 0x303, 9: 8, 19: base + 0x190, 28: base + 0x280, regPC: symbols["crash_pc"].Value} {
				if reg(s, n) != v {
					t.Errorf("register %d is %#x, want %#x", n, reg(s, n), v)
				}
			}
			if got := reg(s, regState) >> 28; got != 6 {
				t.Errorf("NZCV is %04b, want 0110", got)
			}
			if len(c.dumped(reg(s, regSP), 16)) != 16 {
				t.Errorf("the core has nothing at SP, %#x", reg(s, regSP))
			}
			if s[prCursig] != byte(syscall.SIGSEGV) || word(s, len(s)-8) != 1 {
				t.Errorf("pr_cursig %d, pr_fpvalid %d", s[prCursig], word(s, len(s)-8))
			}
			fp := c.one(ntFpregset)
			if len(fp) != 528 || long(fp, 0) != base+0x101 || long(fp, 16*15) != 0x3ff0000000000000 || long(fp, 16*31) != base+0x280 || long(fp, 16*31+8) != base+0x190 {
				t.Errorf("V registers: %x", fp)
			}
			info := c.one(ntSiginfo)
			const segvMaperr = 1
			if len(info) != 128 || word(info, 0) != uint32(syscall.SIGSEGV) || word(info, 8) != segvMaperr || long(info, 16) != 8 {
				t.Errorf("siginfo: %x", info)
			}
			if tls := c.one(ntArmTLS); long(tls, 0) != addresses(got.stdout)["tls"] {
				t.Errorf("TPIDR_EL0: %x, the program said %s", tls, got.stdout)
			}
			if nr := int32(word(c.one(ntSystemCall), 0)); nr != -1 {
				t.Errorf("in system call %d", nr)
			}
			ps := c.one(ntPrpsinfo)
			if name, args := string(ps[40:56]), string(ps[56:]); !strings.HasPrefix(name, "a/crash\x00") || !strings.HasPrefix(guest+" segv \x00", args[:40]) {
				t.Errorf("psinfo: %q, %q", name, args)
			}
			if pid := word(s, prPid); pid != word(ps, 24) || pid == 0 {
				t.Errorf("thread %d of process %d", pid, word(ps, 24))
			}
			c.checkAuxv(guest)
			c.checkFiles(guest)
			if b := c.dumped(symbols["answer"].Value, 4); !bytes.Equal(b, []byte{42, 0, 0, 0}) {
				t.Errorf("the variable answer: %x", b)
			}
		})
	}
}

// TestCoreThreads: a thread crashes while a hundred others run in generated code or wait in
// system calls; the core has all of them, where they were.
func TestCoreThreads(t *testing.T) {
	const count = 100
	guest := build(t, coreGuest, arm64, "-g")
	symbols := symbolsOf(t, guest)
	got, dir := dumpCore(t, "unlimited", nil, emuPath(t), guest, "threads", strconv.Itoa(count))
	if got.signal != syscall.SIGSEGV {
		t.Fatalf("%v\n%s", got, got.stderr)
	}
	c := openCore(t, dir)
	threads := c.all(ntPrstatus)
	if n := len(c.all(ntFpregset)); len(threads) != count+2 || n != count+2 {
		t.Fatalf("%d threads, %d of them with V registers; want %d", len(threads), n, count+2)
	}
	if pc := reg(threads[0], regPC); pc != symbols["crash_pc"].Value {
		t.Errorf("the first thread is at %#x, not the one that crashed", pc)
	}
	byID := map[uint32][]byte{}
	for _, s := range threads {
		byID[word(s, prPid)] = s
		if b := c.dumped(reg(s, regPC), 4); len(b) != 4 {
			if sp := reg(s, regSP); len(c.dumped(sp, 16)) != 16 {
				t.Errorf("thread %d: the stack at %#x is not there", word(s, prPid), sp)
			}
		}
	}
	n := 0
	spin := symbols["spin"]
	for line := range strings.Lines(got.stdout) {
		var id uint32
		if fmt.Sscanf(line, "thread 0x%x", &id); id == 0 {
			continue
		}
		s := byID[id]
		switch pc := reg(s, regPC); {
		case s == nil:
			t.Fatalf("thread %d is not in the core", id)
		case n%3 == 0 && (pc < spin.Value || pc >= spin.Value+spin.Size):
			t.Errorf("thread %d spins, but is at %#x", n, pc)
		case n%3 == 1 && reg(s, 8) != 63: // read
			t.Errorf("thread %d reads, but X8 is %d", n, reg(s, 8))
		}
		n++
	}
	if n != count {
		t.Fatalf("%d threads said who they are", n)
	}
}

// TestCoreAreas compares which kinds of memory are in the core with what the host's kernel
// puts into that of the same program, for several values of coredump_filter.
func TestCoreAreas(t *testing.T) {
	if pattern, err := os.ReadFile("/proc/sys/kernel/core_pattern"); err != nil || pattern[0] == '|' {
		t.Skipf("the kernel writes no core files here (%v)", err)
	}
	guest, host := build(t, coreGuest, arm64, "-g"), build(t, coreGuest, native, "-g")
	for _, filter := range []string{"", "0", "1", "2", "4", "8", "10", "7f", "ff"} {
		t.Run("filter="+filter, func(t *testing.T) {
			describe := func(argv ...string) (lines []string) {
				argv = append(argv, "areas")
				if filter != "" {
					argv = append(argv, filter)
				}
				got, dir := dumpCore(t, "unlimited", nil, argv...)
				if got.signal != syscall.SIGABRT {
					t.Fatalf("%v\n%s", got, got.stderr)
				}
				c := openCore(t, dir)
				for line := range strings.Lines(got.stdout) {
					name, _, _ := strings.Cut(line, " ")
					at := addresses(line)[name]
					b := c.dumped(at, 8192)
					lines = append(lines, fmt.Sprintf("%s: %d bytes, %d marked, %d of a file, mapped %v", name, len(b), bytes.Count(b, []byte{0x5a}), bytes.Count(b, []byte{0x33}), c.maps(at)))
				}
				return lines
			}
			got, want := describe(emuPath(t), guest), describe(host)
			if !slices.Equal(got, want) {
				t.Errorf("got\n%s\nthe host has\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
			}
		})
	}
}

// TestCoreBounds: limits, guests that may have no core, and files that are in the way.
func TestCoreBounds(t *testing.T) {
	emu, guest := emuPath(t), build(t, coreGuest, arm64, "-g")
	const page = 4096
	for _, c := range []struct {
		name, limit string
		args        []string
		signal      syscall.Signal
		prepare     func(dir string)
		check       func(t *testing.T, dir string, got result)
	}{
		{name: "no limit no file", limit: "0", args: []string{"abort"}, signal: syscall.SIGABRT, check: noCore},
		{name: "cut short", limit: "16", args: []string{"abort"}, signal: syscall.SIGABRT, check: func(t *testing.T, dir string, got result) {
			c := openCore(t, dir)
			var st syscall.Stat_t
			if err := syscall.Stat(c.path, &st); err != nil || st.Blocks*512 > 16<<10 {
				t.Errorf("%d bytes are on the disk (%v), the limit is 16 KiB", st.Blocks*512, err)
			}
		}},
		{name: "PR_SET_DUMPABLE", limit: "unlimited", args: []string{"undumpable"}, signal: syscall.SIGABRT, check: noCore},
		{name: "RLIMIT_FSIZE", limit: "unlimited", args: []string{"fsize"}, signal: syscall.SIGXFSZ, check: func(t *testing.T, dir string, got result) {
			if st, err := os.Stat(openCore(t, dir).path); err != nil || st.Size() > 2*page {
				t.Errorf("%v, %v", st.Size(), err)
			}
		}},
		{name: "no descriptors", limit: "unlimited", args: []string{"files"}, signal: syscall.SIGABRT, check: oneCore},
		{name: "all threads crash", limit: "unlimited", args: []string{"all"}, signal: syscall.SIGSEGV, check: oneCore},
		{name: "vfork", limit: "unlimited", args: []string{"vfork"}, check: func(t *testing.T, dir string, got result) {
			if openCore(t, dir); got.stdout != "child: signal 11\n" {
				t.Errorf("%q", got.stdout)
			}
		}},
		{name: "sparse", limit: "unlimited", args: []string{"big"}, signal: syscall.SIGABRT, check: func(t *testing.T, dir string, got result) {
			c := openCore(t, dir)
			var st syscall.Stat_t
			if err := syscall.Stat(c.path, &st); err != nil || st.Blocks*512 > 4<<20 || st.Size < 8<<30 {
				t.Errorf("%d bytes, %d of them on the disk (%v)", st.Size, st.Blocks*512, err)
			}
			at := addresses(got.stdout)["big"]
			if b := c.dumped(at+3<<30, page); at == 0 || bytes.Count(b, []byte{0x5a}) != page {
				t.Errorf("the page that was written: %x", b)
			}
		}},
		{name: "symbolic link", limit: "unlimited", args: []string{"abort"}, signal: syscall.SIGABRT, prepare: func(dir string) {
			os.WriteFile(filepath.Join(dir, "victim"), []byte("mine"), 0o644)
			os.Symlink("victim", filepath.Join(dir, "core"))
		}, check: func(t *testing.T, dir string, got result) {
			if b, err := os.ReadFile(filepath.Join(dir, "victim")); string(b) != "mine" {
				t.Errorf("the file behind the link: %q (%v)", b, err)
			}
		}},
		{name: "old core", limit: "unlimited", args: []string{"abort"}, signal: syscall.SIGABRT, prepare: func(dir string) {
			os.WriteFile(filepath.Join(dir, "old"), []byte("mine"), 0o644)
			os.Link(filepath.Join(dir, "old"), filepath.Join(dir, "core"))
		}, check: func(t *testing.T, dir string, got result) {
			if b, err := os.ReadFile(filepath.Join(dir, "old")); string(b) != "mine" {
				t.Errorf("the other name of the old core: %q (%v)", b, err)
			}
		}},
		{name: "directory", limit: "unlimited", args: []string{"abort"}, signal: syscall.SIGABRT, prepare: func(dir string) {
			os.MkdirAll(filepath.Join(dir, "core", "x"), 0o755)
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, dir := dumpCore(t, c.limit, c.prepare, append([]string{emu, guest}, c.args...)...)
			if got.signal != c.signal || got.stderr != "" {
				t.Fatalf("%v\n%s", got, got.stderr)
			}
			if c.check != nil {
				c.check(t, dir, got)
			}
		})
	}
}

func noCore(t *testing.T, dir string, _ result) {
	if names := coresIn(t, dir); len(names) != 0 {
		t.Errorf("there are %q", names)
	}
}

func oneCore(t *testing.T, dir string, _ result) {
	if c := openCore(t, dir); c.Machine != elf.EM_AARCH64 {
		t.Errorf("a core of %v", c.Machine)
	}
}

// TestCoreOfSignal: a signal that was sent ends a program that waits for it. Its core shows
// the call about to be made again, as arm64's do_signal leaves it.
func TestCoreOfSignal(t *testing.T) {
	guest := build(t, coreGuest, arm64, "-g")
	got, dir := dumpCore(t, "unlimited", nil, emuPath(t), guest, "suspend")
	if got.signal != syscall.SIGQUIT {
		t.Fatalf("%v\n%s", got, got.stderr)
	}
	s := openCore(t, dir).one(ntPrstatus)
	const svc, sigsuspend = 0xd4000001, 133
	f, err := elf.Open(guest)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	text := f.Section(".text")
	b := make([]byte, 4)
	if _, err := text.ReadAt(b, int64(reg(s, regPC)-text.Addr)); err != nil || word(b, 0) != svc || reg(s, 8) != sigsuspend {
		t.Errorf("at %#x, %x (%v), X8 is %d; want rt_sigsuspend", reg(s, regPC), b, err, reg(s, 8))
	}
	if mask := addresses(got.stdout)["mask"]; reg(s, 0) != mask {
		t.Errorf("X0 is %#x, not the address of the mask, %#x", reg(s, 0), mask)
	}
	if s[prCursig] != byte(syscall.SIGQUIT) {
		t.Errorf("signal %d", s[prCursig])
	}
}

// TestCoreInSysroot: with -L the core is where the guest's working directory is.
func TestCoreInSysroot(t *testing.T) {
	guest := build(t, coreGuest, arm64, "-g")
	root := t.TempDir()
	text, err := os.ReadFile(guest)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(root, "crash"), text, 0o755); err != nil {
		t.Fatal(err)
	}
	got, dir := dumpCore(t, "unlimited", nil, emuPath(t), "-L", root, "/crash", "segv")
	if got.signal != syscall.SIGSEGV {
		t.Fatalf("%v\n%s", got, got.stderr)
	}
	openCore(t, dir).checkNames("/crash")
}

// TestCoreTags: with FEAT_MTE a core has the tags of memory, as the kernel's documentation of
// memory tagging lays them out.
func TestCoreTags(t *testing.T) {
	guest := build(t, coreGuest, arm64, "-g")
	got, dir := dumpCore(t, "unlimited", nil, emuPath(t), "-cpu", "max,mte=on", guest, "tags")
	if got.signal != syscall.SIGABRT {
		t.Fatalf("%v\n%s", got, got.stderr)
	}
	c, at := openCore(t, dir), addresses(got.stdout)["tagged"]
	const ptTags, page, tags = 0x70000002, 4096, 128
	i := slices.IndexFunc(c.Progs, func(p *elf.Prog) bool { return p.Type == ptTags })
	if i < 0 {
		t.Fatal("no segment of tags")
	}
	p := c.Progs[i]
	if p.Vaddr != at || p.Memsz != 4*page || p.Filesz != 4*tags {
		t.Fatalf("tags of [%#x, +%#x), %d bytes; want those of %#x", p.Vaddr, p.Memsz, p.Filesz, at)
	}
	have := make([]byte, p.Filesz)
	if _, err := p.ReadAt(have, 0); err != nil {
		t.Fatal(err)
	}
	want := make([]byte, 4*tags)
	for n := range page / 16 {
		want[tags+n/2] |= byte(n) & 15 << (n % 2 * 4)
	}
	if !bytes.Equal(have, want) {
		t.Errorf("tags %x, want %x", have, want)
	}
	if b := c.dumped(at+page, 1); len(b) != 1 || b[0] != 0x5a {
		t.Errorf("what the tags are of: %x", b)
	}
}

// TestGcore: gdb's core of a process that runs on has the memory that the process's own core
// has later. It had all of emu's: smaps of another process was the host's.
func TestGcore(t *testing.T) {
	emu, root, gdb := debugger(t, "gdb")
	guest := build(t, coreGuest, arm64, "-g")
	const script = `"$1" "$2" wait > out & until [ -s out ]; do sleep 0.1; done
"$1" -L "$3" "$4" -nx -batch -p $! -ex 'generate-core-file gcore' > log 2>&1; kill -ABRT $!; wait $!`
	t.Setenv("SHELL", "/bin/sh")
	got, dir := dumpCore(t, "unlimited", nil, "sh", "-c", script, "sh", emu, guest, root, gdb)
	if got.status != 128+int(syscall.SIGABRT) {
		t.Fatalf("%v\n%s", got, got.stderr)
	}
	own := openCore(t, dir)
	other, err := elf.Open(filepath.Join(dir, "gcore"))
	if err != nil {
		log, _ := os.ReadFile(filepath.Join(dir, "log"))
		t.Fatalf("%v\n%s", err, log)
	}
	defer other.Close()
	loads := func(f *elf.File) (list []string) {
		for _, p := range f.Progs {
			if p.Type == elf.PT_LOAD {
				list = append(list, fmt.Sprintf("%#x+%#x %v", p.Vaddr, p.Memsz, p.Flags))
			}
		}
		return list
	}
	if got, want := loads(other), loads(own.File); !slices.Equal(got, want) {
		t.Errorf("gdb wrote %q, the process %q", got, want)
	}
}

// TestCoreGdb reads a core with gdb.
func TestCoreGdb(t *testing.T) {
	gdb := need.Tool(t, "gdb-multiarch", "gdb-multiarch")
	guest := build(t, coreGuest, arm64, "-g")
	got, dir := dumpCore(t, "unlimited", nil, emuPath(t), guest, "threads", "3")
	if got.signal != syscall.SIGSEGV {
		t.Fatalf("%v\n%s", got, got.stderr)
	}
	args := []string{gdb, "-nx", "-batch"}
	for _, c := range []string{"bt", "info threads", "info auxv", "print answer", "print $x19", "print $_siginfo._sifields._sigfault.si_addr", "info proc mappings", "x/i $pc"} {
		args = append(args, "-ex", c)
	}
	out := run(t, "", append(args, guest, openCore(t, dir).path)...)
	for _, part := range []string{
		`Program terminated with signal SIGSEGV`, `#0 +0x[0-9a-f]+ in crash_here \(base=1234605616436508552\)`, `#1 .* in crasher \(`,
		`(?m)^\* 1 +.*LWP`, `(?m)^  5 +.*LWP`, ` spin \(arg=0x0\)`, ` read \(\)`, `AT_ENTRY`, `(?m)^\$1 = 42$`, `(?m)^\$2 = 1234605616436508952$`, `\(void \*\) 0x8`,
		`0x400000 .*crash`, `=> 0x[0-9a-f]+ <crash_here\+\d+>:\s+str\s+x1, \[x9\]`,
	} {
		if !regexp.MustCompile(part).MatchString(out.stdout) {
			t.Errorf("gdb printed nothing like %s", part)
		}
	}
	if t.Failed() {
		t.Logf("%s\n%s", out.stdout, out.stderr)
	}
}
