package jit

import (
	"fmt"
	"io"
	"sync/atomic"

	"emu/ir"
)

// Counters count what the engine did; -stats prints them.
type Counters struct {
	units, guestInsts, irInsts atomic.Uint64
}

func (c *Counters) translated(f *ir.Func) {
	c.units.Add(1)
	c.guestInsts.Add(uint64(f.Size) / 4)
	c.irInsts.Add(uint64(len(f.Insts)))
}

func (c *Counters) write(w io.Writer) {
	fmt.Fprintf(w, "translated: %d units, %d guest instructions, %d IR instructions\n", c.units.Load(), c.guestInsts.Load(), c.irInsts.Load())
}
