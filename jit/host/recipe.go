package host

import (
	"encoding/binary"
	"unsafe"
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

// Bytes is the size of what m refers to.
func (m *PCMap) Bytes() int { return len(m.Entries)*int(unsafe.Sizeof(PCEntry{})) + len(m.Recipes) }

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
	// GuestPC marks a fault of a call that ran off the native stack: all pins are in
	// their registers, all else is in State, and its PC, the call's target, is where to go on with an empty
	// stack.
	GuestPC Guest = 65
	// GuestPins are the pins (bit n is Pins[n]) that are in their registers.
	GuestPins Guest = 66
	// GuestElements marks an access of which the host leaves out elements: which address it names
	// when another one faults is its own affair.
	GuestElements Guest = 67
	// GuestTarget plus a cpu.BranchType is GuestPC for an indirect call of that type.
	GuestTarget Guest = 68
	guestEnd    Guest = 255
)

// LocKind says what kind of place holds a value.
type LocKind uint8

// The kinds of places. Those from LocFlagsAdd on are for NZCV only: the host's
// flags after an addition-like, a subtraction-like (carry inverted) or a float
// compare, and what an operation makes of two values.
const (
	LocGPR LocKind = iota
	LocXMM
	LocXMMLow  // the low bits of a vector register, zeros above
	LocXMMLane // 64 bits of a vector register
	LocSpill
	LocSpillLow
	LocSpillLane
	LocConst
	LocConst128
	LocFlagsAdd
	LocFlagsSub
	LocFlagsFCmp
	LocCompute
)

// Loc is where a value is: a host register by number, a spill slot, a constant.
type Loc struct {
	Kind   LocKind
	Index  uint16 // register or slot
	Lo, Hi uint64 // constants; those of NZCV in the form of State.NZCV
	Bits   uint8  // LocXMMLow, LocSpillLow: how many; Lane: the first; LocCompute: the width of the operation
	Op     Compute
	A, B   Operand // LocCompute but for ComputeSelect
	Select *Select // ComputeSelect
}

// Select is NZCV as A makes it where condition Loc.Bits (A64's code) of what Of makes
// holds, and the constant Other, in the form of State.NZCV, else. Both are LocCompute.
type Select struct {
	A, Of Loc
	Other uint64
}

// Operands calls yield with each operand of a LocCompute.
func (l Loc) Operands(yield func(Operand)) {
	if l.Op == ComputeSelect {
		l.Select.A.Operands(yield)
		l.Select.Of.Operands(yield)
		return
	}
	yield(l.A)
	yield(l.B)
}

// Compute is an operation that makes NZCV of two operands.
type Compute uint8

// The operations, in A64's terms (Arm ARM, AddWithCarry and FPCompare). The Of forms
// take the result instead of the first operand.
const (
	ComputeSub    Compute = iota // of a - b
	ComputeSubOf                 // of (a + b) - b
	ComputeAdd                   // of a + b
	ComputeAddOf                 // of (a - b) + b
	ComputeAnd                   // of a & b, C and V clear
	ComputeFCmp                  // of a float compare, in vector registers
	ComputeLow                   // not for NZCV: the low bits of a, zeros above
	ComputeLane                  // not for NZCV: 64 bits of a, from bit Loc.Bits on
	ComputeSelect                // one of two
)

// Operand is where an operand is: LocGPR, LocXMM, LocSpill or LocConst.
type Operand struct {
	Kind  LocKind
	Index uint16
	Const uint64
}

// Add appends "guest register g is at l" to the recipe being written. A recipe
// is a list of records, each the Guest, the LocKind and what the kind needs:
//
//	registers: 1 byte   slots: 2 bytes   constants: 8 or 16 bytes   flags: nothing
//	low bits, lanes: their number or place and the register or slot
//	operations: Compute, width, and two operands, each a LocKind and what it needs
//	a selection: Compute, condition, the constant, and two operations
func (m *PCMap) Add(g Guest, l Loc) {
	m.Recipes = append(m.Recipes, byte(g), byte(l.Kind))
	switch l.Kind {
	case LocGPR, LocXMM, LocSpill, LocConst:
		m.place(l.Kind, l.Index, l.Lo)
	case LocXMMLow, LocSpillLow, LocXMMLane, LocSpillLane:
		m.Recipes = append(m.Recipes, l.Bits)
		m.place(l.Kind, l.Index, 0)
	case LocConst128:
		m.Recipes = binary.LittleEndian.AppendUint64(m.Recipes, l.Lo)
		m.Recipes = binary.LittleEndian.AppendUint64(m.Recipes, l.Hi)
	case LocCompute:
		m.compute(l)
	}
}

// AddReg is Add for LocGPR or LocXMM, which nearly all places are.
func (m *PCMap) AddReg(g Guest, k LocKind, reg uint8) {
	m.Recipes = append(m.Recipes, byte(g), byte(k), reg)
}

// ReadReg is Read for LocGPR or LocXMM; ok is false if the record is of another kind.
func (m *PCMap) ReadReg(at uint32) (g Guest, k LocKind, reg uint8, next uint32, ok bool) {
	r := m.Recipes[at:]
	if g = Guest(r[0]); g == guestEnd || LocKind(r[1]) != LocGPR && LocKind(r[1]) != LocXMM {
		return g, k, 0, at, false
	}
	return g, LocKind(r[1]), r[2], at + 3, true
}

// compute appends an operation.
func (m *PCMap) compute(l Loc) {
	m.Recipes = append(m.Recipes, byte(l.Op), l.Bits)
	if l.Op == ComputeSelect {
		m.Recipes = binary.LittleEndian.AppendUint16(m.Recipes, uint16(l.Select.Other))
		m.compute(l.Select.A)
		m.compute(l.Select.Of)
		return
	}
	for _, o := range [2]Operand{l.A, l.B} {
		m.Recipes = append(m.Recipes, byte(o.Kind))
		m.place(o.Kind, o.Index, o.Const)
	}
}

// readCompute is the reverse of compute; it returns what follows in r.
func readCompute(r []byte) (l Loc, rest []byte) {
	l.Kind, l.Op, l.Bits = LocCompute, Compute(r[0]), r[1]
	r = r[2:]
	if l.Op == ComputeSelect {
		l.Select = &Select{Other: uint64(binary.LittleEndian.Uint16(r))}
		l.Select.A, r = readCompute(r[2:])
		l.Select.Of, r = readCompute(r)
		return l, r
	}
	for _, o := range [2]*Operand{&l.A, &l.B} {
		o.Kind = LocKind(r[0])
		o.Index, o.Const, r = readPlace(o.Kind, r[1:])
	}
	return l, r
}

// place appends what a kind of place needs.
func (m *PCMap) place(k LocKind, index uint16, n uint64) {
	switch k {
	case LocGPR, LocXMM, LocXMMLow, LocXMMLane:
		m.Recipes = append(m.Recipes, byte(index))
	case LocSpill, LocSpillLow, LocSpillLane:
		m.Recipes = binary.LittleEndian.AppendUint16(m.Recipes, index)
	case LocConst:
		m.Recipes = binary.LittleEndian.AppendUint64(m.Recipes, n)
	}
}

// readPlace is the reverse of place; it returns what follows in r.
func readPlace(k LocKind, r []byte) (index uint16, n uint64, rest []byte) {
	switch k {
	case LocGPR, LocXMM, LocXMMLow, LocXMMLane:
		return uint16(r[0]), 0, r[1:]
	case LocSpill, LocSpillLow, LocSpillLane:
		return binary.LittleEndian.Uint16(r), 0, r[2:]
	case LocConst:
		return 0, binary.LittleEndian.Uint64(r), r[8:]
	}
	return 0, 0, r
}

// Mark appends a record that says no more than which it is: GuestElements.
func (m *PCMap) Mark(g Guest) { m.Recipes = append(m.Recipes, byte(g), byte(LocFlagsAdd)) }

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
	r = r[2:]
	switch l.Kind {
	case LocXMMLow, LocSpillLow, LocXMMLane, LocSpillLane:
		l.Bits = r[0]
		l.Index, _, r = readPlace(l.Kind, r[1:])
	case LocConst128:
		l.Lo = binary.LittleEndian.Uint64(r)
		l.Hi = binary.LittleEndian.Uint64(r[8:])
		r = r[16:]
	case LocCompute:
		l, r = readCompute(r)
	default:
		l.Index, l.Lo, r = readPlace(l.Kind, r)
	}
	return g, l, uint32(len(m.Recipes) - len(r)), true
}
