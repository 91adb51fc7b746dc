package interp

import (
	"testing"

	"emu/cpu"
	"emu/ir"
)

// run executes b's unit with the given X registers and returns the state.
func run(t *testing.T, b *ir.Builder, x map[int]uint64) *cpu.State {
	t.Helper()
	if err := b.Verify(); err != nil {
		t.Fatalf("%v\n%v", err, b)
	}
	s := new(cpu.State)
	for n, v := range x {
		s.X[n] = v
	}
	if exit := new(Machine).Exec(b.Func, s); exit.Kind != cpu.ExitBranch {
		t.Fatalf("exit %v\n%v", exit.Kind, b)
	}
	return s
}

// count returns how often op occurs.
func count(f *ir.Func, op ir.Op) (n int) {
	for _, i := range f.Insts {
		if i.Op() == op {
			n++
		}
	}
	return n
}

// Seed 000: int i = 0; while (i < 10) i++, built by peeling.
func TestPeelCount(t *testing.T) {
	for _, start := range []uint64{0, 9, 10, 77} {
		b := ir.NewBuilder(ir.NewFunc(64))
		b.SetX(1, b.I64(start))
		b.PeelLoop(
			func() ir.Value { return b.ICmp(ir.SLT, b.GetX(1), b.I64(10)) },
			func() { b.SetX(1, b.AddI(b.GetX(1), 1)) },
		)
		b.SetX(2, b.GetX(1))
		b.Jump(0x1000)
		if n := count(b.Func, ir.OpLoop); n != 1 {
			t.Errorf("%d loops\n%v", n, b)
		}
		if n := count(b.Func, ir.OpBlockArg); n != 1 {
			t.Errorf("%d loop arguments, only X1 changes\n%v", n, b)
		}
		if s := run(t, b, nil); s.X[1] != max(start, 10) || s.X[2] != s.X[1] {
			t.Errorf("from %d: X1 = %d, X2 = %d\n%v", start, s.X[1], s.X[2], b)
		}
	}
}

// A body with an IF that changes a register in one arm, an inner loop, a vector
// and flags.
func TestPeelNested(t *testing.T) {
	build := func(b *ir.Builder) {
		b.PeelLoop(
			func() ir.Value {
				return b.ICmp(ir.NE, b.GetX(1), b.I64(0))
			},
			func() {
				x := b.GetX(1)
				b.SetX(1, b.SubI(x, 1))
				b.SetNZCV(b.Op2(ir.OpSubF, x, b.I64(1)))
				b.If(b.ICmp(ir.NE, b.AndI(x, 1), b.I64(0)))
				b.SetX(2, b.Add(b.GetX(2), x))
				b.Else()
				b.SetX(3, b.AddI(b.GetX(3), 1))
				b.End()
				b.SetV(4, b.Add(b.GetV(ir.V2I64, 4), b.VDup(x)))
				b.PeelLoop(
					func() ir.Value { return b.ICmp(ir.ULT, b.GetX(5), b.GetX(1)) },
					func() { b.SetX(5, b.AddI(b.GetX(5), 2)) },
				)
			},
		)
		b.Jump(0x1000)
	}
	for n := range uint64(8) {
		b := ir.NewBuilder(ir.NewFunc(64))
		build(b)
		s := run(t, b, map[int]uint64{1: n})
		var x2, x3, x5, sum uint64
		for k := n; k > 0; k-- {
			if k&1 != 0 {
				x2 += k
			} else {
				x3++
			}
			sum += k
			for x5 < k-1 {
				x5 += 2
			}
		}
		if s.X[1] != 0 || s.X[2] != x2 || s.X[3] != x3 || s.X[5] != x5 || s.V[4] != [2]uint64{sum, sum} {
			t.Errorf("n = %d: X1 %d X2 %d X3 %d X5 %d V4 %d; want 0 %d %d %d %d\n%v",
				n, s.X[1], s.X[2], s.X[3], s.X[5], s.V[4], x2, x3, x5, sum, b)
		}
	}
}

// A loop whose body always leaves the unit has no back edge.
func TestPeelWithoutBackEdge(t *testing.T) {
	b := ir.NewBuilder(ir.NewFunc(64))
	b.PeelLoop(
		func() ir.Value { return b.ICmp(ir.NE, b.GetX(1), b.I64(0)) },
		func() {
			b.SetX(2, b.I64(5))
			b.Jump(0x2000)
		},
	)
	b.SetX(2, b.I64(6))
	b.Jump(0x1000)
	if n := count(b.Func, ir.OpLoop); n != 0 {
		t.Errorf("%d loops\n%v", n, b)
	}
	if s := run(t, b, map[int]uint64{1: 1}); s.X[2] != 5 || s.PC != 0x2000 {
		t.Errorf("X2 = %d at %#x", s.X[2], s.PC)
	}
	if s := run(t, b, nil); s.X[2] != 6 || s.PC != 0x1000 {
		t.Errorf("X2 = %d at %#x", s.X[2], s.PC)
	}
}

// The same loop from a declared set of registers.
func TestLoopRegs(t *testing.T) {
	b := ir.NewBuilder(ir.NewFunc(64))
	outer := b.BlockRegs(ir.RegSet{X: 1 << 2})
	limit := b.GetX(4)
	loop := b.LoopRegs(ir.RegSet{X: 1<<1 | 1<<2, V: 1 << 3})
	b.If(b.ICmp(ir.EQ, b.GetX(1), b.I64(0)))
	b.BreakTo(loop)
	b.End()
	b.SetX(1, b.SubI(b.GetX(1), 1))
	b.SetX(2, b.Add(b.GetX(2), b.GetX(1)))
	b.SetV(3, b.Op2(ir.OpAdd, b.GetV(ir.V4I32, 3), b.VDup(b.GetW(1))))
	b.If(b.ICmp(ir.UGT, b.GetX(2), limit))
	b.BreakTo(outer)
	b.End()
	b.ContinueTo(loop)
	b.End()
	b.SetX(2, b.AddI(b.GetX(2), 1000))
	b.End()
	b.SetX(6, b.GetX(2))
	b.Jump(0x1000)
	if n := count(b.Func, ir.OpGetX); n != 3 {
		t.Errorf("%d GETs of X registers, want 3: X4, X1 and X2 before the loop\n%v", n, b)
	}
	if s := run(t, b, map[int]uint64{1: 4, 4: 100}); s.X[1] != 0 || s.X[6] != 1006 || s.V[3][0] != 6<<32|6 {
		t.Errorf("X1 %d X6 %d V3 %#x", s.X[1], s.X[6], s.V[3])
	}
	if s := run(t, b, map[int]uint64{1: 4, 4: 4}); s.X[1] != 2 || s.X[6] != 5 {
		t.Errorf("X1 %d X6 %d", s.X[1], s.X[6])
	}
}

func TestLoopRegsRefusesOthers(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("a write of X2 in a loop of X1 is accepted")
		}
	}()
	b := ir.NewBuilder(ir.NewFunc(64))
	b.LoopRegs(ir.RegSet{X: 1 << 1})
	b.SetX(2, b.I64(1))
	b.Continue(0)
	b.End()
}
