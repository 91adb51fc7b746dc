package amd64

import (
	"emu/ir"
	"emu/jit/asm/x64"
)

// shift returns the lowering of a shift: op by an immediate or CL, opx the BMI2
// form that leaves the flags alone. Host and IR both take the amount modulo the
// width.
func shift(op, opx x64.Op) lowerFn {
	return func(c *compiler, v ir.Value, in ir.Inst) { c.shift(op, opx, v, in) }
}

func (c *compiler) shift(op, opx x64.Op, v ir.Value, in ir.Inst) {
	t := c.f.TypeOf(v)
	k, isConst := c.constI(in.B())
	switch {
	case isConst:
		c.shiftConst(op, opx, v, in.A(), uint8(k)&uint8(t.Bits()-1), t)
	case c.feat.Has(x64.BMI2):
		n := c.useR(in.B())
		a := c.useR(in.A())
		c.b.RRR(wide(opx, t), c.overR(v, in.A(), in.B()), a, n)
		c.done(v)
	default:
		c.clobber()
		c.useIn(in.B(), x64.RCX)
		c.b.RC(wide(op, t), c.copyR(v, in.A()))
		c.done(v)
	}
}

// shiftConst shifts by 0 <= n < width.
func (c *compiler) shiftConst(op, opx x64.Op, v, a ir.Value, n uint8, t ir.Type) {
	known := min(c.zbits(a), max(uint8(t.Bits()), 32))
	switch op {
	case x64.SHLL:
		known = min(known+n, max(uint8(t.Bits()), 32))
	case x64.SHRL:
		known -= min(known, n)
	default:
		known = 64
	}
	if op == x64.SHLL && n >= 1 && n <= 3 && (c.flagsLive() || !c.canTake(a)) {
		ra := c.useR(a)
		m := x64.Mem{Base: x64.NoBase, Index: ra, Scale: 1 << n}
		if n == 1 {
			m = x64.AtIndex(ra, ra, 1, 0)
		}
		c.b.RM(wide(x64.LEAL, t), c.overR(v, a, ir.None), m)
		c.done(v)
		c.within(v, known)
		return
	}
	if c.flagsLive() && c.feat.Has(x64.BMI2) && opx != 0 {
		k := c.tempR()
		c.b.MovImm(k, uint64(n))
		ra := c.useR(a)
		c.b.RRR(wide(opx, t), c.overR(v, a, ir.None), ra, k)
		c.done(v)
		c.within(v, known)
		return
	}
	c.clobber()
	d := c.copyR(v, a)
	if n != 0 {
		c.b.RI(wide(op, t), d, int32(n))
	} else if t == ir.I32 {
		c.b.RR(x64.MOVL, d, d)
	}
	c.done(v)
	c.within(v, known)
}

func lowerShl(c *compiler, v ir.Value, in ir.Inst) {
	if k, ok := c.constI(in.B()); ok && k >= 1 && k <= 3 {
		if c.f.TypeOf(v) == ir.I64 && c.indexes(v) && c.laterOften(v) || c.isSummand(v) && c.later(v) {
			return
		}
	}
	c.shift(x64.SHLL, x64.SHLXL, v, in)
}

func lowerLShr(c *compiler, v ir.Value, in ir.Inst) {
	p := &c.vals[v]
	if p.user != ir.None && c.f.Insts[p.user].Op() == ir.OpTrunc && c.f.Types[p.user] == ir.I1 &&
		c.root(in.B()).IsConst() && c.later(v) {
		return // a bit test
	}
	c.shift(x64.SHRL, x64.SHRXL, v, in)
}

func lowerRor(c *compiler, v ir.Value, in ir.Inst) {
	t := c.f.TypeOf(v)
	k, ok := c.constI(in.B())
	if ok {
		c.ror(v, in.A(), uint8(k)&uint8(t.Bits()-1), t)
		return
	}
	c.clobber()
	c.useIn(in.B(), x64.RCX)
	c.b.RC(wide(x64.RORL, t), c.copyR(v, in.A()))
	c.done(v)
}

// ror rotates right by 0 <= n < width.
func (c *compiler) ror(v, a ir.Value, n uint8, t ir.Type) {
	if c.feat.Has(x64.BMI2) {
		ra := c.useR(a)
		c.b.RRI(wide(x64.RORXL, t), c.overR(v, a, ir.None), ra, int32(n))
		c.done(v)
		return
	}
	c.shiftConst(x64.RORL, 0, v, a, n, t)
}
