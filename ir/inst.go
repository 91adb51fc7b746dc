package ir

// Inst is one packed instruction. The SSA value that it defines has the
// instruction's own index (seeds 000 and 003: implicit indexing).
//
//	63      54 53          36 35          18 17           0
//	+---------+--------------+--------------+--------------+
//	|   op    |     src1     |     src2     |     src3     |
//	+---------+--------------+--------------+--------------+
//	   10 bits     18 bits        18 bits        18 bits
//
// Bit 17 of an operand set means that the low 17 bits index the constant pool.
type Inst uint64

const (
	opBits  = 10
	srcBits = 18
	src1Pos = 2 * srcBits
	src2Pos = 1 * srcBits
	src3Pos = 0 * srcBits
	opPos   = 3 * srcBits
	srcMask = 1<<srcBits - 1

	// MaxInsts is the hard limit of instructions in a Func (seed rule 4.3). The
	// encoding reaches 131,072; the rest is the margin for final merges and exits.
	MaxInsts = 130_000
)

// Value is an instruction operand: the index of the defining instruction, or a
// constant of the pool.
type Value uint32

const (
	constBit Value = 1 << (srcBits - 1)
	// None is an absent operand.
	None Value = srcMask
	// NumImm is the number of small immediates that every pool starts with, so
	// that Imm needs no look-up: pool entry n is the I64 constant n.
	NumImm = 256
)

// Imm returns the operand for the small I64 constant n, 0 <= n < NumImm. It is
// valid in every Func.
func Imm(n int) Value {
	if uint(n) >= NumImm {
		panic("BUG: ir.Imm out of range")
	}
	return constBit | Value(n)
}

// IsConst reports whether v is a constant-pool operand.
func (v Value) IsConst() bool { return v&constBit != 0 && v != None }

// Pool returns the constant-pool index of v. Precondition: v.IsConst().
func (v Value) Pool() int { return int(v &^ constBit) }

// IsSSA reports whether v names an instruction.
func (v Value) IsSSA() bool { return v&constBit == 0 }

// MakeInst packs an instruction.
func MakeInst(op Op, a, b, c Value) Inst {
	return Inst(op)<<opPos | Inst(a)<<src1Pos | Inst(b)<<src2Pos | Inst(c)<<src3Pos
}

// Op returns the opcode.
func (i Inst) Op() Op { return Op(i >> opPos) }

// A, B and C return the first, second and third operand.
func (i Inst) A() Value { return Value(i >> src1Pos & srcMask) }
func (i Inst) B() Value { return Value(i >> src2Pos & srcMask) }
func (i Inst) C() Value { return Value(i >> src3Pos & srcMask) }

// Arg returns operand n, 0 to 2.
func (i Inst) Arg(n int) Value { return Value(i >> (src1Pos - uint(n)*srcBits) & srcMask) }

// Const is an entry of the constant pool. Scalars use Lo, zero-extended; Flags
// hold NZCV in bits 3:0 of Lo.
type Const struct {
	Type   Type
	Lo, Hi uint64
}
