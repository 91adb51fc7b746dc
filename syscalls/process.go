// Package syscalls is the guest's kernel interface: one table of system calls,
// the threads that make them, and signals.
//
// Guest and host are both 64-bit little-endian Linux, and guest addresses are
// host addresses, so most calls go to the host as they are. See Table.
package syscalls

import (
	"errors"
	"runtime/debug"
	"slices"
	"sync"
	"sync/atomic"
	"unsafe"

	"emu/cpu"
	"emu/internal/forkall"
	"emu/internal/hostsig"

	"github.com/rs/zerolog"
	"golang.org/x/sys/unix"
)

// Config is what a Process is made of. The first group must be set.
type Config struct {
	Mem       *cpu.Memory
	NewRunner func(s *cpu.State) (cpu.Runner, error) // called once per guest thread

	Program
	// Descriptors of emu's own program, for execve, and of /proc, for fork: the guest may
	// change its root directory to one that has neither. Not above 0 if there is none.
	Self, Proc int
	MIDR       uint64 // MIDR_EL1, for /proc/cpuinfo
	FPCRMask   uint32 // bits of FPCR that the processor has, 0 = all
	Predicates bool   // the processor executes SVE, even if AT_HWCAP does not say so

	Sysroot   string   // -L: see sysroot.go
	Release   string   // uname -r, "" for the host's
	Emu       []string // argv prefix with which execve runs emu again: emu and its flags
	ByKernel  bool     // binfmt_misc has started emu, and will again
	Strace    *Tracer  // nil without -strace
	Log       zerolog.Logger
	Inherited *Inheritance // from the program that executed this one
	Private   string       // a directory for files of emu's own, "" for none
	// AtExit is called once before the process ends, but by SIGKILL or with emu: with
	// the exit status, or 128 + signal.
	AtExit func(status int)
	// Save writes what emu keeps for other processes: before the process ends or
	// executes a program. It may be nil.
	Save func()
	// Ready is called when the first thread can be traced, before it runs. It may be nil;
	// else no guest can attach before it returns, only a Debugger.
	Ready func() error
	// Load loads a program into Mem, which is empty; nil if execve is always the kernel's.
	Load func(*ProgramStart) (*Program, error)
	// Exit ends the process; nil means exit_group. Tests set it.
	Exit func(status int)
}

// Process is the guest process.
type Process struct {
	Config
	table  *[TableSize]*Row
	direct *cpu.DirectTable // the same for generated code

	mu         sync.Mutex
	tasks      taskSet // by thread id
	sharers    []*Task // of processes that share this one's memory
	leaderExit int     // status the main thread left with
	shm        map[uint64]uint64
	limits     [2]unix.Rlimit // RLIMIT_DATA, RLIMIT_AS

	personality atomic.Uint32
	topBytes    atomic.Bool // a thread may pass addresses with a top byte
	traced      tracees
	group       groupStop
	rings       urings
	serves      atomic.Bool // it may have descriptors of /dev/fuse: see fuse.go
	absent      atomic.Bool // pages may wait for a thread of the guest's: see across
	kernels     atomic.Bool // the kernel is to execute programs, see noteKernels
	described   bool        // the host knows where arguments and environment are
	stacks      []uint64    // StackStart of what the process was before it became a program, see becameAnother
	changed     atomic.Bool // a thread has changed something about itself that new threads inherit
	ending      sync.Once
	claimed     atomic.Bool // a thread ends the process, by a signal or exit_group
	dumping     atomic.Bool // it writes a core file: the others stand still
	last        lastWords
	sve         bool   // the guest's CPU has scalable vectors: see haveSVE
	vfork       *vfork // set in a child of vfork whose parent waits
	children    childrensNamespaces
	filesShared atomic.Bool // the descriptors may be another process's as well (CLONE_FILES)
	sharer      *sharer     // set in a process that shares its parent's memory
	hasLent     atomic.Bool // it has had children that did: see lend.go
	pid         int
	madeUp      madeUp
	root        atomic.Pointer[sysroot] // nil without -L
	paths       cpu.PathRoot
	exeHost     string // the host's name of the program
	own         []int  // emu's descriptors, ascending
	unused      *Task  // for the first thread, see processPage

	*dispositions
}

// dispositions is what a process does at signals. Processes can share it (CLONE_SIGHAND).
type dispositions struct {
	sigMu    sync.RWMutex
	catchAll bool // the host tells emu of all signals, whatever is done at them: a thread is or was traced, or they are shared
	shared   bool
	actions  [hostsig.Signals + 1]sigaction
}

// processPage is a Process with its first thread, of a size of which Go lays none across two pages: both
// would have to be copied by every child of a fork, and by the parent after it.
type processPage struct {
	first Task
	Process
	signals dispositions // behind what each fork writes to, so that this is on one page
	_       [cpu.PageSize - unsafe.Sizeof(Task{}) - unsafe.Sizeof(Process{}) - unsafe.Sizeof(dispositions{})]byte
}

// NewProcess returns a process without threads.
func NewProcess(c Config) *Process {
	page := &processPage{Process: Process{Config: c, table: Table(), shm: map[uint64]uint64{}, pid: unix.Getpid()}}
	p := &page.Process
	p.unused, p.dispositions = &page.first, &page.signals
	p.direct = directTable(p.table)
	p.sve = p.haveSVE()
	p.limits = noLimits
	return p
}

// maxThreads is more than a kernel lets a process have; Go's own limit of 10,000
// would end emu.
const maxThreads = 4 << 20

// Run makes the calling goroutine's OS thread the guest's main thread, starting
// at state, and runs the process to its end. It returns only when Config.Exit is
// set, else the process ends with the guest's status or signal.
//
// Preconditions: the goroutine is locked to the process's first thread, and the
// engine has installed its fault handlers.
func (p *Process) Run(state *cpu.State) error {
	in, err := hostsig.Install()
	if err != nil {
		return err
	}
	p.adopt(in)
	hostsig.SetMemory(p.Mem.Addr())
	debug.SetMaxThreads(maxThreads)
	forkall.Begin()
	if p.Proc > 0 {
		forkall.UseProc(p.Proc)
	}
	p.exeHost = p.Exe
	p.root.Store(openSysroot(p.Sysroot, &p.paths))
	p.Exe = p.guestName(p.exeHost)
	setComm(p.Comm) // before describe, after which others believe the kernel: see toCome
	p.describe()    // as long as the program's descriptor tells others what runs here, see exeToCome
	if p.own, err = hostsig.OwnDescriptors(); err != nil {
		p.Log.Debug().Err(err).Msg("emu's own descriptors are not hidden")
	}
	slices.Sort(p.own)
	if in.Exact {
		// The start code and package syscall have raised the limit; the guest gets its own back, below which emu's
		// descriptors need not be.
		unix.Prlimit(0, unix.RLIMIT_NOFILE, &in.NoFile, nil)
		p.limits = [2]unix.Rlimit{in.Data, in.AS}
		p.limitMemory()
	}
	p.limitDirect()
	p.personality.Store(inheritedPersonality())
	t, err := p.newTask(state)
	if err != nil {
		return err
	}
	t.start(in.Blocked, nil)
	t.inherit(p.Inherited)
	if p.Ready != nil {
		if err := p.Ready(); err != nil {
			return err
		}
		p.catchSignals()
		hostsig.SetReady()
		t.heedTracer()
	}
	t.loop()
	return nil
}

// seesDeath reports whether something is to be done when a signal ends the process, as
// far as that can be known: emu then catches such signals.
func (p *Process) seesDeath() bool {
	return p.AtExit != nil || p.Strace != nil || p.sharer != nil || p.hasLent.Load()
}

// adopt takes over the dispositions that the process inherited.
func (p *Process) adopt(in hostsig.Inherited) {
	for sig := 1; sig <= hostsig.Signals; sig++ {
		if in.Ignored>>(sig-1)&1 != 0 {
			p.actions[sig].Handler = sigIgn
		}
	}
	if p.Ready == nil { // else there is nothing to write yet, and nobody to look at signals
		p.catchSignals()
	}
}

// catchSignals has emu take in the signals that it has something to do at.
//
// Preconditions: no guest code runs yet.
func (p *Process) catchSignals() {
	if p.seesDeath() {
		p.setHostActions()
	} else {
		p.catchDumps()
	}
}

var errNoThread = errors.New("no such thread")

// task finds a guest thread.
func (p *Process) task(tid int) (*Task, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if t := p.tasks.get(tid); t != nil {
		return t, nil
	}
	return nil, errNoThread
}

func (p *Process) save() {
	if p.Save != nil {
		p.Save()
	}
}

// end ends the process with an exit status.
func (p *Process) end(status int) {
	p.ending.Do(func() {
		if p.sharer != nil {
			p.sharer.leave(status, 0)
		}
		p.tellParent()
		p.save()
		if p.AtExit != nil {
			p.AtExit(status & 0xff)
		}
		if p.Exit != nil {
			p.Exit(status & 0xff)
			return
		}
		unix.Exit(status & 0xff)
	})
}

// die ends the process with a signal. core is the name of the guest's core file, "" if it left none.
func (p *Process) die(sig int, core string) {
	p.ending.Do(func() {
		if p.sharer != nil {
			p.keepFromHostDump(sig)
			p.sharer.leave(0, sig)
		}
		p.tellParent()
		p.save()
		if p.AtExit != nil {
			p.AtExit(128 + sig)
		}
		if p.Exit != nil {
			p.Exit(128 + sig)
			return
		}
		if core == "" || !p.letHostDump(core) {
			p.keepFromHostDump(sig)
		}
		hostsig.Die(sig)
	})
}
