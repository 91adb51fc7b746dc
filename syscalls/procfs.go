package syscalls

import (
	"encoding/binary"
	"fmt"
	"path"
	"strconv"
	"strings"

	"emu/internal/armabi"

	"golang.org/x/sys/unix"
)

// procNames are the names of the files that procFile and procLink serve: what
// else lies in /proc is the host's.
var procNames = map[string]bool{
	"auxv": true, "cmdline": true, "comm": true, "cpuinfo": true, "environ": true, "exe": true, "limits": true, "maps": true, "osrelease": true,
	"smaps": true, "smaps_rollup": true, "stat": true, "statm": true, "status": true, "version": true,
}

// procName returns the absolute name of a path, which may be relative to dir, if
// it may be that of a file that is not the host's; else it returns "".
func (t *Task) procName(dir int, s string) string {
	absolute := strings.HasPrefix(s, "/")
	if s == "" || absolute && !strings.HasPrefix(s, procPrefix) || !procNames[s[strings.LastIndexByte(s, '/')+1:]] && !strings.Contains(s, fdinfoDir) {
		return ""
	}
	if !absolute {
		name, e := dirName(dir)
		if e != 0 {
			return ""
		}
		s = name + "/" + s
	}
	if !strings.HasPrefix(s, procPrefix) {
		return ""
	}
	return path.Clean(s)
}

// procSelf recognises a name of procName's about the guest's own process and
// returns the file's name, and the thread that it is about, 0 for the process.
func (t *Task) procSelf(s string) (file string, tid int, ok bool) {
	rest, ok := strings.CutPrefix(s, procPrefix)
	if !ok {
		return "", 0, false
	}
	who, file, ok := strings.Cut(rest, "/")
	if !ok {
		return "", 0, false
	}
	switch who {
	case "self", strconv.Itoa(t.p.pid):
	case "thread-self":
		tid = t.tid
	default:
		n, err := strconv.Atoi(who)
		if err != nil {
			return "", 0, false
		}
		if _, err := t.p.task(n); err != nil {
			return "", 0, false
		}
		tid = n // its directory is that of the process, but for what is the thread's
	}
	if task, ok := strings.CutPrefix(file, "task/"); ok {
		number, inner, _ := strings.Cut(task, "/")
		n, err := strconv.Atoi(number)
		if err != nil {
			return "", 0, false
		}
		if _, err := t.p.task(n); err != nil {
			return "", 0, false
		}
		file, tid = inner, n
	}
	return file, tid, !strings.Contains(file, "/")
}

// procFile returns the content of a file of /proc whose host version would be
// wrong for the guest. ok is false for all others. s is a name of procName's.
func (t *Task) procFile(s string) (content []byte, ok bool) {
	switch {
	case s == "":
		return nil, false
	case s == "/proc/cpuinfo":
		return t.p.cpuinfo(), true
	case s == "/proc/sys/kernel/osrelease" && t.p.Release != "":
		return []byte(t.p.Release + "\n"), true
	case s == "/proc/version" && t.p.Release != "":
		return t.p.version()
	case strings.Contains(s, fdinfoDir):
		return t.p.fdinfo(s)
	}
	file, tid, ok := t.procSelf(s)
	if !ok {
		return t.p.otherFile(s)
	}
	host := "/proc/self/" + file
	if tid != 0 {
		host = "/proc/self/task/" + strconv.Itoa(tid) + "/" + file
	}
	switch file {
	case "maps":
		return t.p.maps(), true
	case "smaps", "smaps_rollup":
		return t.p.smaps("/proc/self", t.p.Mem.Regions(), file == "smaps_rollup")
	case "auxv":
		return t.p.Auxv, true
	case "cmdline":
		return t.p.strings(t.p.ArgStart, t.p.ArgEnd), true
	case "environ":
		return t.p.strings(t.p.EnvStart, t.p.EnvEnd), true
	case "limits":
		return t.p.limitsFile(host)
	case "stat":
		return t.p.stat(host)
	case "statm":
		text, err := t.p.readHostProc(host)
		if err != nil {
			return nil, false
		}
		return statm(text, t.p.Mem.Regions())
	case "status":
		return t.status(host, tid)
	}
	return nil, false
}

const fdinfoDir = "fdinfo/"

// fdinfo is a file of /proc/PID/fdinfo, which shows open flags (proc_pid_fdinfo(5)), if the other architecture's differ.
func (p *Process) fdinfo(name string) (content []byte, ok bool) {
	host, err := p.readHostProc(name)
	before, rest, found := strings.Cut(string(host), "flags:\t")
	text, after, _ := strings.Cut(rest, "\n")
	flags, notNumber := strconv.ParseUint(text, 8, 64)
	if err != nil || !found || notNumber != nil || armabi.OpenFlags(flags) == flags {
		return nil, false
	}
	return fmt.Appendf(nil, "%sflags:\t0%o\n%s", before, armabi.OpenFlags(flags), after), true
}

// version is /proc/version with the release that -r asks for.
func (p *Process) version() ([]byte, bool) {
	host, err := readHost("/proc/version")
	f := strings.SplitN(string(host), " ", 4) // Linux version RELEASE ...
	if err != nil || len(f) < 4 {
		return nil, false
	}
	f[2] = p.Release
	return []byte(strings.Join(f, " ")), true
}

// procLink returns where a link of /proc leads whose target on the host would show
// emu: exe of this process and of others that are emulated.
func (t *Task) procLink(dir int, s string) (target string, ok bool) {
	if !strings.HasSuffix(s, "exe") {
		return "", false
	}
	s = t.procName(dir, s)
	if file, _, ok := t.procSelf(s); ok && file == "exe" {
		return t.p.Exe, true
	}
	if pid, ok := exeOwner(s); ok {
		return t.p.exeOf(pid)
	}
	return "", false
}

// exeOwner is whose exe s, a name of procName's, is: a number.
func exeOwner(s string) (pid string, ok bool) {
	pid, file, _ := strings.Cut(strings.TrimPrefix(s, procPrefix), "/")
	_, err := strconv.Atoi(pid)
	return pid, err == nil && file == "exe"
}

// program is a name of the host's for the guest's program: its own, if that still leads
// to it. It does not if the program was executed from a memfd or a mount that is nowhere any
// more, if it was removed or replaced, or if the root directory is another.
func (p *Process) program() string {
	var named, run unix.Stat_t
	if unix.Stat(p.exeHost, &named) == nil && unix.Fstat(p.File, &run) == nil && named.Dev == run.Dev && named.Ino == run.Ino {
		return p.exeHost
	}
	return "/proc/self/fd/" + strconv.Itoa(p.File)
}

// strings reads the guest's argument or environment strings where they lie: a
// program may have overwritten them.
func (p *Process) strings(start, end uint64) []byte {
	if end <= start {
		return nil
	}
	b := make([]byte, end-start)
	if p.copyIn(b, start) != 0 {
		return nil
	}
	return b
}

// stat is /proc/self/stat, or that of a thread, with the guest's addresses in place
// of emu's. Fields are numbered as in proc_pid_stat(5).
func (p *Process) stat(name string) ([]byte, bool) {
	host, err := p.readHostProc(name)
	if err != nil {
		return nil, false
	}
	fields := map[int]string{statThreads: strconv.Itoa(p.threads())}
	for field, v := range map[int]uint64{
		statSize: p.Mem.Size(), 26: p.CodeStart, 27: p.CodeEnd, 28: p.StackStart, 48: p.ArgStart, 49: p.ArgEnd, 50: p.EnvStart, 51: p.EnvEnd,
	} {
		fields[field] = strconv.FormatUint(v, 10)
	}
	return statWith(host, fields)
}

// Fields of /proc/PID/stat.
const (
	statThreads = 20
	statSize    = 23
)

// statWith is the text of a stat file with other fields.
func statWith(text []byte, fields map[int]string) ([]byte, bool) {
	end := strings.LastIndex(string(text), ") ") // the name may hold anything
	if end < 0 {
		return nil, false
	}
	f := strings.Fields(string(text[end+2:])) // f[0] is field 3
	for field, v := range fields {
		if i := field - 3; i < len(f) {
			f[i] = v
		}
	}
	return []byte(string(text[:end+2]) + strings.Join(f, " ") + "\n"), true
}

// threads is the number of the guest's threads, with those that the kernel has made for it.
func (p *Process) threads() int {
	workers := len(p.workers())
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.tasks.len() + workers
}

// status is /proc/self/status, or that of a thread, with the guest's threads,
// memory and signals (proc_pid_status(5)).
func (t *Task) status(name string, tid int) ([]byte, bool) {
	host, err := t.p.readHostProc(name)
	if err != nil {
		return nil, false
	}
	p := t.p
	var ignored, caught uint64
	p.sigMu.RLock()
	for sig := 1; sig < len(p.actions); sig++ {
		switch h := p.actions[sig].Handler; {
		case h == sigIgn:
			ignored |= bit(sig)
		case h > sigIgn:
			caught |= bit(sig)
		}
	}
	p.sigMu.RUnlock()
	mask := func(v uint64) string { return fmt.Sprintf("%016x", v) }
	guest := memoryStatus(p.Mem.Regions())
	guest["Threads"], guest["SigIgn"], guest["SigCgt"] = strconv.Itoa(p.threads()), mask(ignored), mask(caught)
	if tid == t.tid || tid == 0 && t.tid == p.pid {
		guest["SigBlk"] = mask(t.blocked)
	}
	if tid == 0 {
		tid = p.pid
	}
	if of, err := p.task(tid); err == nil {
		mode, filters := of.seccompStatus(statusNumber(host, "Seccomp_filters"))
		if of.owesNoNewPrivs.Load() {
			guest["NoNewPrivs"] = "1"
		}
		guest["Seccomp"], guest["Seccomp_filters"] = strconv.Itoa(mode), strconv.Itoa(filters)
	}
	return statusWith(host, guest), true
}

// statusNumber is the number that a status file has for a name, 0 if there is none.
func statusNumber(text []byte, name string) int {
	_, rest, _ := strings.Cut(string(text), "\n"+name+":\t")
	value, _, _ := strings.Cut(rest, "\n")
	n, _ := strconv.Atoi(value)
	return n
}

// statusWith is the text of a status file with other values.
func statusWith(text []byte, values map[string]string) []byte {
	var b strings.Builder
	for line := range strings.Lines(string(text)) {
		key, _, _ := strings.Cut(line, ":")
		if v, ok := values[key]; ok {
			line = key + ":\t" + v + "\n"
		}
		b.WriteString(line)
	}
	return []byte(b.String())
}

// Entries of the auxiliary vector.
const (
	atPHDR   = 3
	atHWCAP  = 16
	atHWCAP2 = 26
	atEXECFN = 31
)

func auxval(auxv []byte, key uint64) uint64 {
	le := binary.LittleEndian
	for b := auxv; len(b) >= 16; b = b[16:] {
		if le.Uint64(b) == key {
			return le.Uint64(b[8:])
		}
	}
	return 0
}

// openProc opens a file of the host's /proc, given its name in there, also where the guest's
// root directory has none.
func (p *Process) openProc(name string, flags int) (fd int, err error) {
	if p.Proc > 0 {
		return unix.Openat(p.Proc, name, flags, 0)
	}
	return unix.Open(procPrefix+name, flags, 0)
}

// readProcLink reads a symbolic link likewise.
func (p *Process) readProcLink(name string) (string, error) {
	var buf [pathMax]byte
	at := p.Proc
	if at <= 0 {
		at, name = unix.AT_FDCWD, procPrefix+name
	}
	n, err := unix.Readlinkat(at, name, buf[:])
	return string(buf[:max(n, 0)]), err
}

// readProc reads a file that openProc opens.
func (p *Process) readProc(name string) ([]byte, error) {
	fd, err := p.openProc(name, unix.O_RDONLY|unix.O_CLOEXEC)
	if err != nil {
		return nil, err
	}
	return readWhole(fd)
}

// readHostProc is readHost for a name in /proc, also where the guest's root directory has none.
func (p *Process) readHostProc(name string) ([]byte, error) {
	text, err := readHost(name)
	if err != nil {
		text, err = p.readProc(strings.TrimPrefix(name, procPrefix))
	}
	return text, err
}

// readHost reads a file of the host. Package os would try to enter it in the runtime's
// poller, which takes calls and descriptors that only emu needs.
func readHost(name string) ([]byte, error) {
	fd, err := unix.Open(name, unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, err
	}
	return readWhole(fd)
}

// readWhole reads a descriptor to its end, and closes it.
func readWhole(fd int) ([]byte, error) {
	defer unix.Close(fd)
	var out []byte
	buf := make([]byte, 4096)
	for {
		n, err := unix.Read(fd, buf)
		if n <= 0 {
			return out, err
		}
		out = append(out, buf[:n]...)
	}
}
