package amd64

import (
	"emu/ir"
	"emu/jit/asm/x64"
)

func minmax(cc x64.Cond) lowerFn {
	return func(c *compiler, v ir.Value, in ir.Inst) {
		t := c.f.TypeOf(v)
		c.clobber()
		b := c.useR(in.B())
		d := c.copyR(v, in.A())
		c.b.RR(wide(x64.CMPL, t), b, d)
		c.b.CMovRR(wide(x64.CMOVL, t), cc, d, b)
		c.done(v)
	}
}

// icmpCond maps ir.Cond.
var icmpCond = [...]x64.Cond{
	ir.EQ: x64.EQ, ir.NE: x64.NE,
	ir.ULT: x64.B, ir.ULE: x64.BE, ir.UGT: x64.A, ir.UGE: x64.AE,
	ir.SLT: x64.LT, ir.SLE: x64.LE, ir.SGT: x64.GT, ir.SGE: x64.GE,
}

// swapped maps a condition to that of exchanged operands.
var swapped = [...]ir.Cond{
	ir.EQ: ir.EQ, ir.NE: ir.NE,
	ir.ULT: ir.UGT, ir.ULE: ir.UGE, ir.UGT: ir.ULT, ir.UGE: ir.ULE,
	ir.SLT: ir.SGT, ir.SLE: ir.SGE, ir.SGT: ir.SLT, ir.SGE: ir.SLE,
}

func lowerICmp(c *compiler, v ir.Value, in ir.Inst) {
	a, b, cc := in.A(), in.B(), ir.Cond(c.f.ImmOf(in.C()))
	t := c.f.TypeOf(a)
	if t == ir.I1 {
		viaGo(c, v, in)
		return
	}
	if c.root(a).IsConst() {
		a, b, cc = b, a, swapped[cc]
	}
	if k, ok := c.constI(b); ok && k == 0 && (cc == ir.EQ || cc == ir.NE) {
		c.test(a, t)
	} else {
		c.compare(a, b, t)
	}
	c.setBool(v, icmpCond[cc])
}

// lowerSelect: CMOV, or SETcc for 1 and 0.
func lowerSelect(c *compiler, v ir.Value, in ir.Inst) {
	t := c.f.TypeOf(v)
	a, b := in.B(), in.C()
	if t.InXMM() {
		c.selectX(v, in)
		return
	}
	if t == ir.I1 && c.selectBool(v, in) || t == ir.Flags && c.selectLazy(v, in) {
		return
	}
	if t == ir.Flags {
		// A value in the host's flags has to leave them before the condition comes.
		c.toReg(a)
		c.toReg(b)
	}
	ka, oka := c.constI(a)
	kb, okb := c.constI(b)
	if oka && okb && t != ir.Flags && t != ir.I1 && (ka == 1 && kb == 0 || ka == 0 && kb == 1) {
		cc := c.cond(in.A())
		if ka == 0 {
			cc = cc.Invert()
		}
		r := c.defR(v)
		c.b.SetR(cc, r)
		c.b.RR(x64.MOVZBL, r, r)
		c.zero(v, 8)
		return
	}
	c.ready(a)
	c.ready(b)
	ra := c.useR(a)
	rb := c.useR(b)
	mov, known := x64.CMOVQ, max(c.zbits(a), c.zbits(b))
	if t == ir.I32 {
		mov, known = x64.CMOVL, 32 // clears the upper half whether it moves or not
	}
	if c.dies(a) && !c.root(a).IsConst() && !c.canTake(b) && c.root(a) != c.root(in.A()) {
		// Keep the true value and move the other one over it when false.
		cc := c.cond(in.A())
		c.take(v, c.root(a))
		c.b.CMovRR(mov, cc.Invert(), ra, rb)
		c.zero(v, known)
		return
	}
	cc := c.cond(in.A())
	var d x64.Reg
	if c.root(b).IsConst() {
		d = rb // a scratch register that holds the constant
		c.bindR(v, d)
	} else {
		d = c.copyQ(v, b)
	}
	c.b.CMovRR(mov, cc, d, ra)
	c.zero(v, known)
}

// selectBool lowers the SELECT v of truth values of which one is known: an AND or OR
// of the condition, perhaps inverted, and the other one. It reports whether that is so.
func (c *compiler) selectBool(v ir.Value, in ir.Inst) bool {
	known, ok := c.constI(in.C())
	x, invert := in.B(), known != 0
	if !ok {
		if known, ok = c.constI(in.B()); !ok {
			return false
		}
		x, invert = in.C(), known == 0
	}
	if _, ok := c.constI(x); ok {
		return false
	}
	t, ok := c.truth(in.A())
	if !ok || invert {
		if c.fl.v == c.root(x) {
			c.useR(x) // it has to leave the host's flags before the condition comes
		}
		cc := c.cond(in.A())
		if invert {
			cc = cc.Invert()
		}
		t = c.tempR()
		c.b.SetR(cc, t)
	}
	cc := c.cond(x)
	d := c.defR(v)
	c.b.SetR(cc, d)
	c.dropFlags()
	if known != 0 {
		c.b.RR(x64.ORB, d, t)
	} else {
		c.b.RR(x64.ANDB, d, t)
	}
	c.setBool(v, x64.NE)
	return true
}

// truth returns the register of an I1 value that is 0 or 1 in it.
func (c *compiler) truth(a ir.Value) (x64.Reg, bool) {
	a = c.root(a)
	if !a.IsSSA() || c.vals[a].form != formHere || c.vals[a].reg < 0 || c.zbits(a) != 1 {
		return 0, false
	}
	return c.useR(a), true
}

// copyQ is copyR of all 64 bits, whatever the type.
func (c *compiler) copyQ(v, a ir.Value) x64.Reg {
	a = c.root(a)
	s := c.useR(a)
	if c.dies(a) {
		c.take(v, a)
		return s
	}
	r := c.defR(v)
	c.b.RR(x64.MOVQ, r, s)
	return r
}

// toReg packs a Flags operand that is in the host's flags.
func (c *compiler) toReg(a ir.Value) {
	if a = c.root(a); a.IsSSA() {
		c.useR(a)
	}
}

// selectX branches around a move: the host has no conditional vector move.
func (c *compiler) selectX(v ir.Value, in ir.Inst) {
	a := c.useX(in.B())
	b := c.useX(in.C())
	d := c.defX(v)
	c.keepUpper(v, in.B(), in.C())
	cc := c.cond(in.A())
	c.b.XX(x64.MOVAPS, d, a)
	skip := c.b.NewLabel()
	c.b.JccShort(cc, skip)
	c.b.XX(x64.MOVAPS, d, b)
	c.b.Bind(skip)
}
