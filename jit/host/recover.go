package host

import (
	"encoding/binary"
	"sort"

	"emu/cpu"
)

// PCMap says, for every instruction of a unit that may fault, which guest
// instruction it belongs to and where the guest registers are that have not been
// stored yet: the save-states of seed 001.
type PCMap struct {
	Entries []PCEntry // by ascending Off
	Recipes []byte    // see Add
}

// PCEntry is one instruction that may fault. Entries with equal recovery share a
// recipe.
type PCEntry struct {
	Off    uint32 // host offset of the instruction's first byte
	PC     int32  // guest pc, relative to Code.PC
	Recipe uint32 // offset in Recipes
}

func (m *PCMap) reset() { m.Entries, m.Recipes = m.Entries[:0], m.Recipes[:0] }

// Clone returns a copy of m that owns its memory.
func (m *PCMap) Clone() PCMap {
	return PCMap{append([]PCEntry(nil), m.Entries...), append([]byte(nil), m.Recipes...)}
}

// Guest names a guest register in a recipe.
type Guest uint8

// Guest registers: X0..X30 and SP are GuestX+n, V0..V31 GuestV+n.
const (
	GuestX    Guest = 0
	GuestV    Guest = 32
	GuestNZCV Guest = 64
	// GuestPC marks a fault of a call that ran off the native stack: State is
	// complete, and its PC, the call's target, is where to go on with an empty
	// stack.
	GuestPC  Guest = 65
	guestEnd Guest = 255
)

// LocKind says what kind of place holds a value.
type LocKind uint8

// The kinds of places. The last three are for NZCV only: the host's flags after
// an addition-like, a subtraction-like (carry inverted) or a float compare.
const (
	LocGPR LocKind = iota
	LocXMM
	LocSpill
	LocConst
	LocConst128
	LocFlagsAdd
	LocFlagsSub
	LocFlagsFCmp
)

// Loc is where a value is: a host register by number, a spill slot, a constant.
type Loc struct {
	Kind   LocKind
	Index  uint16 // register or slot
	Lo, Hi uint64 // constants; those of NZCV in the form of State.NZCV
}

// Add appends "guest register g is at l" to the recipe being written. A recipe
// is a list of records, each the Guest, the LocKind and what the kind needs:
//
//	registers: 1 byte   slots: 2 bytes   constants: 8 or 16 bytes   flags: nothing
func (m *PCMap) Add(g Guest, l Loc) {
	m.Recipes = append(m.Recipes, byte(g), byte(l.Kind))
	switch l.Kind {
	case LocGPR, LocXMM:
		m.Recipes = append(m.Recipes, byte(l.Index))
	case LocSpill:
		m.Recipes = binary.LittleEndian.AppendUint16(m.Recipes, l.Index)
	case LocConst:
		m.Recipes = binary.LittleEndian.AppendUint64(m.Recipes, l.Lo)
	case LocConst128:
		m.Recipes = binary.LittleEndian.AppendUint64(m.Recipes, l.Lo)
		m.Recipes = binary.LittleEndian.AppendUint64(m.Recipes, l.Hi)
	}
}

// End closes the recipe that started at the given offset of Recipes.
func (m *PCMap) End() { m.Recipes = append(m.Recipes, byte(guestEnd)) }

// Read decodes the record at offset at and returns the next offset; ok is false
// at the recipe's end.
func (m *PCMap) Read(at uint32) (g Guest, l Loc, next uint32, ok bool) {
	r := m.Recipes[at:]
	if g = Guest(r[0]); g == guestEnd {
		return g, l, at + 1, false
	}
	l.Kind = LocKind(r[1])
	next = at + 2
	switch l.Kind {
	case LocGPR, LocXMM:
		l.Index = uint16(r[2])
		next++
	case LocSpill:
		l.Index = binary.LittleEndian.Uint16(r[2:])
		next += 2
	case LocConst:
		l.Lo = binary.LittleEndian.Uint64(r[2:])
		next += 8
	case LocConst128:
		l.Lo = binary.LittleEndian.Uint64(r[2:])
		l.Hi = binary.LittleEndian.Uint64(r[10:])
		next += 16
	}
	return g, l, next, true
}

// FaultKind says what a recovered fault means.
type FaultKind uint8

// The kinds of faults.
const (
	FaultMemory FaultKind = iota // a guest memory access; pc is its instruction
	FaultStack                   // the native stack is full; go on at pc with an empty one
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
		case g == GuestPC:
			pc, kind = v[0], FaultStack
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
	case LocSpill:
		return s.Spill[l.Index]
	case LocConst, LocConst128:
		return [2]uint64{l.Lo, l.Hi}
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
