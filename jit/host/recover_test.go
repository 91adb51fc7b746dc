package host

import (
	"math"
	"testing"

	"emu/cpu"
)

// TestRecover: every kind of place is read, into every kind of guest register.
func TestRecover(t *testing.T) {
	var m PCMap
	m.Add(GuestX+3, Loc{Kind: LocGPR, Index: 9})
	m.Add(GuestX+31, Loc{Kind: LocSpill, Index: 255})
	m.Add(GuestX+4, Loc{Kind: LocConst, Lo: 0x1122334455667788})
	m.Add(GuestV+1, Loc{Kind: LocXMM, Index: 15})
	m.Add(GuestV+2, Loc{Kind: LocConst128, Lo: 5, Hi: 6})
	m.Add(GuestV+31, Loc{Kind: LocSpill, Index: 7})
	m.Add(GuestNZCV, Loc{Kind: LocFlagsSub})
	m.End()
	stack := uint32(len(m.Recipes))
	m.Add(GuestPC, Loc{Kind: LocGPR, Index: 0})
	m.End()
	elements := uint32(len(m.Recipes))
	m.Mark(GuestElements)
	m.Add(GuestX+3, Loc{Kind: LocGPR, Index: 9})
	m.End()
	m.Entries = []PCEntry{{Off: 4, PC: 8, Recipe: 0}, {Off: 20, PC: -4, Recipe: stack}, {Off: 24, PC: 12, Recipe: elements}}
	m = m.Clone()

	var s cpu.State
	s.FaultGPR[9], s.FaultGPR[0] = 99, 0x4444
	s.FaultXMM[15] = [2]uint64{1, 2}
	s.Spill[255], s.Spill[7] = [2]uint64{77}, [2]uint64{8, 9}
	s.FaultFlags = hostCF | hostSF
	if _, _, ok := m.Recover(0x1000, 5, &s); ok || s != (cpu.State{FaultGPR: s.FaultGPR, FaultXMM: s.FaultXMM, FaultFlags: s.FaultFlags, Spill: s.Spill}) {
		t.Error("an offset without an entry was recovered")
	}
	pc, kind, ok := m.Recover(0x1000, 4, &s)
	if !ok || pc != 0x1008 || s.PC != pc || kind != FaultMemory {
		t.Errorf("pc %#x, kind %d, %v", pc, kind, ok)
	}
	if s.X[3] != 99 || s.X[31] != 77 || s.X[4] != 0x1122334455667788 || s.V[1] != [2]uint64{1, 2} ||
		s.V[2] != [2]uint64{5, 6} || s.V[31] != [2]uint64{8, 9} || s.PSTATE() != cpu.FlagN {
		t.Errorf("x3 %d x31 %d x4 %#x v1 %v v2 %v v31 %v nzcv %#x", s.X[3], s.X[31], s.X[4], s.V[1], s.V[2], s.V[31], s.PSTATE())
	}
	if pc, kind, ok := m.Recover(0x1000, 20, &s); !ok || pc != 0x4444 || kind != FaultStack {
		t.Errorf("stack fault: pc %#x, kind %d, %v", pc, kind, ok)
	}
	s.X[3] = 0
	if pc, kind, ok := m.Recover(0x1000, 24, &s); !ok || pc != 0x100c || kind != FaultElements || s.X[3] != 99 {
		t.Errorf("fault of an element: pc %#x, kind %d, %v, x3 %d", pc, kind, ok, s.X[3])
	}
}

// TestFlagsToPSTATE: the carry of a subtraction is inverted, and UCOMISx has a
// code of its own (Intel SDM volume 2, UCOMISD).
func TestFlagsToPSTATE(t *testing.T) {
	for _, c := range []struct {
		kind  LocKind
		flags uint64
		want  uint32
	}{
		{LocFlagsAdd, 0, 0},
		{LocFlagsAdd, hostCF | hostOF, cpu.FlagC | cpu.FlagV},
		{LocFlagsSub, 0, cpu.FlagC},
		{LocFlagsSub, hostCF | hostZF, cpu.FlagZ},
		{LocFlagsFCmp, 0, cpu.FlagC},
		{LocFlagsFCmp, hostCF, cpu.FlagN},
		{LocFlagsFCmp, hostZF, cpu.FlagZ | cpu.FlagC},
		{LocFlagsFCmp, hostZF | hostPF | hostCF, cpu.FlagC | cpu.FlagV},
	} {
		if got := FlagsToPSTATE(c.kind, c.flags); got != c.want {
			t.Errorf("kind %d flags %#x: %#x, want %#x", c.kind, c.flags, got, c.want)
		}
	}
}

// TestRecoverComputedFlags: flags kept as an operation and its operands are what
// the operation makes, wherever the operands are. The operations themselves are
// compared with the interpreter of the IR in jit/amd64 (TestLoops).
func TestRecoverComputedFlags(t *testing.T) {
	reg := Operand{Kind: LocGPR, Index: 3}
	num := func(n uint64) Operand { return Operand{Kind: LocConst, Const: n} }
	x0, x1 := Operand{Kind: LocXMM, Index: 0}, Operand{Kind: LocSpill, Index: 2}
	for _, c := range []struct {
		op         Compute
		bits       uint8
		reg        uint64
		xmm, spill float64
		a, b       Operand
		fpcr       uint32
		want       uint32
	}{
		{op: ComputeSub, bits: 64, reg: 5, a: reg, b: num(5), want: cpu.FlagZ | cpu.FlagC},
		{op: ComputeSub, bits: 64, reg: 1, a: num(0), b: reg, want: cpu.FlagN},
		{op: ComputeSub, bits: 32, reg: 0x1_80000000, a: reg, b: num(1), want: cpu.FlagC | cpu.FlagV},
		{op: ComputeSubOf, bits: 32, reg: 0xffffffff, a: reg, b: num(1), want: cpu.FlagN},
		{op: ComputeSubOf, bits: 8, reg: 0x7f, a: reg, b: num(1), want: cpu.FlagC | cpu.FlagV},
		{op: ComputeAdd, bits: 64, reg: 1 << 63, a: reg, b: num(1 << 63), want: cpu.FlagZ | cpu.FlagC | cpu.FlagV},
		{op: ComputeAddOf, bits: 16, reg: 0, a: reg, b: num(1), want: cpu.FlagZ | cpu.FlagC},
		{op: ComputeAddOf, bits: 64, reg: 3, a: reg, b: num(1)},
		{op: ComputeAnd, bits: 32, reg: 0x80000001, a: reg, b: num(0xc0000000), want: cpu.FlagN},
		{op: ComputeAnd, bits: 32, reg: 1, a: reg, b: num(2), want: cpu.FlagZ},
		{op: ComputeFCmp, bits: 64, xmm: 1, spill: 2, a: x0, b: x1, want: cpu.FlagN},
		{op: ComputeFCmp, bits: 64, xmm: 2, spill: 1, a: x0, b: x1, want: cpu.FlagC},
		{op: ComputeFCmp, bits: 64, xmm: math.NaN(), spill: 1, a: x0, b: x1, want: cpu.FlagC | cpu.FlagV},
		{op: ComputeFCmp, bits: 64, xmm: 5e-324, a: x0, b: num(0), want: cpu.FlagC},
		{op: ComputeFCmp, bits: 64, xmm: 5e-324, a: x0, b: num(0), fpcr: 1 << 24, want: cpu.FlagZ | cpu.FlagC},
	} {
		var m PCMap
		m.Add(GuestNZCV, Loc{Kind: LocCompute, Op: c.op, Bits: c.bits, A: c.a, B: c.b})
		m.Add(GuestV+1, Loc{Kind: LocXMMLow, Index: 1, Bits: 32})
		m.Add(GuestV+2, Loc{Kind: LocSpillLow, Index: 9, Bits: 64})
		m.End()
		m.Entries = []PCEntry{{Off: 4}}
		var s cpu.State
		s.FPCR, s.FaultGPR[3] = c.fpcr, c.reg
		s.FaultXMM[0][0], s.Spill[2][0] = math.Float64bits(c.xmm), math.Float64bits(c.spill)
		s.FaultXMM[1], s.Spill[9] = [2]uint64{0x1122334455667788, 5}, [2]uint64{7, 6}
		if _, _, ok := m.Recover(0x1000, 4, &s); !ok || s.PSTATE() != c.want {
			t.Errorf("%+v: %#x", c, s.PSTATE())
		}
		if s.V[1] != [2]uint64{0x55667788} || s.V[2] != [2]uint64{7} {
			t.Errorf("low bits: %x %x", s.V[1], s.V[2])
		}
	}
}

// TestRecoverSelectedFlags: CCMP's flags, and those of one CCMP after another.
func TestRecoverSelectedFlags(t *testing.T) {
	compare := func(n uint64) Loc {
		return Loc{Kind: LocCompute, Op: ComputeSub, Bits: 64, A: Operand{Kind: LocGPR, Index: 3}, B: Operand{Kind: LocConst, Const: n}}
	}
	const eq, hi = 0, 8
	first := Loc{Kind: LocCompute, Op: ComputeSelect, Bits: eq, Select: &Select{A: compare(7), Of: compare(5), Other: uint64(cpu.PackNZCV(cpu.FlagV))}}
	second := Loc{Kind: LocCompute, Op: ComputeSelect, Bits: hi, Select: &Select{A: compare(100), Of: first, Other: uint64(cpu.PackNZCV(cpu.FlagC))}}
	for _, c := range []struct {
		l    Loc
		reg  uint64
		want uint32
	}{
		{first, 5, cpu.FlagN},
		{first, 6, cpu.FlagV},
		{second, 6, cpu.FlagC},
		{second, 5, cpu.FlagC},
	} {
		var m PCMap
		m.Add(GuestNZCV, c.l)
		m.End()
		m.Entries = []PCEntry{{Off: 4}}
		var s cpu.State
		s.FaultGPR[3] = c.reg
		if _, _, ok := m.Recover(0x1000, 4, &s); !ok || s.PSTATE() != c.want {
			t.Errorf("x = %d: %#x, want %#x", c.reg, s.PSTATE(), c.want)
		}
	}
}
