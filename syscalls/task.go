package syscalls

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"sync/atomic"
	"time"
	"unsafe"

	"emu/cpu"
	"emu/internal/forkall"
	"emu/internal/hostsig"

	"golang.org/x/sys/unix"
)

// Task is one guest thread: a goroutine locked to an OS thread.
type Task struct {
	State *cpu.State

	p        *Process
	th       *hostsig.Thread
	runner   cpu.Runner
	forker   cpu.Forker // the runner, if it is to know of forks
	tid      int
	clearTid uint64      // see setClearTid
	slow     slowness    // read and written atomically
	comm     string      // the name that a new thread starts with
	slack    uint64      // its creator's timer slack, 0 for a process's first thread
	done     bool        // leave the loop
	young    bool        // see young.go
	still    atomic.Bool // the thread's state is the one that a core shows
	told     atomic.Bool // its tracer hears that it ends, with the process or alone
	ended    atomic.Bool // and has let it go on from that
	inPlace  bool        // it stands in the group-stop; Process.mu guards it

	// Signals. blocked is the guest's mask; while restoreMask is set it is a
	// temporary one and saved is the mask to go back to.
	blocked, saved uint64
	restoreMask    bool
	alt            altstack
	// fault is what the last exception left for signal frames (thread.fault_address
	// and fault_code in the kernel).
	fault struct{ addr, esr uint64 }
	rings map[uint32]*uring // io_uring_register's indices
	frame []byte            // scratch for signal frames
	// raised is a signal that the thread has sent itself, to be delivered at once.
	raised struct {
		sig  int
		info hostsig.Info
	}

	// The system call being made, for restarts.
	call struct {
		row     *Row
		args    Args // the guest's
		work    Args // on their way to the host
		started time.Time
		keep    [][]byte // memory that its arguments point to
		nested  nested   // see pointee.go
		sent    []byte   // sendmmsg's copy of the headers
	}
	restart restart
	forking cloneArgs // of the last clone that made a process
	trace   traceState
	found   foundStops
	seccomp atomic.Pointer[filter]
	// owesNoNewPrivs: another thread has given it no_new_privs, which the host knows from its next call on.
	owesNoNewPrivs atomic.Bool
	gcs            gcsState
	inheritVL      bool // see vectorLength
	deadline       struct {
		pc   uint64
		when time.Time
	}
	// remade is where a call returns to that is made again although a signal would have ended it: until it is,
	// one that comes has come during the call.
	remade uint64
	// resumed is what the next restart_syscall(2) at pc goes on with: only calls of tracees have it.
	resumed struct {
		pc   uint64
		row  *Row
		args Args
	}
	buf []byte // scratch for conversions
}

// restart says what an interrupted call wants, as the kernel's ERESTART codes do.
type restart uint8

const (
	noRestart      restart = iota
	restartSys             // again, if the handler has SA_RESTART or there is none
	restartNoHand          // again only if no handler runs, else EINTR
	restartAlways          // again
	restartBlock           // as restartNoHand, but a tracer sees restart_syscall(2) for it
	restartEntered         // again, and as restartBlock for a tracer if no handler runs: it has seen the call, the host has not
	restartUnseen          // again only if what ended it is nothing that the guest has: else EINTR, as the kernel says
)

// wholePage is a Task of a size of which Go lays none across two pages, see processPage.
type wholePage struct {
	Task
	_ [1024 - unsafe.Sizeof(Task{})]byte
}

// The signal handler sets the bit that State.Interrupt does.
var _ [0]struct{} = [cpu.JumpMiss ^ hostsig.JumpMiss]struct{}{}

// newTask makes a thread that runs state.
func (p *Process) newTask(state *cpu.State) (*Task, error) {
	th, err := hostsig.NewThread(&state.Pending, &state.JumpCache, &state.Outside)
	if err != nil {
		return nil, err
	}
	runner, err := p.NewRunner(state)
	if err != nil {
		th.Free()
		return nil, err
	}
	t := p.unused
	if t != nil {
		p.unused = nil
	} else {
		t = &new(wholePage).Task
	}
	t.State, t.p, t.th, t.runner, t.alt = state, p, th, runner, altstack{Flags: ssDisable}
	t.forker, _ = t.runner.(cpu.Forker)
	t.initDirect()
	return t, nil
}

// start attaches the task to the calling OS thread. maker is the thread of the same process that has made it, if one has.
func (t *Task) start(mask uint64, maker *Task) {
	debug.SetPanicOnFault(true) // copies of guest memory recover, see copyIn
	t.tid = unix.Gettid()
	t.State.Tid = uint64(t.tid)
	t.p.mu.Lock()
	t.p.tasks.add(t)
	t.trace.group.Store(t.p.group.sig.Load()) // a new thread joins in (task_join_group_stop in the kernel)
	if maker != nil {
		t.inheritFilter(maker)
	}
	t.p.mu.Unlock()
	t.blocked = mask &^ unblockable
	t.th.Attach(t.blocked)
}

// maxUDF is the last of the words that encode UDF, permanently undefined.
const maxUDF = 0xffff

// pausesOn is how many YIELDs in a row only pause: three microseconds or more, longer than threads that run
// hold a spin lock. Who waits for one that does not run gives the processor away then, and at once if
// nobody else runs meanwhile.
func pausesOn(processors int) uint32 {
	if processors == 1 {
		return 0
	}
	return 127
}

// yield gives the processor away.
func (t *Task) yield() {
	t.State.Pauses = pausesOn(runtime.NumCPU())
	t.th.Call(unix.SYS_SCHED_YIELD, 0, 0, 0, 0, 0, 0)
}

// loop runs guest code until the thread ends.
func (t *Task) loop() {
	for !t.done {
		if forkall.Closed() {
			forkall.Wait(&t.State.Outside)
		}
		if t.State.TagFault != 0 {
			t.raiseAsyncTagFault()
		}
		if t.th.Interrupted() || t.restart != noRestart {
			t.deliverPending()
			if t.done {
				return
			}
		}
		stops := t.th.Trace.Number
		exit := t.run()
		t.State.PC = exit.PC
		raised := true // if exit is an exception
		switch exit.Kind {
		case cpu.ExitSyscall:
			t.syscall(exit.Arg[1], exit.Arg[2])
			if t.raised.sig != 0 {
				t.deliverRaised()
			}
		case cpu.ExitFault:
			if exit.Arg[1] == uint64(unix.SIGSEGV) && exit.Arg[2] == segvMaperr && t.p.Mem.Grow(exit.Arg[0]) {
				break // the interpreter looks at memory without asking
			}
			raised = t.raiseFault(int(exit.Arg[1]), int32(exit.Arg[2]), exit.Arg[0], exit.Arg[3])
		case cpu.ExitFetch:
			sig, code := t.p.Mem.FetchFault(exit.PC)
			if sig == 0 {
				continue
			}
			raised = t.raiseFault(int(sig), code, exit.PC, cpu.InstructionAbort(uint64(code)))
		case cpu.ExitUndefined:
			if exit.Arg[0] > maxUDF && !t.catches(unix.SIGILL) { // neither UDF, which is meant to do this, nor a probe
				t.p.Log.Warn().Str("pc", hex(exit.PC)).Str("word", fmt.Sprintf("0x%08x", exit.Arg[0])).Msg("undefined or unsupported instruction")
			}
			raised = t.raiseFault(int(unix.SIGILL), illOpcode, exit.PC, 0)
		case cpu.ExitBTI:
			t.State.PC = cpu.BranchType(exit.Arg[0]).Mark(t.State.PC) // the exception leaves PSTATE.BTYPE as it is
			raised = t.raiseFault(int(unix.SIGILL), illOpcode, exit.PC, 0)
		case cpu.ExitGCS:
			raised = t.raiseFault(int(unix.SIGSEGV), segvControlProtection, exit.PC, 0)
		case cpu.ExitPAC:
			raised = t.raiseFault(int(unix.SIGILL), illOperand, exit.PC, 0)
		case cpu.ExitBreakpoint:
			raised = t.raiseTrap(int(unix.SIGTRAP), trapBreakpoint, exit.PC)
		case cpu.ExitDebug:
			raised = t.raiseTrap(int(unix.SIGTRAP), trapHwBreakpoint, exit.Arg[0])
		case cpu.ExitAlign:
			raised = t.raiseAlignment(exit)
		case cpu.ExitPoll:
			t.deliverPending() // clears Pending, whoever set it
		case cpu.ExitYield:
			t.yield()
		case cpu.ExitBranch:
			if t.stepping() {
				break
			}
			fallthrough
		default:
			panic("BUG: syscalls: engine returned exit " + exit.Kind.String())
		}
		if !raised {
			t.deliverPending() // and executes the instruction again
			continue
		}
		if t.stepping() && !t.done && stops == t.th.Trace.Number {
			t.stepped()
		}
	}
}
