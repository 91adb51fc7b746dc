package x64

import "strconv"

// Reg is a general register in encoding order. Where an operand is 8 bits wide
// the values 4..7 mean SPL, BPL, SIL and DIL; AH..BH cannot be named.
type Reg uint8

// The general registers. RIP and NoBase are legal only as Mem.Base.
const (
	RAX Reg = iota
	RCX
	RDX
	RBX
	RSP
	RBP
	RSI
	RDI
	R8
	R9
	R10
	R11
	R12
	R13
	R14
	R15
	RIP    // Mem.Base: relative to Mem.Label, or to the next instruction if Label is 0
	NoBase // Mem.Base: no base register, the displacement is absolute or scaled-index relative
)

// Xmm is a vector register; X16 and above need EVEX.
type Xmm uint8

// The vector registers.
const (
	X0 Xmm = iota
	X1
	X2
	X3
	X4
	X5
	X6
	X7
	X8
	X9
	X10
	X11
	X12
	X13
	X14
	X15
	X16
	X17
	X18
	X19
	X20
	X21
	X22
	X23
	X24
	X25
	X26
	X27
	X28
	X29
	X30
	X31
)

// K is an AVX-512 mask register. K0 as a write mask means "no mask" to the
// hardware and is refused by Op.Mask.
type K uint8

// The mask registers.
const (
	K0 K = iota
	K1
	K2
	K3
	K4
	K5
	K6
	K7
)

// Mem is a memory operand: Base + Index*Scale + Disp. Scale 0 means no index,
// so Mem{Base: RDI, Disp: 8} is complete. With Base RIP and a Label the operand
// is the label's address plus Disp.
type Mem struct {
	Base  Reg
	Index Reg
	Scale uint8 // 0 (no index), 1, 2, 4 or 8
	Disp  int32
	Label Label
}

// At returns [base+disp].
func At(base Reg, disp int32) Mem { return Mem{Base: base, Disp: disp} }

// AtIndex returns [base+index*scale+disp]; scale is 1, 2, 4 or 8 and index is not RSP.
func AtIndex(base, index Reg, scale uint8, disp int32) Mem {
	return Mem{Base: base, Index: index, Scale: scale, Disp: disp}
}

// AtLabel returns the RIP-relative operand [l].
func AtLabel(l Label) Mem { return Mem{Base: RIP, Label: l} }

// AtAbs returns [disp], a sign-extended 32-bit absolute address.
func AtAbs(disp int32) Mem { return Mem{Base: NoBase, Disp: disp} }

// Add returns m moved by n bytes. It panics if the displacement overflows.
func (m Mem) Add(n int32) Mem {
	d := int64(m.Disp) + int64(n)
	if d != int64(int32(d)) {
		panic("BUG: x64: memory displacement overflows")
	}
	m.Disp = int32(d)
	return m
}

// Cond is a condition code in encoding order; XORing with 1 inverts it.
type Cond uint8

// The condition codes under their most used names, with aliases below.
const (
	O  Cond = iota // overflow
	NO             // no overflow
	B              // below: unsigned <, carry set
	AE             // above or equal: unsigned >=, carry clear
	EQ             // equal, zero
	NE             // not equal, not zero
	BE             // below or equal: unsigned <=
	A              // above: unsigned >
	S              // sign set, negative
	NS             // sign clear
	P              // parity set: unordered after UCOMISx
	NP             // parity clear: ordered after UCOMISx
	LT             // signed <
	GE             // signed >=
	LE             // signed <=
	GT             // signed >

	C  = B  // carry set
	NC = AE // carry clear
)

// Invert returns the opposite condition.
func (c Cond) Invert() Cond { return c ^ 1 }

// Round is a static rounding mode of an EVEX instruction, in encoding order.
type Round uint8

// The static rounding modes.
const (
	RoundNearest Round = iota
	RoundDown
	RoundUp
	RoundZero
)

var (
	condNames = [16]string{"o", "no", "b", "ae", "e", "ne", "be", "a", "s", "ns", "p", "np", "l", "ge", "le", "g"}
	reg64     = [18]string{"rax", "rcx", "rdx", "rbx", "rsp", "rbp", "rsi", "rdi",
		"r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15", "rip", "none"}
)

func (r Reg) String() string {
	if int(r) < len(reg64) {
		return reg64[r]
	}
	return "reg" + strconv.Itoa(int(r))
}

func (x Xmm) String() string  { return "xmm" + strconv.Itoa(int(x)) }
func (k K) String() string    { return "k" + strconv.Itoa(int(k)) }
func (c Cond) String() string { return condNames[c&15] }
