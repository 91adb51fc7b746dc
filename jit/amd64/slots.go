package amd64

import "emu/ir"

// Spill slots.

// newSlot returns a free spill slot, owned by v: the one that v goes to with the next
// iteration of a loop if it can be, none that another value goes to if there are others.
func (c *compiler) newSlot(v ir.Value) int16 {
	if int(v) < len(c.hints) && c.hints[v].isSlot() {
		if n := int16(c.hints[v] - homeSlot); c.slots[n] == ir.None {
			c.slots[n] = v
			return n
		}
	}
	home := c.homeSlots()
	for i := range c.nSlot {
		if c.slots[i] == ir.None && home[i>>6]>>(i&63)&1 == 0 {
			c.slots[i] = v
			return int16(i)
		}
	}
	if c.nSlot < numSlots {
		c.slots[c.nSlot] = v
		c.nSlot++
		return int16(c.nSlot - 1)
	}
	for i := range c.nSlot {
		if c.slots[i] == ir.None {
			c.slots[i] = v
			return int16(i)
		}
	}
	c.err = ErrSpill
	return numSlots - 1
}

// homeSlots is the set of slots that results and arguments of the open scopes go to.
func (c *compiler) homeSlots() (set [numSlots / 64]uint64) {
	for _, h := range c.homes {
		if h.isSlot() && h < homeTemp {
			set[(h-homeSlot)>>6] |= 1 << ((h - homeSlot) & 63)
		}
	}
	return set
}
