package host

import (
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
	m.Entries = []PCEntry{{Off: 4, PC: 8, Recipe: 0}, {Off: 20, PC: -4, Recipe: stack}}
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
