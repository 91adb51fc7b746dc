package amd64

import "emu/ir"

// Spill slots.

// newSlot returns a free spill slot, owned by v: the one that v goes to with the next
// iteration of a loop if it can be, none that another value goes to if there are others.
func (c *compiler) newSlot(v ir.Value) int16 {
	if n := c.slotHint(v); n >= 0 && c.slots[n] == ir.None {
		c.slots[n] = v
		return n
	}
	home := c.homeSlots()
	for i := range int16(c.nSlot) {
		if c.slots[i] == ir.None && !home.has(i) {
			c.slots[i] = v
			return i
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

// slotOutside chooses a slot for a join's v that is not in taken, and adds it: the one that v
// goes to with the next iteration of a loop if it can be. It may be in use in front of the join.
func (c *compiler) slotOutside(v ir.Value, taken *slotSet) int16 {
	n := c.slotHint(v)
	if n < 0 || taken.has(n) {
		for n = 0; n < numSlots-1 && taken.has(n); n++ {
		}
		if taken.has(n) {
			c.err = ErrSpill
		}
	}
	for ; c.nSlot <= int(n); c.nSlot++ {
		c.slots[c.nSlot] = ir.None
	}
	taken.add(n)
	return n
}

// slotHint returns the slot that v goes to with the next iteration of a loop, -1 if there is
// none.
func (c *compiler) slotHint(v ir.Value) int16 {
	if int(v) < len(c.hints) && c.hints[v].isSlot() {
		return int16(c.hints[v] - homeSlot)
	}
	return -1
}

// slotSet is a set of spill slots.
type slotSet [numSlots / 64]uint64

func (s *slotSet) add(n int16)      { s[n>>6] |= 1 << (n & 63) }
func (s *slotSet) has(n int16) bool { return s[n>>6]>>(n&63)&1 != 0 }

// homeSlots is the set of slots that results and arguments of the open scopes go to.
func (c *compiler) homeSlots() (set slotSet) {
	for _, h := range c.homes {
		if h.isSlot() && h < homeTemp {
			set.add(int16(h - homeSlot))
		}
	}
	return set
}
