package amd64

import (
	"fmt"

	"emu/ir"
)

// check verifies the allocator's books after an instruction (Options.Verify):
//
//   - a register or slot with an owner is that value's place, and the reverse;
//   - whatever is still needed is somewhere: register, slot, or the host's flags;
//   - nothing is held for what is not needed any more;
//   - values count as many pending SETs as there are;
//   - no register is locked.
func (c *compiler) check() {
	waits := map[ir.Value]uint8{}
	for g := range numGuest {
		if v, ok := c.pending(g); ok && v.IsSSA() {
			waits[v]++
		}
	}
	for r := range uint8(regs) {
		if v := c.g.Owner(r); v != ir.None && (c.vals[v].reg != int8(r) || c.vals[v].inX) {
			c.fail("general register %d has owner v%d, which is elsewhere", r, v)
		}
		if v := c.x.Owner(r); v != ir.None && (c.vals[v].reg != int8(r) || !c.vals[v].inX) {
			c.fail("vector register %d has owner v%d, which is elsewhere", r, v)
		}
	}
	if c.g.Locks() != 0 || c.x.Locks() != 0 {
		c.fail("registers are locked between instructions")
	}
	for i := range c.vals {
		v := ir.Value(i)
		p := &c.vals[i]
		if p.root != v {
			continue
		}
		if p.pend != waits[v] {
			c.fail("v%d counts %d pending SETs, there are %d", v, p.pend, waits[v])
		}
		file := &c.g
		if p.inX {
			file = &c.x
		}
		if p.reg >= 0 && file.Owner(uint8(p.reg)) != v {
			c.fail("v%d is in register %d, which has owner v%d", v, p.reg, file.Owner(uint8(p.reg)))
		}
		if p.slot >= 0 && c.slots[p.slot] != v {
			c.fail("v%d is in slot %d, which has owner v%d", v, p.slot, c.slots[p.slot])
		}
		needed := p.uses > 0 || p.pend > 0
		later := p.holds == 0 && p.pend == 0 && p.user <= c.at || !c.fallsOff // in an arm that starts from its snapshot
		placed := p.reg >= 0 || p.slot >= 0 || c.fl.v == v || p.lazy != 0
		if p.form == formHere && needed && !placed && !later && c.f.Types[v] != ir.Void {
			c.fail("v%d is needed (%d uses, %d pending) and nowhere", v, p.uses, p.pend)
		}
		if placed && !needed {
			c.fail("v%d is kept and not needed", v)
		}
	}
}

func (c *compiler) fail(format string, args ...any) {
	panic(fmt.Sprintf("BUG: amd64: after v%d in the unit at %#x: ", c.at, c.f.PC) + fmt.Sprintf(format, args...) + "\n" + c.f.String())
}
