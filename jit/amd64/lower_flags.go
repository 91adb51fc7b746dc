package amd64

import (
	"emu/ir"
	"emu/jit/asm/x64"
)

// lowerFlagCond leaves a condition that several ask for in the host's flags, unless it is forced since these
// will change, or they are all that its own flags are in and those are still wanted.
func lowerFlagCond(c *compiler, v ir.Value, in ir.Inst) {
	if c.later(v) {
		return
	}
	cc := c.flagCond(in.A(), int(c.f.ImmOf(in.B())))
	f := c.root(in.A())
	if c.now || c.fl.v == f && (c.vals[f].uses > c.usesNow(f) || c.vals[f].pend > 0 && c.vals[f].onlyFlags()) {
		r := c.defR(v)
		c.b.SetR(cc, r)
		c.b.RR(x64.MOVZBL, r, r)
		c.zero(v, 1)
		return
	}
	c.setBool(v, cc)
}

// lowerPackF: N 15, Z 14, C 8, V 0 to N 31, Z 30, C 29, V 28.
func lowerPackF(c *compiler, v ir.Value, in ir.Inst) {
	s := c.useR(in.A()) // first: this may make the flags anew, in the host's
	c.clobber()
	if c.feat.Has(x64.BMI2) {
		t, d := c.tempR(), c.defR(v)
		c.b.MovImm(t, 1<<bitN|1<<bitZ|1<<bitC|1<<bitV)
		c.b.RRR(x64.PEXTL, d, s, t)
		c.b.RI(x64.SHLL, d, 28)
		c.zero(v, 32)
		return
	}
	t, d := c.tempR(), c.defR(v)
	c.b.RR(x64.MOVL, d, s)
	c.b.RI(x64.ANDL, d, 1<<bitN|1<<bitZ)
	c.b.RI(x64.SHLL, d, 31-bitN)
	c.b.RR(x64.MOVL, t, s)
	c.b.RI(x64.ANDL, t, 1<<bitC)
	c.b.RI(x64.SHLL, t, 29-bitC)
	c.b.RR(x64.ORL, d, t)
	c.b.RR(x64.MOVL, t, s)
	c.b.RI(x64.SHLL, t, 31) // V is bit 0: only it remains
	c.b.RI(x64.SHRL, t, 3)
	c.b.RR(x64.ORL, d, t)
	c.zero(v, 32)
}

// lowerUnpackF: the reverse of lowerPackF.
func lowerUnpackF(c *compiler, v ir.Value, in ir.Inst) {
	c.clobber()
	s := c.useR(in.A())
	t, d := c.tempR(), c.defR(v)
	if c.feat.Has(x64.BMI2) {
		c.b.RR(x64.MOVL, d, s)
		c.b.RI(x64.SHRL, d, 28)
		c.b.MovImm(t, 1<<bitN|1<<bitZ|1<<bitC|1<<bitV)
		c.b.RRR(x64.PDEPL, d, d, t)
		c.zero(v, 16)
		return
	}
	c.b.RR(x64.MOVL, d, s)
	c.b.RI(x64.SHRL, d, 31-bitN)
	c.b.RI(x64.ANDL, d, 1<<bitN|1<<bitZ)
	c.b.RR(x64.MOVL, t, s)
	c.b.RI(x64.SHRL, t, 29-bitC)
	c.b.RI(x64.ANDL, t, 1<<bitC)
	c.b.RR(x64.ORL, d, t)
	c.b.RR(x64.MOVL, t, s)
	c.b.RI(x64.SHRL, t, 28)
	c.b.RI(x64.ANDL, t, 1)
	c.b.RR(x64.ORL, d, t)
	c.zero(v, 16)
}
