package jit

import (
	"fmt"
	"sync/atomic"

	"emu/cache"
	"emu/cpu"
	"emu/jit/host"
	"emu/jit/profile"
	"emu/jit/tier0"

	"golang.org/x/sys/unix"
)

// Dispatcher runs one guest thread: it finds or makes the unit for the guest pc,
// enters it, and serves what generated code cannot do itself.
type Dispatcher struct {
	engine *Engine
	thread *cache.Thread
	mode   uint32
	single *interpreter // for instructions that have to be stepped
	sample *profile.Thread

	tier0    *coldRunner
	declined uint64 // where tier 0 has stopped last: there it is not tried again

	leavers [32]leaver
}

func newDispatcher(e *Engine, s *cpu.State) (*Dispatcher, error) {
	t, err := e.cache.NewThread(s)
	if err != nil {
		return nil, err
	}
	s.SetFPCR(s.FPCR)
	// A guest return compares its pc with what the native stack holds, and goes
	// where that says if they are equal. On an empty stack it finds the address of
	// a stub that no guest code has, and if it returned there all the same it would
	// end in that stub.
	for a := s.NativeTop; a < s.NativeTop+host.StackSlack; a += 8 {
		storeWord(a, uint64(e.stubs[host.StubIndirectMiss]))
	}
	return &Dispatcher{engine: e, thread: t, mode: s.CodeMode()}, nil
}

// Close is cpu.Runner's.
func (d *Dispatcher) Close() {
	if d.thread == nil {
		return // the last thread of a process ends twice
	}
	d.sample.Detach()
	d.engine.cache.FreeThread(d.thread)
	d.thread = nil
}

// arrival is how a thread has got to its pc. The zero value is nothing worth a link.
type arrival struct {
	from     *cache.Exit    // the direct branch that led out, to be linked
	site     uintptr        // of that if it is an image's and has no cache.Exit: behind its stub, 0 = there is none
	indirect bool           // in a way that will come again
	kind     cpu.BranchType // of an indirect branch
	forward  bool           // from tier 0 by a direct branch forward
}

// Run executes guest code until something needs the kernel's attention.
func (d *Dispatcher) Run(s *cpu.State) cpu.Exit {
	if d.sample == nil && d.engine.opts.Profile != nil { // a page that is not written is not copied after a fork
		d.sample = d.engine.attach(s) // of the thread that runs
	}
	a := arrival{indirect: true}
	for {
		if atomic.LoadUint32(&s.Pending) != 0 && d.pending(s) {
			return cpu.Exit{Kind: cpu.ExitPoll, PC: s.PC}
		}
		if s.CodeMode() != d.mode {
			d.setMode(s)
			a = arrival{}
		}
		if kind, ok := d.engine.land(s); !ok {
			a.indirect = false // nobody is to find what raises the exception
		} else if kind != cpu.BranchNone {
			a.kind = kind
		}
		s.NativeSP = min(s.NativeSP, s.NativeTop)
		found := false
		if a.from == nil && a.site == 0 {
			s.Enter, found = d.engine.cache.EnterRecent(d.thread, s.PC, a.kind)
		}
		if !found && !d.find(s, &a) {
			continue
		}
		a = arrival{}
		for {
			enter(s)
			if cpu.ExitKind(s.Exit) != cpu.ExitHelper {
				break
			}
			serveHelper(s)
		}
		if exit, ok := d.left(s, &a); ok {
			return exit
		}
	}
}

// pending does what is pending for the thread as far as that is the engine's, and reports
// whether there is more.
func (d *Dispatcher) pending(s *cpu.State) bool {
	p := atomic.LoadUint32(&s.Pending)
	if p&cpu.PendSample != 0 {
		d.sample.Take()
	}
	if p&^(cpu.PendEvict|cpu.PendSample) != 0 {
		return true
	}
	atomic.AndUint32(&s.Pending, ^uint32(cpu.PendEvict))
	return false
}

// setMode goes over to the units of the mode that the guest has changed to.
func (d *Dispatcher) setMode(s *cpu.State) {
	d.mode = s.CodeMode()
	d.engine.cache.ForgetAll(d.thread)
	s.NativeSP = s.NativeTop // returns must not go to code of the mode before
	s.SetFPCR(s.FPCR)
}

// find finds or makes the unit at s.PC and has s enter it. It returns false if the thread
// is to look again: tier 0 has run it from there to somewhere else, at which it has arrived
// as a then says, or the unit has just been dropped.
func (d *Dispatcher) find(s *cpu.State, a *arrival) bool {
	c := d.engine.cache
	k := cache.Key{PC: s.PC, Mode: d.mode}
	b := c.Lookup(k)
	if b == nil {
		if a.from == nil && d.enterImage(s, k, a) {
			if a.indirect {
				d.engine.family.tell(k, uint64(a.kind))
			}
			return true
		}
		if branch, ran := d.cold(s, k); ran {
			*a = arrival{indirect: branch == tier0.Indirect, forward: branch == tier0.Forward, kind: d.tier0.machine.Kind}
			return false
		}
		if a.from == nil && d.engine.loadFor(k) && d.enterImage(s, k, a) {
			d.engine.family.tell(k, uint64(a.kind))
			return true
		}
	}
	again := uint8(1)
	if a.site != 0 {
		if again = d.again(a.site); b == nil || again == linkAfter {
			a.from = d.engine.exitOf(a.site)
		}
	}
	if again == 1 {
		from := uint64(a.kind)
		if a.from != nil || a.site != 0 {
			from = s.ExitFrom
		}
		d.engine.family.tell(k, from)
	}
	if b == nil {
		b = d.block(k, a.from == nil && !a.forward || a.from != nil && a.from.Entry)
	}
	switch {
	case a.from != nil:
		c.Link(a.from, b)
	case a.indirect:
		c.Remember(d.thread, b, a.kind)
	}
	s.Enter = uint64(b.Addr)
	return c.Enter(d.thread, b)
}

// linkAfter is how often a thread leaves an image by an exit before that is linked: the unit of the exit has to be described
// for that, which takes as long as twenty times to look up where it leads.
const linkAfter = 8

// leaver is an exit of an image by which the thread has left lately, and how often.
type leaver struct {
	site uintptr
	n    uint8
}

// again counts, up to linkAfter, how often the thread has left by an exit of an image; others may have made it forget.
func (d *Dispatcher) again(site uintptr) uint8 {
	l := &d.leavers[(site^site>>6)%uintptr(len(d.leavers))]
	if l.site != site {
		*l = leaver{site: site}
	}
	l.n = min(l.n+1, linkAfter)
	return l.n
}

// enterImage has s enter the unit of an image for k if there is one; it needs no Block for that.
func (d *Dispatcher) enterImage(s *cpu.State, k cache.Key, a *arrival) (found bool) {
	s.Enter, found = d.engine.cache.EnterImage(d.thread, k, a.indirect, a.kind)
	return found
}

// left serves what the thread has left generated code for. ok is false if it can go on, a
// then says how it arrives there.
func (d *Dispatcher) left(s *cpu.State, a *arrival) (exit cpu.Exit, ok bool) {
	switch kind := cpu.ExitKind(s.Exit); kind {
	case cpu.ExitBranch:
		a.from, a.site = d.branch(s)
		if a.indirect = a.from == nil && a.site == 0; a.indirect {
			a.kind = cpu.BranchType(s.ExitFrom)
		}
	case cpu.ExitFault:
		return d.fault(s)
	case cpu.ExitSync:
		if line := s.ExitArg[0]; line != 0 {
			d.engine.cache.Invalidate(line&^63, line&^63+64)
		}
	case cpu.ExitHot:
		d.ranOut(s)
		d.engine.ranOut(cache.Key{PC: s.PC, Mode: d.mode})
	case cpu.ExitTag:
		return d.step(s)
	case cpu.ExitShadow:
		return d.engine.shadowFault(cpu.Exit{Kind: kind, PC: s.PC, Arg: s.ExitArg}), true
	case cpu.ExitMode, cpu.ExitPoll:
		// Run looks at FPCR, and at what is pending.
	default:
		return cpu.Exit{Kind: kind, PC: s.PC, Arg: s.ExitArg}, true
	}
	return cpu.Exit{}, false
}

// branch sets PC to where the branch leads that the thread has left generated code by, and
// returns that, or where it is in an image, neither for an indirect one, whose type is in PC then if that matters. Until then the thread
// counts as running the code, as after a fault.
func (d *Dispatcher) branch(s *cpu.State) (exit *cache.Exit, site uintptr) {
	if s.ExitFrom < uint64(cpu.NumBranchTypes) {
		d.engine.mark(s, s.ExitFrom)
		return nil, 0
	}
	at := uintptr(s.ExitFrom)
	exit = d.engine.cache.ExitAt(at)
	if exit == nil {
		if pc, ok := d.engine.imageTarget(at); ok {
			s.PC = pc
			atomic.StoreUint32(&s.InGuest, 0)
			return nil, at
		}
		atomic.StoreUint32(&s.InGuest, 0) // as in adoptAt
		exit = d.engine.exitOf(at)
	}
	if exit == nil {
		panic(fmt.Sprintf("BUG: jit: a branch has left at host %#x, where there is none; last guest pc %#x", s.ExitFrom, s.PC))
	}
	s.PC = exit.Target
	atomic.StoreUint32(&s.InGuest, 0)
	return exit, 0
}

// ranOut sets PC to that of the unit whose counter ran out, as branch does.
func (d *Dispatcher) ranOut(s *cpu.State) {
	b := d.engine.blockAt(s, uintptr(s.ExitFrom)-1)
	if b == nil {
		panic(fmt.Sprintf("BUG: jit: a counter ran out at host %#x, where there is no unit", s.ExitFrom))
	}
	s.PC = b.PC
	atomic.StoreUint32(&s.InGuest, 0)
}

// block compiles the unit for k, which none was found for; entry says how it was
// arrived at (see threshold).
func (d *Dispatcher) block(k cache.Key, entry bool) *cache.Block {
	comp := d.engine.pool.Get().(*compiler)
	defer d.engine.pool.Put(comp)
	return comp.compile(d.thread, k, entry)
}

// siKernel is the si_code of faults without an address: on x86-64 a general
// protection fault for a non-canonical address, which is how an access through a
// tagged pointer ends.
const siKernel = 0x80

// segvMapErr is SEGV_MAPERR: nothing is mapped there.
const segvMapErr = 1

// fault recovers the guest's state after generated code faulted. ok is false if
// the guest can simply go on. Until the state is known the thread counts as running
// the code: an eviction waits for it.
func (d *Dispatcher) fault(s *cpu.State) (exit cpu.Exit, ok bool) {
	rip := uintptr(s.FaultRIP)
	b := d.engine.blockAt(s, rip)
	sig := unix.Signal(s.FaultSig)
	if b == nil || sig != unix.SIGSEGV && sig != unix.SIGBUS {
		panic(d.faultReport(s, b))
	}
	pc, kind, known := recoverState(b, uint32(rip-b.Addr), s)
	atomic.StoreUint32(&s.InGuest, 0)
	const pfWrite = 1 << 1 // Intel SDM volume 3, 4.7
	write := s.FaultErr&pfWrite != 0
	switch {
	case !known:
		panic(d.faultReport(s, b))
	case kind == host.FaultStack:
		s.PC, s.NativeSP = pc, s.NativeTop
		d.engine.mark(s, s.ExitFrom)
		return cpu.Exit{}, false
	case kind == host.FaultElements:
		return d.step(s)
	case sig == unix.SIGSEGV && d.engine.mem.InShadowView(s.FaultAddr):
		return d.engine.shadowFault(accessFault(pc, s.FaultAddr, write)), true
	case sig == unix.SIGSEGV && s.FaultCode == siKernel:
		return d.step(s)
	case sig == unix.SIGSEGV && s.FaultCode == segvMapErr && d.engine.mem.Grow(s.FaultAddr):
		return cpu.Exit{}, false
	case sig == unix.SIGSEGV && d.engine.mem.Repeat(s.FaultAddr, s.FaultCode, write):
		// Not by the unit anew: one that stores to its own page would be translated,
		// which guards the page, and fault again for ever.
		exit := d.engine.repeat(s, d.Step)
		return exit, exit.Kind != cpu.ExitBranch
	}
	if write && d.engine.loadsExclusive(pc) {
		return d.step(s)
	}
	esr := cpu.DataAbort(s.FaultCode, write)
	return cpu.Exit{Kind: cpu.ExitFault, PC: pc, Arg: [4]uint64{s.FaultAddr, s.FaultSig, s.FaultCode, esr}}, true
}

// step runs the one instruction at s.PC in the interpreter, which ignores the
// top byte of addresses as A64 user space does (TBI).
func (d *Dispatcher) step(s *cpu.State) (cpu.Exit, bool) {
	exit := d.Step(s)
	return exit, exit.Kind != cpu.ExitBranch
}

func (d *Dispatcher) faultReport(s *cpu.State, b *cache.Block) string {
	r := fmt.Sprintf("BUG: jit: %v (code %d, address %#x) at host %#x, last guest pc %#x", unix.Signal(s.FaultSig), int64(s.FaultCode), s.FaultAddr, s.FaultRIP, s.PC)
	if b != nil {
		r += fmt.Sprintf(" in the unit of guest %#x at offset %#x", b.PC, uintptr(s.FaultRIP)-b.Addr)
		for _, line := range disasm(b) {
			r += "\n\t" + line
		}
	}
	for i, v := range s.FaultGPR {
		r += fmt.Sprintf("\n\tr%-2d %#016x", i, v)
	}
	return r
}
