package amd64

import (
	"fmt"
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

// hotCode is the hot code of a unit on the least of hosts, a line for each instruction.
func hotCode(t *testing.T, f *ir.Func) string {
	t.Helper()
	if err := f.Verify(); err != nil {
		t.Fatal(err)
	}
	var code host.Code
	back := New()
	if err := back.Compile(f, host.Options{Verify: true}, &code); err != nil {
		t.Fatal(err)
	}
	return strings.Join(back.Disasm(code.Bytes[:code.Hot], 0), "\n")
}

// TestIntegerMovesAreNarrow: where integers change places in slots, of which they fill 8 bytes, nothing reads
// 16, which would wait until what was stored last has left the store buffer.
func TestIntegerMovesAreNarrow(t *testing.T) {
	b := ir.NewBuilder(ir.NewFunc(256))
	b.Reset(0x1000)
	b.Insn(0x1000)
	const n = 30 // many more than there are registers
	var first, next []ir.Value
	for k := range n {
		first = append(first, b.GetX(k))
	}
	b.Loop(first...)
	for k := range n {
		next = append(next, b.Arg(k^1))
		b.SetX(k, b.Arg(k))
	}
	b.Poll(0x1000)
	b.Continue(0, next...)
	b.End()
	text := hotCode(t, b.Func)
	if !strings.Contains(text, "xmm") {
		t.Error("no slot goes by way of a vector register: this is no test")
	}
	if strings.Contains(text, "movups") {
		t.Errorf("a slot is moved as a vector\n%s", text)
	}
}

// TestAlignLoops looks where loops begin behind other code: a short one at a multiple of
// host.LoopAlign if that is asked for, a long one at the next of host.CodeAlign.
func TestAlignLoops(t *testing.T) {
	const front = "insn #0x1000\nv1:i64 = getx #0\nv2:i64 = load v1, 0\nstore v2, v1, 8\n"
	for _, c := range []struct {
		name  string
		align bool
		loads int
		want  int // the head's offset
	}{
		{"short, asked for", true, 1, host.LoopAlign},
		{"short, not asked for", false, 1, host.CodeAlign},
		{"long, asked for", true, 2 * maxShortLoop, host.CodeAlign},
	} {
		text := front + "loop v1\nv6:i64 = blockarg #0\nsetx #0, v6\ninsn #0x1000\npoll #0x1000\n"
		last := 6
		n := 10
		for range c.loads {
			text += fmt.Sprintf("v%d:i64 = load v%d, 0\n", n, last)
			last = n
			n++
		}
		text += fmt.Sprintf("v%d:i1 = icmp.ne v%d, v2\nif v%d\ncontinue #0, v%d\nelse\njump #0x1010\nend_block\nend_block\n", n, last, n, last)
		f, err := ir.Parse("func 0x1000 size 4\n" + text)
		if err != nil {
			t.Fatalf("%s: %v\n%s", c.name, err, text)
		}
		b := New()
		var code host.Code
		if err := b.Compile(f, host.Options{Verify: true, AlignLoops: c.align}, &code); err != nil {
			t.Fatal(err)
		}
		head := -1
		for _, line := range b.Disasm(code.Bytes[:code.Hot], 0) {
			if strings.Contains(line, "cmp dword ptr") {
				if _, err := fmt.Sscanf(line, "%v", &head); err != nil {
					t.Fatal(err)
				}
				break
			}
		}
		if head != c.want {
			t.Errorf("%s: the loop begins at %d, not %d", c.name, head, c.want)
		}
	}
}
