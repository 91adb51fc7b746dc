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

// TestCasesInAnArmThatGoesAway: comparisons that are one jump by a table do what they do one by one, for values of the table, between
// its entries, below and above, also in an arm that is moved behind the hot code.
func TestCasesInAnArmThatGoesAway(t *testing.T) {
	n := newBench(t)
	for _, low := range []uint64{0x2000, 1 << 40, 1<<64 - 0x40} {
		b := ir.NewBuilder(ir.NewFunc(512))
		b.Reset(0x1000)
		b.Insn(0x1000)
		l := b.LoopRegs(ir.RegSet{X: 1<<1 | 1<<2 | 1<<4 | 1<<5})
		b.Insn(0x1004)
		b.Poll(0x1004)
		left := b.SubI(b.GetX(1), 1)
		b.SetX(1, left)
		b.If(b.ICmp(ir.SLT, left, b.I64(0)))
		target := b.Add(b.GetX(3), b.I64(low))
		b.SetX(4, target)
		const cases = 12
		for k := range uint64(cases) {
			b.If(b.ICmp(ir.EQ, target, b.I64(low+4*(k*5%16)))) // not in order, and not all
			b.SetX(5, b.AddI(b.GetX(2), 100+k))
			b.Jump(0x3000 + 4*k)
			b.Else()
		}
		b.Insn(0x1008)
		b.Jump(0x4000)
		for range cases {
			b.End()
		}
		b.Else()
		b.SetX(2, b.AddI(b.GetX(2), 3))
		b.ContinueTo(l)
		b.End()
		b.End()
		if err := b.Verify(); err != nil {
			t.Fatal(err)
		}
		for off := int64(-8); off < 72; off++ {
			report := n.compare(b.Func, host.Options{Verify: true}, func(s *cpu.State, mem []byte) {
				s.X[1], s.X[2], s.X[3] = 3, 7, uint64(off)
			})
			if report != "" {
				t.Fatalf("%#x and %d: %s", low, off, report)
			}
		}
		var code host.Code
		be := amd64.New()
		if err := be.Compile(b.Func, host.Options{Verify: true}, &code); err != nil {
			t.Fatal(err)
		}
		jumps := 0
		for _, line := range be.Disasm(code.Bytes, 0) {
			if text := line[strings.LastIndexByte(line, '\t')+1:]; strings.HasPrefix(text, "jmp r") {
				jumps++
			}
		}
		if jumps == 0 { // what is in the table may look like one
			t.Errorf("%#x: no jump by a table", low)
		}
	}
}

// TestTableJumpChangesFlags: a way back of a loop that begins with a table's jump passes flags on that it has just
// computed, behind a poll with something in between, and the jump changes those of the host: the checker must know.
func TestTableJumpChangesFlags(t *testing.T) {
	n := newBench(t)
	b := ir.NewBuilder(ir.NewFunc(1024))
	b.Reset(0x1000)
	b.Insn(0x1000)
	l := b.LoopRegs(ir.RegSet{X: 1<<1 | 1<<2 | 1<<4 | 1<<6, NZCV: true})
	b.Insn(0x1004)
	target := b.GetX(4)
	const cases, base = 12, 0x2000
	for k := range uint64(cases) {
		b.If(b.ICmp(ir.EQ, target, b.I64(base+4*k)))
		b.Insn(0x1008)
		left := b.SubI(b.GetX(1), 1)
		b.SetX(1, left)
		b.SetX(4, b.Add(b.ShlI(b.AndI(b.Add(b.GetX(2), left), 15), 2), b.I64(base)))
		sum := b.AddI(b.GetX(2), k<<60+k)
		b.SetNZCV(b.Op2(ir.OpAddF, b.GetX(2), b.I64(k<<60+k)))
		b.SetX(2, sum)
		b.If(b.ICmp(ir.SLT, left, b.I64(0)))
		b.BreakTo(l)
		b.Else()
		b.Insn(0x1004)
		b.Poll(0x1004)
		b.SetX(6, b.ShlI(left, 3))
		b.ContinueTo(l)
		b.End()
		b.Else()
	}
	b.BreakTo(l)
	for range cases {
		b.End()
	}
	b.End()
	b.Jump(0x1010)
	compareRow(t, n, b.Func, base, cases)
}

// TestTableJumpInABlock: a loop whose first jump by a table stands in BLOCKs has it on each of its ways back, as it has without them.
func TestTableJumpInABlock(t *testing.T) {
	n := newBench(t)
	b := ir.NewBuilder(ir.NewFunc(1024))
	b.Reset(0x1000)
	b.Insn(0x1000)
	regs := ir.RegSet{X: 1<<1 | 1<<2 | 1<<4}
	l := b.LoopRegs(regs)
	block := b.BlockRegs(regs)
	b.Insn(0x1004)
	target := b.GetX(4)
	const cases, base = 12, 0x2000
	next := func(k uint64) {
		left := b.SubI(b.GetX(1), 1)
		b.SetX(1, left)
		b.SetX(4, b.Add(b.ShlI(b.AndI(b.Add(b.GetX(2), left), 15), 2), b.I64(base)))
		b.SetX(2, b.AddI(b.GetX(2), 3*k+1))
		b.If(b.ICmp(ir.SLT, left, b.I64(0)))
		b.Jump(0x1010)
		b.Else()
		b.Poll(0x1004)
		b.ContinueTo(l)
		b.End()
	}
	for k := range uint64(cases) {
		b.If(b.ICmp(ir.EQ, target, b.I64(base+4*k)))
		b.Insn(0x1008)
		if k%5 == 3 {
			b.SetX(2, b.AddI(b.GetX(2), k))
			b.BreakTo(block)
		} else {
			next(k)
		}
		b.Else()
	}
	b.Jump(0x1010)
	for range cases {
		b.End()
	}
	b.End()
	b.Insn(0x100c)
	next(100)
	b.End()
	compareRow(t, n, b.Func, base, cases)
	text := hotCode(t, b.Func)
	if jumps := strings.Count(text, "\tjmp r"); jumps < cases-1 {
		t.Errorf("%d jumps by the table, want one for each way back, and the first\n%s", jumps, text)
	}
}

// compareRow runs a loop that counts X1 down and jumps to one of the cases from base on, 4 apart, by X4.
func compareRow(t *testing.T, n *bench, f *ir.Func, base, cases uint64) {
	t.Helper()
	if err := f.Verify(); err != nil {
		t.Fatal(err)
	}
	for name, o := range configs() {
		for seed := range uint64(20) {
			report := n.compare(f, o, func(s *cpu.State, mem []byte) {
				s.X[1], s.X[2], s.X[4], s.Pending = 30, seed*0x123456789abcdef, base+4*(seed%cases), uint32(seed/18)
			})
			if report != "" {
				t.Fatalf("%s, seed %d: %s", name, seed, report)
			}
		}
	}
}
