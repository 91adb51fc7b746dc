package tests

import (
	"os"
	"strings"
	"testing"

	"emu/tests/need"
)

// TestPointerAuth runs the guest with each of the algorithms.
func TestPointerAuth(t *testing.T) {
	emu, guest := emuPath(t), build(t, "guest/isa/pauth.c", arm64, "-O1")
	for _, cpu := range []string{"max", "max,pauth-qarma3=on", "max,pauth-qarma5=on"} {
		for _, tier := range []string{"interp", "1", "2"} {
			if got := run(t, "", emu, "-tier="+tier, "-cpu="+cpu, guest); got.stdout != "ok\n" {
				t.Errorf("-tier=%s -cpu=%s: %s%s", tier, cpu, got.stdout, got.stderr)
			}
		}
	}
}

// TestTags is two bugs that were: generated code compared the monitor's address
// with its tag, so that no store-exclusive through a tagged pointer succeeded, and
// a call of a tagged function pointer found no code. The rest is the tagged address
// ABI, with which each of the 100,000 accesses no longer costs a fault.
func TestTags(t *testing.T) {
	const want = "plain 1\nstore tagged 1\nload tagged 1\nboth tagged 1\n5\ncall tagged 42\n" +
		"write -1 1\nenable 0 1\nwrite 8 readv 8 5\n1 100005\n"
	emu, guest := emuPath(t), build(t, "guest/isa/tags.c", arm64, "-O1")
	for _, tier := range []string{"interp", "1", "2"} {
		if got := run(t, "", emu, "-tier="+tier, guest); got.stdout != want {
			t.Errorf("-tier=%s: %s%s", tier, got.stdout, got.stderr)
		}
	}
}

// TestModelsAgainstQemu compares the models that are whole in both: HWCAPs,
// identification registers, and which instructions are undefined.
func TestModelsAgainstQemu(t *testing.T) {
	emu, guest := emuPath(t), build(t, "guest/isa/models.c", arm64, "-O1")
	judge, _ := need.Qemu(t, auditedQemu) // version 7.2 has no Cortex-A55, and another si_code
	for _, cpu := range []string{"cortex-a35", "cortex-a53", "cortex-a55", "cortex-a57", "cortex-a72", "cortex-a76", "neoverse-n1"} {
		want := run(t, "", judge, "-cpu", cpu, guest)
		if got := run(t, "", emu, "-cpu", cpu, guest); got.stdout != want.stdout {
			t.Errorf("%s: got\n%swant\n%s", cpu, got.stdout, want.stdout)
		}
	}
}

// TestMaxIsQemus: max says that it is what it is in qemu-aarch64, in its register and in /proc/cpuinfo. Its part was
// 0, which some programs take for none.
func TestMaxIsQemus(t *testing.T) {
	emu, guest := emuPath(t), build(t, "guest/isa/models.c", arm64, "-O1")
	judge, _ := need.Qemu(t, auditedQemu)
	midr := func(command ...string) string {
		_, rest, _ := strings.Cut(run(t, "", command...).stdout, "\nmidr ")
		value, _, _ := strings.Cut(rest, " ")
		return value
	}
	if want, got := midr(judge, "-cpu", "max", guest), midr(emu, guest); got != want || got != "f0510" {
		t.Errorf("MIDR_EL1 is %q, in qemu %q", got, want)
	}
	program, _ := busybox(t)
	info := run(t, "", emu, program, "grep", "-m", "5", "CPU", "/proc/cpuinfo").stdout
	if want := "CPU implementer\t: 0x00\nCPU architecture: 8\nCPU variant\t: 0x0\nCPU part\t: 0x051\nCPU revision\t: 0\n"; info != want {
		t.Errorf("/proc/cpuinfo has\n%swant\n%s", info, want)
	}
}

// TestProcessorFeatures compares /proc/cpuinfo with that of machines with these
// processors, as Linux 6 shows it there: EC2 instances a1, m6g and m7g, a Raspberry Pi 5, and Neoverse N2
// with random numbers, which is their option. Neoverse N1 and V1 once lacked evtstrm, N1 ssbs too.
func TestProcessorFeatures(t *testing.T) {
	emu, guest := emuPath(t), build(t, "guest/isa/models.c", arm64, "-O1")
	for cpu, want := range map[string]string{
		"cortex-a72":  "fp asimd evtstrm aes pmull sha1 sha2 crc32 cpuid",
		"cortex-a76":  "fp asimd evtstrm aes pmull sha1 sha2 crc32 atomics fphp asimdhp cpuid asimdrdm lrcpc dcpop asimddp",
		"neoverse-n1": "fp asimd evtstrm aes pmull sha1 sha2 crc32 atomics fphp asimdhp cpuid asimdrdm lrcpc dcpop asimddp ssbs",
		"neoverse-v1": "fp asimd evtstrm aes pmull sha1 sha2 crc32 atomics fphp asimdhp cpuid asimdrdm jscvt fcma lrcpc dcpop sha3 sm3 sm4 " +
			"asimddp sha512 sve asimdfhm dit uscat ilrcpc flagm ssbs paca pacg dcpodp svei8mm svebf16 i8mm bf16 dgh rng",
		"neoverse-n2": "fp asimd evtstrm aes pmull sha1 sha2 crc32 atomics fphp asimdhp cpuid asimdrdm jscvt fcma lrcpc dcpop sha3 sm3 sm4 " +
			"asimddp sha512 sve asimdfhm dit uscat ilrcpc flagm ssbs sb paca pacg dcpodp sve2 sveaes svepmull svebitperm svesha3 svesm4 flagm2 frint " +
			"svei8mm svebf16 i8mm bf16 dgh rng bti",
	} {
		if got := run(t, "", emu, "-cpu", cpu, guest, "features"); got.stdout != want+"\n" {
			t.Errorf("%s:\n got %swant %s", cpu, got.stdout, want)
		}
	}
}

// TestCounter reads CNTVCT_EL0 in all tiers. Each process's began at 0 once.
func TestCounter(t *testing.T) {
	emu, guest := emuPath(t), build(t, "guest/isa/counter.c", arm64, "-O1")
	const want = "busy 8b5c05e209a95051\nwent back 0 times\nrate right\nafter exec later\n"
	for _, tier := range []string{"interp", "1", "2", "auto"} {
		if got := run(t, "", emu, "-tier="+tier, guest); got.stdout != want {
			t.Errorf("-tier=%s: got\n%swant\n%s%s", tier, got.stdout, want, got.stderr)
		}
	}
}

// TestFPCR is about which bits of FPCR processors have, also in the frames that handlers
// change, where emu once took any, and where code that was compiled for the old value
// went on behind the return from a function that had changed it. The values for max are the Arm ARM's: in qemu 11 a
// frame's FPCR.AH reads back but has no effect.
func TestFPCR(t *testing.T) {
	lines := func(rows ...string) (text string) {
		for _, row := range rows {
			text += "msr   " + row + "\nframe " + row + "\n"
		}
		return text
	}
	const flips, stays = ": fneg of a NaN fff8000000000001", ": fneg of a NaN 7ff8000000000001"
	want := map[string]string{
		"cortex-a72":  lines("00000000"+flips, "00000000"+flips, "00000000"+flips, "00000000"+flips, "00000000"+flips, "07c00000"+flips),
		"neoverse-n1": lines("00000000"+flips, "00000000"+flips, "00000000"+flips, "00000000"+flips, "00080000"+flips, "07c80000"+flips),
		"max":         lines("00000000"+flips, "00000002"+stays, "00000005"+flips, "00002000"+flips, "00080000"+flips, "07c82007"+stays),
	}
	emu, guest := emuPath(t), build(t, "guest/isa/fpcr.c", arm64, "-O1")
	for cpu, want := range want {
		for _, tier := range []string{"interp", "1", "2"} {
			if got := run(t, "", emu, "-tier="+tier, "-cpu", cpu, guest); got.stdout != want {
				t.Errorf("%s, tier %s: got\n%swant\n%s", cpu, tier, got.stdout, want)
			}
		}
	}
}

// TestBTI enters pages in all ways, also by the return from a handler: bti.txt is what
// qemu-aarch64 11 does. Tier
// by tier, and with a processor that has no FEAT_BTI.
func TestBTI(t *testing.T) {
	golden, err := os.ReadFile("guest/isa/bti.txt")
	if err != nil {
		t.Fatal(err)
	}
	emu, guest := emuPath(t), build(t, "guest/isa/bti.c", arm64, "-O1")
	for _, tier := range []string{"interp", "1", "2"} {
		if got := run(t, "", emu, "-tier="+tier, guest); got.stdout != string(golden) {
			t.Errorf("-tier=%s: got\n%swant\n%s%s", tier, got.stdout, golden, got.stderr)
		}
	}
	if got := run(t, "", emu, "-cpu=neoverse-n1", guest); strings.Contains(got.stdout, "protection 1: signal 4") || !strings.HasPrefix(got.stdout, "hwcap2 0\n") {
		t.Errorf("without FEAT_BTI: got\n%s", got.stdout)
	}
}

// TestBTIMixed enters guarded pages of a file by all kinds of branches in turn, until nothing is looked up any more and
// loops are regions, from the store as well: btimixed.txt is what qemu-aarch64 11 does.
func TestBTIMixed(t *testing.T) {
	golden, err := os.ReadFile("guest/isa/btimixed.txt")
	if err != nil {
		t.Fatal(err)
	}
	emu, guest := emuPath(t), build(t, "guest/isa/btimixed.c", arm64, "-O1", "-march=armv8.5-a", "-static")
	for _, tier := range []string{"interp", "1", "2", "auto", "auto", "auto", "auto"} {
		if got := run(t, "", emu, "-tier="+tier, guest); got.stdout != string(golden) {
			t.Errorf("-tier=%s: got\n%swant\n%s%s", tier, got.stdout, golden, got.stderr)
		}
	}
}

// TestFlushing computes with FPCR.FZ once FPSR was written: flushing.txt is what qemu-aarch64 11 does.
func TestFlushing(t *testing.T) {
	golden, err := os.ReadFile("guest/isa/flushing.txt")
	if err != nil {
		t.Fatal(err)
	}
	emu, guest := emuPath(t), build(t, "guest/isa/flushing.c", arm64, "-O1")
	for _, tier := range []string{"interp", "1", "2", "auto"} {
		if got := run(t, "", emu, "-tier="+tier, guest); got.stdout != string(golden) {
			t.Errorf("-tier=%s: got\n%swant\n%s%s", tier, got.stdout, golden, got.stderr)
		}
	}
}

// TestFPSRCleared clears what a comparison has raised before its flags are read.
func TestFPSRCleared(t *testing.T) {
	emu, guest := emuPath(t), build(t, "guest/isa/fpsrcleared.c", arm64, "-O1")
	for _, tier := range []string{"interp", "interp2", "1", "2", "auto"} {
		if got := run(t, "", emu, "-tier="+tier, "-hot=50", guest); got.stdout != "ok\n" {
			t.Errorf("-tier=%s: %s%s", tier, got.stdout, got.stderr)
		}
	}
}

// TestStackAlignment is about the alignment of SP, which qemu-aarch64 does not check.
func TestStackAlignment(t *testing.T) {
	emu, guest := emuPath(t), build(t, "guest/isa/stack.c", arm64, "-O1")
	for _, tier := range []string{"interp", "interp2", "1", "2", "auto"} {
		if got := run(t, "", emu, "-tier="+tier, "-hot=50", guest); got.stdout != "ok\n" {
			t.Errorf("-tier=%s: %s%s", tier, got.stdout, got.stderr)
		}
	}
}

// TestCopiesThatFault moves memory within itself while its pages fault.
func TestCopiesThatFault(t *testing.T) {
	emu, guest := emuPath(t), build(t, "guest/isa/copies.c", arm64, "-O1")
	for _, tier := range []string{"interp", "interp2", "1", "2", "auto"} {
		if got := run(t, "", emu, "-tier="+tier, "-hot=50", guest); got.stdout != "ok\n" {
			t.Errorf("-tier=%s: %s%s", tier, got.stdout, got.stderr)
		}
	}
}

// TestTaggedMemory is what the kernel's own tests of memory tags are about, and more of
// shared memory: its mappings, and children, once had tags of their own each.
func TestTaggedMemory(t *testing.T) {
	emu, guest := emuPath(t), build(t, "guest/isa/mte_memory.c", arm64, "-O1", "-march=armv8.5-a+memtag")
	for _, tier := range []string{"interp", "1", "2", "auto"} {
		if got := run(t, "", emu, "-tier="+tier, "-hot=50", "-cpu=max,mte=on", guest); got.stdout != "ok\n" {
			t.Errorf("-tier=%s: %s%s", tier, got.stdout, got.stderr)
		}
	}
}

// TestGuardedControlStack compares what a program sees of FEAT_GCS with gcs.txt, which is
// what Linux documents. qemu-aarch64 11 agrees where no more than correct programs need
// is asked for: its shadow stacks are ordinary memory; and its SIGSEGV for bad frames has
// no address.
func TestGuardedControlStack(t *testing.T) {
	golden, err := os.ReadFile("guest/isa/gcs.txt")
	if err != nil {
		t.Fatal(err)
	}
	emu, guest := emuPath(t), build(t, "guest/isa/gcs.c", arm64, "-O1")
	for _, tier := range []string{"interp", "interp2", "1", "2", "auto"} {
		if got := run(t, "", emu, "-tier="+tier, "-hot=50", guest); got.stdout != string(golden) {
			t.Errorf("-tier=%s: got\n%swant\n%s%s", tier, got.stdout, golden, got.stderr)
		}
	}
	if got := run(t, "", emu, "-cpu=max,gcs=off", guest, "off"); got.stdout != "hwcap 0 status -22 map -95\nsignal 4 chkfeat 1\n" {
		t.Errorf("without FEAT_GCS: got\n%s", got.stdout)
	}
	judge, _ := need.Qemu(t, auditedQemu)
	want := map[string]string{}
	for _, section := range strings.Split(string(golden), "--- ") {
		name, text, _ := strings.Cut(section, "\n")
		want[name] = text
	}
	sections := strings.Split(run(t, "", judge, "-cpu", "max,pauth-impdef=on", guest, "qemu").stdout, "--- ")
	if len(sections) < 2 {
		t.Errorf("%s prints nothing to compare with", judge)
	}
	for _, section := range sections {
		name, text, _ := strings.Cut(section, "\n")
		if strings.HasPrefix(name, "frame") || name == "spawning" { // the latter would run the host's programs
			continue
		}
		if text != want[name] {
			t.Errorf("%s: qemu has\n%swant\n%s", name, text, want[name])
		}
	}
}

// TestMemoryTags compares what a program sees of FEAT_MTE with mte.txt, which is what
// Linux documents. qemu-aarch64 11 agrees about the tags that instructions choose and
// the faults in synchronous mode, but shows their addresses' tags always, and leaves
// PSTATE.TCO set in handlers.
func TestMemoryTags(t *testing.T) {
	golden, err := os.ReadFile("guest/isa/mte.txt")
	if err != nil {
		t.Fatal(err)
	}
	emu, guest := emuPath(t), build(t, "guest/isa/mte.c", arm64, "-O1", "-march=armv8.5-a+memtag", "-pthread")
	for _, tier := range []string{"interp", "interp2", "1", "2", "auto"} {
		if got := run(t, "", emu, "-tier="+tier, "-hot=50", "-cpu=max,mte=on", guest); got.stdout != string(golden) {
			t.Errorf("-tier=%s: got\n%swant\n%s%s", tier, got.stdout, golden, got.stderr)
		}
	}
	if got := run(t, "", emu, guest, "announced"); !strings.Contains(got.stdout, "mte 0 mte3 0 field 0\n") {
		t.Errorf("without -cpu=max,mte=on: got\n%s", got.stdout)
	}
}
