package syscalls

import (
	"encoding/binary"
	"fmt"
	"path"
	"strconv"
	"strings"

	"emu/cpu"
	"emu/internal/hostsig"

	"golang.org/x/sys/unix"
)

// procNames are the names of the files that procFile and procLink serve: what
// else lies in /proc is the host's.
var procNames = map[string]bool{
	"auxv": true, "cmdline": true, "cpuinfo": true, "environ": true, "exe": true, "maps": true, "osrelease": true,
	"smaps": true, "smaps_rollup": true, "stat": true, "status": true, "version": true,
}

// procName returns the absolute name of a path, which may be relative to dir, if
// it may be that of a file that is not the host's; else it returns "".
func (t *Task) procName(dir int, s string) string {
	absolute := strings.HasPrefix(s, "/")
	if s == "" || absolute && !strings.HasPrefix(s, procPrefix) || !procNames[s[strings.LastIndexByte(s, '/')+1:]] {
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
	}
	file, tid, ok := t.procSelf(s)
	if !ok {
		return t.p.mapsOf(s)
	}
	host := "/proc/self/" + file
	if tid != 0 {
		host = "/proc/self/task/" + strconv.Itoa(tid) + "/" + file
	}
	switch file {
	case "maps":
		return t.p.maps(), true
	case "smaps":
		return t.p.smaps(false)
	case "smaps_rollup":
		return t.p.smaps(true)
	case "auxv":
		return t.p.Auxv, true
	case "cmdline":
		return t.p.strings(t.p.ArgStart, t.p.ArgEnd), true
	case "environ":
		return t.p.strings(t.p.EnvStart, t.p.EnvEnd), true
	case "stat":
		return t.p.stat(host)
	case "status":
		return t.status(host, tid)
	}
	return nil, false
}

// mapsOf is /proc/PID/maps of another process that this emu runs: as that process
// itself sees it.
func (p *Process) mapsOf(s string) ([]byte, bool) {
	number, file, _ := strings.Cut(strings.TrimPrefix(s, procPrefix), "/")
	pid, err := strconv.Atoi(number)
	if err != nil || file != "maps" && !(strings.HasPrefix(file, "task/") && strings.HasSuffix(file, "/maps")) || !sameProgram(pid) {
		return nil, false
	}
	table, ok := guestTable(pid)
	if !ok {
		return nil, false
	}
	read := func(addr uint64, b []byte) bool { return peekMemory(pid, addr, b) == 0 }
	var mem uint64
	if !read(hostsig.EntryAt(table, 0), bytesOf(&mem)) || mem == 0 {
		return nil, false
	}
	regions, ok := cpu.PeekRegions(mem, read)
	if !ok {
		return nil, false
	}
	return p.mapsText(regions), true
}

// guestTable is the address of the table of guest threads in another process that
// this emu runs.
func guestTable(pid int) (table uint64, ok bool) {
	at, _ := hostsig.TableAt()
	ok = peekMemory(pid, at, bytesOf(&table)) == 0 && table != 0
	return table, ok
}

// isGuest reports whether a thread of another process that this emu runs is the
// guest's. If that cannot be found out, it may be.
func isGuest(pid, tid int) bool {
	table, ok := guestTable(pid)
	var thread uint64
	return !ok || peekMemory(pid, hostsig.EntryAt(table, tid), bytesOf(&thread)) != 0 || thread != 0
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
	number, file, _ := strings.Cut(strings.TrimPrefix(s, procPrefix), "/")
	if _, err := strconv.Atoi(number); err != nil || file != "exe" {
		return "", false
	}
	return t.p.exeOf(number)
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

// maps prints the guest's address space as proc_pid_maps(5) describes.
func (p *Process) maps() []byte { return p.mapsText(p.Mem.Regions()) }

func (p *Process) mapsText(regions []cpu.Region) []byte {
	var b strings.Builder
	for _, r := range regions {
		b.WriteString(p.mapsLine(&r))
	}
	return []byte(b.String())
}

func (p *Process) mapsLine(r *cpu.Region) string {
	perm := []byte("---p")
	for i, f := range [...]int{unix.PROT_READ, unix.PROT_WRITE, unix.PROT_EXEC} {
		if r.Prot&f != 0 || r.Shadow && r.Prot&unix.PROT_READ != 0 && f == unix.PROT_WRITE {
			perm[i] = "rwx"[i]
		}
	}
	if r.Flags&unix.MAP_PRIVATE == 0 {
		perm[3] = 's'
	}
	line := fmt.Sprintf("%08x-%08x %s %08x %02x:%02x %d ", r.Start, r.End, perm, r.Offset, unix.Major(r.Dev), unix.Minor(r.Dev), r.Ino)
	if r.Path == "" {
		return line + "\n"
	}
	return fmt.Sprintf("%-73s%s\n", line, p.guestName(r.Path))
}

// stat is /proc/self/stat, or that of a thread, with the guest's addresses in place
// of emu's. Fields are numbered as in proc_pid_stat(5).
func (p *Process) stat(name string) ([]byte, bool) {
	host, err := readHost(name)
	if err != nil {
		return nil, false
	}
	end := strings.LastIndex(string(host), ") ") // the name may hold anything
	if end < 0 {
		return nil, false
	}
	f := strings.Fields(string(host[end+2:])) // f[0] is field 3
	for field, v := range map[int]uint64{
		20: uint64(p.threads()), 23: p.size(), 26: p.CodeStart, 27: p.CodeEnd, 28: p.StackStart,
		48: p.ArgStart, 49: p.ArgEnd, 50: p.EnvStart, 51: p.EnvEnd,
	} {
		if i := field - 3; i < len(f) {
			f[i] = strconv.FormatUint(v, 10)
		}
	}
	return []byte(string(host[:end+2]) + strings.Join(f, " ") + "\n"), true
}

// threads is the number of the guest's threads.
func (p *Process) threads() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.tasks.len()
}

// size is how much of the address space the guest has mapped, in bytes.
func (p *Process) size() (size uint64) {
	for _, r := range p.Mem.Regions() {
		size += r.End - r.Start
	}
	return size
}

// status is /proc/self/status, or that of a thread, with the guest's threads,
// memory and signals (proc_pid_status(5)).
func (t *Task) status(name string, tid int) ([]byte, bool) {
	host, err := readHost(name)
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
	size := fmt.Sprintf("%8d kB", p.size()>>10)
	mask := func(v uint64) string { return fmt.Sprintf("%016x", v) }
	guest := map[string]string{
		"Threads": strconv.Itoa(p.threads()), "VmPeak": size, "VmSize": size, "SigIgn": mask(ignored), "SigCgt": mask(caught),
	}
	if tid == t.tid || tid == 0 && t.tid == p.pid {
		guest["SigBlk"] = mask(t.blocked)
	}
	if tid == 0 {
		tid = p.pid
	}
	if of, err := p.task(tid); err == nil {
		mode, filters := of.seccompStatus()
		guest["Seccomp"], guest["Seccomp_filters"] = strconv.Itoa(mode), strconv.Itoa(filters)
	}
	var b strings.Builder
	for line := range strings.Lines(string(host)) {
		key, _, _ := strings.Cut(line, ":")
		if v, ok := guest[key]; ok {
			line = key + ":\t" + v + "\n"
		}
		b.WriteString(line)
	}
	return []byte(b.String()), true
}

// sysGetdents64 implements getdents64(2).
func sysGetdents64(t *Task, a *Args) int64 {
	for {
		r := t.host(unix.SYS_GETDENTS64, a)
		if r <= 0 {
			return r
		}
		var fs unix.Statfs_t
		if unix.Fstatfs(int(int32(a[0])), &fs) != nil || fs.Type != unix.PROC_SUPER_MAGIC {
			return r
		}
		if r = t.hideEntries(a, r); r != 0 {
			return r
		}
	}
}

// hideEntries removes what is emu's from n bytes of directory entries of /proc: its
// threads and descriptors. It returns how many bytes remain.
func (t *Task) hideEntries(a *Args, n int64) int64 {
	name, e := fdName(int(int32(a[0])))
	if e != 0 {
		return n
	}
	dir, kind := path.Split(name)
	// A thread's directory shows the process's descriptors, too.
	own := strings.HasPrefix(dir, procPrefix+strconv.Itoa(t.p.pid)+"/")
	number, inner, _ := strings.Cut(strings.TrimPrefix(dir, procPrefix), "/")
	other, _ := strconv.Atoi(number)
	if !own && inner == "" && kind == "task" && sameProgram(other) {
		return t.filterEntries(a, n, func(tid int) bool { return tid == other || isGuest(other, tid) })
	}
	if !own || kind != "task" && kind != "fd" && kind != "fdinfo" {
		return n
	}
	return t.filterEntries(a, n, func(number int) bool {
		if kind != "task" {
			return !t.hidden(uint64(number))
		}
		_, err := t.p.task(number)
		return err == nil || number == t.p.pid
	})
}

// filterEntries removes the entries that are numbers and not to be kept.
func (t *Task) filterEntries(a *Args, n int64, keep func(number int) bool) int64 {
	b := make([]byte, n)
	if t.p.copyIn(b, a[1]) != 0 {
		return n
	}
	const offReclen, offName = 16, 19 // struct linux_dirent64
	out := b[:0]
	for len(b) > offName {
		size := int(binary.LittleEndian.Uint16(b[offReclen:]))
		entry := b[:size]
		b = b[size:]
		text, _, _ := strings.Cut(string(entry[offName:]), "\x00")
		number, err := strconv.Atoi(text)
		if err == nil && !keep(number) {
			continue
		}
		out = append(out, entry...)
	}
	if e := t.p.copyOut(a[1], out); e != 0 {
		return fail(e)
	}
	return int64(len(out))
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

// Names of the bits of AT_HWCAP and AT_HWCAP2, by bit number, as
// Documentation/arch/arm64/elf_hwcaps.rst gives them.
var (
	hwcapNames = [...]string{"fp", "asimd", "evtstrm", "aes", "pmull", "sha1", "sha2", "crc32", "atomics", "fphp",
		"asimdhp", "cpuid", "asimdrdm", "jscvt", "fcma", "lrcpc", "dcpop", "sha3", "sm3", "sm4", "asimddp", "sha512",
		"sve", "asimdfhm", "dit", "uscat", "ilrcpc", "flagm", "ssbs", "sb", "paca", "pacg", "gcs"}
	hwcap2Names = [...]string{"dcpodp", "sve2", "sveaes", "svepmull", "svebitperm", "svesha3", "svesm4", "flagm2", "frint",
		"svei8mm", "svef32mm", "svef64mm", "svebf16", "i8mm", "bf16", "dgh", "rng", "bti", "mte", "ecv", "afp", "rpres",
		"mte3", "sme", "smei16i64", "smef64f64", "smei8i32", "smef16f32", "smeb16f32", "smef32f32", "smefa64", "wfxt",
		"ebf16", "sveebf16", "cssc", "rprfm", "sve2p1", "sme2", "sme2p1", "smei16i32", "smebi32i32", "smeb16b16",
		"smef16f16", "mops", "hbc", "sveb16b16", "lrcpc3", "lse128"}
)

// cpuinfo is /proc/cpuinfo of an arm64 machine with the host's processors.
func (p *Process) cpuinfo() []byte {
	var features []string
	for i, name := range hwcapNames {
		if auxval(p.Auxv, atHWCAP)>>i&1 != 0 {
			features = append(features, name)
		}
	}
	for i, name := range hwcap2Names {
		if auxval(p.Auxv, atHWCAP2)>>i&1 != 0 {
			features = append(features, name)
		}
	}
	var b strings.Builder
	for _, cpu := range onlineCPUs() {
		fmt.Fprintf(&b, "processor\t: %d\nBogoMIPS\t: 100.00\nFeatures\t: %s\nCPU implementer\t: 0x%02x\nCPU architecture: 8\n"+
			"CPU variant\t: 0x%x\nCPU part\t: 0x%03x\nCPU revision\t: %d\n\n",
			cpu, strings.Join(features, " "), p.MIDR>>24&0xff, p.MIDR>>20&0xf, p.MIDR>>4&0xfff, p.MIDR&0xf)
	}
	return []byte(b.String())
}

// onlineCPUs lists the host's processors, from the same file of the host: unlike /sys it
// is there when a guest asks for it.
func onlineCPUs() []int {
	text, _ := readHost("/proc/cpuinfo")
	var cpus []int
	for line := range strings.Lines(string(text)) {
		name, value, _ := strings.Cut(line, ":")
		if strings.TrimSpace(name) != "processor" {
			continue
		}
		if n, err := strconv.Atoi(strings.TrimSpace(value)); err == nil {
			cpus = append(cpus, n)
		}
	}
	if cpus == nil {
		return []int{0}
	}
	return cpus
}

// readHost reads a file of the host. Package os would leave the descriptors of
// the runtime's poller open, which the guest would see.
func readHost(name string) ([]byte, error) {
	fd, err := unix.Open(name, unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, err
	}
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

// taskLinks makes the link count of /proc/self/task in st, a struct stat of the host, that
// of a directory with the guest's threads only: programs tell by it whether they have
// more than one (Chromium's zygote does, by fstatat). fstat, which generated code makes
// itself, shows the host's.
func (p *Process) taskLinks(st []byte) {
	const inoAt, nlinkAt, modeAt = 8, 16, 24
	le := binary.LittleEndian
	if le.Uint32(st[modeAt:]) == taskMode && p.isTask(le.Uint64(st), le.Uint64(st[inoAt:])) {
		le.PutUint64(st[nlinkAt:], uint64(2+p.threads()))
	}
}

// taskLinksX does it for the guest's struct statx at addr.
func (p *Process) taskLinksX(addr uint64) {
	const nlinkAt, modeAt, inoAt, majorAt, minorAt, size = 16, 28, 32, 136, 140, 144
	var b [size]byte
	le := binary.LittleEndian
	if p.copyIn(b[:], addr) != 0 || uint32(le.Uint16(b[modeAt:])) != taskMode || le.Uint32(b[0:])&unix.STATX_NLINK == 0 {
		return
	}
	if p.isTask(unix.Mkdev(le.Uint32(b[majorAt:]), le.Uint32(b[minorAt:])), le.Uint64(b[inoAt:])) {
		save(p, addr+nlinkAt, uint32(2+p.threads()))
	}
}

// taskMode is st_mode of a directory of threads.
const taskMode = unix.S_IFDIR | 0o555

// isTask reports whether a file is this process's directory of threads.
func (p *Process) isTask(dev, ino uint64) bool {
	var own unix.Stat_t
	return p.Proc > 0 && unix.Fstatat(p.Proc, "self/task", &own, 0) == nil && own.Dev == dev && own.Ino == ino
}
