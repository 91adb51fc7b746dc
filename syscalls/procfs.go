package syscalls

import (
	"encoding/binary"
	"fmt"
	"path"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// procFile returns the content of a file of /proc whose host version would be
// wrong for the guest. ok is false for all others.
func (t *Task) procFile(s string) (content []byte, ok bool) {
	if path.Clean(s) == "/proc/cpuinfo" {
		return t.p.cpuinfo(), true
	}
	file, ok := t.procSelf(s)
	if !ok {
		return nil, false
	}
	switch file {
	case "maps":
		return t.p.maps(), true
	case "auxv":
		return t.p.Auxv, true
	case "cmdline":
		return t.p.strings(t.p.ArgStart, t.p.ArgEnd), true
	case "environ":
		return t.p.strings(t.p.EnvStart, t.p.EnvEnd), true
	case "stat":
		return t.stat1(file)
	}
	return nil, false
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
func (p *Process) maps() []byte {
	var b strings.Builder
	for _, r := range p.Mem.Regions() {
		perm := []byte("---p")
		for i, f := range [...]int{unix.PROT_READ, unix.PROT_WRITE, unix.PROT_EXEC} {
			if r.Prot&f != 0 {
				perm[i] = "rwx"[i]
			}
		}
		if r.Flags&unix.MAP_PRIVATE == 0 {
			perm[3] = 's'
		}
		line := fmt.Sprintf("%08x-%08x %s %08x %02x:%02x %d ", r.Start, r.End, perm, r.Offset, unix.Major(r.Dev), unix.Minor(r.Dev), r.Ino)
		if r.Path == "" {
			b.WriteString(line + "\n")
			continue
		}
		fmt.Fprintf(&b, "%-73s%s\n", line, r.Path)
	}
	return []byte(b.String())
}

// stat1 is /proc/self/stat with the guest's addresses in place of emu's. Fields
// are numbered as in proc_pid_stat(5).
func (t *Task) stat1(file string) ([]byte, bool) {
	host, err := readHost("/proc/thread-self/" + file)
	if err != nil {
		return nil, false
	}
	head, tail, ok := strings.Cut(string(host), ") ") // the name may hold anything
	if !ok {
		return nil, false
	}
	f := strings.Fields(tail) // f[0] is field 3
	var size uint64
	for _, r := range t.p.Mem.Regions() {
		size += r.End - r.Start
	}
	t.p.mu.Lock()
	threads := len(t.p.tasks)
	t.p.mu.Unlock()
	for field, v := range map[int]uint64{
		20: uint64(threads), 23: size, 26: t.p.CodeStart, 27: t.p.CodeEnd, 28: t.p.StackStart,
		48: t.p.ArgStart, 49: t.p.ArgEnd, 50: t.p.EnvStart, 51: t.p.EnvEnd,
	} {
		if i := field - 3; i < len(f) {
			f[i] = strconv.FormatUint(v, 10)
		}
	}
	return []byte(head + ") " + strings.Join(f, " ") + "\n"), true
}

// Auxiliary vector entries that /proc/cpuinfo is made from.
const (
	atHWCAP  = 16
	atHWCAP2 = 26
)

func (p *Process) auxval(key uint64) uint64 {
	le := binary.LittleEndian
	for b := p.Auxv; len(b) >= 16; b = b[16:] {
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
		"sve", "asimdfhm", "dit", "uscat", "ilrcpc", "flagm", "ssbs", "sb", "paca", "pacg"}
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
		if p.auxval(atHWCAP)>>i&1 != 0 {
			features = append(features, name)
		}
	}
	for i, name := range hwcap2Names {
		if p.auxval(atHWCAP2)>>i&1 != 0 {
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

// onlineCPUs lists the host's processors.
func onlineCPUs() []int {
	list, _ := readHost("/sys/devices/system/cpu/online")
	var cpus []int
	for _, part := range strings.Split(strings.TrimSpace(string(list)), ",") {
		lo, hi, isRange := strings.Cut(part, "-")
		first, err := strconv.Atoi(lo)
		if err != nil {
			continue
		}
		last := first
		if isRange {
			last, _ = strconv.Atoi(hi)
		}
		for n := first; n <= last; n++ {
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
