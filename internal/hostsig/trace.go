package hostsig

// Trace is what a traced guest thread and the emu of its tracer (ptrace(2)) tell
// each other. The tracer reads and writes it across processes while the thread is
// stopped; only Want and StopInfo are written while it runs. All fields have one
// size and place everywhere: tracer and tracee are the same program.
type Trace struct {
	// Written by the tracer.
	Tracer   uint32 // its process's number, 0: not traced
	Seized   uint32 // attached with PTRACE_SEIZE
	Options  uint32 // PTRACE_O_
	Want     uint32 // Want... bits
	StopInfo Info   // siginfo of the SIGSTOP that WantStop asks for

	// The tracer's answer to a stop.
	Answered uint32 // the stop's number
	Command  uint32 // PTRACE_CONT and so on
	Signal   uint32 // to deliver
	Dirty    uint32 // Dirty... bits: what the tracer changed
	Waited   uint32 // the last stop for a signal that has been waited for
	Writes   uint32 // entries of Written; more than there are: everything
	Call     int32  // number of the system call, -1: none (NT_ARM_SYSTEM_CALL)
	Written  [MaxWritten][2]uint64

	// The stop: what the thread reports, and its registers.
	Number  uint32 // counts stops
	Status  uint32 // what wait(2) reports above the low 8 bits
	Group   uint32 // 1 for a group-stop that has no siginfo: of a thread that is not seized
	Placed  uint32 // the last stop that the tracer listens to, once the thread waits for others to stand
	Op      uint32 // PTRACE_SYSCALL_INFO_
	Message uint64 // PTRACE_GETEVENTMSG
	Nr      uint64 // PTRACE_GET_SYSCALL_INFO
	Args    [6]uint64
	Result  int64 // of the call, or the data of SECCOMP_RET_TRACE
	Info    Info
	Mask    uint64       // signal mask
	Regs    [34]uint64   // struct user_pt_regs
	FP      [528]byte    // struct user_fpsimd_state
	P       [17]uint16   // the predicates of SVE, and FFR
	TLS     [2]uint64    // TPIDR_EL0, TPIDR2_EL0
	Keys    [5][2]uint64 // pointer authentication: IA, IB, DA, DB, GA; low half first
	Tagged  uint64       // PR_GET_TAGGED_ADDR_CTRL
	GCS     [3]uint64    // struct user_gcs: what is enabled, what is locked, GCSPR_EL0
	Debug   DebugSlots

	InheritVL bool // PR_SVE_VL_INHERIT
}

// DebugSlots are the breakpoints and watchpoints that a tracer has set. They stay when it
// detaches.
type DebugSlots struct{ Break, Watch [MaxDebug]DebugSlot }

// MaxDebug is ARM_MAX_BRP and ARM_MAX_WRP (asm/hw_breakpoint.h).
const MaxDebug = 16

// DebugSlot is a breakpoint or watchpoint as the kernel's struct perf_event_attr has it.
type DebugSlot struct {
	Addr  uint64
	Size  uint32
	Made  bool // there is an event
	On    bool // it is enabled
	Load  bool // of a watchpoint: loads are watched
	Store bool // stores are
	Whole bool // a watchpoint of the server of -g, of any size and place
}

// MaxWritten is how many ranges of memory that the tracer wrote are told apart.
const MaxWritten = 16

// Readiness is a word by which a process that runs this program tells others whether its
// guest threads can be found in its table. It is below Promised while the process starts,
// or begins life as another's child. A program that can be traced has a stamp, which no
// program before or after it in the process has, plus the number of threads that are
// about to replace it: who reads the same stamp before and after has dealt with one
// program, and in time.
type Readiness uint64

// Readiness of processes without a guest, and of one that only the server of its -g may
// trace.
const (
	NoGuest  Readiness = (iota + 1) << countBits
	Promised Readiness = (iota + 1) << countBits

	firstStamp = 3
	countBits  = 16
)

// Stamped reports whether any tracer may attach.
func (r Readiness) Stamped() bool { return r>>countBits >= firstStamp && r&(1<<countBits-1) == 0 }

// Bits of Trace.Want.
const (
	WantStop      = 1 << iota // deliver SIGSTOP with StopInfo
	WantInterrupt             // PTRACE_INTERRUPT, or the first stop of a new seized thread
	WantNotice                // there is a tracer now
	WantCommand               // Command says how to go on from a stop of the host's own
	WantContinued             // a SIGCONT has undone the signals that stop which the thread was given
)

// Bits of Trace.Dirty.
const (
	DirtyRegs = 1 << iota
	DirtyFP
	DirtyTLS
	DirtyInfo
	DirtyMask
	DirtyCall
	DirtyKeys
	DirtyTagged
	DirtyGCS
	DirtyDebug
	DirtySVE // P and InheritVL
)

// Places in the siginfo of the kick with which a thread stops for its tracer: a
// mark, and the address of its Trace.
const (
	stopMarkAt  = 32
	stopTraceAt = 40
	stopMark    = 0x656d752d73746f70
)
