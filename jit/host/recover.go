package host

import (
	"math"
	"sort"

	"emu/cpu"
)

// FaultKind says what a recovered fault means.
type FaultKind uint8

// The kinds of faults.
const (
	FaultMemory   FaultKind = iota // a guest memory access; pc is its instruction
	FaultStack                     // the native stack is full; go on at pc with an empty one, as after an ExitBranch with State.ExitFrom
	FaultElements                  // FaultMemory, but the host has not told the address
)

// Recover completes the guest state in s after the host instruction at offset
// off of a unit (entry point at guest address unitPC) faulted: s holds the host
// registers as the signal handler saved them. It stores the guest pc in s.PC and
// returns it. ok is false, and s unchanged, if that instruction cannot fault.
func (m *PCMap) Recover(unitPC uint64, off uint32, s *cpu.State) (pc uint64, kind FaultKind, ok bool) {
	i := sort.Search(len(m.Entries), func(i int) bool { return m.Entries[i].Off >= off })
	if i == len(m.Entries) || m.Entries[i].Off != off {
		return 0, 0, false
	}
	e := m.Entries[i]
	pc = unitPC + uint64(int64(e.PC))
	for at := e.Recipe; ; {
		g, l, next, more := m.Read(at)
		if !more {
			break
		}
		at = next
		v := l.read(s)
		switch {
		case g == GuestPins:
			storePins(s, v[0])
		case g == GuestElements:
			kind = FaultElements
		case g == GuestPC, g >= GuestTarget:
			pc, kind, s.ExitFrom = v[0], FaultStack, 0
			if g != GuestPC {
				s.ExitFrom = uint64(g - GuestTarget)
			}
			storePins(s, ^uint64(0))
		case g == GuestNZCV:
			s.NZCV = uint16(v[0])
		case g >= GuestV:
			s.V[g-GuestV] = v
		default:
			s.X[g-GuestX] = v[0]
		}
	}
	s.PC = pc
	return pc, kind, true
}

// x86 EFLAGS bits.
const (
	hostCF = 1 << 0
	hostPF = 1 << 2
	hostZF = 1 << 6
	hostSF = 1 << 7
	hostOF = 1 << 11
)

func (l Loc) read(s *cpu.State) [2]uint64 {
	switch l.Kind {
	case LocGPR:
		return [2]uint64{s.FaultGPR[l.Index]}
	case LocXMM:
		return s.FaultXMM[l.Index]
	case LocXMMLow:
		return [2]uint64{low(s.FaultXMM[l.Index][0], l.Bits)}
	case LocXMMLane:
		return [2]uint64{s.FaultXMM[l.Index][l.Bits/64]}
	case LocSpill:
		return s.Spill[l.Index]
	case LocSpillLane:
		return [2]uint64{s.Spill[l.Index][l.Bits/64]}
	case LocSpillLow:
		return [2]uint64{low(s.Spill[l.Index][0], l.Bits)}
	case LocConst, LocConst128:
		return [2]uint64{l.Lo, l.Hi}
	case LocCompute:
		return [2]uint64{uint64(cpu.PackNZCV(l.compute(s)))}
	}
	return [2]uint64{uint64(cpu.PackNZCV(FlagsToPSTATE(l.Kind, s.FaultFlags)))}
}

// FlagsToPSTATE converts the host's flags, held as kind says, to NZCV in bits
// 31:28.
func FlagsToPSTATE(kind LocKind, f uint64) (p uint32) {
	if kind == LocFlagsFCmp {
		// UCOMISx: unordered ZF PF CF, less CF, equal ZF, greater none.
		switch {
		case f&hostPF != 0:
			return cpu.FlagC | cpu.FlagV
		case f&hostZF != 0:
			return cpu.FlagZ | cpu.FlagC
		case f&hostCF != 0:
			return cpu.FlagN
		}
		return cpu.FlagC
	}
	if f&hostSF != 0 {
		p |= cpu.FlagN
	}
	if f&hostZF != 0 {
		p |= cpu.FlagZ
	}
	if f&hostOF != 0 {
		p |= cpu.FlagV
	}
	if (f&hostCF != 0) != (kind == LocFlagsSub) {
		p |= cpu.FlagC
	}
	return p
}

// low is the low n bits of x.
func low(x uint64, n uint8) uint64 { return x & (^uint64(0) >> (64 - n)) }

// compute does the operation of a LocCompute and returns NZCV in bits 31:28.
func (l Loc) compute(s *cpu.State) (p uint32) {
	if l.Op == ComputeSelect {
		if Holds(l.Select.Of.compute(s)>>28, int(l.Bits)) {
			return l.Select.A.compute(s)
		}
		return cpu.UnpackNZCV(uint16(l.Select.Other))
	}
	read := func(o Operand) uint64 { return Loc{Kind: o.Kind, Index: o.Index, Lo: o.Const}.read(s)[0] }
	a, b := low(read(l.A), l.Bits), low(read(l.B), l.Bits)
	top := uint64(1) << (l.Bits - 1)
	var r, carry, overflow uint64
	switch l.Op {
	case ComputeFCmp:
		return compareFloats(a, b, l.Bits, s.FPCR)
	case ComputeAnd:
		r = a & b
	case ComputeSub, ComputeSubOf:
		if l.Op == ComputeSubOf {
			a = low(a+b, l.Bits)
		}
		r = low(a-b, l.Bits)
		if a >= b {
			carry = 1
		}
		overflow = (a ^ b) & (a ^ r) & top
	default:
		if l.Op == ComputeAddOf {
			a = low(a-b, l.Bits)
		}
		r = low(a+b, l.Bits)
		if r < a {
			carry = 1
		}
		overflow = ^(a ^ b) & (a ^ r) & top
	}
	if r&top != 0 {
		p |= cpu.FlagN
	}
	if r == 0 {
		p |= cpu.FlagZ
	}
	if carry != 0 {
		p |= cpu.FlagC
	}
	if overflow != 0 {
		p |= cpu.FlagV
	}
	return p
}

// compareFloats is FPCompare of two numbers of 32 or 64 bits.
func compareFloats(a, b uint64, bits uint8, fpcr uint32) uint32 {
	x, y := math.Float64frombits(a), math.Float64frombits(b)
	tiny := 0x1p-1022
	if bits == 32 {
		x, y = float64(math.Float32frombits(uint32(a))), float64(math.Float32frombits(uint32(b)))
		tiny = 0x1p-126
	}
	if fpcr&fpcrFZ != 0 {
		if math.Abs(x) < tiny {
			x = 0
		}
		if math.Abs(y) < tiny {
			y = 0
		}
	}
	switch {
	case x == y:
		return cpu.FlagZ | cpu.FlagC
	case x < y:
		return cpu.FlagN
	case x > y:
		return cpu.FlagC
	}
	return cpu.FlagC | cpu.FlagV
}

const fpcrFZ = 1 << 24

// Holds evaluates A64 condition n of NZCV in bits 3:0.
func Holds(nzcv uint32, n int) bool {
	return cpu.ConditionHolds(uint32(n), nzcv>>3&1 != 0, nzcv>>2&1 != 0, nzcv>>1&1 != 0, nzcv&1 != 0)
}
