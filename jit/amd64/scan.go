package amd64

import (
	"emu/ir"
	"emu/jit/host"
)

// scan looks at the unit backwards before the walk: it removes unused pure
// instructions and SETs that nothing can observe, and notes who uses what.
func (c *compiler) scan() {
	c.beginHints()
	region := uint32(1)
	var dead [2]uint64 // guest registers that are set again before anything can look at them
	for i := len(c.f.Insts) - 1; i >= 0; i-- {
		in := c.f.Insts[i]
		op := in.Op()
		p := &c.vals[i]
		if op == ir.OpInsn {
			p.region = region
			continue
		}
		flags := c.flags[op]
		if flags&(ir.Scope|ir.Terminator) != 0 {
			region++
		}
		p.region = region
		if flags&ir.Scope != 0 || op == ir.OpYield || op == ir.OpBreak || op == ir.OpContinue {
			dead = c.scoped.step(c, i, op, dead)
		} else if flags&observes != 0 {
			if c.scoped.some {
				c.scoped.dead[i] = dead
			}
			dead = [2]uint64{}
		}
		if flags&(ir.Pure|ir.StateRead) != 0 && p.uses == 0 {
			c.dropUnused(p, in)
			continue
		}
		if op == ir.OpDefExt {
			c.vals[in.A()].uses-- // it names its MERGE and does not use it
			continue
		}
		if g, set, ok := c.guestOf(in); ok {
			word, bit := &dead[g>>6], uint64(1)<<(g&63)
			if set && *word&bit != 0 {
				c.dropUnused(p, in)
				continue
			}
			*word &^= bit
			if set {
				*word |= bit
				if isPin(g) {
					c.hintPin(g, in.B())
				}
			}
		}
		c.noteFixed(i, in)
		c.noteUser(in.A(), i)
		c.noteUser(in.B(), i)
		c.noteUser(in.C(), i)
	}
	if c.scoped.some {
		c.scoped.finish(c)
		c.scoped.findStaying(c)
	}
}

// noteUser notes that instruction i uses a, which no later one does if it has no
// user yet.
func (c *compiler) noteUser(a ir.Value, i int) {
	if !a.IsSSA() {
		return
	}
	if p := &c.vals[a]; p.user == ir.None {
		p.user = ir.Value(i)
	}
}

// guestOf returns the guest register that a GET or SET names.
func (c *compiler) guestOf(in ir.Inst) (g int, set, ok bool) {
	switch in.Op() {
	case ir.OpGetX, ir.OpSetX:
		return int(c.f.ImmOf(in.A())), in.Op() == ir.OpSetX, true
	case ir.OpGetV, ir.OpSetV:
		return int(host.GuestV) + int(c.f.ImmOf(in.A())), in.Op() == ir.OpSetV, true
	case ir.OpGetNZCV, ir.OpSetNZCV:
		return int(host.GuestNZCV), in.Op() == ir.OpSetNZCV, true
	}
	return 0, false, false
}

// observes are the properties of instructions at which the guest's registers can
// be looked at.
const observes = ir.Scope | ir.Terminator | ir.Effect | ir.MemRead | ir.MemWrite

func (c *compiler) dropUnused(p *val, in ir.Inst) {
	p.form = formSkip
	for k := range 3 {
		if a := in.Arg(k); a.IsSSA() {
			c.vals[a].uses--
		}
	}
}
