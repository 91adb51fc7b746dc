package tests

import (
	"os"
	"slices"
	"strings"
	"syscall"
	"testing"

	"emu/tests/need"
)

// sveFlags build the guests of SVE.
var sveFlags = []string{"-O1", "-march=armv8.2-a+sve"}

// TestSVEOfTheKernel compares what a program sees of FEAT_SVE where the kernel comes in between with
// kernel.txt, which is what Linux documents and does: frames, system calls, prctl. qemu-aarch64 11 agrees
// about what it restores from frames and which it refuses. It differs on purpose or as it has
// other records: system calls leave predicates alone there, the vectors of a frame come from the record
// of SVE, which is always whole, and of prctl's flags it knows none.
func TestSVEOfTheKernel(t *testing.T) {
	golden, err := os.ReadFile("guest/sve/kernel.txt")
	if err != nil {
		t.Fatal(err)
	}
	emu, guest := emuPath(t), build(t, "guest/sve/kernel.c", arm64, sveFlags...)
	for _, tier := range []string{"interp", "interp2", "1", "2", "auto"} {
		if got := run(t, "", emu, "-tier="+tier, "-hot=50", "-cpu=max,sve=on", guest); got.stdout != string(golden) {
			t.Errorf("-tier=%s: got\n%swant\n%s%s", tier, got.stdout, golden, got.stderr)
		}
	}
	judge, _ := need.Qemu(t, auditedQemu)
	sections := sectionsOf(run(t, "", judge, "-cpu", "max,sve=on,sve-max-vq=1", guest).stdout)
	want := sectionsOf(string(golden))
	for _, name := range []string{"returns", "refused"} {
		if sections[name] != want[name] || want[name] == "" {
			t.Errorf("%s: qemu has\n%swant\n%s", name, sections[name], want[name])
		}
	}
}

// TestSVEWithoutAsking runs a program for processors with SVE, which does not ask whether there is SVE, on the
// one that there is by default: it ended by SIGILL. It is told of none, and signals keep its predicates. A
// processor that is said to have none has none.
func TestSVEWithoutAsking(t *testing.T) {
	emu, guest := emuPath(t), build(t, "guest/sve/unannounced.c", arm64, sveFlags...)
	const told = "HWCAP_SVE 0, PR_SVE_GET_VL -1\n"
	for _, tier := range []string{"interp", "interp2", "1", "2", "auto"} {
		if got := run(t, "", emu, "-tier="+tier, "-hot=50", guest); got.stdout != told+"0 wrong sums\n" || got.status != 0 {
			t.Errorf("-tier=%s: status %d\n%s%s", tier, got.status, got.stdout, got.stderr)
		}
	}
	for _, cpu := range []string{"max,sve=off", "cortex-a72", "neoverse-n1"} {
		if got := run(t, "", emu, "-cpu="+cpu, guest); got.signal != syscall.SIGILL || got.stdout != told {
			t.Errorf("-cpu=%s: %+v", cpu, got)
		}
	}
}

// sectionsOf are the parts of a guest's output by the names that lines "--- name" give them.
func sectionsOf(text string) map[string]string {
	parts := map[string]string{}
	for _, section := range strings.Split(text, "--- ") {
		name, lines, _ := strings.Cut(section, "\n")
		parts[name] = lines
	}
	return parts
}

// TestSVERegisterSet compares what a tracer sees of the register set NT_ARM_SVE, and what becomes of what it
// writes there, with ptrace.txt, which is what Linux 6.16 does.
func TestSVERegisterSet(t *testing.T) {
	golden, err := os.ReadFile("guest/sve/ptrace.txt")
	if err != nil {
		t.Fatal(err)
	}
	emu, guest := emuPath(t), build(t, "guest/sve/ptrace.c", arm64, sveFlags...)
	for _, tier := range []string{"interp", "1", "2", "auto"} {
		if got := run(t, "", emu, "-tier="+tier, "-hot=50", "-cpu=max,sve=on", guest); got.stdout != string(golden) {
			t.Errorf("-tier=%s: got\n%swant\n%s%s", tier, got.stdout, golden, got.stderr)
		}
	}
}

// TestCoreVectors: a core has the registers of SVE, where gdb looks for them.
func TestCoreVectors(t *testing.T) {
	guest := build(t, "guest/sve/crash.c", arm64, sveFlags...)
	got, dir := dumpCore(t, "unlimited", nil, emuPath(t), "-cpu", "max,sve=on", guest)
	if got.signal != syscall.SIGILL {
		t.Fatalf("%v\n%s", got, got.stderr)
	}
	const ntArmSVE = 0x405
	c := openCore(t, dir)
	at := slices.IndexFunc(c.notes, func(n coreNote) bool { return n.kind == ntArmSVE })
	if at < 0 || c.notes[at-1].kind != ntSystemCall {
		t.Fatalf("notes %v", c.notes)
	}
	set := c.one(ntArmSVE)
	if len(set) != 592 || word(set, 0) != 592 || word(set, 12) != 1 || long(set, 16+16*3) != 3 || word(set, 528) != 0x01020001 || word(set, 560)&0xffff != 0xff {
		t.Errorf("registers of SVE: %x", set)
	}
	gdb := need.Tool(t, "gdb-multiarch", "gdb-multiarch")
	out := run(t, "", gdb, "-nx", "-batch", "-ex", "print/x $p3", "-ex", "print/x $ffr", "-ex", "print $z3.d.u[0]", "-ex", "print $v4.d.u[0]", "-ex", "print $vg", guest, c.path)
	for _, want := range []string{"$1 = {0x4, 0x3}", "$2 = {0xff, 0x0}", "$3 = 3", "$4 = 4", "$5 = 2"} {
		if !strings.Contains(out.stdout, want+"\n") {
			t.Errorf("gdb does not print %q:\n%s%s", want, out.stdout, out.stderr)
		}
	}
}

// TestSVEIsInCpuinfo is about the names of features in /proc/cpuinfo.
func TestSVEIsInCpuinfo(t *testing.T) {
	emu, guest := emuPath(t), build(t, "guest/isa/models.c", arm64, "-O1")
	for cpu, want := range map[string]string{
		"max":                 "",
		"max,sve=on":          " sve sve2 sveaes svepmull svebitperm svesha3 svesm4 svei8mm svef32mm svebf16 sveebf16",
		"max,sve=on,sve2=off": " sve svei8mm svef32mm svebf16 sveebf16",
		"cortex-a76,+sve":     " sve",
	} {
		got := run(t, "", emu, "-cpu", cpu, guest, "features")
		var names string
		for _, name := range strings.Fields(got.stdout) {
			if strings.HasPrefix(name, "sve") {
				names += " " + name
			}
		}
		if names != want {
			t.Errorf("%s: got%s, want%s", cpu, names, want)
		}
	}
}

// TestModelsWithSVE runs the same on processors that have it.
func TestModelsWithSVE(t *testing.T) {
	golden, err := os.ReadFile("guest/sve/kernel.txt")
	if err != nil {
		t.Fatal(err)
	}
	emu, guest := emuPath(t), build(t, "guest/sve/kernel.c", arm64, sveFlags...)
	for _, cpu := range []string{"neoverse-v1", "neoverse-n2", "neoverse-v2", "cortex-a76,+sve", "max,sve=on,sve2=off"} {
		if got := run(t, "", emu, "-cpu", cpu, guest); got.stdout != string(golden) {
			t.Errorf("%s: got\n%swant\n%s%s", cpu, got.stdout, golden, got.stderr)
		}
	}
}
