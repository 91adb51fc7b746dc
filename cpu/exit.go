package cpu

import (
	"strconv"
	"sync/atomic"
)

// ExitKind says why generated code (or the interpreter) returned to the
// dispatcher.
type ExitKind uint32

// The exits. Below the kind stands what Exit.Arg holds.
const (
	ExitBranch     ExitKind = iota // continue at PC; look up or translate it
	ExitSyscall                    // SVC: PC is the next instruction, Arg[0] the immediate; Arg[1] 1: the host's call was made and returned Arg[2]
	ExitBreakpoint                 // BRK at PC, Arg[0] the immediate
	ExitUndefined                  // undefined or untranslated word at PC, Arg[0] the word
	ExitFault                      // memory fault at PC: Arg[0] address, Arg[1] signal (0: instruction abort), Arg[2] si_code, Arg[3] ESR_EL1
	ExitFetch                      // no executable memory at PC (instruction abort): Arg[0] = PC; the address space knows why
	ExitAlign                      // misaligned atomic, exclusive, SP or PC: Arg[0] address
	ExitPoll                       // Pending was set; state is exact at PC
	ExitSync                       // ISB, IC IVAU and alike: code may have changed. Arg[0] address, Arg[1] length, 0 = all that is pending
	ExitMode                       // FPCR or another translation mode changed
	ExitYield                      // YIELD, WFE, WFI: give the processor away and set Pauses
	ExitHelper                     // Go helper call: Arg[0] helper id; resumes in mid-block
	ExitHot                        // a block's counter ran out: Arg[0] its pc
	ExitBTI                        // branch target exception at PC
	ExitHalt                       // stop the interpreter (ir fixtures): Arg[0] the value returned
	ExitPAC                        // pointer authentication failed at PC (FEAT_FPAC): Arg[0] the pointer
	ExitTag                        // the memory access at PC may fail its tag check: Arg[0] address; to be executed with CheckTags
	ExitTagFault                   // it does: Arg[0] is what CheckTags returned
	ExitGCS                        // GCS exception at PC: an entry of the guarded control stack is not what it has to be, or may not be written
	ExitShadow                     // the GCS access at PC is to no shadow stack: Arg[0] address, bit 0 set for writes
	ExitDebug                      // breakpoint or watchpoint exception before the instruction at PC: Arg[0] address
	NumExitKinds
)

var exitNames = [NumExitKinds]string{
	ExitBranch:     "branch",
	ExitSyscall:    "syscall",
	ExitBreakpoint: "breakpoint",
	ExitUndefined:  "undefined",
	ExitFault:      "fault",
	ExitFetch:      "fetch",
	ExitAlign:      "align",
	ExitPoll:       "poll",
	ExitSync:       "sync",
	ExitMode:       "mode",
	ExitYield:      "yield",
	ExitHelper:     "helper",
	ExitHot:        "hot",
	ExitBTI:        "bti",
	ExitHalt:       "halt",
	ExitPAC:        "pac",
	ExitTag:        "tag",
	ExitTagFault:   "tagfault",
	ExitGCS:        "gcs",
	ExitShadow:     "shadow",
	ExitDebug:      "debug",
}

func (k ExitKind) String() string {
	if k < NumExitKinds {
		return exitNames[k]
	}
	return "exit" + strconv.Itoa(int(k))
}

// Exit describes one return from guest code. The guest state is exact and PC is
// as the kind says.
type Exit struct {
	Kind ExitKind
	PC   uint64
	Arg  [4]uint64
}

// Reasons in State.Pending, a set of bits that is read and written atomically.
const (
	PendSignal = 1 << iota // a guest signal waits for this thread
	PendEvict              // the code cache wants its memory back; the engine's own
	PendSample             // the profiler wants to know where the thread is; the engine's own
)

// JumpMiss is added to State.JumpCache, beside Pending, to have the next indirect branch leave generated
// code. It finds the high half of a pc there and, above that, the low half of a host address instead of
// a pc: that is no address, whose upper 16 bits would be zero.
const JumpMiss = 4

// Interrupt makes s's thread leave generated code at its next safe point, for the reasons in
// pend. Safe from any thread.
func (s *State) Interrupt(pend uint32) {
	atomic.OrUint32(&s.Pending, pend)
	atomic.OrUint64(&s.JumpCache, JumpMiss)
}

// Runner executes guest code on a thread's state until something needs the
// kernel's or the dispatcher's attention. Engines (jit, ir/interp) implement it;
// package syscalls uses it. Kinds that engines serve themselves (ExitBranch,
// ExitSync, ExitMode, ExitHelper, ExitHot, ExitTag, ExitTagFault, ExitShadow) are never
// returned.
type Runner interface {
	Run(s *State) Exit
	// Close releases what the engine keeps for the thread, which runs no more; its
	// state still exists.
	Close()
	// CanRenew reports whether Renew may be called: the engine can go on with another program, nothing of
	// what runs is shown to anybody, and nobody but the calling thread works on it.
	CanRenew() bool
	// Renew forgets the program. The address space is empty then, and s is about to begin another one.
	// The thread is the process's only one.
	Renew(s *State)
}

// DataAbort is ESR_EL1 as Linux reports it for a memory access of EL0 that
// faulted with the given si_code (Arm ARM D24.2.40): EC 0x24, IL, WnR and the
// fault status, translation or permission at level 3.
func DataAbort(siCode uint64, write bool) uint64 {
	const segvAccErr = 2
	esr := uint64(0x24<<26 | 1<<25 | 0x07)
	if siCode == segvAccErr {
		esr |= 0x08
	}
	if write {
		esr |= 1 << 6
	}
	return esr
}

// InstructionAbort is ESR_EL1 as Linux reports it for an instruction of EL0 that
// could not be fetched: EC 0x20, IL and the fault status as for DataAbort.
func InstructionAbort(siCode uint64) uint64 {
	return DataAbort(siCode, false)&^(0x3f<<26) | 0x20<<26
}
