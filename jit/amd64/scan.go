package amd64

import "emu/ir"

// scan looks at the unit backwards before the walk: it removes unused pure
// instructions and flag SETs that nothing can observe, and notes who uses what.
func (c *compiler) scan() {
	region := uint32(1)
	flagsDead := false // NZCV is set again before anything can look at it
	for i := len(c.f.Insts) - 1; i >= 0; i-- {
		in := c.f.Insts[i]
		op := in.Op()
		row := op.Info()
		p := &c.vals[i]
		if row.Flags&(ir.Scope|ir.Terminator) != 0 {
			region++
		}
		p.region = region
		switch {
		case row.Flags&(ir.Pure|ir.StateRead) != 0 && p.uses == 0:
			c.dropUnused(p, in)
			continue
		case op == ir.OpSetNZCV:
			if flagsDead {
				c.dropUnused(p, in)
				continue
			}
			flagsDead = true
		case op == ir.OpGetNZCV || row.Flags&observes != 0 && op != ir.OpInsn:
			flagsDead = false
		}
		for k := range 3 {
			if a := in.Arg(k); a.IsSSA() && c.vals[a].user == ir.None {
				c.vals[a].user = ir.Value(i)
			}
		}
	}
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
