package syscalls

import (
	"fmt"
	"strconv"
	"strings"
)

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
