package amd64

import (
	"emu/ir"
	"emu/jit/asm/x64"
)

func lowerMul(c *compiler, v ir.Value, in ir.Inst) {
	t, a, b := c.f.TypeOf(v), in.A(), in.B()
	if t == ir.I64 {
		for _, op := range [...]ir.Op{ir.OpMulHiU, ir.OpMulHiS} {
			if hi, ok := c.partner(v, op, in); ok && !c.unused(hi) {
				c.absorb(hi)
				c.mulFull(v, hi, in, op)
				return
			}
		}
		if c.keepsFlags() {
			c.mulAround(v, ir.None, a, b)
			return
		}
	}
	c.clobber()
	if c.root(a).IsConst() {
		a, b = b, a
	}
	if imm, ok := c.const32(b, t); ok {
		ra := c.useR(a)
		c.b.RRI(wide(x64.IMULL, t), c.overR(v, a, ir.None), ra, imm)
		c.done(v)
		return
	}
	if !c.canTake(a) && c.canTake(b) {
		a, b = b, a
	}
	if m, ok := c.inMemory(b); ok {
		c.b.RM(wide(x64.IMULL, t), c.copyR(v, a), m)
		c.done(v)
		return
	}
	rb := c.useR(b)
	d := c.copyR(v, a)
	c.b.RR(wide(x64.IMULL, t), d, rb)
	c.done(v)
}

// lowerMulHi: the upper half in RDX.
func lowerMulHi(c *compiler, v ir.Value, in ir.Inst) {
	lo := ir.None
	if j, ok := c.partner(v, ir.OpMul, in); ok && !c.unused(j) {
		c.absorb(j)
		lo = j
	}
	c.mulFull(lo, v, in, in.Op())
}

// mulFull emits both halves of a product, of which hi is the one that op gives. lo may be
// None.
func (c *compiler) mulFull(lo, hi ir.Value, in ir.Inst, op ir.Op) {
	a, b := in.A(), in.B()
	if !c.canTake(a) && c.canTake(b) {
		a, b = b, a
	}
	if op == ir.OpMulHiU && c.feat.Has(x64.BMI2) {
		c.mulAround(lo, hi, a, b)
		return
	}
	c.clobber()
	c.useIn(a, x64.RAX)
	c.reserve(x64.RDX)
	rb := c.useR(b)
	if op == ir.OpMulHiS {
		c.b.R(x64.IMULQ, rb)
	} else {
		c.b.R(x64.MULQ, rb)
	}
	c.defIn(hi, x64.RDX)
	if lo != ir.None {
		c.defIn(lo, x64.RAX)
	}
}

// keepsFlags reports whether a multiplication had better leave the host's flags alone: those
// of ADCS between the products of a long multiplication cannot be made again.
func (c *compiler) keepsFlags() bool { return c.feat.Has(x64.BMI2) && c.flagsWanted() }

// mulAround emits the halves of an unsigned product without a change of flags, in any registers. Either may be
// None.
func (c *compiler) mulAround(lo, hi, a, b ir.Value) {
	in := func(v ir.Value) bool {
		v = c.root(v)
		return v.IsSSA() && c.vals[v].reg == int8(x64.RDX) && !c.vals[v].inX
	}
	if in(b) {
		a, b = b, a
	}
	if in(a) {
		c.useR(a)
	} else {
		c.useIn(a, x64.RDX)
	}
	rb := c.useR(b)
	to := [2]x64.Reg{}
	for k, v := range [2]ir.Value{lo, hi} {
		if v == ir.None {
			to[k] = c.tempR()
		} else {
			to[k] = c.defR(v)
		}
	}
	c.b.RRR(x64.MULXQ, to[1], to[0], rb)
}

// lowerMulLong: 32 by 32 to 64 bits.
func lowerMulLong(c *compiler, v ir.Value, in ir.Inst) {
	c.clobber()
	if in.Op() == ir.OpMulLU {
		a, b := c.useZ(in.A(), 32), c.useZ(in.B(), 32)
		d := c.defR(v)
		c.b.RR(x64.MOVQ, d, a)
		c.b.RR(x64.IMULQ, d, b)
		return
	}
	a, b := c.useR(in.A()), c.useR(in.B())
	s, d := c.tempR(), c.defR(v)
	c.b.RR(x64.MOVSLQ, d, a)
	c.b.RR(x64.MOVSLQ, s, b)
	c.b.RR(x64.IMULQ, d, s)
}

// lowerDiv: quotients and remainders with A64's results where the host traps:
// x/0 = 0 and minimum/-1 = minimum, from cold code.
func lowerDiv(c *compiler, v ir.Value, in ir.Inst) {
	t, op := c.f.TypeOf(v), in.Op()
	signed := op == ir.OpSDiv || op == ir.OpSRem
	c.clobber()
	c.useIn(in.A(), x64.RAX)
	c.reserve(x64.RDX)
	b := c.useR(in.B())
	p := c.newCold(coldDivide)
	p.op, p.reg, p.t = op, b, t
	if signed {
		// -1 and 0 are the divisors for which b + 1 is 0 or 1.
		s := c.tempR()
		p.reg2 = s
		c.b.RM(wide(x64.LEAL, t), s, x64.At(b, 1))
		c.b.RI(wide(x64.CMPL, t), s, 1)
		c.b.JccNear(x64.BE, p.from)
		if t == ir.I64 {
			c.b.Op(x64.CQO)
		} else {
			c.b.Op(x64.CDQ)
		}
		c.b.R(wide(x64.IDIVL, t), b)
	} else {
		c.b.RR(wide(x64.TESTL, t), b, b)
		c.b.JccNear(x64.EQ, p.from)
		c.b.Zero(x64.RDX)
		c.b.R(wide(x64.DIVL, t), b)
	}
	c.b.Bind(p.back)
	if op == ir.OpSDiv || op == ir.OpUDiv {
		c.defIn(v, x64.RAX)
	} else {
		c.defIn(v, x64.RDX)
	}
	c.done(v)
}

// emitDivide is the cold part of lowerDiv: the divisor in p.reg is 0 or, in
// signed divisions, -1 (p.reg2 is then 0).
func (c *compiler) emitDivide(p *coldCode) {
	l := func(op x64.Op) x64.Op { return wide(op, p.t) }
	switch p.op {
	case ir.OpUDiv:
		c.b.Zero(x64.RAX)
	case ir.OpURem:
		c.b.RR(l(x64.MOVL), x64.RDX, x64.RAX)
	case ir.OpSDiv:
		c.b.R(l(x64.NEGL), x64.RAX)
		c.b.RR(l(x64.TESTL), p.reg, p.reg)
		c.b.CMovRR(l(x64.CMOVL), x64.EQ, x64.RAX, p.reg)
	case ir.OpSRem:
		c.b.RR(l(x64.MOVL), x64.RDX, x64.RAX)
		c.b.RR(l(x64.TESTL), p.reg, p.reg)
		c.b.CMovRR(l(x64.CMOVL), x64.NE, x64.RDX, p.reg2)
	}
	c.b.JmpNear(p.back)
}
