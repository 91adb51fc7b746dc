package syscalls

import (
	"encoding/binary"
	"fmt"
	"os"
	"path"
	"strconv"
	"strings"

	"emu/cpu"
	"emu/internal/hostsig"

	"github.com/rs/zerolog"
	"golang.org/x/sys/unix"
)

// Debugger traces guest processes for emu itself, as a tracer among the guests does
// with ptrace(2). It has no guest memory of its own.
//
// All methods are called from the thread that called NewDebugger, locked: the
// kernel's tracers are threads.
type Debugger struct{ t *Task }

// Stop is what a traced thread reports.
type Stop struct {
	Tid     int
	Ended   bool            // the thread, or with its main thread the process, is gone
	Status  unix.WaitStatus // of the end
	Signal  int             // of a stop: what stopped it
	Event   int             // of a stop: 0, or one of the events below
	Message int             // of StopClone, StopFork and StopVfork: the new thread
	Code    int32           // of a signal: si_code
	Addr    uint64          // of a fault or trap: si_addr
	Call    CallStop        // of a stop at a system call
	Number  int             // of that: the call's
}

// CallStop says whether a stop is at a system call, and where.
type CallStop uint32

// Stops at a system call, PTRACE_SYSCALL_INFO_.
const (
	CallEntry  CallStop = opEntry
	CallReturn CallStop = opExit
)

// Resumption is how a thread goes on.
type Resumption int

// Ways to go on: until something happens; for one instruction; until the next system call's entry or return at the latest.
const (
	Run    Resumption = ptCont
	Step   Resumption = ptStep
	ToCall Resumption = ptSyscall
)

// Watchpoint is memory that a thread stops before it accesses.
type Watchpoint struct {
	Addr, Size  uint64
	Load, Store bool // the accesses that count
}

// MaxWatchpoints is how many a thread can have.
const MaxWatchpoints = hostsig.MaxDebug

// Events of Stop, PTRACE_EVENT_.
const (
	StopFork      = ptEventFork
	StopVfork     = ptEventVfork
	StopClone     = ptEventClone
	StopExec      = ptEventExec
	StopVforkDone = ptEventVdone // of the parent, when the child has executed a program or ended
	StopTrap      = ptEventStop  // Interrupt, a new thread, or a group-stop if Signal is not SIGTRAP
)

// RegisterSet is a set of registers of PTRACE_GETREGSET, NT_.
type RegisterSet uint64

// The register sets of a stopped thread.
const (
	GeneralRegisters RegisterSet = ntPrstatus   // struct user_pt_regs: X0 to X30, SP, PC, PSTATE
	VectorRegisters  RegisterSet = ntPrfpreg    // struct user_fpsimd_state: V0 to V31, FPSR, FPCR
	ThreadPointer    RegisterSet = ntArmTLS     // TPIDR_EL0
	PointerAuthMasks RegisterSet = ntArmPACMask // data, code: the bits of a pointer that sign it
)

// ScalableRegisters is the register set of guests with scalable vectors: struct user_sve_header, Z0
// to Z31, P0 to P15 and FFR, FPSR and FPCR, always all of them.
const ScalableRegisters RegisterSet = ntArmSVE

// TagControl is the register set of guests with memory tags: PR_SET_TAGGED_ADDR_CTRL's.
const TagControl RegisterSet = ntArmTaggedAddr

// Granule is the memory that has one tag.
const Granule = cpu.Granule

// NewDebugger returns a debugger without threads, of guests with a root file system or "".
func NewDebugger(log zerolog.Logger, sysroot string) *Debugger {
	p := NewProcess(Config{Log: log})
	p.root.Store(openSysroot(sysroot, &p.paths))
	return &Debugger{&Task{p: p, tid: unix.Gettid()}}
}

func result(call string, tid int, r int64) error {
	if r < 0 {
		return fmt.Errorf("%s %d: %w", call, tid, unix.Errno(-r))
	}
	return nil
}

// Attach begins to trace a thread, and all threads and processes that it makes from
// then on. It asks for a first stop, StopTrap.
func (d *Debugger) Attach(tid int) error {
	const options = ptSysgood | 1<<ptEventFork | 1<<ptEventVfork | 1<<ptEventClone | 1<<ptEventExec | 1<<ptEventVdone
	if err := result("attach to", tid, d.t.attach(ptSeize, tid, 0, options)); err != nil {
		return err
	}
	return result("interrupt", tid, d.t.interruptTracee(d.t.p.tracee(tid)))
}

// Interrupt asks a thread to stop with StopTrap. It returns false if a running thread may not have heard of that
// and is to be asked again, after Poll: what it is about to do may have to wait for other threads that have stopped.
func (d *Debugger) Interrupt(tid int) (heard bool) {
	tr := d.t.p.tracee(tid)
	switch {
	case tr == nil: // it has ended, or is about to report itself
		return true
	case tr.stopped:
		d.t.interruptTracee(tr)
		return true
	}
	_, heard = interruptRunning(tr)
	return heard
}

// callBit marks the signal of a stop at a system call (PTRACE_O_TRACESYSGOOD).
const callBit = 0x80

// Poll returns what a thread has reported, nil if none has. It fails with ECHILD when
// no traced thread is left.
func (d *Debugger) Poll() (*Stop, error) {
	for {
		var status unix.WaitStatus
		tid, err := unix.Wait4(-1, &status, unix.WNOHANG|unix.WALL, nil)
		switch {
		case err == unix.EINTR:
			continue
		case err != nil:
			return nil, err
		case tid == 0:
			return nil, nil
		case !status.Stopped():
			if status.Continued() {
				continue
			}
			d.t.p.dropTracee(tid)
			return &Stop{Tid: tid, Ended: true, Status: status}, nil
		}
		code, visible := d.t.hostStop(tid, uint32(status)>>8)
		if !visible {
			continue
		}
		s := &Stop{Tid: tid, Signal: int(code & 0x7f), Event: int(code >> 8)}
		if tr := d.t.p.tracee(tid); tr != nil && tr.trace != nil && !tr.native {
			le, info := binary.LittleEndian, &tr.trace.Info
			if code&callBit != 0 {
				s.Call, s.Number = CallStop(tr.trace.Op), int(int32(tr.trace.Nr))
			}
			s.Message, s.Code, s.Addr = int(tr.trace.Message), int32(le.Uint32(info[siCode:])), le.Uint64(info[siAddr:])
		}
		return s, nil
	}
}

// Await blocks until Poll has something to return, or fails as it does. Unlike the
// others it is called from any thread.
func (d *Debugger) Await() error {
	for {
		err := unix.Waitid(unix.P_ALL, 0, nil, unix.WEXITED|unix.WSTOPPED|unix.WALL|unix.WNOWAIT, nil)
		if err != unix.EINTR {
			return err
		}
	}
}

// Resume lets a stopped thread go on, with a signal to deliver or 0.
func (d *Debugger) Resume(tid int, how Resumption, sig int) error {
	return d.resume(tid, int(how), sig)
}

// Detach ends the tracing of a stopped thread, which goes on.
func (d *Debugger) Detach(tid, sig int) error { return d.resume(tid, ptDetach, sig) }

func (d *Debugger) resume(tid, request, sig int) error {
	tr := d.t.p.tracee(tid)
	if tr == nil {
		return result("resume", tid, fail(unix.ESRCH))
	}
	return result("resume", tid, d.t.resume(tr, request, uint64(sig)))
}

// Registers returns a register set of a stopped thread as the arm64 kernel lays it
// out.
func (d *Debugger) Registers(tid int, set RegisterSet) ([]byte, error) {
	tr := d.t.p.tracee(tid)
	if tr == nil || tr.trace == nil || tr.native {
		return nil, result("read registers of", tid, fail(unix.ESRCH))
	}
	content, _, e := d.t.regsetContent(tr.trace, uint64(set))
	if e != 0 {
		return nil, result("read registers of", tid, fail(e))
	}
	if set == ScalableRegisters {
		content = longSVESet(tr.trace)
	}
	return content, nil
}

// SetRegisters replaces a register set; the thread takes it over as it goes on.
func (d *Debugger) SetRegisters(tid int, set RegisterSet, content []byte) error {
	tr := d.t.p.tracee(tid)
	if tr == nil || tr.trace == nil || tr.native {
		return result("write registers of", tid, fail(unix.ESRCH))
	}
	_, dirty, e := d.t.regsetContent(tr.trace, uint64(set))
	switch {
	case e != 0:
	case dirty == 0:
		e = unix.EINVAL
	default:
		e = d.t.storeRegset(tr.trace, uint64(set), content, dirty)
	}
	return result("write registers of", tid, fail(e))
}

// SetWatchpoints replaces the watchpoints of a stopped thread.
func (d *Debugger) SetWatchpoints(tid int, list []Watchpoint) error {
	tr := d.t.p.tracee(tid)
	if tr == nil || tr.trace == nil || tr.native || len(list) > MaxWatchpoints {
		return result("set watchpoints of", tid, fail(unix.ESRCH))
	}
	tr.trace.Debug = hostsig.DebugSlots{}
	for i, w := range list {
		tr.trace.Debug.Watch[i] = hostsig.DebugSlot{Addr: w.Addr, Size: uint32(w.Size), Made: true, On: true, Load: w.Load, Store: w.Store, Whole: true}
	}
	tr.trace.Dirty |= hostsig.DirtyDebug
	return nil
}

// Auxv reads the auxiliary vector of a guest process.
func (d *Debugger) Auxv(pid int) ([]byte, error) {
	auxv, err := os.ReadFile(fmt.Sprintf("/proc/%d/auxv", pid))
	if err == nil {
		d.t.p.Auxv = auxv // its HWCAP tells which register sets there are
	}
	return auxv, err
}

// HasTags reports whether a guest has memory tags, by its auxiliary vector.
func HasTags(auxv []byte) bool {
	const mte = 1 << 18 // HWCAP2_MTE
	return auxval(auxv, atHWCAP2)&mte != 0
}

// ReadTags reads the n memory tags from addr on of a stopped thread's memory.
func (d *Debugger) ReadTags(tid int, addr, n uint64) ([]byte, error) {
	var out []byte
	err := d.tags(tid, addr, n, func(tr *tracee, at, _ uint64, tags []byte) unix.Errno {
		e := peekMemory(tr.tid, at, tags)
		out = append(out, tags...)
		return e
	})
	return out, err
}

// WriteTags writes memory tags.
func (d *Debugger) WriteTags(tid int, addr uint64, all []byte) error {
	return d.tags(tid, addr, uint64(len(all)), func(tr *tracee, at, done uint64, tags []byte) unix.Errno {
		return pokeMemory(tr.tid, at, all[done:done+uint64(len(tags))])
	})
}

func (d *Debugger) tags(tid int, addr, n uint64, do func(tr *tracee, at, done uint64, tags []byte) unix.Errno) error {
	tr := d.t.p.tracee(tid)
	if tr == nil || !tr.stopped {
		return result("memory tags of", tid, fail(unix.ESRCH))
	}
	_, e := tracedTags(tr, addr, n, func(at, done uint64, tags []byte) unix.Errno { return do(tr, at, done, tags) })
	return result("memory tags of", tid, fail(e))
}

// ProcFile returns the content of a file of /proc/PID or /proc/PID/task/TID of a guest's whose host version
// would show emu's memory and threads. ok is false for all others.
func (d *Debugger) ProcFile(name string) (content []byte, ok bool) {
	return d.t.p.otherFile(path.Clean(name))
}

// ProcLink returns where a link of /proc/PID of a guest's leads, by the guest's names. ok is false for
// what is no such link.
func (d *Debugger) ProcLink(name string) (target string, ok bool) {
	pid, file, _ := strings.Cut(strings.TrimPrefix(path.Clean(name), procPrefix), "/")
	if _, err := strconv.Atoi(pid); err != nil || !emulates(procPrefix+pid) {
		return "", false
	}
	switch file {
	case "exe":
		return d.t.p.exeOf(pid)
	case "cwd":
		target, err := hostLink(procPrefix + pid + "/cwd")
		return d.t.p.guestName(target), err == nil
	}
	return "", false
}

// Siginfo returns the siginfo of the signal that stopped a thread.
func (d *Debugger) Siginfo(tid int) ([]byte, error) {
	tr := d.t.p.tracee(tid)
	if tr == nil || tr.trace == nil || tr.native || tr.trace.Group != 0 {
		return nil, result("siginfo of", tid, fail(unix.EINVAL))
	}
	return append([]byte(nil), tr.trace.Info[:]...), nil
}

// ReadMemory reads from a traced process, as far as there is memory: an error only if
// nothing could be read.
func (d *Debugger) ReadMemory(tid int, addr uint64, b []byte) (int, error) {
	return d.memory(tid, os.O_RDONLY, func(f *os.File) (int, error) { return f.ReadAt(b, int64(addr)) })
}

// WriteMemory writes to a traced process, write-protected memory included, all or
// fails. What was translated from there is dropped.
//
// Preconditions: the thread is stopped.
func (d *Debugger) WriteMemory(tid int, addr uint64, b []byte) error {
	_, err := d.memory(tid, os.O_RDWR, func(f *os.File) (int, error) {
		n, err := f.WriteAt(b, int64(addr))
		if err != nil {
			return 0, err
		}
		return n, nil
	})
	if err != nil {
		return err
	}
	if tr := d.t.p.tracee(tid); tr != nil {
		d.t.p.wrote(tr, addr, addr+uint64(len(b)))
	}
	return nil
}

func (d *Debugger) memory(tid, mode int, do func(*os.File) (int, error)) (int, error) {
	f, err := os.OpenFile(fmt.Sprintf("/proc/%d/mem", tid), mode, 0)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	n, err := do(f)
	if n > 0 {
		return n, nil
	}
	return 0, err
}
