package ir

import "testing"

// In the steady state building allocates nothing (seed 000, section 4).
func TestBuildingAllocatesNothing(t *testing.T) {
	b := NewBuilder(NewFunc(256))
	build := func() {
		b.Reset(0x1000)
		b.BlockRegs(RegSet{X: 1 << 9})
		b.LoopRegs(RegSet{X: 1<<1 | 1<<2 | 1<<9, V: 1 << 3, NZCV: true}, b.I64(1), b.I64(2))
		b.If(b.ICmp(EQ, b.GetX(1), b.I64(0x123456789)))
		b.SetX(2, b.Add(b.GetX(4), b.GetX(5)))
		b.Yield(b.GetX(6))
		b.Else()
		for n := 1; n < 3; n++ {
			b.SetX(n, b.Mul(b.GetX(n), b.I64(uint64(n)<<20)))
		}
		b.SetV(3, b.Op2(OpFAdd, b.GetV(V2F64, 3), b.GetV(V2F64, 4)))
		b.Yield(b.GetX(7))
		r := b.End()
		b.SetX(9, r)
		b.SetNZCV(b.Op2(OpSubF, r, b.GetX(8)))
		b.If(b.Op2(OpFlagCond, b.GetNZCV(), Imm(0)))
		b.Break(1)
		b.End()
		b.Continue(0, r, b.Arg(1))
		b.End()
		b.End()
		b.Jump(0x2000)
	}
	build()
	if err := b.Verify(); err != nil {
		t.Fatalf("%v\n%v", err, b)
	}
	if n := testing.AllocsPerRun(100, build); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
