package amd64

import (
	"os"
	"strings"
	"testing"

	"emu/ir"
	"emu/jit/asm/x64"
	"emu/jit/host"
)

// TestIntegerCode compares the host code of small units with what is on record in
// testdata/integer.txt, so that a change of the code's quality is seen. Each
// section is a title, the unit's text, a line "--" and the hot code.
func TestIntegerCode(t *testing.T) {
	compareCode(t, "testdata/integer.txt", x64.BMI1|x64.BMI2|x64.LZCNT)
}

// TestLoopCode does the same for loops, testdata/loops.txt: between a loop's poll
// and the branch back nothing loads or stores the guest's registers.
func TestLoopCode(t *testing.T) {
	compareCode(t, "testdata/loops.txt", x64.BMI1|x64.BMI2|x64.LZCNT)
}

// TestKernelLoopCode does the same for hot loops of the kernels in tests/kernels, as
// the passes leave them, testdata/kernels.txt, on a host of 2015: one line more in a
// loop is one instruction more per iteration.
func TestKernelLoopCode(t *testing.T) {
	compareCode(t, "testdata/kernels.txt", x64.BMI1|x64.BMI2|x64.LZCNT|x64.AVX|x64.AVX2|x64.FMA)
}

func compareCode(t *testing.T, path string, features x64.Features) {
	old, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	o := host.Options{Features: uint64(features), Verify: true} // the same on every host
	b := New()
	var code host.Code
	var now strings.Builder
	for _, section := range strings.Split(string(old), "== ")[1:] {
		title, rest, _ := strings.Cut(section, "\n")
		text, want, _ := strings.Cut(rest, "--\n")
		f, err := ir.Parse("func 0x1000 size 4\n" + text)
		if err != nil {
			t.Fatalf("%s: %v", title, err)
		}
		if err := f.Verify(); err != nil {
			t.Fatalf("%s: %v", title, err)
		}
		if err := b.Compile(f, o, &code); err != nil {
			t.Fatal(err)
		}
		var got strings.Builder
		for _, line := range b.Disasm(code.Bytes[:code.Hot], 0) {
			if _, inst, ok := strings.Cut(strings.TrimSpace(line[strings.Index(line, "\t")+1:]), "\t"); ok && !strings.HasSuffix(inst, "nop") && !strings.HasPrefix(inst, "nop") {
				got.WriteString(strings.TrimSpace(inst) + "\n")
			}
		}
		if got.String() != strings.TrimRight(want, "\n")+"\n" && !*update {
			t.Errorf("%s: the code changed; if that is meant, run the test with -update\n%s", title, got.String())
		}
		now.WriteString("== " + title + "\n" + text + "--\n" + got.String() + "\n")
	}
	if *update {
		if err := os.WriteFile(path, []byte(now.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}
