// Package profile tells users where their program spends its time: samples of guest
// threads with call stacks, executions of translated units, and names for Linux perf.
//
// # Sampling
//
// A sampler asks every thread that runs guest code, a thousand times a second, to
// stop at its next safe point (State.Pending). There the guest's registers are
// exact. The thread notes its pc and its call stack, weighs them with the processor
// time that it used since its last sample, and goes on. Safe points are backward and
// indirect branches and returns, so a sample in straight-line code counts for the
// branch behind it. Time in system calls and in emu itself counts for the guest code
// that comes next.
//
// Nothing of this exists in a process without a profile: not even the bit is looked
// at, as it is one more of those for which the thread leaves generated code.
package profile

import (
	"cmp"
	"os"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"emu/cpu"
	"emu/internal/hostsig"
	"emu/ir"

	"golang.org/x/sys/unix"
)

// Unit is a unit of generated code that was installed, and may be gone again.
type Unit struct {
	PC   uint64
	Size uint64    // bytes of guest code from PC
	Also []ir.Span // guest code besides
	Tier string

	Addr uintptr // of the host code, 0 if the unit is interpreted
	Code []byte  // the host code; valid only during Add
	Host int     // its size in bytes

	Guest      []Line        // the guest code, as far as it can be read, by address from PC on, and from 0 on
	Executions func() uint64 // entries into the unit; nil = not counted

	inherits uint64 // executions in the parent process
}

// Line is a guest instruction.
type Line struct {
	PC   uint64
	Word uint32
	Text string
}

// contains reports whether the unit has the instruction at pc. A region has gaps, whose code is other units'.
func (u *Unit) contains(pc uint64) bool {
	if len(u.Guest) > 0 {
		_, ok := slices.BinarySearchFunc(u.Guest, pc-u.PC, func(l Line, to uint64) int { return cmp.Compare(l.PC-u.PC, to) })
		return ok
	}
	in := func(s ir.Span) bool { return s.Start <= pc && pc < s.End }
	return pc-u.PC < u.Size || slices.ContainsFunc(u.Also, in)
}

// executions are those in this process.
func (u *Unit) executions() uint64 {
	if u.Executions == nil {
		return 0
	}
	return u.Executions() - u.inherits
}

// Listener is told of every unit as it is installed.
type Listener interface{ Installed(u *Unit, name string) }

// Profiler collects what the threads of a process do.
type Profiler struct {
	symbols   *symbolizer
	listeners []Listener

	mu      sync.Mutex
	pid     int
	begin   time.Time
	units   []*Unit
	pages   map[uint64][]*Unit // by guest page
	threads map[*Thread]struct{}
	samples map[string]*sample
	started bool
}

// period is the time between two samples of a thread.
const period = time.Millisecond

// New makes a profiler of the process whose memory is mem. sysroot is where the
// paths of the guest's files may lie.
func New(mem *cpu.Memory, sysroot string) *Profiler {
	return &Profiler{
		symbols: newSymbolizer(mem, sysroot), pid: os.Getpid(), begin: time.Now(),
		pages: make(map[uint64][]*Unit), threads: make(map[*Thread]struct{}), samples: make(map[string]*sample),
	}
}

// Listen has l told of the units that come.
func (p *Profiler) Listen(l Listener) { p.listeners = append(p.listeners, l) }

// Add records a unit that was just installed.
func (p *Profiler) Add(u *Unit) {
	name := p.symbols.name(u.PC)
	p.mu.Lock()
	defer p.mu.Unlock()
	p.units = append(p.units, u)
	const page = cpu.PageSize
	seen := map[uint64]bool{}
	for _, s := range append([]ir.Span{{Start: u.PC, End: u.PC + u.Size}}, u.Also...) {
		for at := s.Start &^ (page - 1); at < s.End; at += page {
			if !seen[at] {
				seen[at] = true
				p.pages[at] = append(p.pages[at], u)
			}
		}
	}
	for _, l := range p.listeners {
		l.Installed(u, name)
	}
	u.Code = nil
}

// unitOf returns the unit that pc was executed in, as far as its address tells: one of the highest tier, of those one
// that was entered, and of those the latest. The lock is held.
func (p *Profiler) unitOf(pc uint64) (best *Unit) {
	entered := func(u *Unit) bool { return u.Executions == nil || u.executions() > 0 }
	for _, u := range p.pages[pc&^(cpu.PageSize-1)] {
		if !u.contains(pc) {
			continue
		}
		if best == nil || u.Tier > best.Tier || u.Tier == best.Tier && (entered(u) || !entered(best)) {
			best = u
		}
	}
	return best
}

// Thread is a guest thread that is sampled.
type Thread struct {
	profiler *Profiler
	state    *cpu.State
	used     int64 // processor time at the last sample, ns

	// What was last read of its stack.
	windowAt uint64
	filled   int
	window   [windowSize]byte
}

// Attach begins to sample the calling thread, whose state is s.
func (p *Profiler) Attach(s *cpu.State) *Thread {
	t := &Thread{profiler: p, state: s, used: threadTime()}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.threads[t] = struct{}{}
	if !p.started {
		p.started = true
		hostsig.UseProcessors()
		go p.tick()
	}
	return t
}

// Detach ends what Attach began. The thread that is nil is not sampled.
func (t *Thread) Detach() {
	if t == nil {
		return
	}
	t.profiler.mu.Lock()
	defer t.profiler.mu.Unlock()
	delete(t.profiler.threads, t)
}

// tick asks the threads for samples.
func (p *Profiler) tick() {
	pause := unix.NsecToTimespec(int64(period))
	for {
		// Not a timer of the Go runtime: its threads look at those late while all
		// others run guest code.
		unix.Nanosleep(&pause, nil)
		p.mu.Lock()
		p.notice()
		for t := range p.threads {
			if atomic.LoadUint32(&t.state.InGuest) != 0 {
				t.state.Interrupt(cpu.PendSample)
			}
		}
		p.mu.Unlock()
	}
}

// notice begins anew in the child of a fork, which has the parent's samples. The
// lock is held.
func (p *Profiler) notice() {
	pid := os.Getpid()
	if pid == p.pid {
		return
	}
	p.pid, p.begin = pid, time.Now()
	clear(p.samples)
	for _, u := range p.units {
		u.inherits += u.executions()
	}
}

// worthwhile is the sampled processor time from which a profile is more than chance.
const worthwhile = 10 * period

// Worthwhile reports whether this process, which may be the child of a fork, was
// sampled often enough for a profile to mean something.
func (p *Profiler) Worthwhile() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.notice()
	var time int64
	for _, s := range p.samples {
		time += s.time
	}
	return time >= int64(worthwhile)
}

// threadTime is the processor time of the calling thread in ns.
func threadTime() int64 {
	var ts unix.Timespec
	if unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &ts) != nil {
		return 0
	}
	return ts.Nano()
}
