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
	comp := e.pool.Get().(*compiler)
	defer e.pool.Put(comp)
	comp.fetch.reset()
	comp.fetch.once = true
	word, ok := comp.fetch.word(pc)
	comp.fetch.once = false
	comp.fetch.reset() // what was read is not guarded
	if !ok {
		return false
	}
	i := decoder.Decode(word)
	group := i.Op.Group()
	return (group == "ldstexclr" || group == "ldstexclp") && i.Bit(22) == 1
}

// faultsJoined reports whether exit is a write of a load-exclusive that faulted.
func (e *Engine) faultsJoined(exit cpu.Exit) bool {
	const writeNotRead = 1 << 6
	return exit.Arg[3]&writeNotRead != 0 && e.loadsExclusive(exit.PC)
}
