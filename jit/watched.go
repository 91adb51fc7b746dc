package jit

import (
	"slices"
	"sync/atomic"

	"emu/cpu"
	"emu/ir/interp"

	"golang.org/x/sys/unix"
)

// Debug registers. A thread that has some enabled is interpreted, instruction by
// instruction, which can look at every access; all others, and it as well before and
// after, run as if there were none.

// watchedStep is an instruction prepared for being executed again, as long as it is still
// there.
type watchedStep struct {
	word uint32
	mode uint32
	bti  bool // its page is guarded
	prog *interp.Program
}

// maxWatchedSteps bounds the instructions that are kept; with more it starts over.
const maxWatchedSteps = 1 << 14

// RunWatched is cpu.Watcher's.
func (r *interpreter) RunWatched(s *cpu.State, w *cpu.Watch, once bool) cpu.Exit {
	return r.runWatched(s, w, once, r.Step)
}

// RunWatched is cpu.Watcher's.
func (r *tracer) RunWatched(s *cpu.State, w *cpu.Watch, once bool) cpu.Exit {
	return r.runWatched(s, w, once, r.Step)
}

// RunWatched is cpu.Watcher's.
func (d *Dispatcher) RunWatched(s *cpu.State, w *cpu.Watch, once bool) cpu.Exit {
	return d.stepper().runWatched(s, w, once, d.Step)
}

func (r *interpreter) runWatched(s *cpu.State, w *cpu.Watch, once bool, step func(*cpu.State) cpu.Exit) cpu.Exit {
	mem := r.engine.mem
	r.machine.Watch = func(addr, size uint64, load, store bool) (hit uint64, ok bool) {
		hit, ok = w.Access(addr, size, load, store)
		if !ok {
			return 0, false
		}
		need := unix.PROT_READ
		if store {
			need = unix.PROT_WRITE
		}
		// A data abort comes before a watchpoint (Arm ARM D1.3.5.5).
		return hit, mem.OK(addr, 1, need) && mem.OK(addr+size-1, 1, need)
	}
	if r.watched == nil {
		r.watched = make(map[uint64]watchedStep)
	}
	defer func() { r.machine.Watch = nil }()
	for {
		if !once && atomic.LoadUint32(&s.Pending) != 0 {
			return cpu.Exit{Kind: cpu.ExitPoll, PC: s.PC}
		}
		if slices.Contains(w.Breaks, s.PC) && mem.OK(s.PC, 4, unix.PROT_EXEC) {
			return cpu.Exit{Kind: cpu.ExitDebug, PC: s.PC, Arg: [4]uint64{s.PC}}
		}
		if exit := step(s); once || exit.Kind != cpu.ExitBranch {
			return exit
		}
	}
}

// program is the instruction at s.PC, nil if it is not to be kept.
func (r *interpreter) program(comp *compiler, s *cpu.State) *interp.Program {
	word, ok := comp.fetch.word(s.PC)
	if !ok || s.PC%4 != 0 {
		return nil
	}
	mode := s.CodeMode()
	if k, ok := r.watched[s.PC]; ok && k.word == word && k.mode == mode && k.bti == comp.fetch.bti {
		return k.prog
	}
	if len(r.watched) >= maxWatchedSteps {
		clear(r.watched)
	}
	p := interp.Compile(comp.tr.Single(s.PC, comp.fetch.word))
	r.watched[s.PC] = watchedStep{word, mode, comp.fetch.bti, p}
	return p
}
