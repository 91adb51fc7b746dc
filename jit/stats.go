package jit

import (
	"fmt"
	"io"
	"sync/atomic"
	"time"

	"emu/ir"
)

// Counters count what the engine did; -stats prints them.
type Counters struct {
	units, guestInsts, irInsts atomic.Uint64
	templates                  atomic.Uint64 // units made without IR
	restored, restoredRegions  atomic.Uint64 // basic blocks and regions taken from the store
	chunks                     atomic.Uint64 // of images, that they were part of

	cold atomic.Uint64 // blocks executed in tier 0

	promoted      atomic.Uint64 // units that tier 2 has taken over
	promotedInsts atomic.Uint64 // guest instructions in them
	failed        atomic.Uint64 // units that it could not compile
	dropped       atomic.Uint64 // requests that found the queue full
	background    atomic.Uint64 // nanoseconds of the background compiler
}

func (c *Counters) translated(f *ir.Func, guest int) {
	c.units.Add(1)
	c.guestInsts.Add(uint64(guest))
	c.irInsts.Add(uint64(len(f.Insts)))
}

// template counts a unit that is made without IR.
func (c *Counters) template(guest int) {
	c.templates.Add(1)
	c.guestInsts.Add(uint64(guest))
}

// took counts a unit from the store.
func (c *Counters) took(u unit) {
	if u.region != nil {
		c.restoredRegions.Add(1)
		return
	}
	c.restored.Add(1)
}

func (c *Counters) write(w io.Writer) {
	fmt.Fprintf(w, "translated: %d units, %d of them without IR, %d guest instructions, %d IR instructions\n",
		c.units.Load()+c.templates.Load(), c.templates.Load(), c.guestInsts.Load(), c.irInsts.Load())
	if n, r := c.restored.Load(), c.restoredRegions.Load(); n+r > 0 {
		fmt.Fprintf(w, "restored: %d units and %d regions that another process compiled, most of them in %d chunks\n", n, r, c.chunks.Load())
	}
	if n := c.cold.Load(); n > 0 {
		fmt.Fprintf(w, "cold: %d blocks executed without translation\n", n)
	}
	if n := c.promoted.Load() + c.failed.Load() + c.dropped.Load(); n > 0 {
		fmt.Fprintf(w, "hot: %d units with %d guest instructions to tier 2, %d not possible, %d requests dropped, %v in the background\n",
			c.promoted.Load(), c.promotedInsts.Load(), c.failed.Load(), c.dropped.Load(), time.Duration(c.background.Load()))
	}
}
