// Package cpu holds the architectural state of a guest thread, the reasons for
// which generated code hands control back, and the guest's address space.
package cpu

// StateBias is the distance from a State's first byte to the address that
// generated code keeps in its state register (RBP). With it X4..X30, SP and what follows
// them up to JumpCache are reachable with an 8-bit displacement: X[n] lies at
// RBP + 8n - 160. X0 to X3 are mostly in host registers (host.Pins).
const StateBias = 160

// SP is the index of the stack pointer in State.X. The zero register is not
// part of the state.
const SP = 31

// The pointer authentication keys, and their number.
const (
	KeyIA = iota
	KeyIB
	KeyDA
	KeyDB
	KeyGA
	NumAPKeys
)

// NumP is the number of predicate registers, and the index of FFR in State.P.
const NumP = 16

// VectorBytes is the length of SVE's vectors, which is that of the V registers: Zn is Vn.
const VectorBytes = 16

// NumSpill is the number of 16-byte spill slots that compiled code may use.
const NumSpill = 256

// NumStack is the size of State.Stack in units of 16 bytes. What reads a clock needs a
// tenth of it.
const NumStack = 128

// ChunkSize is how many bytes the copying stubs (host.StubCopyUp) move at a time. State.Chunk has those that
// were loaded last and not stored yet.
const ChunkSize = 64

// State is one guest thread's context. It lives outside of the Go heap at a
// fixed address (see NewState): generated code, signal handlers and Go all use
// it. Only the owning thread writes it, except what Interrupt sets.
//
// Field order matters only for the short displacements of X and the alignment
// of V; offsets reach assembly and the code generator through unsafe.Offsetof.
type State struct {
	X  [32]uint64 // X0..X30, then SP
	PC uint64

	// NZCV is the condition flags in the form that LAHF and SETO give on the
	// host: N bit 15, Z bit 14, C bit 8 (A64 polarity), V bit 0. PSTATE and
	// SetPSTATE convert.
	NZCV uint16
	_    uint16
	// Pending is non-zero when the thread must leave generated code at the next
	// safe point: loops poll it, indirect branches JumpCache. See Interrupt.
	Pending uint32

	TPIDR uint64 // TPIDR_EL0
	// JumpCache maps recently used guest pcs to host code; see package cache. With JumpMiss
	// in it nothing is found.
	JumpCache uint64

	TPIDRRO   uint64 // TPIDRRO_EL0, zero on Linux
	TPIDR2    uint64 // TPIDR2_EL0
	Modes     uint64 // PSTATE.DIT and others, see ModeDIT
	Paths     uint64 // the process's PathRoot, for direct system calls
	FPCR      uint32
	FPSR      uint32 // without the flags that MXCSR and QC still hold; see FPStatus
	MXCSR     uint32 // the guest's host control/status word while it runs
	HostMXCSR uint32 // Go's own, restored on exit

	// Local exclusive monitor: the address, size and value of the last
	// load-exclusive. ExclSize 0 means open.
	ExclAddr uint64
	ExclVal  [2]uint64
	ExclSize uint64

	// HostSP and NativeSP are the goroutine's and the generated code's stack
	// pointers while the other one is in use.
	HostSP   uint64
	NativeSP uint64
	// NativeTop and NativeLow bound the native stack of call/return pairs.
	NativeTop uint64
	NativeLow uint64
	Enter     uint64 // host address at which generated code is entered or resumed

	// Exit is written by generated code (or by the signal handler for faults)
	// on its way out. ExitFrom is the host address behind the exit stub of the
	// patchable jump that led out; when there is nothing to link the BranchType by
	// which the guest goes on.
	Exit     uint32 // ExitKind
	InGuest  uint32 // 1 while the thread runs generated code
	ExitArg  [4]uint64
	ExitFrom uint64

	// A Go helper call out of generated code (ExitHelper): the operation and its
	// operand types as the backend packs them, the operands, the result.
	HelperOp  uint64
	HelperArg [3][2]uint64
	HelperRet [2]uint64

	// A fault in generated code: the host registers, for state recovery.
	FaultSig   uint64
	FaultCode  uint64 // si_code
	FaultAddr  uint64
	FaultRIP   uint64
	FaultFlags uint64     // RFLAGS
	FaultErr   uint64     // page fault error code
	FaultGPR   [16]uint64 // by x86 register number
	FaultXMM   [32][2]uint64

	Tid uint64 // host thread id
	// Outside is 1 while the thread runs no Go code: generated code or a blocking
	// call. A fork can leave such threads behind; see internal/forkall.
	Outside uint32
	// Pauses is how many more YIELDs only pause before one gives the processor away.
	Pauses uint32

	QC uint64 // not zero: a saturating instruction has set FPSR.QC
	_  uint64
	V  [32][2]uint64

	// Pointer authentication keys IA, IB, DA, DB and GA, low and high halves, and
	// for all but the last whether they are enabled: all ones or zero.
	APKeys     [NumAPKeys][2]uint64
	PACEnabled [NumAPKeys - 1]uint64

	// Direct system calls. The addresses are of Go variables that outlive the State,
	// but for Signals, which lies outside of the Go heap, too.
	Direct    uint64 // the DirectTable; 0: all calls leave for Go
	Signals   uint64 // the thread's hostsig.Thread
	Evictions uint64 // count of evictions from the code cache
	EvictSeen uint64 // the count that the native stack is valid for
	Shrunk    uint64 // Memory.Shrunk
	OwnSeen   uint64 // the count that Own is valid for
	Own       [NumOwn]OwnRange

	Spill [NumSpill][2]uint64
	Stack [NumStack][2]uint64 // of functions of the host's vDSO
	Chunk [ChunkSize / 16][2]uint64

	// Memory tags: GCR_EL1.Exclude, the tags that IRG, ADDG and SUBG pass over; what a
	// mismatch does, TagSync and TagAsync; whether an asynchronous one was found
	// (TFSRE0_EL1.TF0); whether addresses often have a top byte, so that generated code
	// had better remove it (PR_TAGGED_ADDR_ENABLE).
	TagExclude uint64
	TagFaults  uint32
	TagFault   uint16
	TopBytes   bool

	// The guarded control stack: GCSPR_EL0, a multiple of 8, and what of it is in use.
	GCSPR   uint64
	GCSMode uint64 // GCSEnable and others

	// The predicate registers of SVE and behind them FFR: a bit for each byte of a vector.
	P [NumP + 1]uint64

	// FarMask is how much is in use of the second table at JumpCache: the offset of its last entry.
	FarMask uint32
}

const (
	hostN = 1 << 15
	hostZ = 1 << 14
	hostC = 1 << 8
	hostV = 1 << 0
)

// Bits of PSTATE.NZCV as MRS NZCV shows them.
const (
	FlagN = 1 << 31
	FlagZ = 1 << 30
	FlagC = 1 << 29
	FlagV = 1 << 28
)

// PackNZCV converts PSTATE-style flags (bits 31:28) to the form of State.NZCV.
func PackNZCV(pstate uint32) uint16 {
	var h uint16
	if pstate&FlagN != 0 {
		h |= hostN
	}
	if pstate&FlagZ != 0 {
		h |= hostZ
	}
	if pstate&FlagC != 0 {
		h |= hostC
	}
	if pstate&FlagV != 0 {
		h |= hostV
	}
	return h
}

// UnpackNZCV converts flags from the form of State.NZCV to bits 31:28. Bits of h
// that LAHF leaves undefined for this purpose are ignored.
func UnpackNZCV(h uint16) uint32 {
	var p uint32
	if h&hostN != 0 {
		p |= FlagN
	}
	if h&hostZ != 0 {
		p |= FlagZ
	}
	if h&hostC != 0 {
		p |= FlagC
	}
	if h&hostV != 0 {
		p |= FlagV
	}
	return p
}

// Bits of State.Modes, where PSTATE has them in SPSR_EL1: data independent timing and
// speculative store bypass safe, which change nothing here but what the guest reads,
// and tag check override, which switches the checks off.
const (
	ModeTCO  = 1 << 25
	ModeDIT  = 1 << 24
	ModeSSBS = 1 << 12
)

// PSTATE returns the condition flags in bits 31:28.
func (s *State) PSTATE() uint32 { return UnpackNZCV(s.NZCV) }

// SetPSTATE sets the condition flags from bits 31:28.
func (s *State) SetPSTATE(p uint32) { s.NZCV = PackNZCV(p) }
