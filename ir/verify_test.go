package ir

import (
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"
)

// TestVerifyFixtures breaks the rules one by one: a fixture's lines with "; error:"
// are the ones that Verify has to report, with these words, and no others.
func TestVerifyFixtures(t *testing.T) {
	files, _ := filepath.Glob("testdata/verify/*.txtar")
	if len(files) == 0 {
		t.Fatal("no fixtures")
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			a, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			text := string(a.Files[0].Data)
			f, lines, err := ParseLines(text)
			if err != nil {
				t.Fatal(err)
			}
			want := make(map[int]string)
			for n, line := range strings.Split(text, "\n") {
				if _, msg, ok := strings.Cut(line, "; error: "); ok {
					want[n+1] = msg
				}
			}
			for _, e := range breaches(f.Verify()) {
				line := lines[min(e.At, len(lines)-1)]
				if strings.HasSuffix(e.Msg, "is not closed") {
					line = 1
				}
				if want[line] != e.Msg {
					t.Errorf("line %d: %s", line, e.Msg)
				}
				delete(want, line)
			}
			for line, msg := range want {
				t.Errorf("line %d is accepted, want: %s", line, msg)
			}
		})
	}
}

// breaches takes a joined error apart.
func breaches(err error) (list []*Error) {
	if err == nil {
		return nil
	}
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		for _, e := range joined.Unwrap() {
			list = append(list, breaches(e)...)
		}
		return list
	}
	var e *Error
	if errors.As(err, &e) {
		list = append(list, e)
	}
	return list
}

// TestVerifyDamage breaks the rules that the text form cannot express.
func TestVerifyDamage(t *testing.T) {
	for _, c := range []struct {
		name, want string
		damage     func(f *Func)
	}{
		{"pool index", "operand 1 is not in the constant pool", func(f *Func) {
			f.Insts[1] = MakeInst(OpNot, constBit|Value(len(f.Consts)), None, None)
		}},
		{"constant too wide", "does not fit its type", func(f *Func) {
			f.Consts = append(f.Consts, Const{Type: I32, Lo: 1 << 32})
		}},
		{"operand beyond the end", "operand 1 is no instruction", func(f *Func) {
			f.Insts[1] = MakeInst(OpNot, 1000, None, None)
		}},
		{"opcode", "unknown opcode or type", func(f *Func) { f.Insts[1] = MakeInst(NumOps, None, None, None) }},
		{"type", "unknown opcode or type", func(f *Func) { f.Types[1] = NumTypes }},
		{"NOP with operands", "NOP with operands", func(f *Func) {
			f.Insts[0] = MakeInst(OpNop, Imm(1), None, None)
		}},
		{"NOP count", "NOPs are counted", func(f *Func) { f.nops++ }},
		{"use count", "use count is 5", func(f *Func) { f.Uses[0] = 5 }},
		{"arrays", "parallel arrays", func(f *Func) { f.Types = f.Types[:1] }},
		{"too many instructions", "more than operands can name", func(f *Func) {
			for len(f.Insts) <= int(constBit) {
				f.Insts = slices.Insert(f.Insts, 1, MakeInst(OpNop, None, None, None))
				f.Insts = append(f.Insts, f.Insts...)
			}
		}},
		{"missing operand", "operand 1 is missing", func(f *Func) {
			f.Insts[1] = MakeInst(OpAdd, None, Imm(1), None)
		}},
	} {
		f, err := Parse("a:i64 = getx #1\nb:i64 = not a\njump_ind b, #1\n")
		if err != nil {
			t.Fatal(err)
		}
		if err := f.Verify(); err != nil {
			t.Fatal(err)
		}
		c.damage(f)
		if err := f.Verify(); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: Verify says %v, want %q", c.name, err, c.want)
		}
	}
}

// The unit ends early at the limit; the rest becomes another unit (rule 4.3).
func TestFullAtTheLimit(t *testing.T) {
	b := NewBuilder(NewFunc(16))
	n := 0
	for ; !b.Full(); n++ {
		b.SetX(1, b.Add(b.GetX(1), b.GetX(2)))
	}
	if len(b.Insts) < MaxInsts || len(b.Insts) > MaxInsts+2 {
		t.Errorf("full at %d instructions", len(b.Insts))
	}
	b.Jump(0x1000)
	if err := b.Verify(); err != nil {
		t.Error(err)
	}
}
