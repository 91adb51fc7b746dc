// Package host is the seam between the JIT engine and its backends: what a
// backend is asked for (Options) and what it gives back (Code). Nothing in it
// depends on the host's instruction set except the register numbers inside
// recovery recipes.
//
// # Generated code's conventions
//
// The state register (RBP on amd64) holds the address of the thread's cpu.State
// plus cpu.StateBias. The stack pointer is a private native stack that pairs
// guest calls with host calls; spill slots are in State.Spill. Every other
// register is free for use within a unit. From one unit to the next the registers of
// Pins carry what they are named for, and so they do into the stubs, unless a stub says
// otherwise; what State has of these is stale. All other guest state is in State
// (State.PC need not be). The guest's control word for floating point (MXCSR) is
// loaded.
//
// The installer copies Bytes to a multiple of UnitAlign, applies Relocs, and
// keeps Exits for linking and the PCMap for faults.
package host

import (
	"emu/cpu"
	"emu/ir"
)

// CodeAlign is the alignment at which Code.Bytes has to be installed: literals
// of 16 bytes and patchable displacements of 4 rely on it.
const CodeAlign = 16

// LoopAlign is the alignment of short loops that Options.AlignLoops asks for. Processors
// keep decoded instructions by 64 bytes of code or less (the op cache in AMD's
// Software Optimization Guide for family 19h): a short loop in one such piece is fetched at once.
const LoopAlign = 64

// UnitAlign is what the code of a unit, a region or a block, has to be installed at a multiple of.
func UnitAlign(region bool) int {
	if region {
		return LoopAlign
	}
	return CodeAlign
}

// JumpCacheEntries is the number of pcs that have entries of their own in the table at State.JumpCache.
// Entry (pc>>2) % JumpCacheEntries + t, where t is the cpu.BranchType by which pc is looked up, is 16 bytes:
// the guest pc (little-endian), then the host address of its code. Empty entries hold a pc that is never
// looked up in that entry and any address. So a pc that branches of one type may go to is found by these only.
//
// Behind it, at FarJumpStart, lies a second table that StubIndirectMiss looks at, for pcs that have
// the same entry in the first: up to FarJumpEntries of the same form, indexed by FarJump plus the type.
const (
	JumpCacheEntries = 4096
	FarJumpStart     = JumpCacheEntries + int(cpu.NumBranchTypes)
	farJumpBits      = 14
	FarJumpEntries   = 1 << farJumpBits
)

// TargetNotes is how many targets of an indirect branch are known.
const TargetNotes = 32

// NoteSites is how many indirect branches are told apart: notes of one are so many words of 64 bits apart. Both are powers of two.
const NoteSites = 4096

// FarJump's multiplier and shift: Knuth's multiplicative hashing of the low half of
// a pc. The shift leaves the index as State.FarMask has it, in bytes, with some bits below.
const (
	FarJumpFactor = 0x9e3779b1
	FarJumpShift  = 32 - farJumpBits - 4
)

// FarJump is the index of pc in the second table for a State.FarMask.
func FarJump(pc uint64, mask uint32) uint32 {
	return uint32(pc) * FarJumpFactor >> FarJumpShift & mask / 16
}

// StackSlack is the number of bytes above State.NativeTop that generated code may
// read: a return on an empty native stack looks there. The engine fills them with
// the address of StubIndirectMiss.
const StackSlack = 64

// Stub names a piece of the engine's own host code that generated code jumps to.
type Stub uint8

// The stubs.
const (
	// StubExit stores the pins and leaves to Go, as all that leave do. State.Exit, PC, ExitArg (as the kind needs) and,
	// for ExitBranch, ExitFrom are stored. Reached by a jump.
	StubExit Stub = iota
	// StubBranch leaves to Go with ExitBranch; its return address goes to State.ExitFrom
	// and tells which exit it was, and so the guest pc. Reached by a call, for which 8
	// bytes of native stack are left (see StubHelper).
	StubBranch
	// StubHot leaves likewise with ExitHot; the guest pc is the unit's.
	StubHot
	// StubPoll leaves to Go with ExitPoll at the guest pc in RCX. Reached by a jump.
	StubPoll
	// StubIndirect looks the guest pc in RAX up in the jump cache and jumps to
	// its code, else behaves as StubIndirectMiss. Returns that find no call on the
	// native stack go there, which are no safe points otherwise: if State.Pending is
	// set it leaves to Go. Reached by a jump or a call; it must leave the native
	// stack alone.
	StubIndirect
	// StubIndirectMiss looks the guest pc in RAX up in the second table of the jump
	// cache and jumps to its code, else leaves to Go with ExitBranch and its cpu.BranchType as ExitFrom.
	// Reached by a jump or a call; it must leave the native stack alone. It is that of returns, those of
	// the other types follow in their order: see Miss.
	StubIndirectMiss
	stubMissIP
	stubMissCall
	stubMissJump
	// StubHelper leaves to Go with ExitHelper and returns right after the call
	// once Go has served it (amd64.ServeHelper); State.HelperOp and HelperArg are
	// stored, pins are where the unit's recipes say or in State. Nothing but the state and stack registers survives. The return
	// address needs 8 bytes of native stack: a NativeTop that is an odd multiple of
	// 8 leaves them below any number of call/return pairs.
	StubHelper
	// StubCounter is StubHelper for the operation that reads the counter, for which it
	// need not leave.
	StubCounter
	// StubSyscall makes the system call of an SVC and returns right after the call,
	// or leaves to Go with ExitSyscall. Pins are in their registers, PC is the next
	// instruction and ExitArg[0] the immediate; like StubHelper it needs 8 bytes of
	// native stack. Nothing but the state and stack registers and the pins survives.
	StubSyscall
	// StubCopyUp and StubCopyDown do COPYUP and COPYDOWN (ir) of RDI, RSI and RCX and return how many bytes in RAX right
	// after the call, for which like StubHelper they need 8 bytes of native stack. RDX, RCX and the flags
	// do not survive.
	StubCopyUp
	StubCopyDown
	// Counter is no stub but the unit's 32-bit execution counter, which the
	// installer places in writable memory within reach and off the code's cache
	// lines. Only units compiled with Options.Count refer to it.
	Counter
	// Targets is no stub either but where the unit notes where its indirect branch, the
	// last instruction, has gone: the first of TargetNotes words of 64 bits, which are
	// NoteSites words apart.
	Targets
	// Lock is none either: the field is a single byte, the LOCK prefix of an access to guest memory
	// or of a barrier. It is Unlocked while nobody else has that memory.
	Lock
	NumStubs
)

// Miss is the StubIndirectMiss of branches of type t.
func Miss(t cpu.BranchType) Stub { return StubIndirectMiss + Stub(t) }

// What is at a Lock.
const (
	Locked   = 0xf0 // LOCK
	Unlocked = 0x3e // DS, which 64-bit mode ignores before an access (Intel SDM volume 1, 3.3.7.1)
)

// Reloc is a 32-bit field that holds the distance from the end of its
// instruction to a stub, or what its Target says instead.
type Reloc struct {
	Off    int32 // offset of the field
	Tail   uint8 // bytes from the field's start to the end of the instruction
	Target Stub
}

// ExitSite is a direct branch that leaves the unit. Its displacement, 4-byte
// aligned, leads at first to cold code that calls StubBranch; the dispatcher may redirect it to the target's code by one
// atomic store of int32(code - (address of the displacement + 4)).
type ExitSite struct {
	Patch  int32  // offset of the displacement
	Cold   int32  // offset of the cold code: where an unlinked site leads
	End    int32  // offset behind the cold code: what State.ExitFrom shows
	Target uint64 // guest pc
	Kind   ExitSiteKind
	// Site is where the branch is if its block goes on behind it: 1 + guest instructions from
	// the block's start, else 0.
	Site uint16
}

// ExitSiteKind says which instruction an exit site is.
type ExitSiteKind uint8

// The kinds of exit sites.
const (
	SiteJump ExitSiteKind = iota // jmp rel32
	SiteCond                     // jcc rel32
	SiteCall                     // call rel32: pushes a return address (Options.Pairing)
	SiteRet                      // jmp rel32 of a return continuation, reached by the callee's host RET
)

// Options say how to compile. The zero value is plain tier 1 for the oldest
// supported CPU.
type Options struct {
	// Features are the host CPU features that code may use, in the backend's own
	// coding (x64.Features on amd64).
	Features uint64
	// FPCR is the floating-point control register that the code is compiled for, as far
	// as cpu.State.CodeMode has it: a guest that changes that leaves by ExitMode.
	FPCR uint32
	// Count makes the unit decrement its Counter on entry and leave with ExitHot
	// when that makes it zero.
	Count bool
	// Note makes a unit with Count that ends in an indirect branch, calls included, note
	// where that goes at Targets: each entry is of the last one in about so many executions.
	Note uint32
	// Pairing makes guest calls and returns use the host's CALL and RET on the
	// native stack: a call pushes the guest return pc, then the host return
	// address.
	Pairing bool
	// AlignLoops makes short loops begin at multiples of LoopAlign, one of which the code
	// has to be installed at.
	AlignLoops bool
	// AtomicPairs makes loads of pairs of registers one access where Template emits them
	// (FEAT_LSE2).
	AtomicPairs bool
	// FastPAC says that pointers are signed by the product of package translate, and that a wrong code faults (FEAT_PACIMP,
	// FEAT_FPAC), for which Template has code.
	FastPAC bool
	// Guarded says that the block of a Template is in guarded pages (FEAT_BTI), which the type of some branches depends on.
	Guarded bool
	// NoFold turns memory operand folding and instruction fusion off, to tell
	// their bugs from others.
	NoFold bool
	// Verify makes the backend check its books after every instruction and panic
	// if they disagree.
	Verify bool
}

// Code is one compiled unit. A backend appends to it after a Reset and reuses
// its memory, so whoever keeps parts of it has to copy them.
type Code struct {
	PC     uint64    // guest address of the unit's entry
	Size   uint32    // bytes of guest code covered
	Also   []ir.Span // more of it, in a block that goes on at branch targets
	Onward []uint64  // where a block goes on behind branches
	Bytes  []byte
	Relocs []Reloc
	Exits  []ExitSite
	Map    PCMap
	// Hot is the number of leading Bytes before the cold code.
	Hot int32
}

// Reset empties c and keeps its memory.
func (c *Code) Reset() {
	c.PC, c.Size, c.Hot = 0, 0, 0
	c.Also, c.Onward = c.Also[:0], c.Onward[:0]
	c.Bytes, c.Relocs, c.Exits = c.Bytes[:0], c.Relocs[:0], c.Exits[:0]
	c.Map.reset()
}

// Backend turns IR into host code. A Backend is used by one goroutine at a time.
type Backend interface {
	Name() string
	// Compile replaces the contents of c. It fails only if f needs more than the
	// backend has (spill slots); the caller then makes a smaller unit.
	Compile(f *ir.Func, o Options, c *Code) error
	// Template replaces the contents of c by the basic block at a guest pc, of at most
	// so many instructions, straight from its words. It returns false, and c may hold
	// anything, if there is an instruction that it does not know. The block is one of
	// a thread whose mode checks and removes no tags and whose SP is aligned, in a page
	// that is not guarded (FEAT_BTI). onward tells whether the block is to go on at pc, behind a
	// branch or at its target; nil: it never is.
	Template(pc uint64, most int, fetch func(pc uint64) (word uint32, ok bool), onward func(pc uint64) bool, o Options, c *Code) bool
	// Disasm lists code that runs at addr, one instruction a line.
	Disasm(code []byte, addr uint64) []string
}
