//go:build linux && amd64

package amd64_test

import (
	"strings"
	"testing"

	"emu/cpu"
	"emu/ir"
	"emu/jit/amd64"
	"emu/jit/host"
)

// hotCode is the disassembly of f's code, without what is cold.
func hotCode(t *testing.T, f *ir.Func) string {
	t.Helper()
	var code host.Code
	be := amd64.New()
	if err := be.Compile(f, host.Options{Verify: true}, &code); err != nil {
		t.Fatal(err)
	}
	return strings.Join(be.Disasm(code.Bytes[:code.Hot], 0), "\n")
}

// TestTableOfAllValues: a table has an entry for each target that an offset of 8 bits leads to, and the jump tests nothing,
// also where the target goes around a loop.
func TestTableOfAllValues(t *testing.T) {
	n := newBench(t)
	for k := range 16 {
		signed, shift, base := k&1 == 0, k&2, []uint64{0x2000, 0x5555_5555_4000, 1<<64 - 0x2000, 1<<31 - 64}[k/4]
		b := ir.NewBuilder(ir.NewFunc(2048))
		b.Reset(0x1000)
		const cases = 12
		next := func() ir.Value {
			at := b.AndI(b.GetX(1), memSize-1)
			if signed {
				return b.Add(b.ShlI(b.LoadS(ir.I64, 8, b.GetX(3), at), shift), b.I64(base))
			}
			return b.Add(b.ShlI(b.Zext(ir.I64, b.Load(ir.I8, b.GetX(3), at)), shift), b.I64(base))
		}
		b.Insn(0x1000)
		b.SetX(4, next())
		l := b.LoopRegs(ir.RegSet{X: 1<<1 | 1<<2 | 1<<4})
		b.Insn(0x1004)
		target := b.GetX(4)
		for k := range uint64(cases) {
			b.If(b.ICmp(ir.EQ, target, b.I64(base+(k<<shift))))
			b.Insn(0x1008)
			left := b.SubI(b.GetX(1), 1)
			b.SetX(1, left)
			b.SetX(2, b.Add(b.ShlI(b.GetX(2), 1), b.AddI(left, k)))
			b.If(b.ICmp(ir.SLT, left, b.I64(0)))
			b.Jump(0x1010)
			b.Else()
			b.SetX(4, next())
			b.Poll(0x1004)
			b.ContinueTo(l)
			b.End()
			b.Else()
		}
		b.Jump(0x1014)
		for range cases {
			b.End()
		}
		b.End()
		if err := b.Verify(); err != nil {
			t.Fatal(err)
		}
		for name, o := range configs() {
			for first := k; first < 256; first += 7 {
				report := n.compare(b.Func, o, func(s *cpu.State, mem []byte) {
					for k := range mem {
						mem[k] = byte(k * 7 % cases)
					}
					mem[9] = byte(first) // sometimes none of the cases
					s.X[1], s.X[2], s.X[3] = uint64(9+first%12), 5, n.address()
				})
				if report != "" {
					t.Fatalf("%s, signed %v << %d, %#x, %d: %s", name, signed, shift, base, first, report)
				}
			}
		}
		if text := hotCode(t, b.Func); strings.Contains(text, "\tjnb ") || strings.Count(text, "\tjmp r") < cases {
			t.Errorf("signed %v << %d, %#x: the jumps are not all there, or test their target\n%s", signed, shift, base, text)
		}
	}
}

// TestTableOfMoreValues: what adds to a loop's argument, in one loop or by way of an inner one, gives it values that are
// neither the first one nor in the text.
func TestTableOfMoreValues(t *testing.T) {
	n := newBench(t)
	for _, inner := range []bool{false, true} {
		b := ir.NewBuilder(ir.NewFunc(2048))
		b.Reset(0x1000)
		const cases, base = 12, 0x2000
		b.Insn(0x1000)
		b.SetX(4, b.I64(base))
		regs := ir.RegSet{X: 1<<1 | 1<<2 | 1<<4 | 1<<5}
		l := b.LoopRegs(regs)
		b.Insn(0x1004)
		for k := range uint64(cases) {
			b.If(b.ICmp(ir.EQ, b.GetX(4), b.I64(base+4*k)))
			b.Insn(0x1008)
			b.SetX(2, b.AddI(b.GetX(2), 3*k))
			b.Poll(0x1004)
			if k == 5 {
				b.SetX(4, b.I64(base+4*7))
			} else if inner {
				m := b.LoopRegs(regs)
				b.SetX(5, b.AddI(b.GetX(5), 1))
				b.If(b.ICmp(ir.EQ, b.AndI(b.GetX(5), 31), b.I64(0)))
				b.SetX(4, b.I64(base+4*(cases-1)))
				b.ContinueTo(m)
				b.Else()
				b.Yield()
				b.End()
				b.SetX(4, b.AddI(b.GetX(4), 4))
				b.ContinueTo(l)
				b.End()
			} else {
				b.SetX(4, b.AddI(b.GetX(4), 4))
			}
			if k == 5 || !inner {
				b.ContinueTo(l)
			}
			b.Else()
		}
		b.SetX(1, b.SubI(b.GetX(1), 1))
		b.If(b.ICmp(ir.SLT, b.GetX(1), b.I64(0)))
		b.Jump(0x1010)
		b.Else()
		if inner {
			b.SetX(4, b.I64(base+4*3))
		} else {
			b.SetX(4, b.AddI(b.GetX(4), 4))
		}
		b.Poll(0x1004)
		b.ContinueTo(l)
		b.End()
		for range cases {
			b.End()
		}
		b.End()
		compareRow(t, n, b.Func, base, cases)
		if text := hotCode(t, b.Func); !strings.Contains(text, "\tjnb ") {
			t.Errorf("inner %v: the jumps do not test whether the target is in the table\n%s", inner, text)
		}
	}
}
