// Package ir is the structured static single assignment form between the
// translator and the backends.
//
// A Func is a linear array of packed 64-bit instructions. Control flow is
// nested scopes (IF/ELSE, LOOP, BLOCK) with block arguments instead of phis;
// the guest's registers are read and written by GET and SET instructions; guest
// code leaves through exits (JUMP, CALL, RET, EXIT ...).
//
// One table, the rows in ops_*.go, says all there is to know of an opcode:
// names, operands, types, properties, evaluation; docs/ir.md is printed from it.
package ir

import "strings"

// OpFlags are an opcode's properties; passes ask them instead of listing opcodes.
type OpFlags uint32

// The properties.
const (
	Pure       OpFlags = 1 << iota // result depends on operands alone; may be removed, moved, hash-consed
	Commutes                       // the first two operands may be exchanged
	Scope                          // opens, splits or closes a scope
	Terminator                     // control does not go on to the next instruction
	Extension                      // belongs to its neighbour (rule 2.2)
	Effect                         // has an effect other than the ones below: never removed or moved
	StateRead                      // reads guest state
	StateWrite                     // writes guest state
	MemRead                        // may fault; reads memory
	MemWrite                       // may fault; writes memory
	Acquire                        // later memory operations stay after it
	Release                        // earlier memory operations stay before it
	FPStatus                       // depends on FPCR and accumulates FPSR flags
	SetsQC                         // accumulates FPSR.QC on saturation
)

var flagNames = []string{
	"pure", "commutes", "scope", "terminator", "extension", "effect", "reads state",
	"writes state", "reads memory", "writes memory", "acquire", "release", "fp", "qc",
}

func (f OpFlags) String() string {
	var names []string
	for n, name := range flagNames {
		if f&(1<<n) != 0 {
			names = append(names, name)
		}
	}
	return strings.Join(names, ", ")
}

// Row describes one opcode.
//
// Args has one letter an operand:
//
//	T  the polymorphic integer type (I32, I64 or an integer vector), the same for all T
//	F  the polymorphic float type (F16..F64 or a float vector), the same for all F
//	b  I1      w  I32      i  I64      f  Flags      v  any vector      V  any type
//	#  an immediate: always a constant of type I64
//	*  any number of values of any type, ARG_EXTs included (control instructions)
//
// Ret is the result: - none; T, F, b, w, i, f as above; =n the type of operand n;
// X given when the instruction is built; b/T I1 for scalars and T for vectors;
// b/I I1 for scalar floats and the integer vector of the same shape for vectors.
type Row struct {
	Op    Op
	Name  string
	Args  string
	Ret   string
	Flags OpFlags
	Eval  EvalFunc // nil for control, state, memory and effects: the interpreter's own
	Doc   string
}

// families are the rows in the order in which docs/ir.md shows them.
var families = []struct {
	title string
	rows  []Row
}{
	{"Control", ctlOps},
	{"Guest state", stateOps},
	{"Integers", intOps},
	{"Condition flags", flagsOps},
	{"Floating point", fpOps},
	{"Vectors", vecOps},
	{"Saturation without FPSR.QC", quietOps},
	{"Memory", memOps},
}

var table = buildTable()

func buildTable() (t [NumOps]*Row) {
	for _, family := range families {
		for n := range family.rows {
			r := &family.rows[n]
			if t[r.Op] != nil {
				panic("BUG: two rows for opcode " + r.Name)
			}
			t[r.Op] = r
		}
	}
	return t
}

// Info returns the opcode's row.
func (op Op) Info() *Row { return table[op] }

func (op Op) String() string {
	if op < NumOps {
		return table[op].Name
	}
	return "op?"
}

// Has reports whether the opcode has any of the properties f.
func (op Op) Has(f OpFlags) bool { return table[op].Flags&f != 0 }

// Cond is the condition of ICMP (seed 004's ten integer compares).
type Cond uint8

// Integer conditions.
const (
	EQ Cond = iota
	NE
	ULT
	ULE
	UGT
	UGE
	SLT
	SLE
	SGT
	SGE
)

// FCond is the condition of FCMP (seed 004's sixteen float compares); +FSignal
// raises Invalid Operation for quiet NaNs too, as FCMGE and FCMGT do.
type FCond uint8

// Float conditions: O ordered, U unordered or.
const (
	FFalse FCond = iota
	FOEQ
	FOGT
	FOGE
	FOLT
	FOLE
	FONE
	FORD
	FUNO
	FUEQ
	FUGT
	FUGE
	FULT
	FULE
	FUNE
	FTrue
	FSignal FCond = 16
)

// Round is a rounding mode operand.
type Round uint8

// Rounding modes; the first four are coded as FPCR.RMode.
const (
	RoundEven Round = iota // to nearest, ties to even
	RoundUp                // towards plus infinity
	RoundDown              // towards minus infinity
	RoundZero              // towards zero
	RoundAway              // to nearest, ties away from zero
	RoundFPCR              // as FPCR.RMode says
)

// HelperID numbers the Go helpers that HELPER and HELPERV call.
type HelperID uint32

// Helpers: the code of a pointer (the first operand) under a modifier, with key n
// of cpu.State.APKeys as HelperQARMA5 + n; what memory tags need, and loads that do not fault.
const (
	HelperQARMA5    HelperID = 0
	HelperQARMA3    HelperID = 8
	HelperCheckTags HelperID = 16 // cpu.State.CheckTags of an address; the size, bit 63 set for writes
	HelperRandomTag HelperID = 17 // the second operand is a set of tags to exclude; in bits 59:56
	HelperNextTag   HelperID = 18 // the tag in an address, steps; in bits 59:56
	HelperFaults    HelperID = 19 // cpu.State.Faults of an address; Elements
)

// SysReg names a system register operand of GETSYS and SETSYS.
type SysReg uint8

// System registers in the state.
const (
	SysTPIDR SysReg = iota
	SysTPIDRRO
	SysTPIDR2
	SysFPCR
	SysModes                       // cpu.State.Modes
	SysAPKeys                      // and the following: cpu.State.APKeys, low and high halves
	SysPACEnabled = SysAPKeys + 10 // and the following: cpu.State.PACEnabled
	SysGCSPR      = SysPACEnabled + 4
	SysGCSMode    = SysGCSPR + 1   // cpu.State.GCSMode; read-only
	SysRMode      = SysGCSMode + 1 // FPCR.RMode, at its place in FPCR; write-only
	SysP          = SysRMode + 1   // and the following: cpu.State.P, the predicate registers
	SysFFR        = SysP + 16      // behind them, the first fault register
)
