package jit

import (
	"emu/cpu"
	"emu/decoder"
)

// opt.Exclusive makes a load-exclusive and its store-exclusive one access under the pc
// of the load. If that faults, the load is executed alone: it faults itself, as a read,
// or the store does, in a unit that has it without its load.

// loadsExclusive reports whether the instruction at pc is a load-exclusive.
func (e *Engine) loadsExclusive(pc uint64) bool {
	load, exclusive := e.exclusiveAt(pc)
	return exclusive && load
}

// storesExclusive reports whether the instruction at pc is a store-exclusive.
func (e *Engine) storesExclusive(pc uint64) bool {
	load, exclusive := e.exclusiveAt(pc)
	return exclusive && !load
}

func (e *Engine) exclusiveAt(pc uint64) (load, exclusive bool) {
	comp := e.pool.Get().(*compiler)
	defer e.pool.Put(comp)
	comp.fetch.reset()
	comp.fetch.once = true
	word, ok := comp.fetch.word(pc)
	comp.fetch.once = false
	comp.fetch.reset() // what was read is not guarded
	if !ok {
		return false, false
	}
	i := decoder.Decode(word)
	group := i.Op.Group()
	return i.Bit(22) == 1, group == "ldstexclr" || group == "ldstexclp"
}

// faultsJoined reports whether exit is a write of a load-exclusive that faulted.
func (e *Engine) faultsJoined(exit cpu.Exit) bool {
	const writeNotRead = 1 << 6
	return exit.Arg[3]&writeNotRead != 0 && e.loadsExclusive(exit.PC)
}

// joinedSpan is for how many instructions a loop around a pair of exclusives is followed.
const joinedSpan = 64

// repeat executes the instruction at s.PC again, whose access faulted for a reason of emu's
// own that is gone now, one at a time: a unit made anew would bring the reason back. A
// compare-and-swap that took the place of a pair has faulted at its store-exclusive, with the
// monitor open all the time: that fails, so its loop is followed until one succeeds.
func (e *Engine) repeat(s *cpu.State, step func(*cpu.State) cpu.Exit) cpu.Exit {
	joined := s.ExclSize == 0 && e.storesExclusive(s.PC)
	exit := step(s)
	for n := 0; joined && n < joinedSpan && exit.Kind == cpu.ExitBranch; n++ {
		joined = !e.storesExclusive(s.PC)
		exit = step(s)
	}
	return exit
}
