package ir

import "testing"

func TestBuilderSharesAndForwards(t *testing.T) {
	b := NewBuilder(NewFunc(64))
	x := b.GetX(1)
	if b.GetX(1) != x {
		t.Error("a second GetX reads the state again")
	}
	s := b.Add(x, b.GetX(2))
	if b.Add(b.GetX(2), x) != s {
		t.Error("x+y and y+x are two values")
	}
	b.SetX(3, s)
	if b.GetX(3) != s {
		t.Error("GetX does not see SetX")
	}
	n := len(b.Insts)
	b.SetX(3, s)
	if len(b.Insts) != n {
		t.Error("a SET of the value that the register holds was emitted")
	}
	cond := b.ICmp(EQ, x, s)
	if b.Select(cond, b.Const(I1, 1), b.Const(I1, 0)) != cond {
		t.Error("a condition as true or false is another value")
	}
	b.If(cond)
	inner := b.Sub(x, s)
	b.Else()
	if b.Sub(x, s) == inner {
		t.Error("a value of the then arm is used in the else arm")
	}
	b.End()
	if b.Terminated() {
		t.Error("terminated after an IF that falls through")
	}
}

// The registers that only the else arm writes have to reach the YIELD of the
// then arm, which is emitted before.
func TestBuilderMergesRegisters(t *testing.T) {
	b := NewBuilder(NewFunc(64))
	c := b.ICmp(EQ, b.GetX(0), b.I64(0))
	b.If(c)
	b.SetX(1, b.I64(10))
	b.Else()
	for n := 1; n < 9; n++ {
		b.SetX(n, b.AddI(b.GetX(n+10), uint64(n)))
	}
	b.End()
	if n := b.Insts[b.GetX(1)].Op(); n != OpMerge {
		t.Errorf("X1 comes from %v, not from the merge", n)
	}
	for n := 2; n < 9; n++ {
		if op := b.Insts[b.GetX(n)].Op(); op != OpDefExt {
			t.Errorf("X%d comes from %v, not from the merge", n, op)
		}
	}
	yields := 0
	for n, i := range b.Insts {
		if i.Op() == OpYield {
			yields++
			if got := len(b.Operands(n, nil)); got != 8 {
				t.Errorf("a yield of %d values", got)
			}
		}
	}
	if yields != 2 {
		t.Errorf("%d yields", yields)
	}
}

func BenchmarkBuilder(b *testing.B) {
	bl := NewBuilder(NewFunc(256))
	b.ReportAllocs()
	for b.Loop() {
		bl.Reset(0x1000)
		for n := range 16 {
			bl.Insn(0x1000 + 4*uint64(n))
			bl.SetX(n, bl.Add(bl.GetX(n+1), bl.GetX(n+2)))
		}
		bl.Jump(0x1040)
	}
}
