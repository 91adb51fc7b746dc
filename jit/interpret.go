package jit

import (
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"emu/cache"
	"emu/cpu"
	"emu/ir"
	"emu/ir/interp"
	"emu/jit/profile"
	"emu/translate"

	"golang.org/x/sys/unix"
)

// interpreter is the Runner that evaluates the IR of each unit instead of
// compiling it.
type interpreter struct {
	engine  *Engine
	machine interp.Machine
	sample  *profile.Thread // of a profiled engine, once it runs
	watched map[uint64]watchedStep
}

func newInterpreter(e *Engine) *interpreter {
	r := &interpreter{engine: e}
	r.machine.Classify = e.classify
	return r
}

// classify gives the signal and si_code of a guest access that faulted.
func (e *Engine) classify(addr uint64, write bool) (sig, code uint64) {
	const segvMapErr, segvAccErr, busAdrErr = 1, 2, 2
	need := unix.PROT_READ
	if write {
		need = unix.PROT_WRITE
	}
	r, ok := e.mem.Find(addr)
	switch {
	case !ok:
		return uint64(unix.SIGSEGV), segvMapErr
	case r.Prot&need == 0:
		return uint64(unix.SIGSEGV), segvAccErr
	}
	return uint64(unix.SIGBUS), busAdrErr
}

// mayBePast reports whether the reason of a fault may be gone: memory that another thread has made
// accessible since looks to classify like what lies behind a file's end.
func mayBePast(fault cpu.Exit) bool { return fault.Arg[1] == uint64(unix.SIGBUS) }

// maxPrograms bounds the units that the interpreter keeps; a full cache starts
// over.
const maxPrograms = 1 << 15

type programUnit struct {
	*interp.Program
	size uint64    // bytes of guest code
	also []ir.Span // guest code besides
}

func (u *programUnit) overlaps(start, end uint64) bool {
	if u.PC < end && u.PC+u.size > start {
		return true
	}
	return slices.ContainsFunc(u.also, func(s ir.Span) bool { return s.Start < end && s.End > start })
}

// programCache keeps translated units for the interpreter, shared by all threads.
type programCache struct {
	mu    sync.RWMutex
	units map[cache.Key]programUnit // Mode: as far as the IR depends on it
	gen   atomic.Uint64             // counts invalidations
}

func newProgramCache() *programCache { return &programCache{units: make(map[cache.Key]programUnit)} }

// invalidate drops the units with guest code in [start, end).
func (c *programCache) invalidate(start, end uint64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.gen.Add(1)
	for k, u := range c.units {
		if u.overlaps(start, end) {
			delete(c.units, k)
		}
	}
}

func (c *programCache) lookup(k cache.Key) *interp.Program {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return c.units[k].Program
}

// install keeps p unless code was invalidated since generation gen.
func (c *programCache) install(k cache.Key, p *interp.Program, f *ir.Func, gen uint64) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.gen.Load() != gen {
		return false
	}
	if len(c.units) >= maxPrograms {
		clear(c.units)
	}
	c.units[k] = programUnit{p, max(uint64(f.Size), 4), slices.Clone(f.Also)}
	return true
}

func (r *interpreter) unit(s *cpu.State) *interp.Program {
	e := r.engine
	k := cache.Key{PC: s.PC, Mode: s.CodeMode() & (translate.FPMode | cpu.ModesBesideFPCR)}
	for {
		if p := e.programs.lookup(k); p != nil {
			return p
		}
		comp := e.pool.Get().(*compiler)
		gen := e.programs.gen.Load()
		comp.fetch.reset()
		f := comp.unit(k, tiers[e.opts.Tier].first, nil)
		p := interp.Compile(f)
		comp.covered = comp.tr.Covered()
		e.stats.translated(f, comp.covered)
		ok := e.programs.install(k, p, f, gen)
		if ok {
			e.opts.Dump.unit(comp, f, nil)
			e.profileInterpreted(comp, f)
		}
		e.pool.Put(comp)
		if ok {
			return p
		}
	}
}

// Close ends what Run began.
func (r *interpreter) Close() {
	r.sample.Detach()
	r.engine.interpreted.remove()
}

// CanRenew reports that the interpreter leaves execve to the kernel.
func (r *interpreter) CanRenew() bool { return false }

// Renew is never called.
func (r *interpreter) Renew(*cpu.State) {
	panic("BUG: jit: the interpreter goes on with another program")
}

// interpretedThreads counts guest threads that the interpreter runs, and gives each a
// processor of Go's. What they compute is Go code, of which the runtime runs as much at
// a time as it has processors, 10 ms of each in turn: a thread that is woken, or is to
// go outside for a fork, would wait for all others. So the kernel shares the
// machine's processors among them, as it does with threads in generated code.
type interpretedThreads struct {
	mu sync.Mutex
	n  int
}

// mostProcessors bounds Go's processors, each of which has caches.
const mostProcessors = 256

func (t *interpretedThreads) add() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.n++
	// To change the number stops the world, so it doubles, and does not go back.
	if now := runtime.GOMAXPROCS(0); t.n >= now && now < mostProcessors {
		runtime.GOMAXPROCS(min(2*now, mostProcessors))
	}
}

func (t *interpretedThreads) remove() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.n--
}

// Run executes guest code until something needs the kernel's attention.
func (r *interpreter) Run(s *cpu.State) cpu.Exit {
	if r.engine.opts.Profile != nil {
		if r.sample == nil {
			r.sample = r.engine.attach(s)
		}
		atomic.StoreUint32(&s.InGuest, 1)
		defer atomic.StoreUint32(&s.InGuest, 0)
	}
	for {
		if p := atomic.LoadUint32(&s.Pending); p != 0 {
			if p&cpu.PendSample == 0 {
				return cpu.Exit{Kind: cpu.ExitPoll, PC: s.PC}
			}
			r.sample.Take()
			continue
		}
		r.engine.land(s)
		exit := r.ended(s, r.machine.Run(r.unit(s), s))
		switch {
		case exit.Kind == cpu.ExitFault && r.repeat(exit):
			exit = r.engine.repeat(s, r.Step)
		case exit.Kind == cpu.ExitTag, exit.Kind == cpu.ExitFault && (r.engine.faultsJoined(exit) || mayBePast(exit)):
			exit = r.Step(s)
		}
		switch exit.Kind {
		case cpu.ExitBranch, cpu.ExitMode, cpu.ExitHot, cpu.ExitPoll:
		case cpu.ExitSync:
			if line := exit.Arg[0]; line != 0 {
				r.engine.programs.invalidate(line&^63, line&^63+64)
			}
		default:
			return exit
		}
	}
}

// ended is the exit of a unit with what only the engine knows.
func (r *interpreter) ended(s *cpu.State, exit cpu.Exit) cpu.Exit {
	if exit.Kind == cpu.ExitBranch {
		r.engine.mark(s, exit.Arg[0])
	}
	return r.engine.shadowFault(exit)
}

// repeat reports whether the access that faulted can be repeated, see Memory.Repeat.
func (r *interpreter) repeat(fault cpu.Exit) bool {
	return fault.Arg[1] != 0 && r.engine.mem.Unguard(fault.Arg[0], fault.Arg[0]+1)
}

// step executes the one instruction at s.PC. Its page is not guarded, so that one
// that stores to its own page gets done.
func (r *interpreter) step(s *cpu.State) cpu.Exit {
	r.engine.land(s)
	comp := r.engine.pool.Get().(*compiler)
	defer r.engine.pool.Put(comp)
	comp.fetch.reset()
	comp.needTranslator()
	comp.tr.SetMode(s.CodeMode())
	comp.fetch.once = true
	defer func() {
		comp.fetch.once = false
		comp.fetch.reset() // what was read is not guarded
	}()
	var p *interp.Program
	if r.machine.Watch != nil {
		p = r.program(comp, s)
	}
	var exit cpu.Exit
	if p != nil {
		exit = r.ended(s, r.machine.Run(p, s))
	} else {
		exit = r.ended(s, r.machine.Exec(comp.tr.Single(s.PC, comp.fetch.word), s))
	}
	switch {
	case exit.Kind == cpu.ExitTagFault:
		exit = r.engine.tagFault(exit)
	case s.TagFault != 0 && exit.Kind == cpu.ExitBranch:
		exit.Kind = cpu.ExitPoll // the thread has a signal coming
	}
	return exit
}

// tagFault makes a fault of a failed tag check, unless the access would have faulted
// for another reason, which comes first.
func (e *Engine) tagFault(exit cpu.Exit) cpu.Exit {
	const segvMTESErr = 9
	write := exit.Arg[0]>>63 != 0
	need := unix.PROT_READ
	if write {
		need = unix.PROT_WRITE
	}
	addr := exit.Arg[0] &^ (1 << 63)
	exit.Kind = cpu.ExitFault
	exit.Arg = [4]uint64{addr, uint64(unix.SIGSEGV), segvMTESErr, cpu.TagCheckFault(write)}
	if plain := addr &^ cpu.TagMask; !e.mem.OK(plain, 1, need) {
		_, code := e.classify(plain, write)
		exit.Arg[0], exit.Arg[2], exit.Arg[3] = plain, code, cpu.DataAbort(code, write)
	}
	return exit
}
