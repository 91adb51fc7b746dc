package ir

import (
	"slices"
	"strings"
	"testing"
)

// Each opcode has one complete row, and each one that computes has an Eval.
func TestRowsAreComplete(t *testing.T) {
	names := make(map[string]Op)
	for op := range NumOps {
		row := op.Info()
		if row.Name == "" || row.Ret == "" || row.Doc == "" {
			t.Errorf("opcode %d (%s) has an incomplete row", op, row.Name)
			continue
		}
		if other, dup := names[row.Name]; dup {
			t.Errorf("%s names the opcodes %d and %d", row.Name, op, other)
		}
		names[row.Name] = op
		computes := row.Flags&(Pure|FPStatus|SetsQC) != 0 &&
			row.Flags&(StateRead|StateWrite) == 0 && op != OpHelperV
		if computes != (row.Eval != nil) {
			t.Errorf("%s: computes %v, has Eval %v", row.Name, computes, row.Eval != nil)
		}
		if strings.Trim(row.Args, "TFbwifvV#*") != "" || len(row.Args) > 3 {
			t.Errorf("%s: operands %q", row.Name, row.Args)
		}
		if row.Flags&Pure != 0 && row.Flags&^(Pure|Commutes) != 0 {
			t.Errorf("%s is pure and something else", row.Name)
		}
		if row.Flags&Commutes != 0 && (len(row.Args) < 2 || row.Args[0] != row.Args[1]) {
			t.Errorf("%s commutes with operands %q", row.Name, row.Args)
		}
	}
	if NumOps > 1<<opBits {
		t.Errorf("%d opcodes do not fit %d bits", NumOps, opBits)
	}
}

// A pure operation must not look at the floating-point environment.
func TestPureOperationsIgnoreEnv(t *testing.T) {
	vals := []Val{{0x7ff0000000000001, 0x80000000ff800001}, {1, 1 << 63}, {0x3f8000003f800000, 5}}
	for op := range NumOps {
		row := op.Info()
		if row.Flags&Pure == 0 || slices.Contains([]Op{OpVDupL, OpVGet, OpVSet, OpVInsL, OpRev, OpCrc32, OpCrc32C, OpUbfx, OpSbfx, OpBfi, OpICmp, OpFExpA}, op) {
			continue
		}
		for ty := I32; ty < NumTypes; ty++ {
			if ty == Flags {
				continue
			}
			var a, b Env
			b.FPCR = 1<<24 | 1<<25 | 3<<22
			x := row.Eval(&a, ty, ty, vals[0], vals[1], vals[2])
			y := row.Eval(&b, ty, ty, vals[0], vals[1], vals[2])
			if x != y || a.FPSR|b.FPSR != 0 {
				t.Errorf("%s of %v depends on FPCR or changes FPSR", row.Name, ty)
			}
		}
	}
}

func TestPacking(t *testing.T) {
	if opBits+3*srcBits != 64 || srcMask != 1<<18-1 || constBit != 1<<17 {
		t.Error("an instruction is not 10 + 3 x 18 bits with bit 17 as the mark of a constant")
	}
	i := MakeInst(OpAdd, 131071, Imm(255), None)
	if i.Op() != OpAdd || i.A() != 131071 || i.B() != Imm(255) || i.C() != None || i.Arg(1) != i.B() {
		t.Errorf("%#x does not unpack", uint64(i))
	}
	if None.IsConst() || None.IsSSA() || !Imm(0).IsConst() || Imm(0).IsSSA() {
		t.Error("None is taken for an operand")
	}
}
