package amd64

import (
	"emu/cpu"
	"emu/ir"
	"emu/jit/asm/x64"
)

// How to write a lowering function, in this order:
//
//  1. clobber() if any instruction it emits changes the host's flags. Nothing
//     may come before that, since packing flags takes registers.
//  2. reserve(r) or useIn(v, r) for operands and temporaries that have to be in
//     fixed registers.
//  3. useR(v), useX(v) for operands that are only read; useZ and useS give 32-bit
//     and narrower values zero- or sign-extended.
//  4. one of the ways to get a result register:
//     defR(v), defX(v): a fresh register, distinct from all of the above;
//     copyR(v, a), copyX(v, a): the same holding a, to be changed in place - a's
//     own register if this is a's last use, and then useR(a) is no longer
//     possible;
//     overR(v, a, b), overX: a fresh register, or that of an operand that ends
//     here - for a single instruction that reads all before it writes.
//     defIn(v, r): the reserved register r.
//  5. tempR(), tempX(): scratch registers.
//  6. internal branches, only after all of that: no call that may move values may
//     stand behind one.
//
// Registers got here stay locked until the instruction ends; operands are
// released by the walk, never by a lowering function. Constants are operands like
// others: useR loads them. A value whose result register is narrower than 64 bits
// has unspecified upper bits unless zero(v, n) says otherwise.

const numSlots = cpu.NumSpill

// unbind takes v out of its register.
func (c *compiler) unbind(v ir.Value) {
	p := &c.vals[v]
	if p.reg < 0 {
		return
	}
	if p.inX {
		c.x.Free(uint8(p.reg))
	} else {
		c.g.Free(uint8(p.reg))
	}
	p.reg = -1
	if p.pend > 0 || p.kept > 0 {
		c.recipeStale = true
	}
}

// bindR makes r, which is free, the place of v.
func (c *compiler) bindR(v ir.Value, r x64.Reg) {
	p := &c.vals[v]
	p.reg, p.form = int8(r), formHere
	c.g.Bind(uint8(r), v)
	c.g.Lock(uint8(r))
	if p.pend > 0 || p.kept > 0 {
		c.recipeStale = true
	}
}

func (c *compiler) bindX(v ir.Value, r x64.Xmm) {
	p := &c.vals[v]
	p.reg, p.form = int8(r), formHere
	c.x.Bind(uint8(r), v)
	c.x.Lock(uint8(r))
	if p.pend > 0 || p.kept > 0 {
		c.recipeStale = true
	}
}

// tempR returns a scratch register for the current instruction.
func (c *compiler) tempR() x64.Reg { return c.tempNot(0) }

// tempNot is tempR avoiding a set of registers.
func (c *compiler) tempNot(avoid uint32) x64.Reg {
	r, ok := c.g.Pick(avoid | c.wanted[0])
	if !ok && c.wanted[0] != 0 {
		r, ok = c.g.Pick(avoid)
	}
	if !ok {
		if r, ok = c.victim(&c.g, avoid); !ok {
			panic("BUG: amd64: all general registers are locked")
		}
		c.evict(c.g.Owner(r))
	}
	c.g.Lock(r)
	return x64.Reg(r)
}

// tempX returns a scratch vector register for the current instruction.
func (c *compiler) tempX() x64.Xmm {
	r, ok := c.x.Pick(c.wanted[1])
	if !ok && c.wanted[1] != 0 {
		r, ok = c.x.Pick(0)
	}
	if !ok {
		if r, ok = c.victim(&c.x, 0); !ok {
			panic("BUG: amd64: all vector registers are locked")
		}
		c.evict(c.x.Owner(r))
	}
	c.x.Lock(r)
	return x64.Xmm(r)
}

// evict takes v out of its register: a value that only waits to be stored is
// stored, any other goes to its slot.
func (c *compiler) evict(v ir.Value) {
	if c.opt.Verify {
		c.checkBranches()
	}
	p := &c.vals[v]
	if p.uses == 0 && p.pend > 0 {
		c.storePending(v)
		if p.reg < 0 {
			return // that was the last that kept it alive
		}
	}
	c.spill(v)
	c.unbind(v)
}

// spill stores v, which is in a register, to its slot. The host's flags stay.
func (c *compiler) spill(v ir.Value) {
	p := &c.vals[v]
	if p.slot >= 0 {
		return
	}
	p.slot = c.newSlot(v)
	if p.inX {
		c.b.MX(x64.MOVUPS, slotMem(p.slot), x64.Xmm(p.reg))
		return
	}
	c.b.MR(x64.MOVQ, slotMem(p.slot), x64.Reg(p.reg))
}

// reserve frees register r for the current instruction and locks it. The host's
// flags stay as they are.
func (c *compiler) reserve(r x64.Reg) {
	n := uint8(r)
	if v := c.g.Owner(n); v != ir.None {
		if c.g.Locked(n) {
			panic("BUG: amd64: reserve of a locked register")
		}
		to, ok := c.g.Pick(0)
		if !ok && c.vals[v].uses > 0 {
			if to, ok = c.victim(&c.g, 0); to == n {
				ok = false
			} else if ok {
				c.evict(c.g.Owner(to))
			}
		}
		switch {
		case c.g.Owner(n) == ir.None: // what was evicted is all that kept it alive
		case !ok || c.vals[v].uses == 0:
			c.evict(v)
		default:
			c.b.RR(x64.MOVQ, x64.Reg(to), r)
			locks := c.g.Locks()
			c.unbind(v)
			c.bindR(v, x64.Reg(to))
			c.g.SetLocks(locks)
		}
	} else if c.g.Locked(n) {
		panic("BUG: amd64: reserve of a locked register")
	}
	c.g.Lock(n)
}
